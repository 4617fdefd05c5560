"""Case sampling: turn noise on transition counts into cases that are copied or deleted (Alg. 1, lines 7–25).

Domain: the number of cases of each variant, and the DAFSA path of each variant. Whole cases move, so no new variant
appears (R1).
Sensitivity and relation: those of the count noise it draws (one case moves a cell by at most 1, add-remove) for the
noisy table. For the released counts none is claimed: a move shifts every transition on the path of its case, so they
are *not* the true counts plus the drawn noise, and that they have its privacy is refuted (claim ``released-counts``).

Every transition is visited once, in random order weighted by its count. At its visit it makes the moves still missing
to reach its drawn noise, given what earlier visits did to it, and none if that is reached or passed. Copies go to
variants in proportion to their current number of cases; deletions take cases without replacement and stop at the last
case of the transition: a path of transitions with one case each would otherwise lose it almost surely, since each of
them is a chance to fall to zero, from where no copy leads back. A variant can still be lost, to the deletions of the
transitions that it shares. It ends by construction.

Cost: Σ (variants through a transition) = total variant length, plus the moves; the loop is over transitions, never over
cases or events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.confidential import Confidential
from accounting.events import CaseMoves, Fact, PrivacyEvent, Sequential
from amun_dp._base.arrays import IntArray, offsets_of
from amun_dp._base.sorting import order_of_codes
from amun_dp.article.dafsa import Dafsa
from amun_dp.mechanisms.laplace_count import laplace_count_noise, one_sided_count_noise
from amun_dp.noise.sources import NoiseSource, distinct_below, drawn_ahead, integers_below, permutation, weighted_order


@dataclass(frozen=True, slots=True, eq=False)
class ControlFlow:
    """What a sampling rule sees: the automaton, and how many cases follow each variant."""

    dafsa: Dafsa
    """The automaton, with the path of each variant."""
    cases: IntArray
    """Cases of each variant (after filtering)."""
    declared_length: int | None = None
    """Public bound on the length of a case, if one was declared."""

    def transition_counts(self) -> IntArray:
        """The contingency table: how many cases take each transition."""
        counts = np.zeros(self.dafsa.n_transitions, dtype=np.int64)
        np.add.at(counts, self.dafsa.path, np.repeat(self.cases, self.dafsa.variants.lengths))
        return counts

    @property
    def longest_case(self) -> Fact:
        """How many cells one case moves, at most: as declared, or the longest case of the log (a fact about it)."""
        if self.declared_length is not None:
            return self.declared_length
        return Confidential(int(self.dafsa.variants.lengths[self.cases > 0].max()))


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """What a sampling rule returns: new numbers of cases, what it cost, and how noise and moves compare."""

    cases: IntArray
    """Released cases of each variant."""
    event: PrivacyEvent
    """What it cost."""
    drawn: Confidential[IntArray] | None = None
    """Noise drawn for each transition."""
    realised: Confidential[IntArray] | None = None
    """Change of each transition's count that the moves really made."""


