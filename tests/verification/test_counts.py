"""How many variants, or transitions, noise leaves unmoved: the bounds, against the moves themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from amun_dp._base.arrays import IntArray
from amun_dp.article.plan import Plan
from amun_dp.article.step5_sampling import ControlFlow, laplace_sampling, oversampling
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.noise.sources import SeededNoise
from amun_dp.release.plan import plan
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.verification.checks import Fault, Told
from amun_dp.verification.original import counts
from tests.logs import log_of


def log_of_variants(numbers: dict[str, int]) -> EventLog:
    """So many cases of each variant, one letter an activity; when they happen does not matter here."""
    return log_of(
        [
            [(label, 1_000 * (place + case)) for place, label in enumerate(variant)]
            for variant, number in numbers.items()
            for case in range(number)
        ]
    )


def moved(planned: Plan, cases: IntArray) -> str:
    return counts.counts_moved(planned, np.repeat(np.arange(len(cases)), cases))


def flow_of(planned: Plan) -> ControlFlow:
    return ControlFlow(planned.annotated.dafsa, planned.kept_variant_cases)


@pytest.fixture(scope="module")
def rich() -> EventLog:
    """Many variants of few cases."""
    return generate_log(LogShape(cases=900, variants=300, activities=12, mean_length=9, max_length=40, seed=3))


LOGS = {
    "two chains": {"ab": 3, "cd": 1},
    "a fork": {"abc": 2, "abd": 1, "abe": 1, "af": 4},
    "shared ends": {"ax": 1, "bx": 1, "ay": 2, "bz": 1, "qrst": 1},
    "single cases": {first + second: 1 for first in "abcde" for second in "vwxyz"} | {"abcxyz": 1, "edcba": 1},
}


@pytest.mark.parametrize("advantage", [0.05, 0.3])
@pytest.mark.parametrize("name", LOGS)
def test_no_more_variants_are_unmoved_than_the_bound_allows(name: str, advantage: float) -> None:
    """At false alarms that a test can see: how often more are unmoved, over runs of the mechanism."""
    planned = plan(log_of_variants(LOGS[name]), advantage, "sampling")
    flow, scale, runs = flow_of(planned), count_scale(planned.control_flow_epsilon), 400
    units = counts._units_of(flow)
    changes = np.stack([drawn(planned, seed) for seed in range(runs)])[:, units.variant]
    for reach in counts._reaches(scale):
        unmoved = counts._unmoved(changes, units.cases, reach).sum(axis=1)
        for false_alarm in (0.3, 0.05, 0.01):
            most = counts._most_unmoved(units, counts._chances(units.cases, reach, scale), false_alarm)
            found = np.count_nonzero(unmoved > most) / runs
            assert found <= false_alarm + 4 * np.sqrt(false_alarm / runs)


def drawn(planned: Plan, seed: int) -> IntArray:
    """By how much the mechanism changes the number of each variant."""
    return laplace_sampling(flow_of(planned), planned.control_flow_epsilon, SeededNoise(seed)).cases - (
        planned.kept_variant_cases
    )


@pytest.mark.slow
@pytest.mark.parametrize("cases", [1, 2, 3, 9])
def test_a_variant_of_one_transition_is_unmoved_as_often_as_stated(cases: int) -> None:
    """Nothing else moves it, so the bound is the law: with few cases a deletion that stops at the last one included."""
    planned = plan(log_of_variants({"a": cases}), 0.1, "sampling")
    scale, runs = count_scale(planned.control_flow_epsilon), 3_000
    changes = np.concatenate([drawn(planned, seed) for seed in range(runs)])
    for reach in (0, 1, 2, 5):
        chance = counts._chances(np.array([cases]), reach, scale)[0]
        found = counts._unmoved(changes, np.array([cases]), reach).mean()
        assert found == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / runs) + 1e-9)


@pytest.mark.parametrize("patience", [None, 0.01, 0.5, 2.0])
@pytest.mark.parametrize("tilt", [0.5, 3.0])
@pytest.mark.parametrize("name", LOGS)
def test_the_random_order_of_visits_is_allowed_for(
    name: str, tilt: float, patience: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E[exp(θ·S)] over random orders, if a variant whose own transition comes last is unmoved as often as it can be and
    any other always is: at most the bound, whatever times it works with."""
    if patience is not None:
        monkeypatch.setattr(counts, "_PATIENCE", (patience,))
    flow = flow_of(plan(log_of_variants(LOGS[name]), 0.1, "sampling"))
    units, chance, random = counts._units_of(flow), 0.3, np.random.default_rng(1)
    dafsa, runs = flow.dafsa, 40_000
    times = random.exponential(1 / np.maximum(flow.transition_counts(), 1), (runs, dafsa.n_transitions))
    shared = np.bincount(dafsa.path, minlength=dafsa.n_transitions) > 1
    total = np.zeros(runs)
    for variant in units.variant:
        path = dafsa.path[dafsa.variants.offsets[variant] : dafsa.variants.offsets[variant + 1]]
        own, others = times[:, path[~shared[path]]].max(axis=1), times[:, path[shared[path]]].max(axis=1, initial=0)
        total += np.where(own > others, np.log1p(chance * np.expm1(tilt)), tilt)
    exact = np.log(np.exp(total - total.max()).mean()) + total.max()
    assert exact - 0.02 <= counts._logarithm(units, np.full(len(units.variant), chance), tilt)


