"""Nothing of the log leaks from a certified release but what was measured with noise."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from accounting.confidential import Confidential
from amun_dp._base.units import DAY
from amun_dp.eventlog.log import EventLog
from amun_dp.folder.names import FILE_NAMES
from amun_dp.internals.certified import CertifiedInternals
from amun_dp.release.made import Release
from amun_dp.report.card import card_of
from tests.certified.cases import BEGIN, ordinary_cases, timed
from tests.certified.frequent import FORMS, GIVEN, certified, frequent_cases, frequent_log, whole
from tests.logs import log_of, variants_of

# --- seeds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_seed_repeats_the_release_and_takes_every_guarantee_away(form: Any) -> None:
    first, second = (certified(frequent_log(), variants=form, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.log, second.log)
    same_day = replace(first.report, made_on=second.report.made_on)  # it may have become midnight
    assert same_day.to_json() == second.report.to_json()
    assert first.report.unpredictable is False
    assert card_of(first.report).tone == "void"
    assert "predictable-noise" in [line.claim for line in first.report.guarantees]
    assert whole(first).advantage is None
    other = certified(frequent_log(), variants=form, seed=6)
    assert not first.log.equals(other.log)


def test_without_a_seed_two_releases_differ() -> None:
    for form in FORMS:
        first, second = (certified(frequent_log(), variants=form) for _ in range(2))
        assert first.report.unpredictable
        assert not first.log.equals(second.log)
        assert first.report.release_id != second.report.release_id


# --- nothing leaks --------------------------------------------------------------------------------------------------


def test_labels_that_a_threshold_did_not_release_are_in_no_published_file(tmp_path: Path) -> None:
    rare = ["SECRET-ONE", "SECRET-TWO"]
    cases = [*frequent_cases(), *([(label, BEGIN + DAY), ("a", BEGIN + 2 * DAY)] for label in rare)]
    release = certified(log_of(cases), dp_delta=1e-12)  # the probability that a variant of one case is released
    for format, name in FILE_NAMES.items():
        release.save(tmp_path / format, format=format)
        for file in (name, "report.json", "report.html"):
            content = (tmp_path / format / file).read_bytes()
            content = gzip.decompress(content) if file.endswith(".gz") else content
            assert b"SECRET" not in content
        assert "SECRET" in (tmp_path / format / "internal" / "report.html").read_text(encoding="utf-8")
    assert "SECRET" not in repr(release) + release._repr_html_()


def public_part(release: Release) -> dict[str, Any]:
    stated = release.report.as_dict()
    for name in ("release", "released", "files", "mechanisms"):
        del stated[name]
    return stated


@pytest.mark.parametrize("form", FORMS)
def test_two_logs_with_the_same_public_facts_have_the_same_report(form: Any) -> None:
    """But for what was measured with noise: identifier, figures of the released log, and steps."""
    one, other = frequent_log(seed=1), log_of([*frequent_cases(1_200, seed=2), *([timed("abcd", BEGIN, DAY)] * 800)])
    first, second = public_part(certified(one, variants=form)), public_part(certified(other, variants=form))
    # Which steps are recorded may depend on what they measured; the lines about single steps follow them.
    for part in (first, second):
        part["guarantees"] = [line for line in part["guarantees"] if line["claim"] == "whole-release"]
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def test_with_all_facts_given_the_report_says_nothing_about_the_size_of_the_log() -> None:
    for form in FORMS:
        small, large = (certified(frequent_log(number), 0.4, form, public=GIVEN) for number in (1_500, 4_000))
        first, second = public_part(small), public_part(large)
        for part in (first, second):
            part["guarantees"] = [line for line in part["guarantees"] if line["claim"] == "whole-release"]
        assert first == second


@pytest.mark.parametrize("form", FORMS)
def test_what_stays_inside_is_confidential(form: Any) -> None:
    release = certified(frequent_log(), variants=form)
    assert release.noise is None
    assert repr(release).startswith("<Release: advantage 0.2, method certified, ")
    for inside in (release.internals, release.comparison, release.events, release.ledger):
        assert isinstance(inside, Confidential)
        with pytest.raises(TypeError):
            str(inside)
    figures = release.internals.reveal()
    assert isinstance(figures, CertifiedInternals)
    known, made = variants_of(frequent_log()), variants_of(release.event_log)
    assert figures.variants_kept == len(known & made)
    assert figures.variants_lost == len(known - made)
    assert figures.variants_new == len(made - known)


def test_the_comparison_counts_variants_as_plain_python_does() -> None:
    log = log_of([*ordinary_cases(300), [("elsewhere", BEGIN)]])
    for form in ("public", "generated"):
        release = certified(log, 0.4, form, public=replace(GIVEN, cases=300))
        changes = release.comparison.reveal().variants

        def counts(each: EventLog) -> dict[tuple[str, ...], int]:
            found: dict[tuple[str, ...], int] = {}
            for start, stop in pairwise(each.offsets.tolist()):
                word = tuple(each.activities[code] for code in each.activity[start:stop])
                found[word] = found.get(word, 0) + 1
            return found

        before, after = counts(log), counts(release.event_log)
        assert changes.kept == len(before.keys() & after.keys())
        assert changes.deleted == len(before.keys() - after.keys())
        assert changes.new == len(after.keys() - before.keys())
        alone = {word for word, number in before.items() if number == 1}
        assert changes.one_of_a_kind.variants == len(alone)
        assert changes.one_of_a_kind.released == len(alone & after.keys())
        assert changes.replicated == sum(after.get(word, 0) > number for word, number in before.items())
        assert changes.thinned == sum(0 < after.get(word, 0) < number for word, number in before.items())
        assert changes.cases_of_lost == sum(number for word, number in before.items() if word not in after)
        assert all(
            (top.before, top.after) == (before[top.activities], after.get(top.activities, 0)) for top in changes.top
        )
        assert changes.top[0].before == max(before.values())
