"""Where the curves of ``accounting.average`` reach a value: Newton's method finds it, enclosures make it certain.

A place is looked for without care for rounding; what is returned is one at which the caller's test, which is done with
enclosures, certainly holds.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from accounting.enclosure import Enclosure, contexts
from accounting.normal import DIGITS, density, mills, tail


def excess(mu_squared: Fraction, epsilon: Fraction, surcharge: Fraction, digits: int) -> Enclosure:
    """(1+κ)·δ(ε - 4κ) of ``mu_squared`` at ``epsilon``: what smoothing (``surcharge`` κ) takes from ε on both sides,
    and adds to δ; with so many ``digits``."""
    mu = root(mu_squared, digits)
    moved = epsilon - 4 * surcharge
    near, far = moved / mu - mu / 2, moved / mu + mu / 2
    # e^ε·φ(far) = φ(near), which neither overflows nor vanishes before its time.
    found = tail(near) - density(near) * mills(far)
    return (1 + surcharge) * found.within(0, 1)


def epsilon_near(mu_squared: Fraction, delta: float) -> float:
    """About where δ(ε) of ``mu_squared`` is ``delta``, by Newton's method on its logarithm; nothing rests on it."""
    context, _ = contexts(DIGITS)
    mu, aim = root(mu_squared, DIGITS), Decimal(delta)
    x = (mu * mu / 2).high
    for _ in range(60):
        at = Fraction(x)
        found = excess(mu_squared, at, Fraction(0), DIGITS)
        if not found.low > 0:
            break
        slope = density(at / mu - mu / 2) * mills(at / mu + mu / 2)
        off = context.ln(context.divide(found.high, aim))
        step = context.divide(context.multiply(off, found.high), slope.high)
        x = max(context.add(x, step), Decimal(0))
        if not step or step.adjusted() <= x.adjusted() - 10:
            break
    return float(x)


def least(holds: Callable[[float], bool], guess: float, high: float) -> float:
    """A float at which it certainly ``holds``, next to the ``guess`` if there is one; else the least between 0 and
    ``high``."""
    for margin in (2.0**-52, 2.0**-48, 2.0**-44):
        if guess * (1 - 4 * margin) > 0 and holds(guess * (1 + margin)) and not holds(guess * (1 - 4 * margin)):
            return guess * (1 + margin)
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def last_reached(
    mu_squared: Fraction, ratio: Fraction, delta: Fraction, holds: Callable[[Decimal], bool]
) -> Decimal | None:
    """The last t, about, at which it certainly ``holds``; None if it does nowhere. It holds up to some t and not
    beyond: where the tail from t - μ on (``mu_squared`` is μ²), with ``delta``, is ``ratio`` times the tail from t
    on."""
    context, _ = contexts(DIGITS)
    low, high = Decimal(-40), context.add(root(mu_squared, DIGITS).high, 39)
    if not holds(low):
        return None
    if holds(high):  # the chance is below every positive float
        return high
    mu = root(mu_squared, DIGITS)
    odds = context.ln(Enclosure.of(ratio, DIGITS).high)
    t = min(high, context.add(context.divide(odds, mu.high), (mu / 2).high))
    for _ in range(60):
        one, other = tail(Enclosure.of(t, DIGITS) - mu) + delta, tail(Enclosure.of(t, DIGITS))
        off = context.subtract(context.ln(context.divide(one.high, other.high)), odds)
        slope = 1 / mills(Enclosure.of(t, DIGITS)) - density(Enclosure.of(t, DIGITS) - mu) / one
        if not slope.low > 0:
            break
        step = context.divide(off, slope.high)
        t = min(max(context.subtract(t, step), low), high)
        if not step or step.adjusted() < -15:
            break
    for places in (25, 20, 15):
        margin = Decimal(f"1E-{places}")
        before, after = context.subtract(t, margin), context.add(t, margin)
        if low < before and after < high and holds(before) and not holds(after):
            return before
    for _ in range(100):
        middle = context.divide(context.add(low, high), 2)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def root(square: Fraction, digits: int) -> Enclosure:
    """√square, with so many digits."""
    return Enclosure.of(square, digits).sqrt()
