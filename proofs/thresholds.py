"""What δ means of a thresholded histogram, with exact masses: for whoever knows the other cases, and for who does not.

An attacker who is unsure about the others sees, for each value of the unit, the average of the laws over what the
others may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from accounting.guarantee import Verdict
from proofs.certified import ASSUMED, thresholded, units
from proofs.mechanisms import Law
from proofs.registry import checker, require
from proofs.subject import Subject

_HALF = Fraction(1, 2)
Others = Mapping[tuple[int, ...], Fraction]
"""What the attacker thinks of the others: counts of the cells → probability."""
_UNSURE: tuple[Others, ...] = (
    {(3, 3, 0): Fraction(99, 100), (0, 3, 0): Fraction(1, 100)},
    {(1, 3, 0): _HALF, (0, 3, 1): _HALF},
    {(0, 0, 1): Fraction(1, 3), (3, 0, 0): Fraction(1, 3), (0, 1, 3): Fraction(1, 3)},
)
_PRIORS = tuple(Fraction(part, 12) for part in range(1, 12))


def averaged(subject: Subject, others: Others, unit: Sequence[int], threshold: int) -> Law:
    """The law of the release for a unit, as it looks to somebody who thinks so of the others."""
    law: dict[object, Fraction] = {}
    for counts, weight in others.items():
        present = [a + b for a, b in zip(counts, unit, strict=True)]
        for output, mass in thresholded(subject, present, threshold).items():
            law[output] = law.get(output, Fraction(0)) + weight * mass
    return law


def posteriors(prior: Fraction, one: Law, other: Law) -> Iterator[tuple[Fraction, Fraction]]:
    """Of each output that can occur: its probability, and how sure one is then that it was the first law."""
    for output in {**one, **other}:
        right, wrong = prior * one.get(output, Fraction(0)), (1 - prior) * other.get(output, Fraction(0))
        if right + wrong:
            yield right + wrong, right / (right + wrong)


@checker("mixture-excess", "exact")
def _excess(subject: Subject) -> str:
    count, largest = 0, Fraction(0)
    for cases, others, beyond in product((1, 2), _UNSURE, (1, 3)):
        threshold = cases + beyond
        delta = cases * subject.algebra.laplace_tail(_HALF, threshold - cases)
        if delta >= 1:
            continue
        advantage = subject.algebra.worst_advantage(_HALF**cases)
        laws = [averaged(subject, others, unit, threshold) for unit in units(cases)]
        for one, other, prior in product(laws, laws, (*_PRIORS[::5], subject.algebra.worst_prior(advantage))):
            bound = prior + advantage
            if bound >= 1:
                continue
            excess = sum(mass * max(found - bound, Fraction(0)) for mass, found in posteriors(prior, one, other))
            require(excess <= delta * (1 - bound), f"prior {prior}: the mean excess {excess} is above δ·(1-P-A)")
            largest = max(largest, excess / (delta * (1 - bound)))
            count += 1
    require(largest > 0, "nobody is ever surer than P + A, so nothing was looked at")
    return (
        f"{count} attackers who are unsure about the others: the mean excess is at most {float(largest):.2f}·δ·(1-P-A)"
    )


@checker("threshold-known-others", "exact", ASSUMED)
def _known_others(subject: Subject) -> str:
    count, reached = 0, Fraction(0)
    for cases, others, beyond in product((1, 2), ((0, 0, 0), (3, 0, 0), (3, 1, 0), (1, 3, 3)), (1, 3)):
        threshold = cases + beyond
        delta = cases * subject.algebra.laplace_tail(_HALF, threshold - cases)
        if delta > 1 - _HALF:
            continue
        advantage = subject.algebra.worst_advantage(_HALF**cases)
        laws = [averaged(subject, {others: Fraction(1)}, unit, threshold) for unit in units(cases)]
        for one, other, prior in product(laws, laws, (*_PRIORS[::5], subject.algebra.worst_prior(advantage))):
            chance = _surer(one, other, prior, prior + advantage)
            require(chance <= delta, f"{others}: above P + A with probability {chance}, and δ is {delta}")
            reached = max(reached, chance / delta)
            count += 1
    require(reached == 1, "δ is never reached")
    # The condition on δ is needed: with q = 99/100 and a threshold of 2, not to see the case's own cell tells too much.
    q = Fraction(99, 100)
    require(1 / q / (1 - subject.algebra.laplace_tail(q, 1)) > 1 / q**2, "the condition on δ seems not to be needed")
    return f"{count} attackers who know the others: surer than P + A with probability at most δ, attained"


def _surer(one: Law, other: Law, prior: Fraction, bound: Fraction) -> Fraction:
    """With which probability the posterior exceeds the bound, if the unit is the first; or the second, if more."""
    exceeding = [
        output
        for output in {**one, **other}
        if prior * one.get(output, Fraction(0)) * (1 - bound) > bound * (1 - prior) * other.get(output, Fraction(0))
    ]
    return max(sum((law.get(output, Fraction(0)) for output in exceeding), Fraction(0)) for law in (one, other))


SURE, UNSURE = Fraction(0), Fraction(1, 100)
"""How likely the attacker of the counterexample thinks it that nobody else has the variant."""


def chance_of_more(subject: Subject, q: Fraction, threshold: int, doubt: Fraction) -> tuple[Fraction, Fraction]:
    """δ, and the probability that somebody is surer than P + A which of two variants a case has.

    The second variant has as many other cases as the threshold; so has the first, or, with probability ``doubt``, none.
    All that is looked at is whether the first is shown with more than that and the second is not. Then the ratio is
    1/q² = e^ε where others have the first variant, and where none have it only the case itself can have been seen.
    """
    algebra = subject.algebra
    above = algebra.laplace_tail(q, 1)  # P(Z ≥ 1) = P(Z ≤ -1)
    right = (1 - doubt) * (1 - above) ** 2 + doubt * algebra.laplace_tail(q, threshold) * (1 - above)
    wrong = (1 - doubt) * above**2
    advantage = algebra.worst_advantage(q)
    prior = algebra.worst_prior(advantage)
    seen = prior * right + (1 - prior) * wrong
    return algebra.laplace_tail(q, threshold - 1), seen if prior * right > (prior + advantage) * seen else Fraction(0)


@checker("mixture-exception", "exact", Verdict.REFUTED)
def _exception(subject: Subject) -> str:
    q = Fraction(49, 51)
    require(subject.algebra.worst_advantage(q) == Fraction(2, 100), "the advantage is not 0.02")
    delta, chance = chance_of_more(subject, q, 331, UNSURE)
    require(delta < Fraction(1, 10**6), f"δ is {float(delta):.3g}")
    require(chance > 100_000 * delta, f"surer than P + A with probability {float(chance):.3g} only")
    # The same in a small example of which every output is looked at.
    law = [averaged(subject, {(7, 7): 1 - UNSURE, (0, 7): UNSURE}, unit, 8) for unit in ((1, 0), (0, 1))]
    advantage = subject.algebra.worst_advantage(_HALF)
    prior = subject.algebra.worst_prior(advantage)
    small = subject.algebra.laplace_tail(_HALF, 7)
    found = sum(mass for mass, after in posteriors(prior, *law) if after > prior + advantage)
    require(found > 10 * small, f"every output: {found} where δ is {small}")
    known, never = chance_of_more(subject, q, 331, SURE)
    require(never <= known, "also for who knows the others")
    return (
        f"A = 0.02, δ = {float(delta):.3g}: the posterior exceeds P + A with probability {float(chance):.3f}; "
        f"A = 1/3, δ = {small}: {float(found):.3f}, every output counted"
    )
