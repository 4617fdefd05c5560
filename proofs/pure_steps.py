"""Pure steps and dependent cases in units of Gaussian noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from accounting.guarantee import Verdict
from proofs.balls import arb, exact, excess, normal_cdf
from proofs.gaussian import CLOSE
from proofs.registry import checker, require
from proofs.subject import Subject


@checker("pure-step", "flint")
def _pure(subject: Subject) -> str:
    average, count = subject.average, 0
    for epsilon in (Fraction(1, 1000), Fraction(1, 5), Fraction(4, 5), Fraction(2), Fraction(8), Fraction(40)):
        square = average.mu_squared_of_pure(epsilon)
        mu, ratio = exact(square).sqrt(), exact(epsilon).exp()
        kink = 1 / (1 + ratio)
        meet = normal_cdf(-mu / 2)  # where the Gaussian curve crosses the other diagonal
        require(meet <= kink, f"ε = {epsilon}: the curve passes below the corner")
        require(meet >= kink * (1 - arb(10) ** -6), f"ε = {epsilon}: the curve passes far above the corner")
        distance = subject.average_algebra.pure_distance(ratio)
        require(abs(distance - (1 - 2 * kink)) < arb(10) ** -30, f"ε = {epsilon}: the corner is not 1/(1+e^ε)")
        for level in (k * kink / 8 for k in range(1, 8)):
            power = normal_cdf(arb(2).sqrt() * (2 * level - 1).erfinv() + mu)
            require(power >= ratio * level, f"ε = {epsilon}: a test of the pure step is above the curve")
            count += 1
    return f"{count} tests below the Gaussian curve, which touches the corner at 1/(1+e^ε)"


@checker("pure-histogram-square", "sympy")
def _histogram(subject: Subject) -> str:
    a = sp.symbols("A", positive=True)
    half = (1 + a) / (1 - a)  # e^ε of half of 4·artanh(A)
    require(
        sp.simplify(half**2 - 1 / subject.algebra.worst_ratio(a)) == 0, "the leave-out loss is not half of the other"
    )
    require(sp.simplify(subject.average_algebra.pure_distance(half) - a) == 0, "the distance is not A")
    return "(e^ε-1)/(e^ε+1) = A where e^ε = (1+A)/(1-A), half of the loss 4·artanh(A)"


@checker("pure-histogram-square", "flint")
def _histogram_numbers(subject: Subject) -> str:
    average = subject.average
    for a in (Fraction(1, 1000), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(9, 10)):
        loss = Fraction(float(subject.formulas.worst_case_loss(float(a)))) / 2
        cost, budget = average.mu_squared_of_pure(loss), average.mu_squared_of_advantage(Fraction(float(a)))
        require(cost <= budget, f"A = {a}: the release does not fit its budget")
        require(cost >= budget * (1 - Fraction(1, 10**9)), f"A = {a}: it costs less than the budget")
        twice = average.mu_squared_of_pure(2 * loss)
        require(twice > 2 * budget, f"A = {a}: by its replace loss it would not cost more")
    return (
        "five advantages: a pure histogram release costs its budget to nine digits, by its replace loss over twice that"
    )


@checker("gaussian-with-pure", "flint")
def _with_pure(subject: Subject) -> str:
    """Randomised response of odds e^ε, then Gaussian noise whose μ may depend on the answer."""
    average, count = subject.average, 0
    for loss, mu, epsilon in product((Fraction(1, 5), Fraction(1)), (0.3, 0.8), (0.0, 0.5, 1.5)):
        odds, e = exact(loss).exp(), arb(epsilon)
        for other in (mu, mu / 2, 0.0):
            found = arb(0)
            for answer, after in ((odds, mu), (1 / odds, other)):
                weight = 1 / (1 + answer)  # under the reference; the ratio of this answer is ``answer``
                rest = e - answer.log()
                left = excess(arb(after), rest) if after else (1 - rest.exp() if rest < 0 else arb(0))
                found += weight * answer * left
            square = Fraction(mu) ** 2 + average.mu_squared_of_pure(loss)
            bound = average.delta_of(square, epsilon)
            require(found.upper() <= bound, f"loss {loss}, μ = {mu}, then {other}: {found} is above {bound}")
            # Less than the pure step's μ² would not do: the distance of randomised response alone is that of its μ.
            count += 1
        alone = average.advantage_of(average.mu_squared_of_pure(loss))
        require(abs(arb(alone) - (odds - 1) / (odds + 1)) < CLOSE, "the step alone has another distance")
    return (
        f"{count} mixtures of a pure and a Gaussian step, the second chosen by the first: within δ(ε) of the sum of μ²"
    )


@checker("average-group", "flint")
def _group(subject: Subject) -> str:
    average, count = subject.average, 0
    for mu, before in product((Fraction(1, 4), Fraction(1, 2), Fraction(1)), (0.001, 0.1, 0.4)):
        chained = before
        for members in (1, 2, 3, 5):
            square = subject.average_algebra.group_square(mu**2, members)
            found = average.success_after(before, square)
            chained = before
            for _ in range(members):
                chained = average.success_after(chained, mu**2)
            require(abs(found - chained) < CLOSE, f"{members} steps of μ = {mu} give {chained}, not {found}")
            require(
                abs(arb(average.advantage_of(square)) - (2 * normal_cdf(exact(members * mu) / 2) - 1)) < CLOSE,
                "2Φ(gμ/2)-1",
            )
            count += 1
    return f"{count} chains of up to five cases left out one after the other: Φ(Φ⁻¹(V) + g·μ)"


@checker("pure-meets-average", "sympy", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _pure_meets(subject: Subject) -> str:
    """Φ⁻¹(logistic(t)) is concave for t ≥ 0, because k = Φ(z)Φ(-z)/φ(z), its slope, falls for z > 0.

    With u = 2Φ(z)-1, k' has the sign of -D, D = uφ - z(1-u²)/4. D is 0 at 0 and at infinity; D' = 2φ² - (1-u²)/4 starts
    positive, and D'' = φ·(u - 4zφ) is first negative, then positive, because u - 4zφ starts at 0, has slope φ(4z²-2)
    and ends at 1. So D' falls and then rises to its limit 0: it is positive and then negative, and D stays above 0.
    """
    z, x = sp.symbols("z x", positive=True)
    phi = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    u = sp.erf(z / sp.sqrt(2))
    cdf, upper = (1 + u) / 2, (1 - u) / 2
    slope, d = cdf * upper / phi, u * phi - z * (1 - u**2) / 4
    require(sp.simplify(sp.diff(slope, z) * phi + d) == 0, "the slope's derivative is not -D/φ")
    require(d.subs(z, 0) == 0 and sp.limit(d, z, sp.oo) == 0, "D does not vanish at the ends")
    first = sp.diff(d, z)
    require(sp.simplify(first - (2 * phi**2 - (1 - u**2) / 4)) == 0, "D' is not 2φ² - (1-u²)/4")
    require(
        sp.simplify(first.subs(z, 0)) > 0 and sp.limit(first, z, sp.oo) == 0, "D' does not start above 0 and end at 0"
    )
    inner = u - 4 * z * phi
    require(sp.simplify(sp.diff(first, z) - phi * inner) == 0, "D'' is not φ(u - 4zφ)")
    require(sp.simplify(sp.diff(inner, z) - phi * (4 * z**2 - 2)) == 0, "u - 4zφ has another slope")
    require(inner.subs(z, 0) == 0 and sp.limit(inner, z, sp.oo) == 1, "u - 4zφ does not go from 0 to 1")
    # The slope of Φ⁻¹(p) at p = logistic(t) is p(1-p)/φ; and the centred shift by ε gives (1+A)/2 for e^(ε/2) = 1/x.
    a = subject.algebra.worst_advantage(x)
    require(sp.simplify(1 / (1 + x) - (1 + a) / 2) == 0, "logistic(ε/2) is not (1+A)/2")
    require(sp.simplify(subject.average_algebra.pure_distance(1 / x) - a) == 0, "half the loss has another distance")
    require(sp.simplify(subject.average_algebra.success_bound((1 - a) / 2, a) - (1 + a) / 2) == 0, "the gain is not A")
    return "Φ⁻¹ of the logistic function is concave from 0 on (three derivatives); the centred shift is μ₀(A)"


@checker("pure-meets-average", "flint", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _pure_meets_numbers(subject: Subject) -> str:
    average, count = subject.average, 0
    for a in (Fraction(1, 100), Fraction(1, 5), Fraction(2, 5), Fraction(9, 10)):
        square = average.mu_squared_of_advantage(a)
        for before in (k / 40 for k in range(1, 40)):
            after = subject.algebra.posterior(Fraction(before), subject.algebra.worst_ratio(a))
            found = average.success_after(before, square)
            require(
                after <= Fraction(found) * (1 + Fraction(1, 10**12)),
                f"A = {a}: {before} becomes {float(after)} > {found}",
            )
            count += 1
        at = subject.algebra.worst_prior(a)
        touch = average.success_after(float(at), square)
        require(abs(Fraction(touch) - (1 + a) / 2) < Fraction(1, 10**9), f"A = {a}: they do not touch at (1-A)/2")
    return f"{count} priors: the posterior bound of pure loss is below the Gaussian curve, equal at (1-A)/2"
