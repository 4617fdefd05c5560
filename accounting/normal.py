"""The standard normal distribution, enclosed: φ, P(Z ≥ x), P(0 ≤ Z ≤ x), and where they reach a given value.

Two expansions, both with positive terms only, so that nothing cancels and the remainder is bounded by hand:

- P(0 ≤ Z ≤ x) = φ(x)·Σ x^(2n+1)/(1·3·5⋯(2n+1)), for 0 ≤ x ≤ 6. Both sides have derivative φ(x) and are 0 at 0. From
  the term on at which x²/(2n+3) ≤ 1/2 the rest is at most twice the next term.
- P(Z ≥ x) = φ(x)/(x + r₁), for x > 6, with rₙ = 1/(x + (n+1)·rₙ₊₁). Here rₙ = Jₙ/Jₙ₋₁ and Jₙ = ∫ tⁿ/n!·e^(-t²/2-xt) dt
  over t ≥ 0; P(Z ≥ x)/φ(x) is J₀; integrating the derivative of tⁿ/n!·e^(-t²/2-xt) gives xJ₀ + J₁ = 1 and
  Jₙ₋₁ = x·Jₙ + (n+1)·Jₙ₊₁. All J are positive, so every rₙ lies between 0 and 1/x: the recursion starts from there, far
  down, and each step back narrows it.

Ball arithmetic (python-flint) confirms all functions over the domain: claim ``numeric-average``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from statistics import NormalDist

from accounting.enclosure import Enclosure, contexts
from accounting.errors import AccountingError

_SWITCH = Decimal(6)
"""From here on the continued fraction is used."""
_FAR = Decimal(10) ** 5
"""Beyond it a tail is below exp(-10¹⁰/2) < 10⁻²⁰⁰⁰⁰⁰⁰⁰⁰⁰, and no digit of it is ever needed."""
_BEYOND_FAR = Decimal("1E-2000000000")
_STEPS = (16, 32, 64, 128, 256, 512, 1024)
DIGITS = 50
"""Carried unless more are needed."""
_NARROW = Decimal("1E-25")


def density(x: Enclosure) -> Enclosure:
    """φ(x) = exp(-x²/2)/√(2π)."""
    size = x.size
    near = Enclosure(min(size.low, _FAR), min(size.high, _FAR), x.digits)
    found = (near * near / -2).exp() / (2 * pi(x.digits)).sqrt()
    # Beyond the far end only that it falls is used.
    return found if size.high <= _FAR else Enclosure(Decimal(0), found.high, x.digits)


def tail(x: Enclosure) -> Enclosure:
    """P(Z ≥ x), which falls in x."""
    first, last = _tail_at(x.high, x.digits), _tail_at(x.low, x.digits)
    return Enclosure(first.low, last.high, x.digits)


def central(x: Enclosure) -> Enclosure:
    """P(0 ≤ Z ≤ x) for x ≥ 0, which rises in x; no digits are lost near 0."""
    first, last = _central_at(max(x.low, Decimal(0)), x.digits), _central_at(x.high, x.digits)
    return Enclosure(first.low, last.high, x.digits)


def mills(x: Enclosure) -> Enclosure:
    """P(Z ≥ x)/φ(x), which falls in x."""
    first, last = _mills_at(x.high, x.digits), _mills_at(x.low, x.digits)
    return Enclosure(first.low, last.high, x.digits)


def half_width(mass: Enclosure, missing: Enclosure) -> Enclosure:
    """The h ≥ 0 with P(-h ≤ Z ≤ h) = ``mass``; ``missing`` is 1 - mass, given apart because it may be tiny."""
    digits = mass.digits
    if mass.high <= 0:
        return Enclosure(Decimal(0), Decimal(0), digits)
    by_tail = mass.high > Decimal("0.5")
    target = (missing if by_tail else mass) / 2
    near = Enclosure.of(_newton(target, by_tail), digits)
    for places in (30, 24, 18, 12, 6):
        margin = Fraction(1, 10**places)
        low, high = (near * (1 - margin)).low, (near * (1 + margin)).high
        below, above = (high, low) if by_tail else (low, high)
        at = _tail_at if by_tail else _central_at
        if at(below, digits).below(target) and target.below(at(above, digits)):
            return Enclosure(low, high, digits)
    raise AccountingError("a quantile of the normal distribution could not be enclosed.")


def quantile(probability: Fraction, digits: int) -> Enclosure:
    """The x with P(Z ≤ x) = ``probability``, strictly between 0 and 1, with so many ``digits``."""
    mirrored = min(probability, 1 - probability)
    found = half_width(Enclosure.of(1 - 2 * mirrored, digits), Enclosure.of(2 * mirrored, digits))
    return found if probability > mirrored else -found


def settled(compute: Callable[[int], Enclosure]) -> Enclosure:
    """An enclosure with as many digits as it takes to know some twenty-five of the result; valid in any case."""
    found = compute(DIGITS)
    for digits in (2 * DIGITS, 4 * DIGITS, 8 * DIGITS, 16 * DIGITS):
        if found.relative_width <= _NARROW:
            break
        found = compute(digits)
    return found


@cache
def pi(digits: int) -> Enclosure:
    """π by Machin's formula, 16·arctan(1/5) - 4·arctan(1/239)."""
    return 16 * _arctan_of_inverse(5, digits) - 4 * _arctan_of_inverse(239, digits)


