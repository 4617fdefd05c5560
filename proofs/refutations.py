"""Claims of the article about its release: exact examples for those that hold, exact counterexamples for the others.

More than 300 lines, because it is a list: one checker per claim, none of which needs another.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

from accounting.guarantee import Verdict
from proofs.mechanisms import largest_ratio, loss, noisy_counts
from proofs.registry import checker, require
from proofs.subject import Subject

ASSUMED = Verdict.PROVED_UNDER_ASSUMPTIONS
DAY = 24 * 60
"""In minutes."""


@checker("count-cell", "exact", ASSUMED)
def _count_cell(subject: Subject) -> str:
    for one in (1, 2, 3):
        for moved in (0, 1):
            laws = [noisy_counts(subject.algebra, (count,), (one,)) for count in (0, moved)]
            require(loss(*laws) == one * moved, f"a cell moved by {moved} with noise of loss {one}")
    return "a cell moved by 1 loses exactly the loss of its noise; the triangle inequality covers every output"


@checker("count-table", "exact", Verdict.REFUTED)
def _count_table(subject: Subject) -> str:
    algebra = subject.algebra
    advantage, prior = Fraction(1, 2), algebra.worst_prior(Fraction(1, 2))
    require(prior == Fraction(1, 4), "the worst prior at advantage 1/2 is not 1/4")
    q = algebra.worst_ratio(advantage)  # exp(-ε) of the ε that suffices for one cell
    # Cells (A, B). The victim did ⟨A⟩ (the guess) or ⟨B⟩; released is a table with A above and B below.
    right = algebra.laplace_mass(q, 0) * algebra.laplace_mass(q, 0)
    wrong = algebra.laplace_mass(q, 1) * algebra.laplace_mass(q, 1)
    posterior = prior * right / (prior * right + (1 - prior) * wrong)
    require(posterior == Fraction(27, 28), f"the posterior is {posterior}")
    require(posterior == algebra.posterior(prior, q * q), "Bayes and the posterior bound differ")
    require(posterior > prior + advantage, "the posterior stays within prior + advantage")
    return f"two cells, A = 1/2, P = 1/4: posterior {posterior} > 3/4"


@checker("count-table-composed", "exact", ASSUMED)
def _count_table_composed(subject: Subject) -> str:
    for length in (1, 2, 3):
        one_each = (1,) * length
        empty, filled = (noisy_counts(subject.algebra, (count,) * length, one_each, reach=2) for count in (0, 1))
        require(loss(empty, filled) == length, f"a case of length {length} does not cost {length} cells")
    # Replace a case of length 2 by one of length 1 that shares no cell with it.
    left, right = (noisy_counts(subject.algebra, counts, (1, 1, 1), reach=2) for counts in ((1, 1, 0), (0, 0, 1)))
    require(loss(left, right) == 3, "replacing does not cost k + k'")
    return "cases of length 1 to 3 cost k cells, replaced k + k'; the sum rule gives the rest"


@checker("selection-of-variants", "exact", Verdict.REFUTED)
def _own_variant(_subject: Subject) -> str:
    def probability(log: Sequence[str], variant: str) -> Fraction:
        return sum((mass for output, mass in _released(log).items() if variant in output), Fraction(0))

    present, absent = probability(("ab", "ab", "xyz"), "xyz"), probability(("ab", "ab"), "xyz")
    require(present > 0 == absent, f"probabilities {present} and {absent}")
    return f"a variant that one case alone has is released with probability {present} with it, {absent} without"


def _released(log: Sequence[str]) -> dict[tuple[str, ...], Fraction]:
    """A release that keeps R1: each case stays with probability 1/2, so only variants of the log occur."""
    law: dict[tuple[str, ...], Fraction] = {}
    for kept in range(2 ** len(log)):
        output = tuple(sorted(variant for place, variant in enumerate(log) if kept >> place & 1))
        law[output] = law.get(output, Fraction(0)) + Fraction(1, 2 ** len(log))
    return law


@checker("selection-of-cases", "exact", Verdict.REFUTED)
def _filtering(_subject: Subject) -> str:
    gaps = [60] * 7 + [600 + 100 * number for number in range(7, 10)]
    log: list[tuple[int, int | None]] = [(10 * DAY * number, gap) for number, gap in enumerate(gaps)]
    log += [(DAY * (500 + 10 * number), None) for number in range(5)]
    before, after = _kept_pairs(log), _kept_pairs([*log, (DAY * 300, 5_000)])
    require(len(log) == 15 and (before, after) == (3, 11), f"the cell moves from {before} to {after}")
    return f"fifteen cases and one more: the cell of the second event moves from {before} to {after}"


def _kept_pairs(cases: Sequence[tuple[int, int | None]]) -> int:
    """The filtering rule in a dozen lines: starts within a day, gaps within ten seconds, A = 3/10, until stable.

    A case is a start and, if it has a second event, the time to it (minutes).
    """
    kept = list(cases)
    while True:
        starts = [start for start, _ in kept]
        gaps = [gap for _, gap in kept if gap is not None]

        def reaches_one(value: int, group: list[int], window: Fraction) -> bool:
            if len(set(group)) == 1:
                return False  # one distinct value: the prior is (1-A)/2
            near = sum(abs(value - other) <= window for other in group)
            return Fraction(near, len(group)) + Fraction(3, 10) >= 1

        staying = [
            (start, gap)
            for start, gap in kept
            if not reaches_one(start, starts, Fraction(DAY))
            and not (gap is not None and reaches_one(gap, gaps, Fraction(1, 6)))
        ]
        if len(staying) == len(kept):
            return len(gaps)
        kept = staying


@checker("event-time", "exact", Verdict.REFUTED)
def _value_dependent_scale(subject: Subject) -> str:
    growth = _growth(subject.algebra, Fraction(1, 2), Fraction(1, 3))
    require(growth == {Fraction(3, 2)}, "the ratio does not grow by a constant factor")
    return "values 0 and 1 with scales of their own (q = 1/2, 1/3): each step outward multiplies the ratio by 3/2"


@checker("event-time-public-scale", "exact", ASSUMED)
def _public_scale(subject: Subject) -> str:
    for span in (1, 2, 3):
        laws = [noisy_counts(subject.algebra, (value,), (2,), reach=6) for value in (0, span)]
        require(loss(*laws) == 2 * span, f"a value moved by {span}")
    return "values 1 to 3 apart lose exactly r/b; the triangle inequality covers every output"


@checker("event-time-any-prior", "exact", Verdict.REFUTED)
def _misspecified(subject: Subject) -> str:
    found = []
    for prior, low, high in (
        (Fraction(1, 100), "0.735", "0.745"),
        (Fraction(1, 10), "0.415", "0.425"),
        (Fraction(6, 10), "0.415", "0.425"),
    ):
        y = subject.algebra.likelihood_ratio(prior, Fraction(3, 10))
        # √y between two fractions; the advantage falls in it.
        digits = 10**20
        root = isqrt(y.numerator * digits**2 // y.denominator)
        least, most = (subject.algebra.worst_advantage(Fraction(end, digits)) for end in (root + 1, root))
        require(Fraction(low) < least <= most < Fraction(high), f"prior {prior}: {float(least):.4f}")
        require(least > Fraction(3, 10), "the worst prior gains no more than 0.3")
        found.append(f"{float(prior):g}: {float(least):.4f}")
    return f"at A = 0.3 the worst prior gains, from the ε for P = {'; '.join(found)}"


@checker("event-time-any-prior", "flint", Verdict.REFUTED)
def _misspecified_enclosed(subject: Subject) -> str:
    from flint import arb

    loss_ball = -subject.algebra.likelihood_ratio(arb(1) / 100, arb(3) / 10).log()
    gain = (loss_ball / 4).tanh()
    require(arb("3.7945") < loss_ball < arb("3.7955"), f"the loss is {loss_ball}")
    require(arb("0.735") < gain < arb("0.745"), f"the gain is {gain}")
    return (
        f"loss(0.01) = {loss_ball.str(8, radius=False)}, tanh(loss/4) = {gain.str(6, radius=False)}, by ball arithmetic"
    )


@checker("case-times", "exact", Verdict.REFUTED)
def _case_times(subject: Subject) -> str:
    one = [noisy_counts(subject.algebra, (value,), (1,), reach=3) for value in (0, 2)]
    two = [noisy_counts(subject.algebra, (value, value), (1, 1), reach=3) for value in (0, 2)]
    require(loss(*one) == 2 and loss(*two) == 4, "two values do not cost twice what one does")
    return "two times that both move by r: loss 2·r/b, one: r/b"


@checker("copies", "exact", Verdict.NOT_PROVED)
def _copies(subject: Subject) -> str:
    epsilon = subject.quantities.Epsilon.of(Fraction(1, 7))
    for copies in range(1, 100):
        require(epsilon / copies * copies == epsilon, f"{copies} shares are not the whole")
    # The number of copies sets the scale: who has two copies has other noise than who has one, as in event-time.
    mass = subject.algebra.laplace_mass
    once, twice = Fraction(1, 4), Fraction(1, 2)  # q of ε and of ε/2
    ratios = [mass(twice, k) / mass(once, k) for k in range(20)]
    require(all(b / a == twice / once for a, b in pairwise(ratios)), "the ratio does not grow")
    return (
        "(ε/D)·D = ε; but if D differs between two logs, so does the scale, and the ratio of one value's masses grows"
    )


@checker("one-sided-count", "exact", Verdict.REFUTED)
def _one_sided(subject: Subject) -> str:
    q = Fraction(3, 4)

    def released(count: int, output: int) -> Fraction:
        return subject.algebra.geometric_mass(q, output - count) if output >= count else Fraction(0)

    smaller, larger = released(5, 5), released(6, 5)
    require(smaller == 1 - q and larger == 0, f"{smaller} and {larger}")
    return f"released 5: probability {smaller} for a true 5, {larger} for a true 6"


@checker("released-counts", "exact", Verdict.REFUTED)
def _moves(subject: Subject) -> str:
    algebra, length = subject.algebra, 3
    q = algebra.worst_ratio(Fraction(1, 5))  # exp(-ε) of the ε that advantage 1/5 gives each cell
    unchanged, one_less = _change_of_a_variant(algebra, q, length)
    require(one_less / unchanged > 1 / q, f"the ratio is {one_less / unchanged}, and exp(ε) is {1 / q}")
    require(one_less / unchanged == Fraction(69388, 18225), f"the ratio is {one_less / unchanged}")
    # And no other ε bounds it: the ratio of losing a rare branch with one case and with two grows with the log.
    ratios = [_ratio_of_losing(algebra, q, 10**power) for power in (4, 5, 6)]
    require(ratios[0] > 10 and all(b > 9 * a for a, b in pairwise(ratios)), f"the ratios are {[*map(float, ratios)]}")
    return (
        f"a variant of {length} events at A = 1/5: n cases and n + 1 are released as n with ratio "
        f"{float(one_less / unchanged):.2f} > exp(ε) = {float(1 / q):.2f}; and of ⟨x, a⟩ N times and ⟨x, b⟩ once or "
        f"twice, b is lost with a ratio of at least {', '.join(f'{float(each):.0f}' for each in ratios)} for N = 10⁴, "
        "10⁵, 10⁶"
    )


def _ratio_of_losing(algebra: Any, q: Fraction, frequent: int) -> Fraction:
    """A lower bound on P[b is lost | one case] / P[b is lost | two cases], for ⟨x, a⟩ so many times beside ⟨x, b⟩.

    b can only be lost at the visit of x: its own deletions stop at its last case. With one case it is enough that x
    drew -1, a and b drew 0, and the case was picked. With two, let K = |w_x| + |w_a| + |w_b| bound all moves: at the
    visit of x at most K of at least N + 2 - K cases are deleted. Either both cases of b are among them; or b was
    visited before x, whose count is so much larger, and its one case left is.
    """
    most = 60
    size = [algebra.laplace_mass(q, 0), *(2 * algebra.laplace_mass(q, k) for k in range(1, most + 1))]
    law = [Fraction(1)]
    for _ in range(3):
        law = [
            sum((law[i] * size[k - i] for i in range(max(0, k - most), min(k, len(law) - 1) + 1)), Fraction(0))
            for k in range(min(len(law) + most, most + 1))
        ]
    once: Fraction = algebra.laplace_mass(q, 0) ** 2 * algebra.laplace_mass(q, 1) / (frequent + 1)
    before = Fraction(2, frequent + 4)
    twice = 1 - sum(law)  # K beyond what is looked at: as if it were lost for sure
    for moves, chance in enumerate(law):
        picked = Fraction(moves, frequent + 2 - moves)
        twice += chance * (picked**2 + before * picked)
    return once / twice


def _change_of_a_variant(algebra: Any, q: Fraction, length: int) -> tuple[Fraction, Fraction]:
    """Probabilities that the count of a variant with so many transitions of its own stays, and that it falls by 1.

    Each transition in turn moves the count to its own noise w, if that is further up (w > 0) or further down (w < 0)
    than what earlier ones did. The count before is taken to be 3 or more.
    """
    none, one = algebra.laplace_mass(q, 0), algebra.laplace_mass(q, 1)
    up = (1 - none) / 2
    further = up - one
    stays, above, below, far_below = Fraction(1), Fraction(0), Fraction(0), Fraction(0)  # change 0, > 0, -1, < -1
    for _ in range(length):
        stays, above, below, far_below = (
            stays * none,
            above * none + up,
            (stays + above) * one + below * (none + one),
            (stays + above + below) * further + far_below * (none + one + further),
        )
    require(stays + above + below + far_below == 1, "the probabilities do not sum to 1")
    return stays, below


@checker("selection-of-groups", "exact", Verdict.REFUTED)
def _groups(subject: Subject) -> str:
    minute = 1
    others = [("ac", 10 * minute), ("ac", 17 * minute), ("bc", 5 * DAY)]
    ranges = [_range_of_second_event([*others, one], "ac") for one in (("bc", 5 * DAY), ("ad", 60 * minute))]
    require(ranges == [5 * DAY, 17 * minute], f"the ranges are {ranges} minutes")
    # Scales are proportional to ranges: the noise on the times of others has another rate in each log.
    growth = _growth(subject.algebra, Fraction(1, 2), Fraction(1, 3))
    require(growth == {Fraction(3, 2)}, "the ratio does not grow by a constant factor")
    return (
        "one ⟨b, c⟩ becomes ⟨a, d⟩: the range of everybody's second event after a falls from 5 days to 17 minutes, and "
        "with two scales the ratio of the masses of one released time is unbounded"
    )


def _range_of_second_event(cases: Sequence[tuple[str, int]], path: str) -> int:
    """Largest time of the second events that share the automaton's transition with this path of two events."""
    follows: dict[str, set[str]] = {}
    for word, _ in cases:
        follows.setdefault(word[0], set()).add(word[1])
    # Two prefixes are one state if they can be continued in the same ways.
    same_state = {first for first, then in follows.items() if then == follows[path[0]]}
    return max(gap for word, gap in cases if word[0] in same_state and word[1] == path[1])


