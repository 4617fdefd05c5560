"""A finding is held against the claim that it speaks against, at the size that is claimed, and against no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from accounting.guarantee import Relation, Verdict
from amun_dp._base.units import DAY, HOUR
from amun_dp.article.conventions import CORRECTED
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.auditing import Goal, OneByOne, audit_mechanism, audit_release
from amun_dp.auditing.article_mechanism import ArticleMechanism
from amun_dp.auditing.experiment import Trial
from amun_dp.auditing.log_pairs import individual_pairs_from_log, pairs_from_log
from amun_dp.auditing.pairs import Kind
from amun_dp.auditing.run import differs_in_facts, mechanism_for, pairs_for
from amun_dp.auditing.statistics import SIDES
from amun_dp.auditing.worst_cases import worst_case_pairs
from amun_dp.certified import GivenFacts
from amun_dp.errors import ParameterError
from amun_dp.noise.sources import NoiseSource, SeededNoise
from amun_dp.release.methods import register_method, requested, unregister_method
from tests.certified.cases import ordinary_cases, with_individuals
from tests.logs import log_of

ADVANTAGE = 0.3
SEED = 11


def test_a_number_of_cases_from_the_log_is_blamed_and_not_the_cell() -> None:
    """Two cases are one person's: without one of them every count has other noise."""
    cases = [[("a", 10 * DAY * n), ("b", 10 * DAY * n + HOUR * (1 + n))] for n in range(12)]
    log = with_individuals(list(cases), [0, 1, 2, 3, 4, 6, 6, 7, 8, 9, 10, 11])
    mechanism = mechanism_for(requested(ADVANTAGE, "sampling"))
    pairs = [pair for pair in pairs_from_log(log) if pair.name == "common removed"]
    assert {claimed.claim for pair in pairs if (claimed := mechanism.claim(pair, Goal.CELL))} == {
        "individuals-from-the-log"
    }
    assert mechanism.claim(pairs[0], Goal.TABLE) is None


def test_a_time_that_decides_about_other_cases_is_the_filter_s_fault() -> None:
    gaps = [HOUR * (1 + n) for n in range(6)] + [20 * HOUR] * 5
    log = log_of([[("a", 10 * DAY * n), ("b", 10 * DAY * n + gap)] for n, gap in enumerate(gaps)])
    [pair] = [pair for pair in pairs_from_log(log) if "quartile" in pair.name]
    for method, claim in (("filtering", "selection-of-cases"), ("sampling", "event-time")):
        claimed = mechanism_for(requested(0.5, method)).claim(pair, Goal.DURATION)
        assert claimed is not None
        assert claimed.claim == claim


def test_starts_are_counted_from_the_public_first_one_in_both_logs() -> None:
    """The first case of the log is removed: with the facts held fixed nobody else's start moves by that."""
    cases = [[("z", 0)], *([("a", 400 * DAY + 10 * DAY * n), ("b", 401 * DAY + 10 * DAY * n)] for n in range(20))]
    [pair] = [pair for pair in pairs_from_log(log_of(cases)) if pair.name == "own variant removed"]
    mechanism = mechanism_for(requested(ADVANTAGE, "sampling"))
    released = [mechanism.run(pair, side, 300, SeededNoise(side)) for side in SIDES]
    fixed = [np.median(each.time[each.offsets[:-1]]) / DAY for each in released]
    assert abs(fixed[0] - fixed[1]) < 40  # of 590 days
    again = mechanism.run(pair.with_rederived_facts(), 1, 300, SeededNoise(1))
    assert np.median(again.time[again.offsets[:-1]]) / DAY > 450


def test_what_is_declared_holds_in_every_pair() -> None:
    parameters = requested(ADVANTAGE, "sampling", scope="case", max_case_length=3)
    for pair in pairs_for(log_of([[("a", 0), ("b", 1)], [("a", 5), ("c", 9)]]), parameters):
        assert max(int(log.lengths.max()) for log in (pair.left, pair.right)) <= 3


def test_a_cap_on_what_somebody_may_lose_does_not_stop_an_audit() -> None:
    parameters = requested(ADVANTAGE, "sampling", max_individual_loss=0.5)
    assert audit_release(None, parameters, runs=1_000, seed=SEED).results


def test_filtering_that_moves_other_cases_is_not_blamed_on_the_noise() -> None:
    """At advantage 0.2 the pair in which everything differs decides about eight others: its cells move from (1, 8) to
    (8, 1)."""
    mechanism = mechanism_for(requested(0.2, "filtering"))
    [pair] = [pair for pair in worst_case_pairs(0.2, CORRECTED) if pair.everything]
    claimed = mechanism.claim(pair, Goal.CELL)
    assert claimed is not None
    assert claimed.claim == "selection-of-cases"
    assert mechanism.claim(pair, Goal.RELEASED_CELL) is None
    sampled = mechanism_for(requested(0.2, "sampling")).claim(pair, Goal.CELL)
    assert sampled is not None
    assert sampled.claim == "count-cell"


def test_one_sided_noise_has_no_epsilon_to_hold_released_counts_against() -> None:
    mechanism = mechanism_for(requested(ADVANTAGE, "oversampling"))
    for pair in worst_case_pairs(ADVANTAGE, CORRECTED):
        assert mechanism.claim(pair, Goal.RELEASED_CELL) is None
        assert mechanism.claim(pair, Goal.TABLE) is None


