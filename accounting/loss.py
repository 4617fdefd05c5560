"""What a loss is, an ε, a pair (ε, δ) or a Gaussian curve, and how losses add up.

A loss is about a pair of laws of a release: of two neighbouring logs, or (leave-out) of a log and of the reference in
which the unit contributes nothing. It has two coordinates, each of which may be unbounded:

- ``epsilon``: no output is likelier by more than e^ε under the one law than under the other. It bounds what one output
  tells, and hence every guess after every output.
- ``mu_squared``: to tell the two laws apart is no easier than to tell N(0, 1) from N(μ, 1) (Gaussian differential
  privacy: Dong, Roth, Su 2022). It bounds guesses on average over the noise, and no single output.

A pure loss has both: ε-differential privacy is Gaussian with μ = 2Φ⁻¹(e^ε/(1+e^ε)), the smallest μ whose trade-off
curve lies below that of ε (``accounting.average.mu_squared_of_pure``). Gaussian noise has the second alone. Under
either, ``delta`` is the probability that is set aside: with 1-δ both laws are draws from laws that keep the bound.

Sums are exact. A sum over the parts of one run bounds a release only if it is the same, or bounded, for every run
(Rogers, Roth, Ullman, Vadhan 2016: a filter, not an odometer): whoever lets earlier outputs divide a budget divides it
in *one* coordinate, ε or μ², of one relation, and the sum is a bound there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from accounting.average import mu_squared_of_pure
from accounting.quantities import NO_MU, UNBOUNDED, ZERO, ZERO_MU, Epsilon, MuSquared, largest, total, two_largest


@dataclass(frozen=True, slots=True)
class Squares:
    """A μ² that is not worked out yet: of Gaussian parts, and of pure steps by the ε of each. Most who ask for an ε
    never ask for it, and each step costs a millisecond."""

    gaussian: MuSquared = ZERO_MU
    """Of Gaussian parts; unbounded if something has neither a μ² nor an ε."""
    steps: tuple[tuple[Fraction, int], ...] = ()
    """The ε of pure steps, in ascending order, and how many there are of each."""

    @property
    def total(self) -> MuSquared:
        """All of it."""
        result = self.gaussian
        for epsilon, count in self.steps:
            result = result + _of_pure(epsilon) * count
        return result


BY_EPSILON = Squares(NO_MU)
"""Stands for the μ² that follows from an ε. Known by its identity; it is no loss of anything."""


@dataclass(frozen=True, slots=True)
class Loss:
    """An ε, a pair (ε, δ), or a Gaussian curve."""

    epsilon: Epsilon
    """Unbounded for Gaussian noise, whatever its scale."""
    delta: Fraction = Fraction(0)
    """The probability that is set aside (a threshold's); 0 for none. Under ε it is the δ of approximate differential
    privacy."""
    mixture: bool = True
    """Whether what is released about one unit is, with probability 1 - δ, a draw from a mechanism that keeps the bound,
    whatever the unit is. That is more than approximate differential privacy says, and what a bound on guesses after
    every output needs. (For a *pair* of laws it is always so: Kairouz, Oh, Viswanath 2015; the average needs no more.)
    """
    squares: Squares = BY_EPSILON
    """The μ², part by part. Left out, it follows from ``epsilon``."""
    cells: int = 0
    """Cells with discrete Gaussian noise, for the surcharge of rounding the continuous law to whole numbers."""

    def __post_init__(self) -> None:
        if self.squares is BY_EPSILON and self.epsilon.value is not None:
            one_step = ((self.epsilon.value, 1),) if self.epsilon.value else ()
            object.__setattr__(self, "squares", Squares(ZERO_MU, one_step))

    @property
    def mu_squared(self) -> MuSquared:
        """Of all parts: of pure ones by the ε of each."""
        return self.squares.total

    @property
    def bounded(self) -> bool:
        """Whether it bounds anything: the average over the noise, if not every output."""
        return self.squares.gaussian.bounded


@lru_cache(maxsize=4096)  # an account asks for the same ones line by line
def _of_pure(epsilon: Fraction) -> MuSquared:
    return MuSquared(mu_squared_of_pure(epsilon))


FREE = Loss(ZERO)
"""Costs nothing."""
NO_BOUND = Loss(UNBOUNDED)
"""Nothing bounds it."""


def gaussian(mu_squared: Fraction, cells: int, delta: Fraction = Fraction(0)) -> Loss:
    """The loss of discrete Gaussian noise on so many ``cells``: ``mu_squared`` and no ε; ``delta`` is what a threshold
    sets aside."""
    return Loss(UNBOUNDED, delta, squares=Squares(MuSquared(mu_squared)), cells=cells)


def checked(loss: Loss) -> Loss:
    """A probability of 1 that is set aside is no guarantee."""
    return loss if loss.delta < 1 and loss.bounded else NO_BOUND


def together(losses: Iterable[Loss]) -> Loss:
    """What parts about the same unit lose together, also if later ones depend on earlier outputs: ε, μ² and δ add.

    Pure: basic composition (``sequential-composition``). Gaussian, with pure steps among them: ``gaussian-steps``,
    ``gaussian-with-pure``. δ: the product of mixtures is a mixture, of at least 1 - Σδ (``mixture-composition``).
    """
    parts = list(losses)
    steps: Counter[Fraction] = Counter()
    for part in parts:
        steps.update(dict(part.squares.steps))
    return Loss(
        total(part.epsilon for part in parts),
        sum((part.delta for part in parts), Fraction(0)),
        all(part.mixture for part in parts),
        _squares(_summed(part.squares.gaussian for part in parts), steps),
        sum(part.cells for part in parts),
    )


def times(loss: Loss, count: int) -> Loss:
    """So many releases of the same loss, each with noise of its own."""
    steps = Counter({epsilon: number * count for epsilon, number in loss.squares.steps})
    squares = _squares(loss.squares.gaussian * count, steps)
    return Loss(loss.epsilon * count, loss.delta * count, loss.mixture, squares, loss.cells * count)


def larger(losses: Iterable[Loss]) -> Loss:
    """A loss that none of these exceeds in any coordinate."""
    parts = list(losses)
    return Loss(
        largest(part.epsilon for part in parts),
        max((part.delta for part in parts), default=Fraction(0)),
        all(part.mixture for part in parts),
        Squares(max((part.mu_squared for part in parts), default=ZERO_MU)),
        sum(part.cells for part in parts),  # which of them it is may differ by coordinate
    )


def two_larger(losses: Iterable[Loss]) -> Loss:
    """The two largest together, in each coordinate."""
    parts = list(losses)
    deltas = sorted((part.delta for part in parts), reverse=True)
    squares = sorted((part.mu_squared for part in parts), reverse=True)
    return Loss(
        two_largest(part.epsilon for part in parts),
        sum(deltas[:2], Fraction(0)),
        all(part.mixture for part in parts),
        Squares(_summed(squares[:2])),
        sum(part.cells for part in parts),
    )


def of_group(loss: Loss, members: int) -> Loss:
    """For so many units at once, by a chain of neighbours. Pure: g·ε, step by step. Gaussian: g·μ.

    Approximate: (g·ε, g·exp((g-1)·ε)·δ) (Vadhan 2017, Lemma 2.2, with one factor e^ε less: Σ exp(iε), i < g). A
    Gaussian curve with a δ has no such rule here: its slope at 0 is infinite, and so would be the factor on δ.
    """
    if members == 1:
        return loss
    epsilon = loss.epsilon * members
    if not loss.delta:
        steps = Counter({step * members: count for step, count in loss.squares.steps})
        squares = _squares(loss.squares.gaussian.of_group(members), steps)
        return Loss(epsilon, loss.delta, loss.mixture, squares, loss.cells)
    if loss.epsilon.value is None:
        return NO_BOUND
    exponent = float(loss.epsilon.value) * (members - 1)
    if exponent > 700:  # beyond the floats; a probability is at most 1 anyway
        return Loss(epsilon, Fraction(1), mixture=False)
    growth = Fraction(math.exp(exponent)) * (1 + Fraction(1, 2**40))  # covers the rounding of exponent and exp
    return Loss(epsilon, min(Fraction(1), loss.delta * members * growth), mixture=False)


def _squares(gaussian_part: MuSquared, steps: Counter[Fraction]) -> Squares:
    return Squares(gaussian_part, tuple(sorted(steps.items()))) if gaussian_part.bounded else Squares(NO_MU)


def _summed(squares: Iterable[MuSquared]) -> MuSquared:
    result = ZERO_MU
    for square in squares:
        result = result + square
    return result
