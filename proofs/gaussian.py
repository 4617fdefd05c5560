"""Gaussian noise: its curve, and measurements of which each is chosen by what the earlier ones gave."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from proofs.balls import arb, density, integral
from proofs.registry import checker, require
from proofs.subject import Subject

_FAR = 40
"""Integrals stop there; what is left of a normal law is below 10⁻³⁴⁰."""
CLOSE = 1e-9
"""How far a shipped number may be on the safe side."""


@checker("gaussian-curve", "flint")
def _curve(subject: Subject) -> str:
    average, count = subject.average, 0
    for mu, epsilon in product((0.2, 0.507, 1.049, 3.0), (0.0, 0.5, 2.0, 6.0)):
        square, crossing = Fraction(mu) ** 2, arb(epsilon) / mu + arb(mu) / 2
        true = integral(
            lambda z, mu=mu, epsilon=epsilon: density(z - mu) - arb(epsilon).exp() * density(z), crossing, _FAR
        )
        found = average.delta_of(square, epsilon)
        require(true.lower() - arb(10) ** -60 <= found, f"μ = {mu}: δ({epsilon}) = {found} is below the integral")
        require(found <= true.upper() * (1 + CLOSE) + arb(10) ** -60, f"μ = {mu}: δ({epsilon}) = {found} is too large")
        if not epsilon:
            require(abs(arb(average.advantage_of(square)) - true) < CLOSE, f"μ = {mu}: 2Φ(μ/2)-1 is not the distance")
        back = average.epsilon_of(square, found)
        require(back <= epsilon * (1 + CLOSE) and back >= epsilon * (1 - CLOSE), f"μ = {mu}: ε(δ({epsilon})) = {back}")
        count += 1
    return f"{count} integrals of the densities' excess beyond their crossing, enclosed: the shipped curve"


@checker("gaussian-curve", "sympy")
def _crossing(subject: Subject) -> str:
    """Beyond ε/μ + μ/2 the first density is above e^ε times the second, before it below; two tails."""
    x, mu, epsilon = sp.symbols("x mu epsilon", positive=True)
    log_ratio = sp.expand(-((x - mu) ** 2) / 2 + x**2 / 2)
    crossing = epsilon / mu + mu / 2
    require(sp.simplify(log_ratio.subs(x, crossing) - epsilon) == 0, "they do not cross at ε/μ + μ/2")
    require(sp.diff(log_ratio, x) == mu, "the ratio does not rise in x")
    stated = subject.average_algebra.gaussian_excess(mu, epsilon, _upper, sp.exp)
    tails = _upper(crossing - mu) - sp.exp(epsilon) * _upper(crossing)
    require(sp.simplify(stated - tails) == 0, "δ(ε) is not what lies beyond the crossing")
    zero = subject.average_algebra.gaussian_excess(mu, sp.Integer(0), _upper, sp.exp)
    require(sp.simplify(zero - (1 - 2 * _upper(mu / 2))) == 0, "δ(0) is not 2Φ(μ/2) - 1")
    return "ln LR = μx - μ²/2 rises and is ε at ε/μ + μ/2; the tails from there are the stated ones"


def _upper(x: Any) -> Any:
    """P(Z ≥ x) as a formula of sympy."""
    return (1 - sp.erf(x / sp.sqrt(2))) / 2


@checker("gaussian-steps", "sympy")
def _steps(subject: Subject) -> str:
    z, d = sp.symbols("z d", real=True)
    f, sigma, r = sp.symbols("f sigma r", positive=True)
    output = f + r + sigma * z  # under the reference, contribution r; under the release it is r + σ·d
    log_ratio = -(((output - f - r - sigma * d) / sigma) ** 2) / 2 + ((output - f - r) / sigma) ** 2 / 2
    require(sp.simplify(log_ratio - (d * z - d**2 / 2)) == 0, "ln LR of a step is not ⟨d, Z⟩ - ‖d‖²/2")
    v, t = sp.symbols("v t", positive=True)
    weight = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    wave = sp.integrate(sp.cos(t * z) * weight, (z, -sp.oo, sp.oo))
    require(sp.simplify(wave - sp.exp(-(t**2) / 2)) == 0, "E exp(itZ) is not exp(-t²/2)")
    # So E[exp(is·U + s²v/2) | past] = 1 for U = √v·Z: the martingale. The excess over K that is still to come, with a
    # ratio LR so far and v of μ² left, says the same: on average it does not change, however v is spent.
    ratio, strike = sp.symbols("L K", positive=True)
    left = ratio * subject.average_algebra.gaussian_excess(sp.sqrt(v), sp.log(strike / ratio), _upper, sp.exp)
    heat = sp.diff(left, v) - ratio**2 * sp.diff(left, ratio, 2) / 2
    require(sp.simplify(heat) == 0, "what is left to come does not solve the heat equation of LR")
    bell = sp.exp(-((sp.log(ratio / strike) / sp.sqrt(v) + sp.sqrt(v) / 2) ** 2) / 2) / sp.sqrt(2 * sp.pi)
    require(
        sp.simplify(sp.diff(left, v) - ratio * bell / (2 * sp.sqrt(v))) == 0, "it does not rise in what is left of μ²"
    )
    return (
        "ln LR of a step is ⟨d, Z⟩ - ‖d‖²/2, E exp(itZ) = exp(-t²/2); the excess to come as a function of LR and of "
        "the μ² left solves ∂/∂v = LR²/2·∂²/∂LR² and rises in v: however μ² is spent, nothing is gained"
    )


def _after_a_measurement(first: Any, rule: Any, epsilon: Any) -> Any:
    """Excess over e^ε of a measurement with d = ``first`` and a second one with d² = rule(side of the first output)."""

    def part(square: Any, low: Any, high: Any) -> Any:
        mu = square.sqrt()

        def inner(z: Any) -> Any:
            ahead = first * z - first * first / 2 - epsilon  # ln LR - ε so far
            if not square > 0:
                return density(z) * ((ahead + epsilon).exp() - epsilon.exp())
            up = (-(ahead / mu + mu / 2) / arb(2).sqrt()).erfc() / 2
            down = (-(ahead / mu - mu / 2) / arb(2).sqrt()).erfc() / 2
            return density(z) * ((ahead + epsilon).exp() * up - epsilon.exp() * down)

        return integral(inner, low, high)

    crossing = epsilon / first + first / 2  # without a second measurement only beyond it there is an excess
    total = arb(0)
    for square, low, high in ((rule[0], -_FAR, 0), (rule[1], 0, _FAR)):
        if square > 0:
            total += part(square, low, high)
        elif high > 0:
            total += part(square, max(crossing, arb(0)), high)
    return total


@checker("gaussian-steps", "flint")
def _adaptive(subject: Subject) -> str:
    average, count, tight = subject.average, 0, 0
    for whole, share, epsilon in product((0.25, 1.0), (0.3, 0.8), (0.3, 1.0)):
        spent, left = arb(whole) * share, arb(whole) * (1 - arb(share))
        bound = average.delta_of(Fraction(whole), epsilon)
        for rule in ((left, left), (arb(0), left), (left, arb(0)), (left / 3, left), (left, left / 2)):
            found = _after_a_measurement(spent.sqrt(), rule, arb(epsilon))
            require(found.upper() <= arb(bound) * (1 + CLOSE), f"{rule}: {found} is above δ({epsilon}) = {bound}")
            if rule == (left, left):
                require(found.lower() >= arb(bound) * (1 - CLOSE), f"all of μ² spent: {found} is not δ({epsilon})")
                tight += 1
            count += 1
        over = _after_a_measurement(spent.sqrt(), (left, 2 * left), arb(epsilon))
        require(over > bound, "spending more than μ² on one side is not noticed")
    return (
        f"{count} pairs of measurements, the second chosen by the first: within δ(ε), {tight} that spend all reach it"
    )
