"""The attack that undoes weak noise: find the original of a released case by the times between its events.

The attacker has the whole original log and guesses, for each released case, one of the original cases of the same
variant: one whose gaps are exactly the same, or the one whose gaps are nearest (sum of absolute differences). The
ledger says which guesses are right. How often chance alone would be is the mean of one over the number of candidates.

The article's methods promise nothing against this attack at the level of a case, so its success is told, not judged;
what is judged is whether exact matches are more frequent than the noise explains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.article.plan import Plan
from amun_dp.eventlog.log import PublicLog
from amun_dp.verification.checks import Told, require
from amun_dp.verification.original.chance import FALSE_ALARM, improbability
from amun_dp.verification.original.gaps import chance_of_equal, compression_of, released_times
from amun_dp.verification.original.original_checks import Origins

MOST_CASES = 2_000
"""Released cases that are attacked, evenly spaced over the (shuffled) log."""
_WORK = 200_000_000
"""Gaps that are compared, at most; fewer cases are attacked in a log whose variants have very many."""


@dataclass(frozen=True, slots=True)
class Attack:
    """How often guesses were right, on average over the attacked cases."""

    cases: int
    exact: float
    nearest: float
    guessing: float


def linkage(log: PublicLog, plan: Plan, origins: Origins) -> str:
    matched, chances = _exact_matches(log, plan, origins)
    attack = _attack(log, plan, origins)
    told = (
        f"of {attack.cases:,} cases attacked, exact gaps link {attack.exact:.1%} and nearest gaps "
        f"{attack.nearest:.1%}; guessing among the cases of the variant links {attack.guessing:.1%}"
    )
    require(
        improbability(matched, chances) >= FALSE_ALARM,
        f"{np.count_nonzero(matched):,} cases have all the gaps of their original, and noise explains that with a "
        f"probability below {FALSE_ALARM:g}; {told}",
    )
    return Told(told)


def _exact_matches(log: PublicLog, plan: Plan, origins: Origins) -> tuple[BoolArray, FloatArray]:
    """Which cases have all positive gaps of their original, and the probability of that for each."""
    how = compression_of(log, plan)
    released = released_times(log, plan.public, how)
    value, scale = plan.annotated.relative_time[origins.row], origins.rows.noise.scale
    positive = ~released.first & (value > 0)
    noised = positive & (scale > 0)
    missed = positive & ~(released.whole & (released.value == value))
    logarithm = np.zeros(log.n_events)
    with np.errstate(divide="ignore"):  # a probability below the floats is none
        logarithm[noised] = np.log(chance_of_equal(value[noised], scale[noised], released.first[noised], how))
    starts = log.offsets[:-1]
    trials = np.add.reduceat(noised.astype(np.int64), starts) > 0
    matches = np.add.reduceat(missed.astype(np.int64), starts) == 0
    return matches[trials], np.exp(np.add.reduceat(logarithm, starts)[trials])


def _attack(log: PublicLog, plan: Plan, origins: Origins) -> Attack:
    original, variants = plan.annotated.log, plan.annotated.dafsa.variants
    how = compression_of(log, plan)
    by_variant = np.argsort(variants.of_case, kind="stable")
    bounds = np.searchsorted(variants.of_case[by_variant], np.arange(variants.count + 1))
    variant = variants.of_case[origins.case]
    chosen = _chosen(bounds, variants.lengths, variant)
    gap = np.diff(original.time, prepend=original.time[:1])
    ours = np.diff(log.time, prepend=log.time[:1])
    factor = (how.least + how.most) / 2

    exact = nearest = guessing = 0.0
    for group in np.unique(variant[chosen]):
        candidates = by_variant[bounds[group] : bounds[group + 1]]
        length = int(variants.lengths[group])
        theirs = _gaps(gap, original.offsets[candidates], length)
        for case in chosen[variant[chosen] == group]:
            mine = ours[log.offsets[case] + 1 : log.offsets[case] + length]
            own = int(np.searchsorted(candidates, origins.case[case]))
            exact += _share((theirs == mine).all(axis=1), own)
            # Who knows the method knows the factor, and takes it out.
            distance = np.abs(theirs - mine / factor).sum(axis=1)
            nearest += _share(distance == distance.min(), own)
            guessing += 1 / len(candidates)
    n = len(chosen)
    return Attack(n, exact / n, nearest / n, guessing / n)


def _share(guessed: BoolArray, own: int) -> float:
    """With what probability a guess among these is right."""
    return float(guessed[own]) / max(1, int(np.count_nonzero(guessed)))


def _gaps(gap: IntArray, starts: IntArray, length: int) -> FloatArray:
    """One row per case: the times between its events."""
    rows: FloatArray = gap[starts[:, None] + np.arange(1, length)].astype(np.float64)
    return rows


def _chosen(bounds: IntArray, lengths: IntArray, variant: IntArray) -> IntArray:
    """Released cases to attack: at most so many, and so few that the work stays bounded."""
    work = (np.diff(bounds) * lengths)[variant].astype(np.float64)
    number = min(len(variant), MOST_CASES, max(1, int(_WORK / max(work.mean(), 1.0))))
    return np.unique(np.linspace(0, len(variant) - 1, number).astype(np.int64))
