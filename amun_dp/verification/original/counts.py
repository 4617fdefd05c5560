"""The noise on counts: whether the numbers of cases moved as noise of the planned scale moves them.

The noise Z of a transition is carried out by copying and deleting cases, and a moved case moves every transition of its
path, so a released count is not the true one plus Z. Two things hold all the same, whatever else was drawn.

one-sided noise   Cases are only copied: every transition grows by at least its Z ≥ 0. So no more transitions grew by at
                  most r than have Z ≤ r, and these are independent.

two-sided noise   Take a variant u with k transitions that no other variant takes, and let the last of these be visited
                  after all others on its path: nothing changes the number of u's cases afterwards. That visit leaves
                  the number where it is (Z = 0), or Z or more above the true one (Z > 0), or as far below, but never
                  below one case (Z < 0). So if u's number changed by at most r, then |Z| ≤ r; or only Z ≤ r, if u has
                  at most r + 1 cases and cannot lose more than r.
                  The order is random: a transition of w cases is visited at a time that is exponential with rate w.
                  For fixed times y_u, unless a shared transition on u's path is visited after y_u, the last own one is
                  the last of all with probability 1 - (1 - exp(-w·y_u))^k at least. Own times are independent of each
                  other and of the shared ones, so E[exp(θ·S)] of the number S of variants that changed by at most r is
                  at most a product over variants, times one over shared transitions for their being late:
                      Π f_u · Π_t E[Π_{u ∋ t, y_u < x_t} e^θ/f_u],   f_u = 1 + (1 - l_u·(1 - p_u))·(e^θ - 1).
                  Markov's inequality for any θ and y then bounds the probability of so many.
                  And if every transition has two cases or more, a visit that moves anything leaves its transition with
                  another number than the true one, up or down; the last such visit is not undone. So all numbers are
                  as they were only if every Z is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.article.plan import Plan
from amun_dp.article.step5_sampling import ControlFlow
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.verification.checks import Told, require
from amun_dp.verification.original.chance import FALSE_ALARM, most_by_chance
from amun_dp.verification.original.original_checks import UNKNOWN
from amun_dp.verification.report.expected_mechanisms import moves_up_only

_PATIENCE = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 40.0)
"""y_u times the cases of u, to choose from: any choice that the release has no part in gives a bound. With the last a
variant says nothing."""
_TILTS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""θ, tried in turn."""


def counts_moved(plan: Plan, variant: IntArray) -> str:
    """So many variants keep their number, or nearly, as noise of the planned scale explains, and no more."""
    was = plan.kept_variant_cases
    now = np.bincount(variant[variant != UNKNOWN], minlength=len(was))
    flow, scale = ControlFlow(plan.annotated.dafsa, was), count_scale(plan.control_flow_epsilon)
    if moves_up_only(plan.method.name):
        return _one_sided(flow, ControlFlow(flow.dafsa, now), scale)
    return _two_sided(flow, now, scale)


def _reaches(scale: float) -> list[int]:
    """Changes that count as small: none at all, and where noise is wide, up to half of its scale and all of it."""
    return sorted({0, math.floor(scale / 2), math.floor(scale)})


def _one_sided(before: ControlFlow, after: ControlFlow, scale: float) -> str:
    counts = before.transition_counts()
    grew = (after.transition_counts() - counts)[counts > 0]
    reaches = _reaches(scale)
    told, blind = [], True
    for reach in reaches:
        chance = -math.expm1(-(reach + 1) / scale)
        found = int(np.count_nonzero(grew <= reach))
        most = most_by_chance(np.full(len(grew), chance), FALSE_ALARM / len(reaches))
        blind &= most == len(grew)
        told.append(_explained(found, len(grew), "transitions", reach, most))
    return _all_of(told, blind)


def _two_sided(flow: ControlFlow, now: IntArray, scale: float) -> str:
    units = _units_of(flow)
    change = (now - flow.cases)[units.variant]
    reaches = _reaches(scale)
    told, blind = [], not _equality_shows(flow, now, scale, FALSE_ALARM / (1 + len(reaches)))
    for reach in reaches:
        found = int(np.count_nonzero(_unmoved(change, units.cases, reach)))
        most = _most_unmoved(units, _chances(units.cases, reach, scale), FALSE_ALARM / (1 + len(reaches)))
        blind &= most == len(change)
        told.append(_explained(found, len(change), "variants with transitions of their own", reach, most))
    return _all_of(told, blind)


def _unmoved(change: IntArray, cases: IntArray, reach: int) -> BoolArray:
    """Which numbers changed by at most that much, and did not fall to zero, which no noise asks for."""
    result: BoolArray = (change <= reach) & (change >= np.maximum(-reach, 1 - cases))
    return result


def _chances(cases: IntArray, reach: int, scale: float) -> FloatArray:
    """P(|Z| ≤ reach); P(Z ≤ reach) for variants of so few cases that they cannot lose more."""
    q = math.exp(-1 / scale)
    above = q ** (reach + 1) / (1 + q)
    return np.where(cases <= reach + 1, 1 - above, 1 - 2 * above)


def _equality_shows(flow: ControlFlow, now: IntArray, scale: float, false_alarm: float) -> bool:
    """Whether numbers that are all as they were would be too improbable; then they are not."""
    counts = flow.transition_counts()
    counts = counts[counts > 0]
    shows = bool(counts.min() > 1) and len(counts) * math.log(math.tanh(0.5 / scale)) < math.log(false_alarm)
    require(
        not (shows and np.array_equal(now, flow.cases)),
        f"all {np.count_nonzero(flow.cases):,} variants kept their number, which noise on {len(counts):,} transitions "
        f"explains with a probability below {FALSE_ALARM:g}",
    )
    return shows


