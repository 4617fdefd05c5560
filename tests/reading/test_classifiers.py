"""An activity may be a classifier of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from amun_dp.errors import ColumnError, IncompleteLog
from amun_dp.reading import read_log
from amun_dp.reading.classifiers import classifier_keys
from tests.reading.samples import attribute, event, log, notes_of, trace, write


def classifier(name: str, keys: str) -> str:
    return f'<classifier name="{name}" keys="{keys}"/>'


def with_lifecycle(activity: str, transition: str) -> str:
    return event(activity, "2020-01-01", attribute("string", "lifecycle:transition", transition))


LEGACY = classifier("MXML Legacy Classifier", "concept:name lifecycle:transition")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("concept:name", ("concept:name",)),
        ("concept:name  lifecycle:transition", ("concept:name", "lifecycle:transition")),
        ("'my key' concept:name", ("my key", "concept:name")),
        ("my key concept:name", ("my key", "concept:name")),
        ("concept:name my key here", ("concept:name", "my key here")),
        ("unknown words", ("unknown", "words")),
        ("a 'my key' my key", ("a", "my key", "my key")),
        ("", ()),
    ],
)
def test_keys_are_separated_by_spaces_unless_quoted_or_declared(text: str, keys: tuple[str, ...]) -> None:
    assert classifier_keys(text, {"concept:name", "my key", "my key here"}) == keys


def test_the_label_is_the_values_joined(tmp_path: Path) -> None:
    text = log(LEGACY, trace("1", with_lifecycle("a", "start"), with_lifecycle("a", "complete")))
    read = read_log(write(tmp_path, text), activity="MXML Legacy Classifier")
    assert read.activities == ("a+complete", "a+start")
    assert "MXML Legacy Classifier" in notes_of(read)
    assert read.facts.dropped_attributes == ()


def test_labels_that_read_the_same_are_one_activity(tmp_path: Path) -> None:
    text = log(LEGACY, trace("1", with_lifecycle("a+b", "c"), with_lifecycle("a", "b+c")))
    assert read_log(write(tmp_path, text), activity="MXML Legacy Classifier").activities == ("a+b+c",)


def test_a_classifier_may_stand_after_the_traces(tmp_path: Path) -> None:
    text = log(trace("1", with_lifecycle("a", "start")), LEGACY)
    assert read_log(write(tmp_path, text), activity="MXML Legacy Classifier").activities == ("a+start",)


def test_defaults_of_the_log_count_in_a_classifier(tmp_path: Path) -> None:
    default = '<global scope="event"><string key="lifecycle:transition" value="complete"/></global>'
    text = log(default, LEGACY, trace("1", event("a"), with_lifecycle("a", "start")))
    read = read_log(write(tmp_path, text), activity="MXML Legacy Classifier")
    assert read.activities == ("a+complete", "a+start")
    assert "1 of 2 events" in notes_of(read)


def test_an_event_that_lacks_part_of_its_label_has_none(tmp_path: Path) -> None:
    text = log(LEGACY, trace("1", event("a"), with_lifecycle("a", "start")))
    with pytest.raises(IncompleteLog, match="1 has no activity"):
        read_log(write(tmp_path, text), activity="MXML Legacy Classifier")


def test_a_classifier_of_traces_is_not_one_of_events(tmp_path: Path) -> None:
    text = log('<classifier name="T" scope="trace" keys="concept:name"/>', trace("1", event("a")))
    with pytest.raises(ColumnError, match="no event attribute or classifier 'T'"):
        read_log(write(tmp_path, text), activity="T")


def test_a_classifier_of_attributes_that_no_event_has_is_refused(tmp_path: Path) -> None:
    for keys in ("nowhere", ""):
        with pytest.raises(ColumnError, match="classifier 'C'"):
            read_log(write(tmp_path, log(classifier("C", keys), trace("1", event("a")))), activity="C")


def test_an_unknown_activity_is_refused_with_the_keys_and_classifiers_there_are(tmp_path: Path) -> None:
    text = log(LEGACY, trace("1", with_lifecycle("secret", "start")))
    with pytest.raises(ColumnError) as refused:
        read_log(write(tmp_path, text), activity="concept:nam")
    for name in (
        "concept:name",
        "lifecycle:transition",
        "MXML Legacy Classifier",
        "Did you mean 'concept:name'?",
    ):
        assert name in str(refused.value)
    assert "secret" not in str(refused.value)
