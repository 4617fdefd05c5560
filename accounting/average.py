"""The average reading of a guarantee as numbers: μ², advantage, success, (ε, δ), and what one output may do.

A release keeps the average reading with μ if, for every value of a case, telling it from a release that does not see
the case is no easier than telling N(μ, 1) from N(0, 1) (Gaussian differential privacy; docs/average.md). μ² is an exact
fraction and adds up over steps and releases. μ² that calibrates noise is rounded **down**, everything that is reported
**up**; nothing rests on the platform's math library (``accounting.normal``).

A fraction that is returned is one that a float can hold, so that it survives a file of JSON numbers.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from accounting.average_algebra import pure_distance, success_bound
from accounting.average_search import epsilon_near, excess, last_reached, least, root
from accounting.enclosure import Enclosure, float_down, float_up
from accounting.errors import AccountingError
from accounting.normal import DIGITS, central, half_width, pi, quantile, settled, tail

_NONE = Fraction(0)


def mu_squared_of_advantage(advantage: Fraction) -> Fraction:
    """Largest μ² whose best guess gains at most ``advantage``: (2Φ⁻¹((1+A)/2))², rounded down.

    ``advantage_of`` of the result is never above the advantage, not even by a rounding.
    """
    _require(0 < advantage < 1, "an advantage lies strictly between 0 and 1")
    near = float(advantage)
    kept = Fraction(near) if Fraction(near) <= advantage else Fraction(math.nextafter(near, 0.0))
    found = settled(lambda digits: _squared(half_width(*_both_sides(kept, digits))))
    return Fraction(float_down(found.low))


def advantage_of(mu_squared: Fraction, delta: Fraction = _NONE) -> float:
    """What the best guess gains at most on average over the noise: 2Φ(μ/2) - 1 + δ, rounded up, at most 1.

    ``mu_squared`` is that of the case left out. ``delta`` is the probability with which something else is released than
    what keeps μ (a threshold), and what smoothing costs (``smoothing_surcharge``).
    """
    _check(mu_squared, delta)
    found = settled(lambda digits: success_bound(2 * central(root(mu_squared, digits) / 2), delta))
    return min(1.0, float_up(found.high))


def yes_no_advantage_of(mu_squared_replace: Fraction, delta: Fraction = _NONE) -> float:
    """What the best answer to a yes/no question gains at most: half the distance of two values, rounded up.

    ``mu_squared_replace`` and ``delta`` are those of the replace relation; smoothing costs twice there.
    """
    _check(mu_squared_replace, delta)
    found = settled(lambda digits: central(root(mu_squared_replace, digits) / 2) + delta / 2)
    return min(0.5, float_up(found.high))


def success_after(prior: float, mu_squared: Fraction, delta: Fraction = _NONE) -> float:
    """Chance of the best guess after the release, if it was ``prior`` before: Φ(Φ⁻¹(V₀) + μ) + δ, rounded up.

    ``mu_squared`` and ``delta`` as in ``advantage_of``. One minus the result is the trade-off curve: the smallest error
    of the second kind for an error ``prior`` of the first.
    """
    _check(mu_squared, delta)
    _require(0 <= prior <= 1, "a prior lies between 0 and 1")
    before = Fraction(prior)
    if before in (0, 1):
        return min(1.0, float_up(Enclosure.of(before + delta, DIGITS).high))

    def after(digits: int) -> Enclosure:
        shifted = quantile(before, digits) + root(mu_squared, digits)
        found: Enclosure = success_bound(tail(-shifted), delta)
        return found

    return min(1.0, float_up(settled(after).high))


def delta_of(mu_squared: Fraction, epsilon: float, surcharge: Fraction = _NONE) -> float:
    """The δ of approximate differential privacy at an ε: Φ(-ε/μ+μ/2) - e^ε·Φ(-ε/μ-μ/2), rounded up, for a
    ``mu_squared`` and an ``epsilon`` of one relation.

    ``mu_squared`` and ``epsilon`` belong to one relation. ``surcharge`` is that of smoothing, κ, where noise is
    discrete: then it is (1+κ) times the same at ε - 4κ. The δ of a threshold is to be added.
    """
    _check(mu_squared, surcharge)
    _require(epsilon >= 0, "an ε is a number and not negative")
    if epsilon == math.inf or (not mu_squared and Fraction(epsilon) >= 4 * surcharge):
        return 0.0
    if not mu_squared:  # 1 - e^(-y) ≤ y
        return min(1.0, float_up(Enclosure.of((1 + surcharge) * 4 * surcharge, DIGITS).high))
    return min(1.0, float_up(settled(lambda digits: excess(mu_squared, Fraction(epsilon), surcharge, digits)).high))


def epsilon_of(mu_squared: Fraction, delta: float, surcharge: Fraction = _NONE) -> float:
    """The ε of approximate differential privacy at a ``delta``, rounded up; infinite for 0, unless nothing can be told.

    ``mu_squared`` and ``surcharge`` as in ``delta_of``.
    """
    _check(mu_squared, surcharge)
    _require(0 <= delta < 1, "a δ lies between 0 and 1")

    def holds(epsilon: float) -> bool:
        return delta_of(mu_squared, epsilon, surcharge) <= delta

    if not mu_squared:
        return float_up(Enclosure.of(4 * surcharge, DIGITS).high)
    if not delta or holds(0.0):
        return 0.0 if delta else math.inf
    # About enough: δ(ε) ≤ P(Z ≥ ε/μ - μ/2) ≤ exp(-(ε/μ - μ/2)²/2)/2.
    mu = math.sqrt(mu_squared)
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta)) + 4 * float(surcharge)
    while not holds(high):
        high *= 2
    return least(holds, epsilon_near(mu_squared, delta), high)


def chance_of_more_than(
    mu_squared_replace: Fraction, by: float, delta: Fraction = _NONE, surcharge: Fraction = _NONE
) -> float:
    """How likely at most a release raises a given true statement by more than ``by``, whatever its prior; rounded up.

    More than ``by`` takes a likelihood ratio beyond e^ε = ((1+by)/(1-by))². An event with that ratio and probability p
    under the statement has p ≤ Φ(Φ⁻¹(e^(-ε)·p) + μ), and the largest such p is Φ(μ-t) with Φ(μ-t)/Φ(-t) = e^ε: the
    infimum of δ(ε₀)/(1-e^(ε₀-ε)) over ε₀ < ε. ``mu_squared_replace`` is that of the replace relation; ``delta`` that
    of thresholds alone, ``surcharge`` as in ``delta_of``.

    The statement is one that was **fixed before** the release was seen. Of the best guess, chosen after it, this is not
    true; its chance is ``accounting.best_guess.chance_of_best_guess``.
    """
    _check(mu_squared_replace, delta, surcharge)
    _require(0 < by < 1, "a guess is raised by more than 0 and less than 1")
    ratio = ((1 + Fraction(by)) / (1 - Fraction(by))) ** 2 / (1 + surcharge) ** 3

    def reached(digits: int, t: Decimal) -> Enclosure:
        at = Enclosure(t, t, digits) - root(mu_squared_replace, digits)
        return (1 + surcharge) * tail(at) + delta

    def holds(t: Decimal) -> bool:
        """Whether the ratio is certainly not reached yet."""
        for digits in (DIGITS, 2 * DIGITS, 4 * DIGITS):
            found, allowed = reached(digits, t), ratio * tail(Enclosure(t, t, digits))
            if found.below(allowed) or allowed.below(found):
                return found.below(allowed)
        return False

    last = last_reached(mu_squared_replace, ratio, delta, holds)
    return 1.0 if last is None else min(1.0, float_up(settled(lambda digits: reached(digits, last)).high))


def mu_squared_of_pure(epsilon: Fraction) -> Fraction:
    """The μ² of a step of pure loss ε in the same relation: (2Φ⁻¹(e^ε/(1+e^ε)))², rounded up."""
    _require(epsilon >= 0, "an ε is not negative")
    if not epsilon:
        return Fraction(0)

    def squared(digits: int) -> Enclosure:
        # Of 1 - distance = 2/(e^ε + 1) nothing is lost where it is tiny, of the distance nothing where ε is.
        more = digits + max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())
        ratio = Enclosure.of(epsilon, more).exp()
        mass, missing = pure_distance(ratio), 2 / (ratio + 1)
        return _squared(
            half_width(Enclosure(mass.low, mass.high, digits), Enclosure(missing.low, missing.high, digits))
        )

    return Fraction(float_up(settled(squared).high))


def smoothing_surcharge(s_squared: int, cells: int) -> Fraction:
    """What counting a discrete Gaussian of variance σ² as a continuous one of σ² - s² costs: (1+ϑ)^D - 1, rounded up.

    ϑ = 2·Σ exp(-2π²s²m²) over m ≥ 1, with ``s_squared`` s², for all ``cells`` (D) that get noise, together. From
    m² ≥ 3m-2 the sum is at most a/(1-a³) with a = exp(-2π²s²); and (1+ϑ)^D ≤ exp(D·ϑ).
    """
    _require(s_squared >= 1 and cells >= 0, "s² is a positive whole number, and there are no negative cells")

    def surcharge(digits: int) -> Enclosure:
        first = (-2 * pi(digits) ** 2 * s_squared).exp()
        theta = 2 * first / (1 - first**3)
        whole = theta * cells
        # e^y - 1 ≤ y + y² for y ≤ 1; where y is tiny that loses nothing, and the difference would lose its digits.
        return whole * (1 + whole) if whole.below(Fraction(1, 10**12)) else whole.exp() - 1

    found = surcharge(DIGITS)
    _require(found.high < Decimal("1E300"), "so many cells need a larger s²")
    return Fraction(float_up(found.high))


def threshold_delta_of(variance: Fraction, threshold: int, influence: int) -> Fraction:
    """P(influence + Z ≥ threshold) for discrete Gaussian noise of this variance, rounded up.

    It is the δ of a thresholded histogram for a cell that a unit alone is in. P(Z ≥ m) ≤ P(N(0, σ²) ≥ m - 1) for m ≥ 1:
    exp(-x²/2σ²) falls there, so each term is at most the integral before it, and the masses' common divisor, its sum
    over all whole numbers, is at least the integral over all of them.
    """
    _require(variance > 0, "noise has a positive variance")
    _require(influence >= 0 and threshold > influence, "a threshold lies above the influence of a unit")

    def beyond(digits: int) -> Enclosure:
        return tail((threshold - influence - 1) / root(variance, digits))

    return min(Fraction(1), Fraction(float_up(settled(beyond).high)))


def _squared(half: Enclosure) -> Enclosure:
    return 4 * half * half


def _both_sides(mass: Fraction, digits: int) -> tuple[Enclosure, Enclosure]:
    return Enclosure.of(mass, digits), Enclosure.of(1 - mass, digits)


def _check(*quantities: Fraction) -> None:
    _require(all(quantity >= 0 for quantity in quantities), "neither a μ² nor a δ is negative")


def _require(condition: bool, rule: str) -> None:
    # NaN fails every comparison, so it is refused by the same rules.
    if not condition:
        raise AccountingError(f"{rule}.")