def _explained(found: int, number: int, what: str, reach: int, most: int) -> str:
    how = "kept their number" if reach == 0 else f"changed by at most {reach:,}"
    sentence = f"{found:,} of {number:,} {what} {how}, and noise explains up to {most:,}"
    require(found <= most, f"{sentence} (false alarm {FALSE_ALARM:g})")
    return sentence


def _all_of(told: list[str], blind: bool) -> str:
    sentence = "; ".join(told)
    if blind:
        return Told(f"{sentence}: with so few variants and so little noise, none at all cannot be told from some")
    return f"{sentence} (false alarm {FALSE_ALARM:g})"


# --- two-sided noise --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """Variants with transitions of their own, and the shared transitions on their paths."""

    variant: IntArray
    cases: IntArray
    own: IntArray
    """How many transitions no other variant takes."""
    alone: BoolArray
    """Whether all are its own: then nothing else can be visited later."""
    shared: IntArray
    """One row per shared transition of each variant, sorted by transition: the cases of the transition."""
    unit: IntArray
    """The variant of each row of ``shared``."""
    starts: IntArray
    """First row of each shared transition."""

    def by_time(self, time: FloatArray) -> IntArray:
        """The rows of each transition in the order of the times of their variants."""
        transition = np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, len(self.unit))))
        return np.lexsort((time[self.unit], transition)).astype(np.int64, copy=False)


def _units_of(flow: ControlFlow) -> _Units:
    """Of the kept variants: the others have no cases and can get none."""
    dafsa, cases = flow.dafsa, flow.cases
    variant = np.repeat(np.arange(dafsa.variants.count), dafsa.variants.lengths)
    kept = cases[variant] > 0
    variant, path = variant[kept], dafsa.path[kept]
    alone = np.bincount(path, minlength=dafsa.n_transitions)[path] == 1
    own = np.bincount(variant[alone], minlength=len(cases))
    chosen = np.flatnonzero(own)
    number = np.full(len(cases), -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(~alone & (number[variant] >= 0))
    rows = rows[np.argsort(path[rows], kind="stable")]
    taken = path[rows]
    return _Units(
        variant=chosen,
        cases=cases[chosen],
        own=own[chosen],
        alone=own[chosen] == dafsa.variants.lengths[chosen],
        shared=flow.transition_counts()[taken],
        unit=number[variant[rows]],
        starts=np.flatnonzero(np.concatenate(([True], taken[1:] != taken[:-1]))) if len(taken) else taken,
    )


def _most_unmoved(units: _Units, chance: FloatArray, false_alarm: float) -> int:
    """The largest number of variants that may be unmoved without an alarm."""
    most, limit = len(chance), math.log(false_alarm)
    if not most:
        return 0
    for tilt in _TILTS:
        # P(S ≥ s) ≤ exp(bound - tilt·s): an alarm if that is at most the limit.
        bound = _logarithm(units, chance, tilt)
        if math.isfinite(bound):
            most = min(most, math.ceil((bound - limit) / tilt) - 1)
    return most


def _logarithm(units: _Units, chance: FloatArray, tilt: float) -> float:
    """ln of a bound on E[exp(tilt·S)], with the time for each variant that seems best when looked at alone."""
    tried = [_factors(units, chance, tilt, np.full(len(chance), patience)) for patience in _PATIENCE]
    alone = [
        each
        + np.bincount(units.unit, np.log1p(_waiting(units, patience) * np.expm1((tilt - each)[units.unit])), len(each))
        for each, patience in zip(tried, _PATIENCE, strict=True)
    ]
    patience = np.array(_PATIENCE)[np.argmin(alone, axis=0)]
    each, time = _factors(units, chance, tilt, patience), patience / units.cases
    return float(each.sum()) + _late(units, tilt - each, time)


def _factors(units: _Units, chance: FloatArray, tilt: float, patience: FloatArray) -> FloatArray:
    """ln f of each variant."""
    last = np.where(units.alone, 1.0, -np.expm1(units.own * np.log1p(-np.exp(-patience))))
    result: FloatArray = np.log1p((1 - last * (1 - chance)) * math.expm1(tilt))
    return result


def _waiting(units: _Units, patience: float) -> FloatArray:
    """With what probability each shared transition is visited after the time of each of its variants."""
    result: FloatArray = np.exp(-units.shared * (patience / units.cases[units.unit]))
    return result


def _late(units: _Units, gain: FloatArray, time: FloatArray) -> float:
    """ln of Π_t E[Π g_u over those of t's variants whose time is over when t is visited].

    With times y_1 ≤ y_2 ≤ … of the variants of t that expectation is 1 + Σ exp(-w·y_i)·(g_1⋯g_i - g_1⋯g_{i-1}).
    """
    if not len(units.unit):
        return 0.0
    order = units.by_time(time)
    unit, cases = units.unit[order], units.shared[order]
    total = np.cumsum(gain[unit])
    before = np.repeat((total - gain[unit])[units.starts], np.diff(np.append(units.starts, len(unit))))
    with np.errstate(over="ignore"):
        terms = np.exp(total - before - cases * time[unit]) * -np.expm1(-gain[unit])
        return float(np.log1p(np.add.reduceat(terms, units.starts)).sum())
