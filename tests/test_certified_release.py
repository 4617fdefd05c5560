"""The certified method as a Python user meets it: what is promised, what is written, and that nothing leaks."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import amun_dp
from accounting.accountant import replay, strictest
from accounting.assumptions import Assumption
from accounting.confidential import Confidential
from accounting.guarantee import Guarantee, Relation, Scope, Verdict
from amun_dp.certified import EmptyReleaseError, GivenFacts
from amun_dp.certified.releasing import CertifiedInternals
from amun_dp.errors import AmunError, ParameterError
from amun_dp.eventlog import EventLog, PublicLog, ReadingFacts
from amun_dp.folder import FILE_NAMES
from amun_dp.pages.card import card_of
from amun_dp.pages.internal import internal_page
from amun_dp.pages.public import public_page
from amun_dp.pages.words import points
from amun_dp.release import Release
from amun_dp.report_parameters import CertifiedParameters
from amun_dp.report_schema import schema_problems
from tests.certified.cases import BEGIN, DAY, END, HOUR, ordinary_cases, timed, with_individuals
from tests.logs import Case, log_of, variants_of

FORMS = ("threshold", "public", "generated")
FREQUENT = ("abcd", "ab", "ad", "abcddcba")


def frequent_cases(number: int = 2_000, seed: int = 1) -> list[Case]:
    """So many cases of four variants that a threshold keeps some, whatever the noise; the frame is the year 2020."""
    random = np.random.default_rng(seed)
    cases: list[Case] = [timed("abcd", BEGIN, HOUR), timed("abcd", END - 3 * HOUR, HOUR)]
    while len(cases) < number:
        word = FREQUENT[random.integers(4)]
        gaps = [int(gap) for gap in random.exponential(DAY, len(word) - 1)]
        cases.append(timed(word, BEGIN + int(random.integers(300 * DAY)), gaps))
    return cases


def frequent_log(number: int = 2_000, seed: int = 1) -> EventLog:
    return log_of(frequent_cases(number, seed))


def people_log(number: int = 2_400, each: int = 3) -> EventLog:
    return with_individuals(frequent_cases(number), [case // each for case in range(number)])


GIVEN = GivenFacts(
    activities=("a", "b", "c", "d"),
    first=BEGIN,
    last=END,
    longest=60 * DAY,
    cases=2_000,
    variants=tuple(tuple(word) for word in FREQUENT),
)


def certified(log: EventLog, advantage: float = 0.2, variants: str = "threshold", **options: Any) -> Release:
    return amun_dp.anonymize(log, advantage, "certified", variants=variants, **options)


def whole(release: Release, scope: Scope = Scope.CASE) -> Guarantee:
    return strictest(release.report.guarantees, scope, Relation.REPLACE)


def chosen(release: Release) -> CertifiedParameters:
    assert isinstance(release.report.parameters, CertifiedParameters)
    return release.report.parameters


# --- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FILE_NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_a_release_comes_back_from_its_folder_as_it_was_made(form: str, format: str, tmp_path: Path) -> None:
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
def test_the_report_states_what_was_chosen_and_what_was_taken_as_public(form: str) -> None:
    release = certified(frequent_log(), 0.3, form)
    stated = release.report.as_dict()
    assert (stated["method"], stated["advantage"], stated["releases"]) == ("certified", 0.3, 1)
    assert stated["max_cases_per_individual"] is None
    assert stated["private"] is True
    also = {"threshold": [], "public": ["variants"], "generated": ["labels"]}[form]
    assert stated["parameters"] == {
        "of": "certified",
        "variants": form,
        "scope": "case",
        "delta": 1 / 2_000_000 if form == "threshold" else None,
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


# --- what is promised -----------------------------------------------------------------------------------------------


def check_advantage(line: Guarantee, asked: float) -> None:
    """As asked for, whichever steps were worth taking."""
    assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert line.advantage == asked


@pytest.mark.parametrize("advantage", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_the_advantage_for_one_case_is_the_one_that_was_asked_for(form: str, advantage: float) -> None:
    log = frequent_log(8_000)
    for releases in (1, 3):
        release = certified(log, advantage, form, releases=releases)
        line = whole(release)
        check_advantage(line, advantage)
        delta = chosen(release).delta
        assert (delta is not None) == (form == "threshold") == (line.delta > 0)
        assert line.delta <= (delta or 0)
        assert release.report.releases == releases


@pytest.mark.parametrize("advantage", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_the_advantage_for_one_individual_is_the_one_that_was_asked_for(form: str, advantage: float) -> None:
    log = people_log(9_000)
    release = certified(log, advantage, form, scope="individual", max_cases_per_individual=3)
    line = whole(release, Scope.INDIVIDUAL)
    check_advantage(line, advantage)
    assert line.delta <= (chosen(release).delta or 0)
    assert Assumption.PUBLIC_CASES_PER_INDIVIDUAL in line.assumptions
    assert Assumption.ONE_CASE_PER_INDIVIDUAL not in line.assumptions
    of_case = whole(release).advantage  # what protects three cases of a person protects each of them better
    assert of_case is not None
    assert of_case < advantage
    assert chosen(release).scope == "individual"
    assert chosen(release).cases is None
    assert release.report.max_cases_per_individual == 3
    assert "number of cases" not in chosen(release).from_log


def test_a_chosen_delta_is_the_one_that_is_stated_and_kept_for_all_releases_together() -> None:
    for delta in (1e-3, 1e-6, 1e-9):
        for releases in (1, 4):
            release = certified(frequent_log(6_000), 0.5, dp_delta=delta, releases=releases)
            assert chosen(release).delta == pytest.approx(delta)
            assert 0 < whole(release).delta <= delta


@pytest.mark.parametrize("advantage", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_the_label_says_so_in_points(form: str, advantage: float) -> None:
    release = certified(frequent_log(8_000), advantage, form)
    check_advantage(whole(release), advantage)
    said = f"{points(whole(release).advantage or 0)} points"
    assert said == f"{100 * advantage:g} points"
    card = card_of(release.report)
    assert card.tone == ("partial" if form == "public" else "good")  # the log's own variants are no secret by choice
    assert card.heading == "A guarantee about one case"
    assert f"more than {said} higher than before" in card.sentence
    assert ("except with probability δ" in card.sentence) == (form == "threshold")
    assert said in card.lines[0].advantage
    assert release._repr_html_() == release.report._repr_html_()
    assert said in release._repr_html_()


def test_the_label_of_a_release_for_individuals_names_both_units() -> None:
    card = card_of(certified(people_log(), 0.2, "public", scope="individual", max_cases_per_individual=3).report)
    assert card.tone == "partial"  # the log's own variants are taken as public
    # The unit that was asked for comes first; a case may change two of the cases that count.
    assert "one individual" in card.heading
    assert "20 points" in card.sentence
    assert "20 points" in card.lines[0].advantage
    assert any(name == "One case" for name, _ in card.remarks)


def test_a_delta_that_is_no_footnote_takes_the_good_label_away() -> None:
    assert card_of(certified(frequent_log(), 0.5, dp_delta=0.01).report).tone == "partial"


def test_the_log_s_own_variants_are_said_to_disclose_a_variant_of_one_case() -> None:
    own = certified(frequent_log(), variants="public").report
    (sentence,) = [text for text in own.unprotected if text.startswith("variants:")]
    assert "a variant that one case alone has is disclosed" in sentence
    (remark,) = [text for name, text in card_of(own).remarks if name == "Not covered"]
    assert "a variant that one case alone has is disclosed by that choice" in remark.lower()
    assert Assumption.PUBLIC_VARIANTS in strictest(own.guarantees, Scope.CASE, Relation.REPLACE).assumptions
    for other in (
        certified(frequent_log(), variants="public", public=GIVEN),
        certified(frequent_log(), variants="threshold"),
        certified(frequent_log(), variants="generated"),
    ):
        assert not any("variant" in text for text in other.report.unprotected)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_taken_from_the_log_where_all_is_given(form: str) -> None:
    log = frequent_log()
    bare, given = certified(log, variants=form), certified(log, variants=form, public=GIVEN)
    assert chosen(bare).from_log
    assert chosen(given).from_log == ()
    assert (chosen(given).first_ms, chosen(given).last_ms, chosen(given).longest_ms) == (BEGIN, END, 60 * DAY)
    assert set(given.report.unprotected) < set(bare.report.unprotected)
    assert not any("taken from the log" in text for text in given.report.unprotected)
    assert whole(given).advantage == whole(bare).advantage == 0.2


@pytest.mark.parametrize("form", FORMS)
def test_what_is_given_from_outside_is_no_assumption_about_the_log(form: str) -> None:
    log = frequent_log()
    bare, given = certified(log, variants=form), certified(log, variants=form, public=GIVEN)
    assert set(whole(given).assumptions) < set(whole(bare).assumptions)
    assert set(whole(given).assumptions) == {Assumption.INDEPENDENT_CASES, Assumption.EXACT_SAMPLER}


def test_a_threshold_does_not_assume_that_labels_are_public() -> None:
    assert Assumption.PUBLIC_LABELS not in whole(certified(frequent_log())).assumptions


@pytest.mark.parametrize("given", [None, GIVEN], ids=["own", "given"])
def test_no_variant_is_released_that_was_not_there_before(given: GivenFacts | None) -> None:
    log = log_of([*ordinary_cases(700), *frequent_cases(1_500)])
    for form in ("threshold", "public"):
        released = certified(log, 0.4, form, public=given).event_log
        if form == "public" and given is not None:
            assert variants_of(released) <= set(GIVEN.variants or ())
        else:
            assert variants_of(released) <= variants_of(log)


@pytest.mark.parametrize("form", FORMS)
def test_times_are_in_order_in_the_public_frame_and_no_case_lasts_longer_than_is_public(form: str) -> None:
    released = certified(frequent_log(), variants=form, public=GIVEN).event_log
    for start, stop in pairwise(released.offsets.tolist()):
        times = released.time[start:stop].tolist()
        assert times == sorted(times)
        assert times[-1] - times[0] <= 60 * DAY
    assert BEGIN <= released.time.min() <= released.time.max() <= END


# --- odd logs -------------------------------------------------------------------------------------------------------

UNIQUE: list[Case] = [timed("ab"[number % 2] * (1 + number // 2), BEGIN + number * DAY, HOUR) for number in range(20)]
ODD: dict[str, list[Case]] = {
    "one event": [timed("a", BEGIN, 0)],
    "one case": [timed("abcab", BEGIN, DAY)],
    "one variant": [timed("abc", BEGIN + number * HOUR, HOUR) for number in range(400)],
    "zero durations": [timed("abc", BEGIN + number * DAY, 0) for number in range(300)],
    "one instant": [timed("ab", BEGIN, 0)] * 300,
    "a single day": [timed("abc", BEGIN + number * 60_000, 60_000) for number in range(400)],
    "one activity": [timed("a" * (1 + number % 3), BEGIN + number * HOUR, HOUR) for number in range(600)],
    "20 unique cases": UNIQUE,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ODD)
def test_odd_logs_are_released_and_read_back(name: str, form: str, tmp_path: Path) -> None:
    log = log_of(ODD[name])
    try:
        release = certified(log, 0.3, form)
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
    with pytest.raises(EmptyReleaseError) as refusal:
        certified(log_of(UNIQUE)).save(tmp_path / "out")
    assert refusal.value.exit_code == 1
    assert "the budget is spent" in str(refusal.value)
    assert "--variants generated" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    for form in ("public", "generated"):
        certified(log_of(UNIQUE), variants=form).save(tmp_path / form)


# --- planning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_draws_nothing_and_shows_nothing_by_accident(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*_arguments: object) -> None:
        raise AssertionError("noise was drawn")

    for name in ("SystemNoise", "SeededNoise"):
        monkeypatch.setattr(f"amun_dp.noise.{name}.__init__", drawn)
    plan = amun_dp.plan(frequent_log(), 0.2, "certified", variants=form)
    assert repr(plan) == str(plan) == f"<Plan: advantage 0.2, method certified, variants {form}>"
    assert isinstance(plan.summary, Confidential)
    with pytest.raises(TypeError):
        str(plan.summary)
    summary = plan.summary.reveal()
    assert (summary.cases, summary.variants, summary.form, summary.scope) == (2_000, 4, form, "case")
    assert summary.epsilon == pytest.approx(0.81093, rel=1e-4)
    assert sum(part.epsilon for part in summary.parts) == pytest.approx(summary.epsilon)
    assert (summary.threshold is None) == (form != "threshold") == (summary.delta == 0)
    assert 0.9 < summary.expected_kept <= 1


def test_a_plan_says_beforehand_that_a_threshold_would_keep_nothing_and_what_an_individual_costs() -> None:
    assert amun_dp.plan(log_of(UNIQUE), 0.2, "certified").summary.reveal().expected_kept < 0.01
    one = amun_dp.plan(people_log(), 0.2, "certified", variants="generated").summary.reveal()
    person = amun_dp.plan(
        people_log(), 0.2, "certified", variants="generated", scope="individual", max_cases_per_individual=3
    ).summary.reveal()
    assert (one.individual_factor, person.individual_factor) == (1, 3)
    assert one.epsilon == pytest.approx(person.epsilon)  # for the unit; each case of it has a third
    assert sum(part.epsilon for part in person.parts) == pytest.approx(one.epsilon / 3)
    assert {part.of for part in person.parts} - {part.of for part in one.parts} == {"number of cases"}


def test_the_cost_of_a_plan_is_what_the_release_comes_to() -> None:
    for form in FORMS:
        plan = amun_dp.plan(frequent_log(), 0.2, "certified", variants=form, releases=2)
        release = certified(frequent_log(), 0.2, form, releases=2)
        spent = whole(release).epsilon.value
        stated = plan.cost.epsilon.value
        assert spent is not None
        assert stated is not None
        assert float(spent) == pytest.approx(2 * float(stated), rel=1e-5)  # what is published is rounded up


# --- what is refused ------------------------------------------------------------------------------------------------

FOREIGN_TO_CERTIFIED: list[dict[str, Any]] = [
    {"conventions": "article"},
    {"max_individual_loss": 3.0},
    {"max_case_length": 20},
    {"scope": "event"},
    {"scope": "individual"},
    {"max_cases_per_individual": 3},
    {"scope": "case", "max_cases_per_individual": 3},
    {"variants": "magic"},
    {"variants": "generated", "dp_delta": 1e-6},
    {"variants": "public", "dp_delta": 1e-6},
    {"dp_delta": 0.0},
    {"dp_delta": 0.5},
    {"dp_delta": float("nan")},
    {"releases": 0},
    {"releases": 10**30},
    {"public": "no-such-file.json"},
    {"public": "facts.txt"},
]
FOREIGN_TO_THE_ARTICLE: list[dict[str, Any]] = [
    {"public": GIVEN},
    {"public": "facts.json"},
    {"dp_delta": 1e-6},
    {"variants": "threshold"},
    {"variants": "generated"},
    {"scope": "individual"},
]


@pytest.mark.parametrize("options", FOREIGN_TO_CERTIFIED, ids=str)
def test_what_the_certified_method_does_not_have_is_refused(options: dict[str, Any]) -> None:
    for call in (amun_dp.plan, amun_dp.anonymize):
        with pytest.raises(ParameterError) as refusal:
            call(frequent_log(50), 0.2, "certified", **options)
        assert refusal.value.exit_code == 2
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
@pytest.mark.parametrize("options", FOREIGN_TO_THE_ARTICLE, ids="-".join)
def test_what_only_the_certified_method_has_is_refused_elsewhere(method: str, options: dict[str, Any]) -> None:
    for call in (amun_dp.plan, amun_dp.anonymize):
        with pytest.raises(ParameterError):
            call(frequent_log(50), 0.2, method, **options)


def test_two_answers_to_one_question_are_refused() -> None:
    """To declare the variants public and to ask for others is no choice; neither may win in silence."""
    for form in ("threshold", "generated"):
        with pytest.raises(ParameterError):
            amun_dp.plan(frequent_log(50), 0.2, "certified", public_variants=True, variants=form)


def test_individuals_are_protected_only_where_they_are_known() -> None:
    with pytest.raises(ParameterError, match="--individual"):
        amun_dp.plan(frequent_log(50), 0.2, "certified", scope="individual", max_cases_per_individual=3)


@pytest.mark.parametrize("advantage", [0, 1, -0.2, float("nan"), True, "0.2"])
def test_an_advantage_outside_its_domain_is_refused(advantage: Any) -> None:
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), advantage, "certified")


@pytest.mark.parametrize("label", ["", "\ud800", "\x00"], ids=["empty", "half a character", "null"])
def test_labels_that_a_released_log_could_not_hold_are_refused_before_noise_is_drawn(label: str) -> None:
    """Otherwise the budget is spent and the release cannot be written, or not be read."""
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), 0.2, "certified", public=GivenFacts(activities=(label, "b")))


def test_a_time_frame_that_no_released_log_could_hold_is_refused_before_noise_is_drawn() -> None:
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), 0.2, "certified", public=GivenFacts(first=BEGIN, last=9_000 * 366 * DAY))


# --- seeds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_seed_repeats_the_release_and_takes_every_guarantee_away(form: str) -> None:
    first, second = (certified(frequent_log(), variants=form, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.log, second.log)
    assert first.report.to_json() == second.report.to_json()
    assert first.report.private is False
    assert card_of(first.report).tone == "void"
    assert "predictable-noise" in [line.claim for line in first.report.guarantees]
    assert whole(first).advantage is None
    other = certified(frequent_log(), variants=form, seed=6)
    assert not first.log.equals(other.log)


def test_without_a_seed_two_releases_differ() -> None:
    for form in FORMS:
        first, second = (certified(frequent_log(), variants=form) for _ in range(2))
        assert first.report.private
        assert not first.log.equals(second.log)
        assert first.report.release_id != second.report.release_id


# --- nothing leaks --------------------------------------------------------------------------------------------------


def test_labels_that_a_threshold_did_not_release_are_in_no_published_file(tmp_path: Path) -> None:
    rare = ["SECRET-ONE", "SECRET-TWO"]
    cases = [*frequent_cases(), *([(label, BEGIN + DAY), ("a", BEGIN + 2 * DAY)] for label in rare)]
    release = certified(log_of(cases))
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
def test_two_logs_with_the_same_public_facts_have_the_same_report(form: str) -> None:
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
def test_what_stays_inside_is_confidential(form: str) -> None:
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
        assert changes.replicated == sum(after.get(word, 0) > number for word, number in before.items())
        assert changes.thinned == sum(0 < after.get(word, 0) < number for word, number in before.items())
        assert changes.cases_of_lost == sum(number for word, number in before.items() if word not in after)
        assert all(
            (top.before, top.after) == (before[top.activities], after.get(top.activities, 0)) for top in changes.top
        )
        assert changes.top[0].before == max(before.values())


# --- pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_both_pages_are_made(form: str) -> None:
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
    real_logs: Path, name: str, form: str, tmp_path: Path
) -> None:
    log = amun_dp.read_log(real_logs / f"{name}.xes.gz")
    try:
        release = certified(log, 0.2, form)
    except AmunError as refusal:
        assert isinstance(refusal, EmptyReleaseError)
        assert form == "threshold"
        return
    release.save(tmp_path / "out")
    loaded = amun_dp.load_release(tmp_path / "out")
    assert loaded.report.guarantees == release.report.guarantees
    advantage = whole(release).advantage
    assert advantage is not None
    assert 0 < advantage <= 0.2
    if form != "generated":
        assert variants_of(release.event_log) <= variants_of(log)
