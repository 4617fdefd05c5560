"""How often the best guess, chosen after seeing the release, is raised by more than a given amount.

``accounting.average.chance_of_more_than`` is about a statement that was fixed before; whoever chooses it afterwards
finds one that was raised more often. Write β for the probability of the outputs at which the best guess is right with
more than V₀ + a, and q for their probability where the case is left out; p₁ and r₁ for those of such an output with a
right guess, p₂ = β - p₁ and r₂ = q - r₁ with a wrong one. With s = V₀ and s' = 1 - a - V₀,

    p₁ ≥ (1-s')·β,  r₁ ≤ s·q,  r₂ ≥ (1-s)·q,  p₁ ≤ G(r₁),  r₂ ≤ G(p₂),  G(α) = Φ(Φ⁻¹(α) + μ).

Let E₁·E₂ = (1-s)(1-s')/(s·s'), and c(E) the largest p with p ≤ G(p/E). Either p₁ ≥ E₁·r₁, and then p₁ ≤ c(E₁); or
p₁ < E₁·r₁, and then r₂ ≥ E₂·p₂, so that r₂ ≤ c(E₂) and p₁ < E₁·s·c(E₂)/(1-s). In both cases β ≤ p₁/(1-s'). That is done
for small intervals of V₀ that cover all of them, with an E₁ for each (claim ``best-guess-exception``).

Where with probability δ something else is released, and noise is discrete with surcharge κ, p₁ ≤ (1+κ)·G(r₁) + δ and
r₂ ≤ G((1+κ)³·p₂/(1-δ)); p₁ is then taken as at least 1000·δ, which costs E₂ a factor of 1 - 1/1000, or else bounded by
that.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache

from accounting.average import advantage_of
from accounting.average_algebra import raised_odds
from accounting.enclosure import Enclosure, float_up
from accounting.errors import AccountingError
from accounting.normal import DIGITS, tail

_NONE = Fraction(0)
_SPLITS = 40
"""How often an interval of V₀ is halved at most; fewer would give a larger bound, not a wrong one."""
_RARE = 1000
"""Outputs that are less than so many times likelier than what δ covers are not looked at more closely."""


def chance_of_best_guess(
    mu_squared: Fraction, by: float, delta: Fraction = _NONE, surcharge: Fraction = _NONE
) -> float:
    """How likely at most a release raises the best guess above V₀ + ``by``, whatever V₀ and the guesses; rounded up.

    The probability is over the noise, the case and the others, as the attacker thinks of them. ``mu_squared`` is that
    of the case left out, ``delta`` that of thresholds alone, ``surcharge`` that of smoothing.
    """
    if not 0 < by < 1 or mu_squared < 0 or delta < 0 or surcharge < 0:
        raise AccountingError("a guess is raised by more than 0 and less than 1; neither a μ² nor a δ is negative.")
    # The gain above V₀ is on average at most the advantage (claim best-guess-exception): Markov's inequality.
    simple = Fraction(advantage_of(mu_squared, delta + surcharge)) / Fraction(by)
    if delta >= Fraction(1, 2) or surcharge >= Fraction(1, 2):
        return float_up(Enclosure.of(min(simple, Fraction(1)), DIGITS).high)
    reached, mu = _chances(mu_squared), math.sqrt(mu_squared)
    whole = 1 - Fraction(by)

    def bound(low: Fraction, high: Fraction) -> Fraction:
        return _over_an_interval(reached, mu, (low, high), whole, delta, surcharge)

    pieces = [(-bound(low, high), low, high) for low, high in ((Fraction(0), whole / 2), (whole / 2, whole))]
    heapq.heapify(pieces)
    for _ in range(_SPLITS):
        worst, low, high = heapq.heappop(pieces)
        middle = (low + high) / 2
        for part in ((low, middle), (middle, high)):
            # A part of an interval is bounded by the whole as well.
            heapq.heappush(pieces, (max(worst, -bound(*part)), *part))
    return min(1.0, float_up(Enclosure.of(min(simple, -pieces[0][0]), DIGITS).high))


def _over_an_interval(
    reached: Callable[[Fraction], Fraction],
    mu: float,
    interval: tuple[Fraction, Fraction],
    whole: Fraction,
    delta: Fraction,
    surcharge: Fraction,
) -> Fraction:
    """A bound on β for all V₀ of an interval: of s and of s' the end at which it is largest."""
    most, other = interval[1], whole - interval[0]  # s and s'
    factor = (1 - delta) / (1 + surcharge) ** 4 * (1 - Fraction(1, _RARE))
    odds = raised_odds(most, other) * factor
    right = _split(mu, float(odds), float(most))
    first = (1 + surcharge) * reached(right) + delta
    second = (1 + surcharge) * right * most * reached(odds / right) / (1 - most) + delta
    return max(first, second, _RARE * delta) / (1 - other)


def _split(mu: float, odds: float, most: float) -> Fraction:
    """The E₁ at which the two cases give about the same; any number would give a bound."""
    if odds <= 1 or not mu:
        return Fraction(1)

    def chance(log_ratio: float) -> float:
        """ln c(E), to some digits."""
        return _log_tail(_crossing(mu, log_ratio) - mu)

    low, high = 0.0, math.log(odds)
    weight = math.log(most / (1 - most))
    for _ in range(20):
        middle = (low + high) / 2
        other = middle + weight + chance(math.log(odds) - middle)
        low, high = (middle, high) if chance(middle) > other else (low, middle)
    return Fraction(math.exp((low + high) / 2)).limit_denominator(10**6)


def _chances(mu_squared: Fraction) -> Callable[[Fraction], Fraction]:
    """c(E): the largest p with p ≤ Φ(Φ⁻¹(p/E) + μ), rounded up; 1 where E is at most 1."""
    mu, near = Enclosure.of(mu_squared, DIGITS).sqrt(), math.sqrt(mu_squared)

    @cache
    def reached(ratio: Fraction) -> Fraction:
        if ratio <= 1 or not mu_squared:
            return Fraction(1) if ratio <= 1 else Fraction(0)
        t = _crossing(near, math.log(ratio))
        for margin in (1e-12, 1e-9, 1e-6, 1e-3, 1.0):
            at = Decimal(t - margin * max(1.0, abs(t)))
            beyond = tail(Enclosure(at, at, DIGITS) - mu)
            # Up to the crossing the ratio of the two tails is below E, and the tail falls: an earlier t is a bound.
            if beyond.below(ratio * tail(Enclosure(at, at, DIGITS))):
                return Fraction(float_up(beyond.high))
        return Fraction(1)

    return reached


def _crossing(mu: float, log_ratio: float) -> float:
    """About the t with P(Z ≥ t-μ)/P(Z ≥ t) = E, or where the first is below every float."""
    low, high = -38.0, mu + 38.5
    for _ in range(60):
        t = (low + high) / 2
        low, high = (low, t) if _log_tail(t - mu) - _log_tail(t) >= log_ratio else (t, high)
    return low


def _log_tail(x: float) -> float:
    """ln P(Z ≥ x), to some digits."""
    if x < 20:
        return math.log(math.erfc(x / math.sqrt(2)) / 2)
    return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi)) + math.log1p(-1 / x**2 + 3 / x**4)