def laplace_sampling(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    """Two-sided noise: cases are copied and deleted (methods ``filtering`` and ``sampling``)."""
    before = control_flow.transition_counts()
    drawn, event = laplace_count_noise(int(np.count_nonzero(before)), control_flow.longest_case, epsilon, source)
    return _move_cases(control_flow, before, drawn, event, source)


def oversampling(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    """One-sided noise: cases are only copied, so every variant stays (method ``oversampling``)."""
    before = control_flow.transition_counts()
    drawn, event = one_sided_count_noise(int(np.count_nonzero(before)), control_flow.longest_case, epsilon, source)
    return _move_cases(control_flow, before, drawn, event, source)


def _move_cases(
    control_flow: ControlFlow, before: IntArray, noise: IntArray, event: PrivacyEvent, source: NoiseSource
) -> Sampled:
    """``noise`` is for the transitions that have cases. Those that filtering emptied have none to move: whatever were
    drawn for them would not be used."""
    dafsa = control_flow.dafsa
    drawn = np.zeros_like(before)
    drawn[before > 0] = noise
    cases = control_flow.cases.copy()
    through, bounds = variants_through(dafsa)

    noisy = np.flatnonzero(drawn)
    visited = noisy[weighted_order(source, before[noisy])]
    goal = before + drawn
    # What earlier visits did may have reached or passed it; then nothing is missing. The last case is never deleted.
    rises, goal = drawn > 0, np.maximum(goal, 1)
    # The same numbers, one by one: several times as fast as an array (a buffer, though typed so only since 3.12).
    number: memoryview[int] = memoryview(cases)  # type: ignore[arg-type]
    columns = (bounds[visited], bounds[visited + 1], through[bounds[visited]], goal[visited], rises[visited])
    source = drawn_ahead(source)
    for start, end, variant, wanted, rising in zip(*(column.tolist() for column in columns), strict=True):
        if end - start == 1:  # as most transitions of a log with many variants: there is nothing to pick
            now = number[variant]
            if 0 < now < wanted if rising else now > wanted:
                number[variant] = wanted
            continue
        candidates = through[start:end]
        cumulative = np.cumsum(cases[candidates])
        now = int(cumulative[-1])
        if 0 < now < wanted if rising else now > wanted:
            picks = integers_below(source, now, wanted - now) if rising else distinct_below(source, now, now - wanted)
            picked = candidates[np.searchsorted(cumulative, picks, side="right")]
            np.add.at(cases, picked, 1 if rising else -1)
    after = ControlFlow(dafsa, cases).transition_counts()
    return Sampled(
        cases=cases,
        event=Sequential((event, CaseMoves())),
        drawn=Confidential(drawn),
        realised=Confidential(after - before),
    )


def variants_through(dafsa: Dafsa) -> tuple[IntArray, IntArray]:
    """Variants that take each transition: those of transition t are the slice bounds[t] … bounds[t+1]."""
    variant = np.repeat(np.arange(dafsa.variants.count), dafsa.variants.lengths)
    order = order_of_codes(dafsa.path, dafsa.n_transitions)
    bounds = offsets_of(np.bincount(dafsa.path, minlength=dafsa.n_transitions))
    return variant[order], bounds.astype(np.int64, copy=False)


def choose_cases(of_case: IntArray, released: IntArray, source: NoiseSource) -> IntArray:
    """Copies of each case (0: deleted), given how many cases of each variant are released.

    ``of_case`` is the variant of each case, -1 for cases that do not take part. Copies are spread as evenly as they
    go, the remainder at random: no case is copied twice before all of its variant are copied once, which keeps the
    number D by which its ε is divided as small as it can be.
    """
    taking_part = np.flatnonzero(of_case >= 0)
    shuffled = taking_part[permutation(source, len(taking_part))]
    by_variant = shuffled[order_of_codes(of_case[shuffled], len(released))]
    variant = of_case[by_variant]
    first = np.searchsorted(variant, np.arange(len(released)))
    present = np.bincount(variant, minlength=len(released))
    copies = np.zeros(len(of_case), dtype=np.int64)
    copies[by_variant] = copies_by_rank(variant, np.arange(len(by_variant)) - first[variant], present, released)
    return copies


def copies_by_rank(variant: IntArray, rank: IntArray, present: IntArray, released: IntArray) -> IntArray:
    """Copies of cases, given the place of each in a random order of its variant's cases."""
    whole, rest = np.divmod(released, np.maximum(present, 1))
    copies: IntArray = whole[variant] + (rank < rest[variant])
    return copies


def numbers_of_copies(present: IntArray, released: IntArray) -> tuple[IntArray, IntArray]:
    """Which numbers of copies ``copies_by_rank`` gives, and to how many cases: two entries a variant."""
    whole, rest = np.divmod(released, np.maximum(present, 1))
    return np.concatenate((whole, whole + 1)), np.concatenate((present - rest, rest))