def test_the_article_s_table_is_a_claim_about_what_a_case_did() -> None:
    mechanism = mechanism_for(requested(ADVANTAGE, "sampling"))
    for pair in worst_case_pairs(ADVANTAGE, CORRECTED):
        if (claimed := mechanism.claim(pair, Goal.TABLE)) is not None:
            assert claimed.claim == "count-table"
            assert pair.relation is Relation.REPLACE


@pytest.mark.parametrize("releases", [1, 4])
@pytest.mark.parametrize("cases", [None, 3])
def test_one_case_is_claimed_the_advantage_that_was_asked_for(releases: int, cases: int | None) -> None:
    """It is for all releases together; how many cases an individual may have makes no difference for one of them."""
    parameters = requested(ADVANTAGE, "sampling", releases=releases, max_cases_per_individual=cases)
    mechanism = mechanism_for(parameters)
    pair = worst_case_pairs(ADVANTAGE, CORRECTED)[0]
    whole = mechanism.claim(pair, Goal.VARIANT)
    assert whole is not None
    assert whole.epsilon == pytest.approx(4 * np.arctanh(ADVANTAGE) / releases)
    [timed] = [each for each in worst_case_pairs(ADVANTAGE, CORRECTED) if each.name == "known by its end"]
    event = mechanism.claim(timed, Goal.DURATION)
    assert event is not None
    assert event.prior == pytest.approx(1 / 16)
    alone = np.log1p(ADVANTAGE / (1 / 16 * (1 - ADVANTAGE - 1 / 16)))
    assert event.epsilon == pytest.approx(alone / releases)


def test_a_claim_about_one_case_is_not_tested_by_a_person_with_several() -> None:
    log = with_individuals(ordinary_cases(30), [number // 3 for number in range(30)])
    mechanism = OneByOne(lambda log, source: log, 1.0)
    assert all(mechanism.claim(pair, Goal.LEARNT) is None for pair in individual_pairs_from_log(log))


def test_pairs_that_public_facts_make_equal_are_not_tested() -> None:
    """Made-up logs have none of these labels: within the public facts both of a pair are empty."""
    given = GivenFacts(activities=("register", "decide", "pay"))
    mechanism = mechanism_for(requested(ADVANTAGE, "certified", variants="generated", public=given))
    pairs = worst_case_pairs(ADVANTAGE, CORRECTED)
    assert all(mechanism.claim(pair, goal) is None for pair in pairs for goal in Goal)
    with pytest.raises(ParameterError, match="nothing to audit"):
        audit_mechanism(mechanism, pairs, runs=1_000)


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
def test_only_pairs_whose_facts_differ_are_run_with_the_facts_of_each_log(form: Any) -> None:
    parameters = requested(ADVANTAGE, "certified", variants=form)
    differing = {pair.name for pair in worst_case_pairs(ADVANTAGE, CORRECTED) if differs_in_facts(pair, parameters)}
    assert "two cells" not in differing
    assert "one path" in differing  # the number of cases
    assert ("own variant" in differing) == (form == "public")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="confidense"):
        audit_release(None, requested(ADVANTAGE, "sampling"), runs=1_000, confidense=0.999)  # type: ignore[call-arg]  # what a notebook lets through


def keeps_nothing(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    """A rule from outside that tells no noise, and deletes every case in half of all runs."""
    from accounting.events import NonPrivate

    kept = control_flow.cases * int(source.bits(1)[0] % np.uint64(2))
    return Sampled(kept, NonPrivate("a coin"))


@pytest.mark.slow
def test_a_rule_from_outside_is_audited_for_what_it_releases() -> None:
    register_method(ArticleMethod("coin", "all or nothing", False, lambda advantage: 1.0, keeps_nothing))
    try:
        found = audit_release(None, requested(ADVANTAGE, "coin"), runs=1_000, seed=SEED)
    finally:
        unregister_method("coin")
    assert not any(each.goal in (Goal.CELL, Goal.TABLE, Goal.RELEASED_CELL) for each in found.results)
    whole = [each for each in found.claims if each.strongest.claimed.claim == "whole-release"]
    assert [each.strongest.claimed.verdict for each in whole] == [Verdict.NOT_PROVED]
    assert found.broken


def test_batches_shrink_where_noise_makes_releases_large() -> None:
    pair = worst_case_pairs(ADVANTAGE, CORRECTED)[0]
    small = Trial(ArticleMechanism(Parameters(ADVANTAGE, "sampling")), pair, ()).batch()
    rules = Parameters(0.1, "sampling", scope="case", max_case_length=400, releases=10)
    large = Trial(ArticleMechanism(rules), pair, ())
    assert small == 1_000
    assert large.batch() < 20
    assert large.mechanism.run(pair, 0, 2, SeededNoise(1)).runs == 2


@pytest.mark.parametrize("advantage", [1e-5, 0.9999])
def test_an_extreme_advantage_has_no_pair_at_the_filter(advantage: float) -> None:
    assert all(pair.kind is not Kind.FILTER for pair in worst_case_pairs(advantage, CORRECTED))
