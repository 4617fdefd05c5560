"""Running a plan on many copies at once is running it many times."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

import amun_dp
from amun_dp._base.arrays import IntArray
from amun_dp.article.conventions import conventions_named
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.step5_sampling import laplace_sampling
from amun_dp.auditing.article_mechanism import ArticleMechanism
from amun_dp.auditing.log_pairs import pairs_from_log
from amun_dp.auditing.pairs import Pair
from amun_dp.auditing.releases import Releases, releases_of
from amun_dp.auditing.tiling import tiled
from amun_dp.eventlog.variants import find_variants
from amun_dp.noise.sources import SeededNoise, derived_seed
from amun_dp.release.article import draw
from amun_dp.release.methods import carry_out, register_method, unregister_method
from amun_dp.release.plan import plan
from tests.certified.cases import ordinary_cases
from tests.logs import log_of

RUNS = 400
BY_CHANCE = 1e-6
"""A comparison fails by chance with this probability; seeds are fixed."""


def a_pair() -> Pair:
    return pairs_from_log(log_of(ordinary_cases(12)))[0]


def one_by_one(pair: Pair, method: Any, conventions: str) -> Releases:
    planned = plan(pair.left, 0.3, method, conventions)
    logs = [carry_out(planned, SeededNoise(derived_seed(7, run))).event_log for run in range(RUNS)]
    return releases_of(logs).with_labels(pair.left.activities)


def together(pair: Pair, method: Any, conventions: str) -> Releases:
    mechanism = ArticleMechanism(Parameters(0.3, method, conventions_named(conventions)))
    return mechanism.run(pair, 0, RUNS, SeededNoise(8)).with_labels(pair.left.activities)


@pytest.mark.slow
@pytest.mark.parametrize("conventions", ["corrected", "article"])
@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
def test_releases_drawn_together_have_the_law_of_releases_drawn_one_by_one(method: Any, conventions: str) -> None:
    pair = a_pair()
    one, many = one_by_one(pair, method, conventions), together(pair, method, conventions)
    assert one.activities == many.activities
    # How many cases, how many of each variant, starts and durations; one figure a run, because what is drawn within a
    # run is not independent.
    assert ks_2samp(one.cases, many.cases).pvalue > BY_CHANCE
    counts = [variant_counts(each, pair) for each in (one, many)]
    for variant in range(counts[0].shape[1]):
        assert same_law(counts[0][:, variant], counts[1][:, variant])
    for figure in (mean_start, spread_of_starts, mean_duration, longest_duration):
        assert ks_2samp(figure(one), figure(many)).pvalue > BY_CHANCE


def variant_counts(releases: Releases, pair: Pair) -> IntArray:
    known = find_variants(pair.left)
    result = np.zeros((releases.runs, known.count), dtype=np.int64)
    names = {known.activity[a:b].tobytes(): n for n, (a, b) in enumerate(pairwise(known.offsets))}
    for case, run in enumerate(releases.run):
        path = releases.activity[releases.offsets[case] : releases.offsets[case + 1]]
        result[run, names[path.tobytes()]] += 1
    return result


def same_law(one: IntArray, many: IntArray) -> bool:
    values, place = np.unique(np.concatenate((one, many)), return_inverse=True)
    if len(values) == 1:
        return True
    table = np.array([np.bincount(part, minlength=len(values)) for part in (place[: len(one)], place[len(one) :])])
    common = table[:, table.sum(axis=0) >= 10]
    return common.shape[1] < 2 or bool(chi2_contingency(common).pvalue > BY_CHANCE)


def starts_of_runs(releases: Releases) -> list[IntArray]:
    bounds = np.searchsorted(releases.run, np.arange(releases.runs + 1))
    begin = releases.time[releases.offsets[:-1]]
    return [begin[first:last] for first, last in pairwise(bounds.tolist())]


def mean_start(releases: Releases) -> list[float]:
    return [float(each.mean()) for each in starts_of_runs(releases)]


def spread_of_starts(releases: Releases) -> list[float]:
    """The article's compression depends on it."""
    return [float(np.ptp(each)) for each in starts_of_runs(releases)]


def durations_of_runs(releases: Releases) -> list[IntArray]:
    bounds = np.searchsorted(releases.run, np.arange(releases.runs + 1))
    inner = np.ones(len(releases.time), dtype=np.bool_)
    inner[releases.offsets[:-1]] = False
    gap = np.diff(releases.time, prepend=0)
    rows = [slice(releases.offsets[first], releases.offsets[last]) for first, last in pairwise(bounds.tolist())]
    return [gap[of_run][inner[of_run]] for of_run in rows]


def mean_duration(releases: Releases) -> list[float]:
    return [float(each.mean()) for each in durations_of_runs(releases)]


def longest_duration(releases: Releases) -> list[float]:
    return [float(each.max()) for each in durations_of_runs(releases)]


def test_one_copy_is_the_plan_itself() -> None:
    planned = plan(a_pair().left, 0.3, "sampling")
    one, other = draw(planned, SeededNoise(3)), draw(tiled(planned, 1), SeededNoise(3))
    assert np.array_equal(one.cases.row, other.cases.row)
    assert np.array_equal(one.noised.value, other.noised.value)


def test_copies_share_nothing() -> None:
    planned = tiled(plan(a_pair().left, 0.3, "sampling"), 5)
    dafsa, log = planned.annotated.dafsa, planned.annotated.log
    assert log.n_cases == 5 * 12
    copy_of_case = np.arange(log.n_cases) // 12
    copy_of_variant = np.arange(dafsa.variants.count) // (dafsa.variants.count // 5)
    assert np.array_equal(copy_of_variant[dafsa.variants.of_case], copy_of_case)
    copy_of_transition = np.arange(dafsa.n_transitions) // (dafsa.n_transitions // 5)
    assert np.array_equal(copy_of_transition[planned.annotated.transition], copy_of_case[log.case])
    assert len(np.unique(log.individuals)) == log.n_cases


def test_a_sampling_rule_from_outside_runs_alone() -> None:
    """It may look at the whole log, so copies of it side by side would not be independent runs."""
    seen = []

    def rule(control_flow, epsilon, source):  # type: ignore[no-untyped-def]  # as a researcher writes it
        seen.append(control_flow.dafsa.variants.count)
        return laplace_sampling(control_flow, epsilon, source)

    register_method(ArticleMethod("mine", "a rule of my own", False, lambda advantage: 1.0, rule))
    try:
        releases = ArticleMechanism(Parameters(0.3, "mine")).run(a_pair(), 0, 5, SeededNoise(1))
    finally:
        unregister_method("mine")
    assert seen == [amun_dp.inspect(a_pair().left).reveal().variants] * 5
    assert releases.runs == 5
    assert set(releases.run.tolist()) == set(range(5))
