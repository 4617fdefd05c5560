"""Discrete Gaussian noise: how close it is to continuous noise, what is wrong at the same scale, tails, thresholds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from accounting.guarantee import Verdict
from proofs.balls import arb, exact, integral, normal_cdf
from proofs.registry import checker, require
from proofs.subject import Subject

ASSUMED = Verdict.PROVED_UNDER_ASSUMPTIONS
_REACH = 60
"""Whole numbers that sums run over; beyond them everything is far below 10⁻⁵⁰ at the scales looked at."""


def masses(variance: Any, reach: int = _REACH) -> dict[int, Any]:
    """Of a discrete Gaussian around 0, to all digits that count."""
    weights = {k: (-arb(k * k) / (2 * variance)).exp() for k in range(-reach, reach + 1)}
    whole = sum(weights.values(), arb(0))
    return {k: weight / whole for k, weight in weights.items()}


def theta(s_squared: Any) -> Any:
    """2·Σ exp(-2π²s²m²)."""
    return 2 * sum(((-2 * arb.pi() ** 2 * s_squared * m * m).exp() for m in range(1, 40)), arb(0))


@checker("discrete-gaussian-smoothing", "sympy")
def _convolved(subject: Subject) -> str:
    y, k, c = sp.symbols("y k c", real=True)
    s, r = sp.symbols("s r", positive=True)  # r² = σ² - s²

    def bell(x: Any, variance: Any) -> Any:
        return sp.exp(-(x**2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)

    # Completing the square: the two exponents are one in y, around a point between c and k, and one in k - c.
    whole = r**2 + s**2
    centre, narrow = (c * s**2 + k * r**2) / whole, r**2 * s**2 / whole
    left = bell(y - c, r**2) * sp.exp(-((k - y) ** 2) / (2 * s**2))
    right = s * sp.sqrt(2 * sp.pi) * bell(k - c, whole) * bell(y - centre, narrow)
    require(sp.simplify(sp.expand_log(sp.log(left) - sp.log(right), force=True)) == 0, "the exponents do not combine")
    require(sp.simplify(sp.integrate(bell(y, r**2), (y, -sp.oo, sp.oo)) - 1) == 0, "a bell curve has another integral")
    # The discrete law divides by 1+u, 0 ≤ u ≤ ϑ, the smoothed one by something from 1-ϑ to 1+ϑ.
    t = sp.Symbol("t", positive=True)
    algebra = subject.average_algebra
    require(sp.simplify(algebra.smoothed_at_most(t) - (1 + t) / 1) == 0, "the upper factor is not (1+ϑ)/1")
    require(sp.simplify(algebra.smoothed_at_least(t) - (1 - t) / (1 + t)) == 0, "the lower factor is not (1-ϑ)/(1+ϑ)")
    return (
        "N(y; c, σ²-s²)·exp(-(k-y)²/2s²) = s√(2π)·N(k; c, σ²)·N(y; between, …), so its integral is s√(2π)·N(k; c, σ²)"
    )


@checker("discrete-gaussian-smoothing", "flint")
def _smoothed(subject: Subject) -> str:
    algebra, count = subject.average_algebra, 0
    for variance, s_squared in ((arb("0.4"), arb("0.1")), (arb("1.5"), arb("0.3"))):
        error = theta(s_squared)
        # Poisson summation at a few points: the divisor is s√(2π)·(1 + 2Σ exp(-2π²s²m²)·cos(2πmy)).
        for y in (arb(0), arb("0.25"), arb("0.5"), arb("0.8")):
            divisor = _divisor(y, s_squared)
            waves = 1 + 2 * sum(
                ((-2 * arb.pi() ** 2 * s_squared * m * m).exp() * (2 * arb.pi() * m * y).cos() for m in range(1, 40)),
                arb(0),
            )
            dual = (2 * arb.pi() * s_squared).sqrt() * waves
            require(abs(divisor - dual) < arb(10) ** -30, f"Poisson summation at {y}")
            require(abs(waves - 1) <= error * (1 + arb(10) ** -30), f"the divisor is not within ϑ at {y}")
        discrete = masses(variance)
        for k in range(3):
            smooth = _smooth_mass(k, variance, s_squared)
            ratio = discrete[k] / smooth
            require(ratio <= algebra.smoothed_at_most(error), f"σ² = {variance}: the ratio at {k} is {ratio}")
            require(ratio >= algebra.smoothed_at_least(error), f"σ² = {variance}: the ratio at {k} is {ratio}")
            count += 1
        # The algebra alone: a divisor at either end of what ϑ allows reaches the factors.
        for divisor, own, factor in (
            (1 + error, arb(0), algebra.smoothed_at_most(error)),
            (1 - error, error, algebra.smoothed_at_least(error)),
        ):
            require(abs(divisor / (1 + own) - factor) < arb(10) ** -30, "a factor is not the quotient of its divisors")
    return f"{count} masses of smoothed noise, enclosed integrals: within (1-ϑ)/(1+ϑ) and 1+ϑ"


def _divisor(y: Any, s_squared: Any) -> Any:
    return sum(((-((j - y) ** 2) / (2 * s_squared)).exp() for j in range(-16, 17)), 0 * y)


def _smooth_mass(k: int, variance: Any, s_squared: Any) -> Any:
    rest = variance - s_squared

    def inner(y: Any) -> Any:
        bell = (-(y**2) / (2 * rest)).exp() / (2 * arb.pi() * rest).sqrt()
        return bell * (-((k - y) ** 2) / (2 * s_squared)).exp() / _divisor(y, s_squared)

    # Far out the integrand is below exp(-y²/2(σ²-s²)), since no part is more than the whole.
    return integral(inner, -10, 10)


@checker("discrete-gaussian-release", "flint", ASSUMED)
def _release(subject: Subject) -> str:
    average, count = subject.average, 0
    for variance, shift, s_squared in product((6, 25, 100), (1, 2, 3, 7), (1, 2, 4)):
        law = masses(arb(variance), 8 * variance)
        surcharge = average.smoothing_surcharge(s_squared, 1)
        true = theta(arb(s_squared))
        require(true <= exact(surcharge), f"s² = {s_squared}: the surcharge is below ϑ")
        require(exact(surcharge) <= true * (1 + arb(10) ** -5), f"s² = {s_squared}: the surcharge is far above ϑ")
        square = Fraction(shift**2, variance - s_squared)
        for epsilon in (0.0, 0.5, 1.0):
            found = sum(
                (
                    max(law[k] - arb(epsilon).exp() * law[k - shift], arb(0), key=float)
                    for k in range(-8 * variance + shift, 8 * variance + 1)
                ),
                arb(0),
            )
            bound = average.delta_of(square, epsilon, surcharge)
            require(
                found <= bound,
                f"σ² = {variance}, shift {shift}, s² = {s_squared}: {found} is above δ({epsilon}) = {bound}",
            )
            count += 1
        distance = average.advantage_of(square, 2 * surcharge)
        require(found <= distance, "the distance")
    for cells in (1, 7, 10**6):
        true = ((theta(arb(1)) + 1).log() * cells).exp() - 1
        require(
            true <= exact(average.smoothing_surcharge(1, cells)), f"{cells} cells: the surcharge is below (1+ϑ)^D - 1"
        )
    chance = average.chance_of_more_than(Fraction(1, 2), 0.5, surcharge=Fraction(1, 100))
    require(
        chance >= 1.01 * average.chance_of_more_than(Fraction(1, 2), 0.5),
        "a surcharge does not count for single outputs",
    )
    return f"{count} excesses of discrete noise with σ² from 6 to 100: within the curve of σ² - s² and the surcharge"


@checker("discrete-gaussian-same-scale", "exact", Verdict.REFUTED)
def _same_scale(subject: Subject) -> str:
    """Σ exp(-j²/50) from above with fractions: then 1/Σ, the distance of a shift by 1, from below."""
    whole = 1 + 2 * sum((_exp_above(Fraction(j * j, 50)) for j in range(1, 80)), Fraction(0))
    whole += 2 * _exp_above(Fraction(128)) * 2  # from 80 on each term is below half of the one before
    distance = 1 / whole
    continuous = subject.average.advantage_of(Fraction(1, 25))
    require(distance > Fraction(797, 10_000), f"the distance is {float(distance)}")
    require(Fraction(continuous) > Fraction(796, 10_000), f"continuous noise has {continuous}")
    relative = distance / Fraction(continuous) - 1
    require(Fraction(15, 10_000) < relative < Fraction(18, 10_000), f"the discrete one is {float(relative)} larger")
    require(abs(relative * 24 * 25 - 1) < Fraction(1, 100), "not by 1/(24σ²)")
    return f"σ = 5: {float(distance):.7f} > {continuous:.7f}, by {float(relative):.2e} = 1/(24σ²)"


def _exp_above(y: Fraction) -> Fraction:
    """Not below exp(-y): 1/Σ yⁿ/n!, each term rounded down and the far ones left out."""
    places = 10**50
    total = term = places
    for n in range(1, 500):
        term = term * y.numerator // (y.denominator * n)
        total += term
    return Fraction(places, total)


@checker("discrete-gaussian-tail", "flint", ASSUMED)
def _tail(subject: Subject) -> str:
    average, count = subject.average, 0
    for variance, beyond in product((Fraction(1, 4), Fraction(2), Fraction(25), Fraction(400)), (1, 2, 5, 20, 60)):
        reach = 60 + 8 * int(variance)
        law = masses(exact(variance), min(reach, 600))
        true = sum((law[k] for k in range(beyond, min(reach, 600) + 1)), arb(0))
        found = exact(average.threshold_delta_of(variance, beyond + 3, 3))
        require(true <= found, f"σ² = {variance}: P(Z ≥ {beyond}) = {true} is above {found}")
        stated = normal_cdf(-(beyond - 1) / exact(variance).sqrt())
        if stated > arb(10) ** -300:  # as far as floats have all their digits
            require(abs(found - stated) <= stated * arb(10) ** -9, f"σ² = {variance}: not Φ(-(m-1)/σ) at {beyond}")
        count += 1
    return f"{count} tails of discrete noise, summed: below Φ(-(m-1)/σ)"


@checker("average-threshold", "exact", ASSUMED)
def _threshold(subject: Subject) -> str:
    """Every output of a thresholded histogram, with geometric noise, which any other noise could replace."""
    from proofs.certified import thresholded, units

    count, half = 0, Fraction(1, 2)
    bound = subject.average_algebra.success_bound
    for cases, others, beyond in product((1, 2), ((0, 0, 0), (3, 0, 0), (3, 1, 0), (1, 3, 3)), (1, 3)):
        threshold = cases + beyond
        delta = cases * subject.algebra.laplace_tail(half, threshold - cases)
        # Without the unit: its own cells are not there at all.
        reference = thresholded(subject, others, threshold)
        for unit in units(cases):
            counts = [a + b for a, b in zip(others, unit, strict=True)]
            own = [cell for cell in range(3) if unit[cell] and not others[cell]]
            whole, kept = (thresholded(subject, counts, threshold, hidden=hidden) for hidden in ((), own))
            near = _distance(kept, reference)
            require(_distance(whole, reference) <= bound(near, delta), f"{others} + {unit}: further than TV(A, Q) + δ")
            require(_distance(whole, kept) <= delta, f"{others} + {unit}: more than δ is not the kept part")
            count += 1
    attained = thresholded(subject, (1, 0, 0), 2)
    nothing = thresholded(subject, (0, 0, 0), 2)
    exactly = subject.algebra.laplace_tail(half, 1)
    require(_distance(attained, nothing) == bound(0, exactly), "δ is not attained")
    return f"{count} units of one or two cases: within TV(A, Q) + C·P(C + Z ≥ t) of the release without them; attained"


def _distance(one: Any, other: Any) -> Fraction:
    return sum(
        (
            max(one.get(output, Fraction(0)) - other.get(output, Fraction(0)), Fraction(0))
            for output in {**one, **other}
        ),
        Fraction(0),
    )
