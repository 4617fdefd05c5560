"""Discrete Laplace and one-sided geometric noise: laws, tails and ratios, by computer algebra."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from accounting.guarantee import Verdict
from proofs.registry import checker, require
from proofs.subject import Subject

k, t, n = sp.symbols("k t n", integer=True, positive=True)
q = sp.symbols("q", positive=True)


def telescopes(term: sp.Expr, antidifference: sp.Expr, what: str) -> None:
    """Σ over j ≥ k of term(j) is antidifference(k) if it telescopes: the rest goes to 0 with q^k, for 0 < q < 1."""
    require(sp.simplify(sp.expand_power_exp(antidifference - antidifference.subs(k, k + 1) - term)) == 0, what)


@checker("laplace-law", "sympy")
def _law(subject: Subject) -> str:
    mass = subject.algebra.laplace_mass
    # From 1 on the masses sum to mass(1)/(1-q); twice that and mass(0) make 1.
    telescopes(mass(q, k), mass(q, k) / (1 - q), "the masses are not a geometric series")
    total = mass(q, sp.Integer(0)) + 2 * mass(q, sp.Integer(1)) / (1 - q)
    require(sp.cancel(sp.together(total - 1)) == 0, "the masses do not sum to 1")
    return "telescoping series from 1 on, both sides, plus mass(0), cancels to 1; symmetric because it takes |k|"


@checker("laplace-tail", "sympy")
def _tail(subject: Subject) -> str:
    algebra = subject.algebra
    telescopes(algebra.laplace_mass(q, k), algebra.laplace_tail(q, k), "tail(k) - tail(k+1) is not mass(k)")
    require(sp.limit(algebra.laplace_tail(sp.Rational(1, 2), k), k, sp.oo) == 0, "the tail does not vanish")
    return "tail(k) - tail(k+1) = mass(k), and the tail vanishes"


@checker("laplace-ratio", "sympy")
def _ratio(subject: Subject) -> str:
    mass = subject.algebra.laplace_mass
    near, far = sp.symbols("near far", integer=True, nonnegative=True)
    ratio = sp.simplify(mass(q, near) / mass(q, far))
    require(sp.simplify(ratio - q ** (near - far)) == 0, "the ratio is not q^(|k-x|-|k-x'|)")
    # |k-x'| - |k-x| ≤ |x-x'| ≤ Δ (checked by the SMT solver over the integers), and q < 1: ratio ≤ q^-Δ = exp(Δ/b).
    return "mass(|k-x|)/mass(|k-x'|) = q^(|k-x|-|k-x'|); with the triangle inequality at most q^-Δ, attained at k = x"


@checker("geometric-law", "sympy")
def _geometric(subject: Subject) -> str:
    algebra = subject.algebra
    conditioned = algebra.laplace_mass(q, k) / (1 / (1 + q))
    require(
        sp.simplify(conditioned - algebra.geometric_mass(q, k)) == 0, "conditioning does not give the geometric law"
    )
    at_least_0 = algebra.laplace_mass(q, sp.Integer(0)) + algebra.laplace_tail(q, sp.Integer(1))
    require(sp.cancel(sp.together(at_least_0 - 1 / (1 + q))) == 0, "P(Z ≥ 0) is not 1/(1+q)")
    same_at_0 = algebra.laplace_mass(q, sp.Integer(0)) * (1 + q) - algebra.geometric_mass(q, sp.Integer(0))
    require(sp.cancel(same_at_0) == 0, "the laws differ at 0")
    telescopes(algebra.geometric_mass(q, k), q**k, "the geometric masses do not sum to 1")
    return "mass(k)/P(Z≥0) = (1-q)q^k for every k ≥ 0, with P(Z≥0) = 1/(1+q)"


@checker("folded-law", "sympy", Verdict.REFUTED)
def _folded(subject: Subject) -> str:
    algebra = subject.algebra
    folded_0, folded_1 = algebra.laplace_mass(q, sp.Integer(0)), 2 * algebra.laplace_mass(q, sp.Integer(1))
    require(sp.cancel(folded_0 / folded_1 - 1 / (2 * q)) == 0, "folding does not give P(0)/P(1) = 1/(2q)")
    geometric = algebra.geometric_mass(q, sp.Integer(0)) / algebra.geometric_mass(q, sp.Integer(1))
    require(sp.cancel(geometric - 1 / q) == 0, "the geometric law does not give P(0)/P(1) = 1/q")
    high = Fraction(9, 10)
    upward = 2 * algebra.laplace_mass(high, 1) / algebra.laplace_mass(high, 0)
    require(upward == Fraction(9, 5) and upward > 1 / high, "the ratio at q = 9/10 is not 9/5 > 10/9")
    return "P(0)/P(1) is 1/(2q) folded, 1/q geometric; at q = 9/10 P(1)/P(0) = 9/5 > 10/9 = exp(ε)"


@checker("threshold-delta", "sympy", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _threshold(subject: Subject) -> str:
    algebra = subject.algebra
    influence = sp.symbols("w", integer=True, positive=True)
    # influence + Z ≥ t is Z ≥ t - influence = m ≥ 1: summed from m on.
    m = sp.symbols("m", integer=True, positive=True)
    step = algebra.laplace_tail(q, m) - algebra.laplace_tail(q, m + 1) - algebra.laplace_mass(q, m)
    require(sp.simplify(sp.expand_power_exp(step)) == 0, "the tail from t - influence on is not the sum of its masses")
    scale = sp.symbols("b", positive=True)
    stated = sp.exp(-(t - influence) / scale) / (1 + sp.exp(-1 / scale))
    require(
        sp.simplify(algebra.laplace_tail(sp.exp(-1 / scale), t - influence) - stated) == 0,
        "δ is not exp(-(t-w)/b)/(1+q)",
    )
    return "P(w+Z ≥ t) = tail(t-w) = exp(-(t-w)/b)/(1+exp(-1/b))"


@checker("event-time", "sympy", Verdict.REFUTED)
def _value_dependent_scale(subject: Subject) -> str:
    mass = subject.algebra.laplace_mass
    wide, narrow = sp.Rational(1, 2), sp.Rational(1, 3)  # exp(-1/b) for two scales b > b'
    ratio = mass(wide, k) / mass(narrow, k)
    require(sp.limit(sp.simplify(ratio), k, sp.oo) == sp.oo, "the ratio stays bounded")
    return "q = 1/2 and 1/3 at the same centre: the ratio of masses at distance k tends to infinity"


@checker("individuals-from-the-log", "sympy", Verdict.REFUTED)
def _number_from_the_log(subject: Subject) -> str:
    mass = subject.algebra.laplace_mass
    x = sp.Rational(1, 2)  # exp(-ε/6): scale g/ε gives q = x³ for g = 2 and x² for g = 3
    ratio = mass(x**2, k) / mass(x**3, k)
    require(sp.limit(sp.simplify(ratio), k, sp.oo) == sp.oo, "the ratio stays bounded")
    return "scales 2/ε and 3/ε for logs that differ in one case: the ratio of masses at distance k tends to infinity"


@checker("one-sided-count", "sympy", Verdict.REFUTED)
def _one_sided(subject: Subject) -> str:
    stays = subject.algebra.geometric_mass(q, sp.Integer(0))
    require(sp.cancel(stays - (1 - q)) == 0, "P(Z = 0) is not 1 - exp(-ε)")
    # The larger log would need Z = -1, which one-sided noise never is; the continuous law of the article says the same.
    z, e = sp.symbols("z epsilon", positive=True)
    inside = 2 * sp.integrate(e / 2 * sp.exp(-e * z), (z, 0, 1))
    require(sp.simplify(inside - (1 - sp.exp(-e))) == 0, "P(|z| < 1) is not 1 - exp(-ε)")
    return "P(Z = 0) = 1-q > 0 against 0; and 1 - exp(-ε) is P(|z| < 1), not P(|z| ≥ 1)"