def test_the_parts_of_the_bound_are_the_expectations_that_they_stand_for() -> None:
    units = counts._units_of(flow_of(plan(log_of_variants(LOGS["a fork"]), 0.1, "sampling")))
    random, number = np.random.default_rng(2), len(units.variant)
    patience, gain = random.uniform(0.1, 1, number), random.uniform(0.1, 1, number)
    late = np.zeros(200_000)
    for first, last in zip(units.starts, [*units.starts[1:], len(units.unit)], strict=True):
        visited = random.exponential(1 / units.shared[first], len(late))
        for unit in units.unit[first:last]:
            late += np.where(visited > patience[unit] / units.cases[unit], gain[unit], 0)
    exact = np.log(np.exp(late).mean())
    assert counts._late(units, gain, patience / units.cases) == pytest.approx(exact, abs=0.01)

    own = [random.exponential(1, (200_000, k)).max(axis=1) > a for k, a in zip(units.own, patience, strict=True)]
    last = np.where(units.alone, 1.0, [each.mean() for each in own])
    factors = np.exp(counts._factors(units, np.full(number, 0.3), 1.0, patience))
    assert factors == pytest.approx(1 + (1 - last * 0.7) * (np.e - 1), abs=0.01)


def test_variants_that_share_nothing_have_nothing_to_wait_for() -> None:
    """Of so many independent ones the bound is that of their own noise: close to the binomial law."""
    from scipy import stats

    planned = plan(log_of_variants({chr(ord("A") + n) + chr(ord("a") + n): 1 for n in range(26)}), 0.05, "sampling")
    units = counts._units_of(flow_of(planned))
    assert units.alone.all() and len(units.unit) == 0
    for p in (0.3, 0.55):
        assert counts._most_unmoved(units, np.full(26, p), 1e-4) <= stats.binom.isf(1e-4, 26, p) + 3


@pytest.mark.parametrize("method", ["sampling", "filtering", "oversampling"])
def test_counts_without_noise_show_in_a_log_of_many_variants(method: Any, rich: EventLog) -> None:
    planned = plan(rich, 0.1, method)
    with pytest.raises(Fault, match="kept their number"):
        moved(planned, planned.kept_variant_cases)
    draw = oversampling if method == "oversampling" else laplace_sampling
    told = moved(planned, draw(flow_of(planned), planned.control_flow_epsilon, SeededNoise(1)).cases)
    assert not isinstance(told, Told)


def test_counts_that_moved_for_few_variants_show_too(rich: EventLog) -> None:
    """So that it does not help to move one of them."""
    planned = plan(rich, 0.1, "sampling")
    with pytest.raises(Fault):
        moved(planned, planned.kept_variant_cases + (np.arange(len(planned.kept_variant_cases)) % 40 == 0))


def test_equal_counts_show_where_every_transition_has_two_cases() -> None:
    planned = plan(log_of_variants({"abcdefgh": 9, "ijklmnop": 7, "qrstuvwx": 5}), 0.1, "sampling")
    with pytest.raises(Fault, match="all 3 variants kept their number"):
        moved(planned, planned.kept_variant_cases)
    assert not isinstance(moved(planned, planned.kept_variant_cases + 1), Told)
    alone = plan(log_of_variants({"abcdefgh": 9, "ijklmnop": 7, "qrstuvwx": 1}), 0.1, "sampling")
    assert isinstance(moved(alone, alone.kept_variant_cases), Told)


def test_of_a_small_log_counts_are_told_and_not_judged() -> None:
    planned = plan(log_of_variants({"ab": 2}), 0.3, "sampling")
    for cases in (planned.kept_variant_cases, planned.kept_variant_cases + 5):
        assert isinstance(moved(planned, cases), Told)


def test_variants_without_transitions_of_their_own_say_nothing() -> None:
    planned = plan(log_of_variants({"ax": 3, "ay": 3, "bx": 3, "by": 3}), 0.3, "sampling")
    assert isinstance(moved(planned, planned.kept_variant_cases + 1), Told)
