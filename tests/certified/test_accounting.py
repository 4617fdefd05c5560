"""The accountant, which knows nothing of how a release is made, derives from its record what was promised."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from accounting.accountant import account, strictest
from accounting.assumptions import Assumption
from accounting.events import PrivacyEvent, Sequential, TakenAsPublic, ThresholdedHistogram
from accounting.formulas import threshold_delta
from accounting.guarantee import Guarantee, Kind, Relation, Scope, Verdict
from amun_dp._base.units import DAY, MINUTE
from amun_dp.certified import (
    Certified,
    CertifiedChoices,
    GivenFacts,
    PublicFacts,
    expected_kept,
    plan_certified,
    public_facts,
)
from amun_dp.certified.choices import VariantForm
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms.histograms import noisy_counts, scale_for, threshold_for
from amun_dp.noise.sources import SeededNoise, SystemNoise
from tests.certified.cases import ordinary_cases
from tests.certified.in_memory import certify
from tests.certified.replaying import PretendsPrivate
from tests.logs import log_of

FORMS: tuple[VariantForm, ...] = ("threshold", "public", "generated")


@cache
def common_log() -> EventLog:
    """Frequent variants, so that a threshold releases something at every advantage below."""
    return log_of([*ordinary_cases(400, letters="ab"), *([[("a", 18_300 * DAY), ("b", 18_301 * DAY)]] * 4_000)])


def released(
    choices: CertifiedChoices, advantage: float, releases: int = 1, given: GivenFacts | None = None
) -> tuple[Certified, PublicFacts]:
    facts = public_facts(common_log(), given, choices)
    return certify(common_log(), facts, choices, advantage, releases, PretendsPrivate(2)), facts


def _parts(tree: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    assert isinstance(tree, Sequential)
    return tree.parts


def stated(result: Certified, scope: Scope) -> Guarantee:
    return strictest(account(result.events).public, scope, Relation.REPLACE)


@pytest.mark.parametrize("advantage", [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
@pytest.mark.parametrize("form", FORMS)
def test_the_whole_case_has_the_advantage_that_was_asked_for(form: VariantForm, advantage: float) -> None:
    result, facts = released(CertifiedChoices(form), advantage)
    line = stated(result, Scope.CASE)
    assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert line.advantage == advantage  # not a hair more, and nothing is left over
    assert facts.cases is not None
    if form == "threshold":
        assert line.kind is Kind.APPROXIMATE
        assert 0 < line.delta <= 1 / (1_000 * facts.cases)
    else:
        assert line.kind is Kind.PURE
        assert line.delta == 0


@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("form", FORMS)
def test_a_whole_individual_has_the_advantage_that_was_asked_for(form: VariantForm, most: int, releases: int) -> None:
    delta = 1e-7 if form == "threshold" else None
    result, _ = released(CertifiedChoices(form, delta, most), 0.6, releases)
    line = stated(result, Scope.INDIVIDUAL)
    assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert line.advantage == 0.6
    assert line.delta <= (delta or 0)
    assert (line.delta > 0) == (form == "threshold")
    assert Assumption.PUBLIC_CASES_PER_INDIVIDUAL in line.assumptions
    one = stated(result, Scope.CASE)
    assert one.advantage is not None
    # A case that changes its owner lets one in and pushes one out: two of the cases that count are replaced.
    assert one.advantage == pytest.approx(math.tanh(2 / most * math.atanh(0.6)), abs=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_stated_does_not_depend_on_the_steps_that_were_worth_taking(form: VariantForm) -> None:
    """With two releases of which one takes a step and the other does not, both must state the same."""
    stated_advantages, added = set(), set()
    steps = [[("a", DAY * number), ("b", DAY * number + MINUTE)] for number in range(1000)]
    for cases in (steps, [case[:1] for case in steps]):
        log = log_of(cases)
        choices = CertifiedChoices(form)
        result = certify(log, public_facts(log, GivenFacts(cases=1000), choices), choices, 0.5, 2, SystemNoise())
        stated_advantages.add(stated(result, Scope.CASE).advantage)
        mechanisms = [part for part in _parts(result.events) if not isinstance(part, TakenAsPublic)]
        both = account(Sequential(tuple(mechanisms))).public
        added.add(strictest(both, Scope.CASE, Relation.ADD_REMOVE).epsilon.stated())
    assert stated_advantages == {0.5}
    assert len(added) == 1 and None not in added


@pytest.mark.parametrize("form", FORMS)
def test_adding_or_removing_a_case_has_no_bound_where_the_number_of_cases_is_told(form: VariantForm) -> None:
    result, _ = released(CertifiedChoices(form), 0.5)
    line = strictest(account(result.events).public, Scope.CASE, Relation.ADD_REMOVE)
    assert not line.epsilon.bounded
    assert line.verdict is Verdict.REFUTED
    assert "number of cases" in line.why


@pytest.mark.parametrize("form", FORMS)
def test_several_releases_together_have_the_advantage_that_was_asked_for(form: VariantForm) -> None:
    result, _ = released(CertifiedChoices(form), 0.4, releases=5)
    line = stated(result, Scope.CASE)
    assert line.advantage == 0.4
    assert line.delta <= 1 / 4_400_000


def test_a_seeded_release_is_not_private() -> None:
    choices = CertifiedChoices("generated")
    facts = public_facts(common_log(), None, choices)
    line = stated(certify(common_log(), facts, choices, 0.2, 1, SeededNoise(1)), Scope.CASE)
    assert line.advantage is None
    real = certify(common_log(), facts, choices, 0.2, 1, SystemNoise())
    assert stated(real, Scope.CASE).advantage == 0.2


def test_what_was_taken_from_the_log_is_on_record() -> None:
    def taken(choices: CertifiedChoices, given: GivenFacts | None = None) -> dict[str, bool]:
        events = released(choices, 0.4, 1, given)[0].events
        assert isinstance(events, Sequential)
        return {part.what: part.from_log for part in events.parts if isinstance(part, TakenAsPublic)}

    assert taken(CertifiedChoices("threshold")) == {"time frame": True, "number of cases": True}
    assert taken(CertifiedChoices("public")) == {"time frame": True, "number of cases": True, "variants": True}
    assert taken(CertifiedChoices("generated")) == {"time frame": True, "number of cases": True, "labels": True}
    assert taken(CertifiedChoices("generated", individuals=1)) == {"time frame": True, "labels": True}
    given = GivenFacts(("a", "b"), 18_000 * DAY, 19_000 * DAY, 30 * DAY, 4_400, None, (("a", "b"),))
    outside = {"time frame": False, "number of cases": False, "longest duration": False}
    assert taken(CertifiedChoices("generated"), given) == {**outside, "labels": False}
    assert taken(CertifiedChoices("public"), given) == {**outside, "labels": False, "variants": False}
    assert taken(CertifiedChoices("threshold"), given) == {**outside, "labels": False}


@pytest.mark.parametrize("individuals", [None, 2])
@pytest.mark.parametrize("form", FORMS)
def test_a_plan_spends_all_of_epsilon_and_no_more(form: VariantForm, individuals: int | None) -> None:
    choices = CertifiedChoices(form, individuals=individuals)
    facts = public_facts(common_log(), None, choices)
    plan = plan_certified(facts, choices, 0.3, 2, expected_cases=4_400)
    assert sum((part.epsilon for part in plan.parts), Fraction(0)) == plan.epsilon
    assert all(part.epsilon > 0 and part.noise > 0 for part in plan.parts)
    assert (plan.threshold is None) == (form != "threshold") == (plan.delta == 0)


def test_the_plan_says_what_the_release_does() -> None:
    result, facts = released(CertifiedChoices("threshold"), 0.4)
    plan = plan_certified(facts, CertifiedChoices("threshold"), 0.4)
    assert plan == result.plan
    assert isinstance(result.events, Sequential)
    event = next(part for part in result.events.parts if isinstance(part, ThresholdedHistogram))
    assert (event.threshold, event.scale) == (plan.threshold, plan.parts[0].noise)


def test_the_expected_share_of_kept_cases_is_that_of_many_releases() -> None:
    choices = CertifiedChoices("threshold")
    log = common_log()
    facts = public_facts(log, None, choices)
    plan = plan_certified(facts, choices, 0.4)
    kept = [certify(log, facts, choices, 0.4, 1, SeededNoise(seed)).log.n_cases for seed in range(30)]
    assert expected_kept(log, facts, choices, plan).reveal() == pytest.approx(np.mean(kept) / log.n_cases, abs=0.02)
    rare = log_of(ordinary_cases(30))
    facts = public_facts(rare, None, choices)
    assert expected_kept(rare, facts, choices, plan_certified(facts, choices, 0.2)).reveal() < 0.01


@pytest.mark.parametrize("cases", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 3), Fraction(5)])
def test_the_threshold_is_the_smallest_that_keeps_delta(epsilon: Fraction, cases: int) -> None:
    delta = Fraction(1, 10**6)
    threshold, scale = threshold_for(epsilon, delta, cases), scale_for(2, epsilon)
    assert cases * Fraction(threshold_delta(scale, threshold, cases)) <= delta
    assert threshold == cases + 1 or cases * Fraction(threshold_delta(scale, threshold - 1, cases)) > delta


def test_scales_are_never_below_what_epsilon_asks_for() -> None:
    for numerator in range(1, 200):
        epsilon = Fraction(numerator, 317)
        scale = scale_for(2 << 20, epsilon)
        assert (2 << 20) / Fraction(scale) <= epsilon
        assert (2 << 20) / Fraction(float(np.nextafter(scale, 0))) > epsilon


def test_enormous_noise_saturates_and_does_not_wrap() -> None:
    measured = noisy_counts(np.full(400, 1 << 60), 1 << 20, Fraction(1, 10**30), "times", SystemNoise())
    assert (np.abs(measured.values) == 1 << 62).all()  # a draw within 2⁶² of 0 has probability 2e-18 each
    assert 100 < np.count_nonzero(measured.values > 0) < 300  # 1e-24 for a fair coin


def test_too_little_budget_for_a_number_of_cases_is_refused_before_noise_is_drawn() -> None:
    with pytest.raises(ReleaseError, match="number of cases"):
        released(CertifiedChoices("generated", individuals=100), 0.0001)


def test_a_threshold_exceeds_what_one_case_may_change_where_individuals_are_truncated() -> None:
    """Two cases, also if each person has one; at an advantage near 1 less would do for the person."""
    choices = CertifiedChoices("threshold", 0.01, 1)
    result, facts = released(choices, 0.99999)
    assert plan_certified(facts, choices, 0.99999).threshold == 3
    assert stated(result, Scope.INDIVIDUAL).advantage == pytest.approx(0.99999, abs=2e-6)  # rounded up
    one = stated(result, Scope.CASE)
    assert one.epsilon.bounded and 0 < one.delta < 1


def test_facts_for_other_choices_are_refused() -> None:
    facts = public_facts(common_log(), None, CertifiedChoices("public"))
    with pytest.raises(ParameterError, match="other choices"):
        certify(common_log(), facts, CertifiedChoices("generated"), 0.2, 1, SeededNoise(1))
    for wrong in ({"variants": "some"}, {"variants": "public", "delta": 0.001}, {"delta": 0.5}, {"individuals": 0}):
        with pytest.raises(ParameterError):
            CertifiedChoices(**wrong)