def _growth(algebra: Any, wide: Fraction, narrow: Fraction) -> set[Fraction]:
    """By which factors the ratio of two laws of different rates around 0 and 1 grows from output to output."""
    ratios = [algebra.laplace_mass(wide, k) / algebra.laplace_mass(narrow, abs(k - 1)) for k in range(1, 40)]
    return {following / ratio for ratio, following in pairwise(ratios)}


@checker("relation", "exact", Verdict.REFUTED)
def _relation(subject: Subject) -> str:
    algebra = subject.algebra
    empty, here, there = (noisy_counts(algebra, counts, (1, 1)) for counts in ((0, 0), (1, 0), (0, 1)))
    require(largest_ratio(empty, here) == 2 and largest_ratio(here, there) == 4, "the ratios are not 2 and 4")
    # ε = ln 2 by add-remove; the advantage bound of that ε is exceeded by the replaced case.
    prior = Fraction(1, 3)
    gained = algebra.posterior(prior, Fraction(1, 4)) - prior
    require(gained == algebra.worst_advantage(Fraction(1, 2)) == Fraction(1, 3), "the gain is not 1/3")
    # tanh(ε/4) at ε = ln 2 is (1-x)/(1+x) with x = 1/√2, below 1/5 < 1/3.
    require(Fraction(2, 3) ** 2 < Fraction(1, 2) and algebra.worst_advantage(Fraction(2, 3)) < gained, "it is no more")
    return "two cells, add-remove ratio 2: a replaced case has ratio 4 and gains 1/3, above tanh(ln 2/4) < 1/5"


@checker("personalised-dp", "exact", Verdict.REFUTED)
def _personalised(subject: Subject) -> str:
    mass = subject.algebra.laplace_mass
    # Values 0 and 1 (r = 1) with Φ computed from them: exp(-Φ) = 1/2 and 1/3. Even the larger Φ is exceeded.
    largest = 3
    ratio = mass(Fraction(1, 2), 12) / mass(Fraction(1, 3), 11)
    require(ratio > largest**2, f"the ratio is {ratio}")
    return f"Φ = ln 2 for value 0, ln 3 for value 1: output 12 has ratio {float(ratio):.2f}, above exp(2·ln 3)"
