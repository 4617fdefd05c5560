"""The numbers of the average reading against ball arithmetic, over the domain that is claimed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from accounting.guarantee import Verdict
from proofs.balls import PRECISION, arb, ctx, exact, excess, normal_cdf
from proofs.discrete import theta
from proofs.registry import checker, require
from proofs.subject import Subject

_POINTS = 12
_NEAR = 1e-9
_LEAST = 5e-324
"""What is rounded up is at least that, unless it is 0."""


@contextmanager
def _many_bits(bits: int = 1000) -> Iterator[None]:
    """Enough for erfinv next to 1 and for the difference of two tails that are nearly equal."""
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = PRECISION


def _above(found: float | Fraction, true: Any, what: str, most: float = 1.0) -> None:
    """``most`` is what no true value exceeds."""
    ball = exact(Fraction(found))
    require(found == most or ball >= true, f"{what}: {float(found)!r} is below {true}")
    require(found <= _LEAST or ball <= true * (1 + _NEAR), f"{what}: {float(found)!r} is far above {true}")


def _squares(generator: random.Random) -> list[Fraction]:
    fixed = (1e-12, 1e-6, 0.25, 1.0, 2.0, 100.0, 1e6)
    return [Fraction(value) for value in (*fixed, *(10 ** generator.uniform(-12, 6) for _ in range(_POINTS)))]


@checker("numeric-average", "flint", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _numbers(subject: Subject) -> str:
    generator = random.Random(7)
    with _many_bits():
        count = _calibrated(subject.average, generator)
        count += _reported(subject.average, generator)
        count += _curves(subject.average, generator)
        count += _steps(subject.average, generator)
    return f"{count} points over the domain, all on the safe side and within 10⁻⁷"


def _calibrated(average: Any, generator: random.Random) -> int:
    advantages = [1e-6, 1 - 1e-6, 0.5, 0.2, 0.3, 0.4, *(generator.uniform(1e-6, 1 - 1e-6) for _ in range(_POINTS))]
    advantages += [10 ** generator.uniform(-6, 0) / 2 for _ in range(_POINTS)]
    for value in (*advantages, *(1 - value for value in advantages if value > 1e-6)):
        advantage = Fraction(value)
        found, true = average.mu_squared_of_advantage(advantage), 8 * exact(advantage).erfinv() ** 2
        require(exact(found) <= true, f"μ²({value!r}) is above the true one")
        require(exact(found) >= true * (1 - _NEAR), f"μ²({value!r}) is far below the true one")
        require(Fraction(average.advantage_of(found)) <= advantage, f"{value!r} is reported as more")
    return 2 * len(advantages)


def _reported(average: Any, generator: random.Random) -> int:
    squares = _squares(generator)
    for square in squares:
        mu = exact(square).sqrt()
        distance = (mu / 2 / arb(2).sqrt()).erf()
        _above(average.advantage_of(square), distance, f"advantage of μ² = {float(square)}")
        _above(average.yes_no_advantage_of(square), distance / 2, f"yes/no advantage of μ² = {float(square)}", 0.5)
        for prior in (1e-9, 0.1, generator.random(), 1 - 1e-9):
            shifted = arb(2).sqrt() * (2 * exact(Fraction(prior)) - 1).erfinv() + mu
            _above(
                average.success_after(prior, square),
                normal_cdf(shifted),
                f"success after {prior}, μ² = {float(square)}",
            )
        delta = Fraction(1, 1000)
        found = average.advantage_of(square, delta)
        require(exact(Fraction(found)) >= min(distance + exact(delta), arb(1), key=float) - arb(10) ** -300, "with δ")
    return 7 * len(squares)


def _curves(average: Any, generator: random.Random) -> int:
    count = 0
    for square in _squares(generator)[::2]:
        mu = exact(square).sqrt()
        for epsilon in (0.0, 1e-9, generator.uniform(0, 20), 1e4):
            _above(
                average.delta_of(square, epsilon), excess(mu, exact(Fraction(epsilon))), f"δ({epsilon}), μ² = {square}"
            )
            count += 1
        for delta in (1e-300, 1e-6, 0.1):
            found = average.epsilon_of(square, delta)
            require(excess(mu, arb(found)) <= delta, f"ε({delta}) = {found}, μ² = {float(square)}: δ is more there")
            require(
                not found or excess(mu, arb(found) * (1 - _NEAR)) > delta,
                f"ε({delta}), μ² = {float(square)}: too large",
            )
            count += 1
        for by in (0.2, 0.9):
            _chance(average, square, mu, by)
            count += 1
    return count


def _chance(average: Any, square: Fraction, mu: Any, by: float) -> None:
    """The t with Φ(μ-t)/Φ(-t) = e^ε, between two that balls tell apart."""
    found, ratio = average.chance_of_more_than(square, by), (4 * arb(by).atanh()).exp()
    low, high = arb(-40), mu + 39
    for _ in range(80):
        t = ((low + high) / 2).mid()
        reached = normal_cdf(mu - t) >= ratio * normal_cdf(-t)
        low, high = (low, t) if reached else (t, high)
    _above(found, normal_cdf(mu - high), f"more than {by}, μ² = {float(square)}")


def _steps(average: Any, generator: random.Random) -> int:
    losses = [1e-6, 0.1, 0.8109, 5.0, 100.0, *(10 ** generator.uniform(-6, 2) for _ in range(_POINTS))]
    for value in losses:
        loss = Fraction(value)
        wrong = 1 / (1 + exact(loss).exp())
        _above(average.mu_squared_of_pure(loss), 8 * (1 - 2 * wrong).erfinv() ** 2, f"μ² of pure {value}")
    surcharges = ((1, 1), (1, 10**6), (1, 10**9), (4, 1), (4, 10**9), (9, 10**12))
    for s_squared, cells in surcharges:
        true = ((1 + theta(arb(s_squared))).log() * cells).exp() - 1
        found = average.smoothing_surcharge(s_squared, cells)
        # (1+ϑ)^D is taken as e^(Dϑ): a little more, the more the larger ϑ is.
        require(true <= exact(found), f"s² = {s_squared}, {cells} cells: below (1+ϑ)^D - 1")
        require(exact(found) <= true * (1 + arb(10) ** -7), f"s² = {s_squared}, {cells} cells: far above (1+ϑ)^D - 1")
    for variance, beyond in ((Fraction(4), 5), (Fraction(10**6), 5000)):
        _above(
            average.threshold_delta_of(variance, beyond + 1, 1),
            normal_cdf((1 - beyond) / exact(variance).sqrt()),
            "a tail",
        )
    return len(losses) + len(surcharges) + 2
