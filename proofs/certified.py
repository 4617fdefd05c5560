"""The mechanisms of the certified method on small logs, with exact masses, against the shipped losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

from accounting.guarantee import Verdict
from proofs.mechanisms import Law, independent, loss, noisy_counts
from proofs.registry import checker, require
from proofs.subject import Subject

ASSUMED = Verdict.PROVED_UNDER_ASSUMPTIONS
_HALF = Fraction(1, 2)
_REACH = 3
"""Outputs beyond the threshold that are looked at one by one; further out no ratio changes any more."""


@checker("weighted-histogram", "exact", ASSUMED)
def _weighted(subject: Subject) -> str:
    count = 0
    for weight in (1, 2, 3):
        spreads = [row for row in product(range(weight + 1), repeat=3) if sum(row) <= weight]
        laws = {row: noisy_counts(subject.algebra, row, (1, 1, 1), reach=weight) for row in spreads}
        added = max(loss(laws[0, 0, 0], laws[row]) for row in spreads)
        replaced = max(loss(laws[one], laws[other]) for one in spreads for other in spreads)
        require(added == weight, f"weight {weight}: adding costs {added}")
        require(replaced == 2 * weight, f"weight {weight}: replacing costs {replaced}")
        count += len(spreads) ** 2
    return f"{count} pairs of cases over three cells, weights 1 to 3: at most W when added, 2W when replaced, attained"


@checker("noisy-max", "exact", ASSUMED)
def _noisy_max(subject: Subject) -> str:
    mass, tail = subject.algebra.laplace_mass, subject.algebra.laplace_tail

    def reached(q: Fraction, t: int) -> Fraction:
        """P(Z ≥ t) for any whole t; the law is symmetric."""
        found: Fraction = tail(q, t) if t >= 1 else 1 - tail(q, 1 - t)
        return found

    steps = 0
    for q in (Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)):
        for t in range(-30, 31):
            require(reached(q, t) - reached(q, t + 1) == mass(q, abs(t)), f"the tail at {t} is not the sum of masses")
            require(reached(q, t) * q <= reached(q, t + 1), f"q = {q}: the tail falls by more than q at {t}")
            steps += 1
    # Two scores and their neighbours, the noise of the loser summed over a window; the winner's tail is exact.
    largest = Fraction(1)
    for scores, moved in product(product(range(3), repeat=2), product((-1, 0, 1), repeat=2)):
        other = tuple(a + b for a, b in zip(scores, moved, strict=True))
        wins = [
            [mass(_HALF, abs(z)) * reached(_HALF, z + found[1] - found[0]) for z in range(-12, 13)]
            for found in (scores, other)
        ]
        # Term by term, so the sums keep the ratio too, also beyond the window.
        largest = max(largest, *(max(a / b, b / a) for a, b in zip(*wins, strict=True)))
    require(largest <= 4, f"ratio {largest} for scores that move by 1")
    require(largest == 4, "the bound is not attained")
    return f"{steps} steps of the tail fall by at most q; two scores that move by 1: ratio {largest} = exp(2/b)"


def thresholded(subject: Subject, counts: Sequence[int], threshold: int, hidden: Sequence[int] = ()) -> Law:
    """The law of a thresholded histogram (q = 1/2): cells are None or a value from the threshold on, the far ones
    merged. Empty cells never show; those in ``hidden`` are known not to have reached the threshold."""
    algebra, cells = subject.algebra, list[dict[Hashable, Fraction]]()
    for cell, count in enumerate(counts):
        if not count or cell in hidden:
            cells.append({None: Fraction(1)})
            continue
        shown: dict[Hashable, Fraction] = {
            value: algebra.laplace_mass(_HALF, abs(value - count)) for value in range(threshold, threshold + _REACH)
        }
        far = algebra.laplace_tail(_HALF, threshold + _REACH - count)
        cells.append({**shown, "far": far, None: 1 - far - sum(shown.values())})
    return independent(cells)


def units(cases: int) -> Iterator[tuple[int, ...]]:
    """Contents of a unit of so many cases over three cells."""
    for cells in combinations_with_replacement(range(3), cases):
        found = Counter(cells)
        yield tuple(found[cell] for cell in range(3))


@checker("threshold-mixture", "exact", ASSUMED)
def _mixture(subject: Subject) -> str:
    count = 0
    for cases, others in product((1, 2), product((0, 1, 3), repeat=3)):
        for threshold in (cases + 1, cases + 3):
            delta = cases * subject.algebra.laplace_tail(_HALF, threshold - cases)
            if delta >= 1:
                continue
            within: list[Law] = []
            for unit in units(cases):
                counts = [a + b for a, b in zip(others, unit, strict=True)]
                own = [cell for cell in range(3) if unit[cell] and not others[cell]]
                whole = thresholded(subject, counts, threshold)
                kept = thresholded(subject, counts, threshold, hidden=own)
                rest = {output: mass - (1 - delta) * kept.get(output, Fraction(0)) for output, mass in whole.items()}
                require(min(rest.values()) >= 0, f"{others} + {unit}: less than 1-δ of the release is the kept part")
                require(sum(rest.values()) == delta, f"{others} + {unit}: what is left does not have mass δ")
                within.append(kept)
            for one, other in product(within, within):
                require(one.keys() == other.keys(), f"{others}: an output of the kept part tells the unit")
                ratio = max(one[output] / other[output] for output in one)
                require(ratio <= Fraction(2) ** (2 * cases), f"{others}: ratio {ratio} for a unit of {cases}")
                count += 1
    return f"{count} pairs of units of one or two cases: M = (1-δ)·A + δ·B with A within exp(2C/b)"


@checker("approximate-advantage", "exact", Verdict.REFUTED)
def _no_advantage(_subject: Subject) -> str:
    one, other = (Fraction(61, 100), Fraction(39, 100)), (Fraction(30, 100), Fraction(70, 100))
    delta = Fraction(1, 100)
    for left, right in ((one, other), (other, one)):
        for chosen in product((0, 1), repeat=2):
            a, b = (sum(m for m, inside in zip(law, chosen, strict=True) if inside) for law in (left, right))
            require(a <= 2 * b + delta, "the pair of laws is not (ln 2, 1/100)")
    # At the worst prior of ratio 2 the bound tanh(ln 2/4) is reached at ratio 2 and exceeded beyond.
    require(one[0] / other[0] > 2, "the first output stays within the ratio")
    require(min(one[0], other[0]) > delta, "the first output is as rare as δ")
    return f"an output of probability at least {min(one[0], other[0])} has ratio {one[0] / other[0]} > 2 = exp(ε)"
