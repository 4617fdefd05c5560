"""A certified release as a Python user meets it: what is written, of ordinary, odd and real logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import amun_dp
from accounting.accountant import replay
from accounting.confidential import Confidential
from amun_dp._base.units import DAY, HOUR, MINUTE
from amun_dp.certified import EmptyReleaseError
from amun_dp.errors import AmunError
from amun_dp.eventlog.log import PublicLog, ReadingFacts
from amun_dp.folder.names import FILE_NAMES
from amun_dp.internals.page import internal_page
from amun_dp.report.card import card_of
from amun_dp.report.page import public_page
from amun_dp.report.schema import schema_problems
from tests.certified.cases import BEGIN, END, timed
from tests.certified.frequent import FORMS, UNIQUE, certified, chosen, frequent_log, whole
from tests.logs import Case, log_of, variants_of

# --- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FILE_NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_a_release_comes_back_from_its_folder_as_it_was_made(form: Any, format: str, tmp_path: Path) -> None:
    release = certified(frequent_log(), variants=form, releases=2)
    saved = release.save(tmp_path / "out", format=format)
    loaded = amun_dp.load_release(tmp_path / "out")
    text = (tmp_path / "out" / "report.json").read_bytes()
    assert loaded.report.to_json().encode() == text == saved.to_json().encode()
    assert schema_problems(json.loads(text)) == []
    assert loaded.report.parameters == release.report.parameters
    assert loaded.report.guarantees == release.report.guarantees == release.account.public
    pd.testing.assert_frame_equal(loaded.log, release.log)
    assert loaded.ledger is not None
    assert replay(loaded.ledger.reveal()).public == loaded.report.guarantees
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        FILE_NAMES[format],
        "report.json",
        "report.html",
        "internal",
    }
    inside = json.loads((tmp_path / "out" / "internal" / "report.json").read_bytes())
    assert inside["confidential"].startswith("CONFIDENTIAL")
    assert inside["cases"] == 2_000
    assert inside["variants_kept"] + inside["variants_lost"] == 4
    assert inside["plan"]["form"] == form


@pytest.mark.parametrize("form", FORMS)
def test_the_report_states_what_was_chosen_and_what_was_taken_as_public(form: Any) -> None:
    release = certified(frequent_log(), 0.3, form)
    stated = release.report.as_dict()
    assert (stated["method"], stated["advantage"], stated["releases"]) == ("certified", 0.3, 1)
    assert stated["individuals"] == {"max_cases": None, "by": "none"}
    assert stated["noise"]["predictable"] is False
    also = {"threshold": [], "public": ["variants"], "generated": ["labels"]}[form]
    assert stated["parameters"] == {
        "of": "certified",
        "variants": form,
        "scope": "case",
        "delta": 1e-7 if form == "threshold" else None,  # 1/(1000·2,000), rounded down to a power of ten
        "first_ms": BEGIN,
        "last_ms": END,
        "longest_ms": END - BEGIN,
        "activities": 4 if form == "generated" else None,
        "public_variants": 4 if form == "public" else None,
        "cases": 2_000,
        "from_log": sorted(["number of cases", "time frame", *also]),
    }


def test_the_figures_of_the_report_are_those_of_the_released_log() -> None:
    for form in FORMS:
        release = certified(frequent_log(), variants=form)
        released, stated = release.event_log, release.report.released
        assert isinstance(released, PublicLog)
        assert (stated.cases, stated.events) == (released.n_cases, released.n_events)
        assert stated.variants == len(variants_of(released))
        assert released.individual is None
        assert released.facts == ReadingFacts()


def test_without_a_choice_variants_are_thresholded() -> None:
    assert chosen(amun_dp.anonymize(frequent_log(), 0.3, "certified")).variants == "threshold"


def test_the_input_is_not_changed_and_pm4py_takes_the_release() -> None:
    import pm4py

    frame = frequent_log(500).to_pandas()
    before = frame.copy(deep=True)
    release = amun_dp.anonymize(frame, 0.5, "certified", variants="generated")
    pd.testing.assert_frame_equal(frame, before)
    edges, _, _ = pm4py.discover_dfg(release.log)
    assert sum(edges.values()) == release.report.released.events - release.report.released.cases


# --- odd logs -------------------------------------------------------------------------------------------------------

ODD: dict[str, list[Case]] = {
    "one event": [timed("a", BEGIN, 0)],
    "one case": [timed("abcab", BEGIN, DAY)],
    "one variant": [timed("abc", BEGIN + number * HOUR, HOUR) for number in range(400)],
    "zero durations": [timed("abc", BEGIN + number * DAY, 0) for number in range(300)],
    "one instant": [timed("ab", BEGIN, 0)] * 300,
    "a single day": [timed("abc", BEGIN + number * MINUTE, MINUTE) for number in range(400)],
    "one activity": [timed("a" * (1 + number % 3), BEGIN + number * HOUR, HOUR) for number in range(600)],
    "20 unique cases": UNIQUE,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ODD)
def test_odd_logs_are_released_and_read_back(name: str, form: Any, tmp_path: Path) -> None:
    log = log_of(ODD[name])
    try:
        release = certified(log, 0.3, form, allow_too_small=True)
    except EmptyReleaseError:
        assert form == "threshold"
        assert name in ("one event", "one case", "20 unique cases")  # the others are frequent enough for any noise
        return
    release.save(tmp_path / "out", format="csv")
    loaded = amun_dp.load_release(tmp_path / "out")
    pd.testing.assert_frame_equal(loaded.log, release.log)
    assert whole(release).advantage == 0.3  # also where there is nothing to measure: no step, no frequent pair
    assert card_of(loaded.report).tone == ("partial" if form == "public" else "good")
    if form != "threshold":
        assert release.report.released.cases == log.n_cases
    if form != "generated":
        assert variants_of(release.event_log) <= variants_of(log)


def test_a_log_of_nothing_but_unique_variants_leaves_an_empty_threshold_release_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    with pytest.raises(EmptyReleaseError) as refusal:  # δ is the probability that a variant of one case is released
        certified(log_of(UNIQUE), dp_delta=1e-12, allow_too_small=True).save(tmp_path / "out")
    assert refusal.value.exit_code == 1
    assert "the budget is spent" in str(refusal.value)
    assert "variants='generated'" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    for form in ("public", "generated"):
        certified(log_of(UNIQUE), variants=form).save(tmp_path / form)


# --- pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_both_pages_are_made(form: Any) -> None:
    release = certified(frequent_log(), variants=form)
    page = public_page(release.report, release.event_log)
    assert "certified" in page
    assert form in page
    inside = internal_page(release.comparison)
    assert isinstance(inside, Confidential)
    assert "drawn anew from noisy counts" in inside.reveal()


# --- real logs ------------------------------------------------------------------------------------------------------


@pytest.mark.real_logs
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["CCC19", "Sepsis", "Unrineweginfectie"])
def test_real_logs_are_released_with_their_promise_or_not_at_all(
    real_logs: Path, name: str, form: Any, tmp_path: Path
) -> None:
    log = amun_dp.read_log(real_logs / f"{name}.xes.gz")
    try:
        release = certified(log, 0.2, form)
    except AmunError as refusal:  # a threshold would leave nothing: refused before anything is drawn
        assert form == "threshold"
        assert "allow_too_small=True" in str(refusal)
        with pytest.raises(EmptyReleaseError):
            certified(log, 0.2, form, allow_too_small=True)
        return
    release.save(tmp_path / "out")
    loaded = amun_dp.load_release(tmp_path / "out")
    assert loaded.report.guarantees == release.report.guarantees
    advantage = whole(release).advantage
    assert advantage is not None
    assert 0 < advantage <= 0.2
    if form != "generated":
        assert variants_of(release.event_log) <= variants_of(log)
