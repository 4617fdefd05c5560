"""Composition rules, computed exactly on small explicit mechanisms, against the shipped sums.

The SMT queries show the rules as inequalities. Here the rules that the accountant calls (``accounting.quantities``)
give the very loss of mechanisms whose masses are fractions, so they are neither too small nor too large.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from accounting.guarantee import Verdict
from proofs.mechanisms import Law, independent, largest_ratio, loss, noisy_counts, randomised_response
from proofs.registry import checker, require
from proofs.subject import Subject

ASSUMED = Verdict.PROVED_UNDER_ASSUMPTIONS


def epsilons(subject: Subject, losses: tuple[int, ...]) -> list[Any]:
    return [subject.quantities.Epsilon.of(one) for one in losses]


def is_loss(found: Any, expected: int, what: str) -> None:
    require(found.value == expected, f"{what}: {found.value} for a loss of {expected}")


@checker("sequential-composition", "exact")
def _sequential(subject: Subject) -> str:
    cases = [losses for length in (1, 2, 3) for losses in product((1, 2, 3), repeat=length)]
    for losses in cases:
        laws = [independent([randomised_response(bit, one) for one in losses]) for bit in (0, 1)]
        is_loss(subject.quantities.total(epsilons(subject, losses)), loss(*laws), f"{losses} together")
    # Adaptive: the second release asks the bit anew with a loss that depends on the first answer.
    adaptive: list[Law] = []
    for bit in (0, 1):
        law: dict[Hashable, Fraction] = {}
        for first, mass in randomised_response(bit, 1).items():
            for second, given in randomised_response(bit, 2 if first else 1).items():
                law[first, second] = mass * given
        adaptive.append(law)
    worst = subject.quantities.total(epsilons(subject, (1, 2)))
    require(Fraction(2) ** worst.value >= largest_ratio(*adaptive), "an adaptive pair exceeds the sum")
    return (
        f"{len(cases)} compositions of randomised response have exactly the summed loss; an adaptive one stays within"
    )


@checker("parallel-composition", "exact")
def _parallel(subject: Subject) -> str:
    count = 0
    for losses in product((1, 2, 3), repeat=2):
        without = noisy_counts(subject.algebra, (0, 0), losses)
        found = max(loss(without, noisy_counts(subject.algebra, added, losses)) for added in ((1, 0), (0, 1)))
        is_loss(subject.quantities.largest(epsilons(subject, losses)), found, f"parts {losses}, one case added")
        # A publicly fixed partition: the case stays in its part and only its value changes.
        fixed = 0
        for part in (0, 1):
            bits = [[0, 0], [0, 0]]
            bits[1][part] = 1
            laws = [
                independent([randomised_response(b, one) for b, one in zip(row, losses, strict=True)]) for row in bits
            ]
            fixed = max(fixed, loss(*laws))
        is_loss(subject.quantities.largest(epsilons(subject, losses)), fixed, f"parts {losses}, fixed partition")
        count += 2
    return f"{count} pairs of parts: the loss of a changed case is exactly the largest"


@checker("parallel-replace", "exact")
def _parallel_replace(subject: Subject) -> str:
    count = 0
    for losses in product((1, 2, 3), repeat=3):
        found = 0
        for here, there in permutations(range(3), 2):
            counts = [[int(cell == here) for cell in range(3)], [int(cell == there) for cell in range(3)]]
            left, right = (noisy_counts(subject.algebra, row, losses, reach=2) for row in counts)
            found = max(found, loss(left, right))
        is_loss(subject.quantities.two_largest(epsilons(subject, losses)), found, f"cells {losses}, one case moved")
        count += 1
    return f"{count} histograms of three cells: the loss of a moved case is exactly the two largest"


@checker("parallel-replace-maximum", "exact", Verdict.REFUTED)
def _maximum(subject: Subject) -> str:
    left, right = (noisy_counts(subject.algebra, counts, (1, 1)) for counts in ((1, 0), (0, 1)))
    ratio = largest_ratio(left, right)
    maximum = Fraction(2) ** subject.quantities.largest(epsilons(subject, (1, 1))).value
    require(ratio == 4 and ratio > maximum, f"the ratio is {ratio}, the maximum rule gives {maximum}")
    return f"two cells with ratio 2 each, one case moved: ratio {ratio} > {maximum}"


@checker("replication", "exact")
def _replication(subject: Subject) -> str:
    epsilon = subject.quantities.Epsilon.of(Fraction(8109, 10_000))
    for copies in range(1, 500):
        require(epsilon / copies * copies == epsilon, f"{copies} shares of 1/{copies} are not the whole")
    for copies in (1, 2, 3, 4):
        laws = [independent([randomised_response(bit, 2)] * copies) for bit in (0, 1)]
        is_loss(subject.quantities.Epsilon.of(2) * copies, loss(*laws), f"{copies} copies")
        shared = [independent([randomised_response(bit, 1)] * copies) for bit in (0, 1)]
        whole = subject.quantities.Epsilon.of(copies)
        is_loss(whole / copies * copies, loss(*shared), f"{copies} copies that share")
    return "(ε/D)·D = ε exactly for D < 500; up to four copies have exactly D times the loss"


@checker("cases-of-an-individual", "exact", ASSUMED)
def _individual(subject: Subject) -> str:
    for cases in (1, 2, 3):
        without, present = (noisy_counts(subject.algebra, (count,), (2,), reach=6) for count in (0, cases))
        is_loss(subject.quantities.Epsilon.of(2) * cases, loss(without, present), f"{cases} cases of one individual")
    return "one to three cases of an individual in a count have exactly that many times the loss"


@checker("repeated-releases", "exact")
def _repeated(subject: Subject) -> str:
    for releases in (1, 2, 3, 4):
        laws = [independent([randomised_response(bit, 1)] * releases) for bit in (0, 1)]
        is_loss(
            subject.quantities.total(epsilons(subject, (1,) * releases)), loss(*laws), f"{releases} releases of one log"
        )
        budget = subject.quantities.Epsilon.of(Fraction(1, 3))
        require(subject.quantities.total([budget / releases] * releases) == budget, "the shares are not the budget")
    return "up to four releases have exactly the summed loss; N shares of ε/N are ε"


@checker("post-processing", "exact")
def _post_processing(subject: Subject) -> str:
    laws = [noisy_counts(subject.algebra, (count,), (1,), reach=2) for count in (0, 1)]
    bound = largest_ratio(*laws)
    outputs = list(laws[0])
    count = 0
    for images in product(range(3), repeat=len(outputs)):
        mapped: list[dict[int, Fraction]] = []
        for law in laws:
            merged: dict[int, Fraction] = {}
            for output, image in zip(outputs, images, strict=True):
                merged[image] = merged.get(image, Fraction(0)) + law[output]
            mapped.append(merged)
        require(max(mapped[0][k] / mapped[1][k] for k in mapped[0]) <= bound, f"{images} raises the ratio")
        require(max(mapped[1][k] / mapped[0][k] for k in mapped[0]) <= bound, f"{images} raises the ratio")
        count += 1
    require(bound == 2, "the ratio of the mechanism itself is not 2")
    return f"all {count} functions of five outputs into three values keep the ratio"


@checker("add-remove-to-replace", "exact")
def _replace(subject: Subject) -> str:
    for one in (1, 2, 3):
        empty, here, there = (noisy_counts(subject.algebra, counts, (one, one)) for counts in ((0, 0), (1, 0), (0, 1)))
        added = subject.quantities.Epsilon.of(loss(empty, here))
        require(added.value == one, "adding a case to a histogram does not cost one cell")
        is_loss(added * 2, loss(here, there), "replacing in a histogram")
    single = [noisy_counts(subject.algebra, (count,), (1,)) for count in (0, 1)]
    require(loss(*single) == 1, "a single cell costs more than once")
    return "in a histogram replacing costs exactly twice what adding does; in a single cell once"


@checker("approximate-composition", "exact")
def _approximate(subject: Subject) -> str:
    # With probability δ the bit is told, otherwise randomised response: (ε, δ) exactly.
    def law(bit: int, one: int, delta: Fraction) -> Law:
        told = {("told", bit): delta, ("told", 1 - bit): Fraction(0)}
        return told | {("noise", k): (1 - delta) * mass for k, mass in randomised_response(bit, one).items()}

    def excess(left: Law, right: Law, ratio: Fraction) -> Fraction:
        return sum((max(Fraction(0), left[output] - ratio * right[output]) for output in left), Fraction(0))

    count = 0
    for losses in product((1, 2), repeat=2):
        for deltas in product((Fraction(1, 10), Fraction(1, 4)), repeat=2):
            pairs = [independent([law(b, one, d) for one, d in zip(losses, deltas, strict=True)]) for b in (0, 1)]
            together = subject.quantities.total(epsilons(subject, losses))
            spent = excess(pairs[0], pairs[1], Fraction(2) ** together.value)
            require(spent <= sum(deltas), f"{losses}, {deltas}: δ of the pair is {spent}")
            require(
                spent == 1 - (1 - deltas[0]) * (1 - deltas[1]), "the δ of the pair is not that of telling at least once"
            )
            count += 1
    return f"{count} pairs: the excess over exp(ε₁+ε₂) is 1-(1-δ₁)(1-δ₂) ≤ δ₁+δ₂"


@checker("unbounded-absorbs", "exact")
def _unbounded(subject: Subject) -> str:
    quantities = subject.quantities
    unbounded, some = quantities.UNBOUNDED, quantities.Epsilon.of(3)
    for sums in (some + unbounded, unbounded + some, quantities.total([some, unbounded, some])):
        require(not sums.bounded, "a sum with an unbounded part is bounded")
    require(not quantities.largest([some, unbounded]).bounded, "the largest of an unbounded and a bounded is bounded")
    require(not quantities.two_largest([unbounded, some, some]).bounded, "two largest lose the unbounded one")
    require(not (unbounded * 2).bounded and not (unbounded / 2).bounded, "a multiple or share of unbounded is bounded")
    require(some <= unbounded and not unbounded <= some, "unbounded is not the largest")
    told: list[Law] = [{0: Fraction(1), 1: Fraction(0)}, {0: Fraction(0), 1: Fraction(1)}]
    pairs = [independent([told[bit], randomised_response(bit, 1)]) for bit in (0, 1)]
    require(any(pairs[0][o] > 0 == pairs[1][o] for o in pairs[0]), "the pair has no output that tells the bit")
    return "sums, maxima and multiples keep unbounded; an output that tells the bit stays in the pair"
