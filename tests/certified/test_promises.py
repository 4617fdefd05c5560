"""What a certified release promises, and that it keeps to it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from accounting.accountant import strictest
from accounting.assumptions import Assumption
from accounting.guarantee import Guarantee, Relation, Scope, Verdict
from amun_dp._base.units import DAY
from amun_dp.certified import GivenFacts
from amun_dp.drawing.numbers import points
from amun_dp.report.card import card_of
from tests.certified.cases import BEGIN, END, ordinary_cases
from tests.certified.frequent import FORMS, GIVEN, certified, chosen, frequent_cases, frequent_log, people_log, whole
from tests.logs import log_of, variants_of


def check_advantage(line: Guarantee, asked: float) -> None:
    """As asked for, whichever steps were worth taking."""
    assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert line.advantage == asked


@pytest.mark.parametrize("advantage", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_the_advantage_for_one_case_is_the_one_that_was_asked_for(form: Any, advantage: float) -> None:
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
def test_the_advantage_for_one_individual_is_the_one_that_was_asked_for(form: Any, advantage: float) -> None:
    log = people_log(9_000)
    release = certified(log, advantage, form, scope="individual", max_cases_per_individual=3)
    line = whole(release, Scope.INDIVIDUAL)
    check_advantage(line, advantage)
    assert line.delta <= (chosen(release).delta or 0)
    assert Assumption.PUBLIC_CASES_PER_INDIVIDUAL in line.assumptions
    of_case = whole(release).advantage  # what protects three cases of a person protects each of them better
    assert of_case is not None
    assert of_case < advantage
    assert chosen(release).scope == "individual"
    assert chosen(release).cases is None
    assert release.report.max_cases_per_individual == 3
    assert "number of cases" not in chosen(release).from_log


@pytest.mark.slow
def test_a_chosen_delta_is_the_one_that_is_stated_and_kept_for_all_releases_together() -> None:
    for delta in (1e-3, 1e-6, 1e-9):
        for releases in (1, 4):
            release = certified(frequent_log(6_000), 0.5, dp_delta=delta, releases=releases)
            assert chosen(release).delta == pytest.approx(delta)
            assert 0 < whole(release).delta <= delta


@pytest.mark.parametrize("advantage", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("form", FORMS)
def test_the_label_says_so_in_points(form: Any, advantage: float) -> None:
    release = certified(frequent_log(8_000), advantage, form)
    check_advantage(whole(release), advantage)
    said = f"{points(whole(release).advantage or 0)} points"
    assert said == f"{100 * advantage:g} points"
    card = card_of(release.report)
    assert card.tone == ("partial" if form == "public" else "good")  # the log's own variants are no secret by choice
    about = "the counts and times of one case, not about which variants occur" if form == "public" else "one case"
    assert card.heading == f"A guarantee about {about}"
    assert ("nobody who knew beforehand which variants occur can guess" in card.sentence) == (form == "public")
    assert (f"more than {said} higher than before" in card.sentence) == (form != "threshold")
    assert (f"more often than (1-δ)·(P + {said}) + δ" in card.sentence) == (form == "threshold")
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
def test_nothing_is_taken_from_the_log_where_all_is_given(form: Any) -> None:
    log = frequent_log()
    bare, given = certified(log, variants=form), certified(log, variants=form, public=GIVEN)
    assert chosen(bare).from_log
    assert chosen(given).from_log == ()
    assert (chosen(given).first_ms, chosen(given).last_ms, chosen(given).longest_ms) == (BEGIN, END, 60 * DAY)
    assert set(given.report.unprotected) < set(bare.report.unprotected)
    assert not any("taken from the log" in text for text in given.report.unprotected)
    assert whole(given).advantage == whole(bare).advantage == 0.2


@pytest.mark.parametrize("form", FORMS)
def test_what_is_given_from_outside_is_no_assumption_about_the_log(form: Any) -> None:
    log = frequent_log()
    bare, given = certified(log, variants=form), certified(log, variants=form, public=GIVEN)
    always = {
        Assumption.INDEPENDENT_CASES,
        Assumption.EXACT_SAMPLER,
        Assumption.READING,
        Assumption.CHOICES,
    }
    assert always < set(whole(bare).assumptions)
    assert set(whole(given).assumptions) == always | {Assumption.GIVEN_FACTS}
    assert Assumption.GIVEN_FACTS not in whole(bare).assumptions


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
def test_times_are_in_order_in_the_public_frame_and_no_case_lasts_longer_than_is_public(form: Any) -> None:
    released = certified(frequent_log(), variants=form, public=GIVEN).event_log
    for start, stop in pairwise(released.offsets.tolist()):
        times = released.time[start:stop].tolist()
        assert times == sorted(times)
        assert times[-1] - times[0] <= 60 * DAY
    assert BEGIN <= released.time.min() <= released.time.max() <= END