def _arctan_of_inverse(n: int, digits: int) -> Enclosure:
    """Alternating series with falling terms: the sum lies between any two successive partial sums."""
    total, before, k = Fraction(0), Fraction(0), 0
    while k < 2 or abs(total - before) > Fraction(1, 10 ** (digits + 3)):
        before, total = total, total + Fraction((-1) ** k, (2 * k + 1) * n ** (2 * k + 1))
        k += 1
    return Enclosure.of(before, digits).hull(Enclosure.of(total, digits))


def _tail_at(x: Decimal, digits: int) -> Enclosure:
    if x < 0:
        return (1 - _tail_at(x.copy_negate(), digits)).within(0, 1)
    if x > _FAR:
        return Enclosure(Decimal(0), _BEYOND_FAR, digits)
    if x > _SWITCH:
        at = Enclosure(x, x, digits)
        return density(at) * _continued(at)
    return Fraction(1, 2) - _central_at(x, digits)


def _central_at(x: Decimal, digits: int) -> Enclosure:
    if x > _SWITCH:
        return Fraction(1, 2) - _tail_at(x, digits)
    at = Enclosure(x, x, digits)
    return density(at) * _series(at)


def _mills_at(x: Decimal, digits: int) -> Enclosure:
    at = Enclosure(x, x, digits)
    return _continued(at) if x > _SWITCH else _tail_at(x, digits) / density(at)


def _series(x: Enclosure) -> Enclosure:
    square = x * x
    term, total, n = x, x, 0
    while 2 * n + 3 < 2 * math.ceil(square.high) or _counts(term, total):
        n += 1
        term = term * square / (2 * n + 1)
        total = total + term
    # The next term is at most half of this one, and so on.
    return Enclosure(total.low, (total + term).high, x.digits)


def _counts(term: Enclosure, total: Enclosure) -> bool:
    """Whether a term is still seen among the digits of the sum."""
    return term.high > 0 and term.high.adjusted() > total.low.adjusted() - total.digits - 2


def _continued(x: Enclosure) -> Enclosure:
    unknown = Enclosure(Decimal(0), (1 / x).high, x.digits)
    found = unknown
    for steps in _STEPS:
        ratio = unknown
        for n in range(steps, 0, -1):
            ratio = 1 / (x + (n + 1) * ratio)
        found = 1 / (x + ratio)
        if found.relative_width.adjusted() <= 4 - x.digits:
            break
    return found


def _newton(target: Enclosure, by_tail: bool) -> Decimal:
    """About where P(Z ≥ x), or P(0 ≤ Z ≤ x), is ``target``. Nothing rests on it: the caller looks at both sides."""
    digits, aim = target.digits, target.high
    context, _ = contexts(digits)
    if by_tail and aim > Decimal("1E-300"):
        x = Decimal(-NormalDist().inv_cdf(float(aim)))
    elif by_tail:  # P(Z ≥ x) ≤ exp(-x²/2)/2: it starts beyond
        x = context.sqrt(context.multiply(context.ln(context.multiply(aim, 2)), -2))
    elif aim > Decimal("1E-4"):
        x = Decimal(NormalDist().inv_cdf(0.5 + float(aim)))
    else:
        x = context.multiply(aim, Decimal(math.sqrt(2 * math.pi)))
    for _ in range(60):
        if by_tail:  # the logarithm is nearly a parabola
            off = context.ln(context.divide(_tail_at(x, digits).high, aim))
            step = context.multiply(off, _mills_at(x, digits).high)
        else:
            off = context.subtract(aim, _central_at(x, digits).high)
            step = context.divide(off, density(Enclosure(x, x, digits)).high)
        x = max(context.add(x, step), Decimal(0))
        if not step or step.adjusted() <= x.adjusted() - 18:  # the next error is the square of this one
            break
    return x
