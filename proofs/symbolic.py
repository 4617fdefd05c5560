"""Posterior, priors and advantage, by computer algebra on the shipped functions called with symbols.

An identity of rational functions is shown by cancelling the difference to 0. An inequality is shown by a certificate:
the difference equals a quotient whose factors have known signs on the domain, written out below beside the claim.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from accounting.guarantee import Verdict
from proofs.registry import checker, require
from proofs.subject import Subject

P, A, x, y, r = sp.symbols("P A x y r", positive=True)
"""Prior, advantage, exp(-loss/2), exp(-loss), range: all positive; further bounds are named where they matter."""


def same(left: Any, right: Any, what: str) -> None:
    """Equal as rational functions."""
    require(sp.cancel(sp.together(left - right)) == 0, what)


@checker("posterior-bound", "sympy")
def _posterior_bound(subject: Subject) -> str:
    guess, other, surplus = sp.symbols("l1 l0 s", positive=True)
    bayes = P * guess / (P * guess + (1 - P) * other)
    # l0 = y·l1 + surplus with surplus ≥ 0: the gap is surplus times positive factors, for 0 < P < 1.
    gap = subject.algebra.posterior(P, y) - bayes.subs(other, y * guess + surplus)
    certificate = P * (1 - P) * surplus / ((P + y * (1 - P)) * (P * guess + (1 - P) * (y * guess + surplus)))
    same(gap, certificate, "the gap between the bound and Bayes is not the certificate")
    same(bayes.subs(other, y * guess), subject.algebra.posterior(P, y), "the bound is not attained")
    return "bound - Bayes = P(1-P)·(l0-y·l1)/(positive); attained at l0 = y·l1"


@checker("prior-inverse", "sympy")
def _inverse(subject: Subject) -> str:
    algebra = subject.algebra
    same(algebra.posterior(P, algebra.likelihood_ratio(P, A)), P + A, "posterior(P, y*(P, A)) is not P + A")
    same(algebra.likelihood_ratio(P, algebra.posterior(P, y) - P), y, "y*(P, posterior(P, y) - P) is not y")
    return "both compositions cancel to the identity"


@checker("loss-twin", "sympy")
def _twin(subject: Subject) -> str:
    same(1 / subject.algebra.likelihood_ratio(P, A), 1 + A / (P * (1 - A - P)), "1/y* is not 1 + A/(P(1-A-P))")
    return "1/y* - 1 - A/(P(1-A-P)) cancels to 0"


@checker("loss-derivative", "sympy")
def _derivative(subject: Subject) -> str:
    ratio = subject.algebra.likelihood_ratio(P, A)
    slope = sp.diff(ratio, P) / (-ratio * r)  # of -ln(y*)/r
    stated = A * (2 * P + A - 1) / (r * P * (P - 1) * (P + A) * (P + A - 1))
    same(slope, stated, "the derivative is not the stated one")
    roots = sp.solve(sp.numer(sp.cancel(slope)), P)
    require(len(roots) == 1, "the derivative vanishes elsewhere too")
    same(roots[0], subject.algebra.worst_prior(A), "the derivative does not vanish at the worst prior")
    return "d(-ln y*/r)/dP cancels against the stated form; one zero, (1-A)/2; denominator (P-1)(P+A-1) > 0 inside"


@checker("worst-prior", "sympy")
def _worst_prior(subject: Subject) -> str:
    algebra = subject.algebra
    gap = algebra.worst_ratio(A) - algebra.likelihood_ratio(P, A)
    certificate = A * (2 * P + A - 1) ** 2 / ((1 - P) * (P + A) * (1 + A) ** 2)
    same(gap, certificate, "the gap is not the certificate")
    same(
        algebra.likelihood_ratio(algebra.worst_prior(A), A), algebra.worst_ratio(A), "y* at (1-A)/2 is not the minimum"
    )
    same((2 * P + A - 1).subs(P, algebra.worst_prior(A)), 0, "the certificate does not vanish at the worst prior")
    return "gap = A(2P+A-1)²/((1-P)(P+A)(1+A)²), a square over positive factors, zero only at (1-A)/2"


@checker("worst-loss", "sympy")
def _worst_loss(subject: Subject) -> str:
    algebra = subject.algebra
    same(
        algebra.posterior(algebra.worst_prior(A), algebra.worst_ratio(A)),
        (1 + A) / 2,
        "not attained at the worst prior",
    )
    # d(4·artanh A)/dA = 4/(1-A²), and both sides are 0 at A = 0: equal functions.
    loss = -sp.log(algebra.worst_ratio(A))
    same(sp.diff(loss, A), 4 / (1 - A**2), "-ln ratio and 4·artanh have different derivatives")
    require(sp.simplify(loss.subs(A, 0)) == 0, "the loss is not 0 at A = 0")
    # A smaller loss, y = worst ratio + surplus, leaves a slack made of squares and positive factors.
    surplus, drop = sp.symbols("s d", nonnegative=True)
    kept = A - (algebra.posterior(P, algebra.worst_ratio(A) + surplus) - P)
    slack = A * (2 * P + A - 1) ** 2 / (1 + A) ** 2 + surplus * (1 - P) * (P + A)
    same(kept, slack / (P + (algebra.worst_ratio(A) + surplus) * (1 - P)), "the slack is not the certificate")
    # A larger loss, y = worst ratio - drop > 0, exceeds A at the worst prior.
    worst = algebra.worst_prior(A)
    excess = algebra.posterior(worst, algebra.worst_ratio(A) - drop) - worst - A
    whole = worst + (algebra.worst_ratio(A) - drop) * (1 - worst)
    same(excess, drop * (1 - worst) * (worst + A) / whole, "a larger loss does not exceed A")
    return (
        "A - gain = (A(2P+A-1)²/(1+A)² + s(1-P)(P+A))/(positive); a larger loss exceeds A at (1-A)/2; -ln ratio = "
        "4·artanh A by derivative and value at 0"
    )


@checker("any-prior-advantage", "sympy", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _any_prior(subject: Subject) -> str:
    algebra, loss = subject.algebra, sp.symbols("loss", positive=True)
    gap = algebra.worst_advantage(x) - (algebra.posterior(P, x**2) - P)
    certificate = (P * (1 + x) - x) ** 2 / ((1 + x) * (P + x**2 * (1 - P))) * (1 - x)
    same(gap, certificate, "the gap is not the certificate")
    best = x / (1 + x)
    same(algebra.worst_prior(algebra.worst_advantage(x)), best, "the worst prior is not x/(1+x)")
    same(algebra.posterior(best, x**2) - best, algebra.worst_advantage(x), "the advantage is not attained")
    tanh = sp.simplify(algebra.worst_advantage(sp.exp(-loss / 2)) - sp.tanh(loss / 4).rewrite(sp.exp))
    require(sp.simplify(tanh) == 0, "(1-x)/(1+x) is not tanh(loss/4)")
    return "gap = (P(1+x)-x)²(1-x)/((1+x)(P+x²(1-P))) ≥ 0, zero at P = x/(1+x); (1-x)/(1+x) = tanh(loss/4)"


@checker("group-advantage", "sympy")
def _group(subject: Subject) -> str:
    algebra = subject.algebra
    g, loss = sp.symbols("g loss", positive=True)
    difference = algebra.worst_advantage(sp.exp(-loss / 2) ** g) - sp.tanh(g * loss / 4).rewrite(sp.exp)
    require(sp.simplify(difference) == 0, "(1-x^g)/(1+x^g) is not tanh(g·loss/4)")
    # exp(-ε) is exactly 4/9 at the ε of advantage 1/5, so that the example is a fraction.
    ratio = algebra.worst_ratio(Fraction(1, 5))
    require(ratio == Fraction(4, 9), "the example's ratio is not 4/9")
    prior = Fraction(2, 5)
    gained = algebra.posterior(prior, ratio**5) - prior
    require(
        Fraction(5745, 10_000) < gained < Fraction(5755, 10_000), f"the example gives {float(gained):.4f}, not 0.575"
    )
    require(algebra.posterior(prior, ratio) - prior == Fraction(1, 5), "a single case does not give 0.2")
    bound = algebra.worst_advantage(Fraction(2, 3) ** 5)
    require(gained <= bound, "the example exceeds tanh(5ε/4)")
    return f"x^g gives tanh(g·loss/4); example: {gained} ≈ {float(gained):.4f}, bound {float(bound):.4f}"


@checker("monotonicity", "sympy")
def _monotone(subject: Subject) -> str:
    algebra = subject.algebra
    # Each derivative is a negative constant times positive factors on 0 < A, P, x < 1.
    same(sp.diff(algebra.worst_ratio(A), A), -4 * (1 - A) / (1 + A) ** 3, "the worst ratio does not fall in A")
    same(sp.diff(algebra.worst_advantage(x), x), -2 / (1 + x) ** 2, "the worst advantage does not fall in x")
    falls = -P * (1 - P) / (P + y * (1 - P)) ** 2
    same(sp.diff(algebra.posterior(P, y), y), falls, "the posterior does not fall in y")
    return "three derivatives, each minus a product of positive factors"


@checker("requirement-r2", "sympy")
def _largest(subject: Subject) -> str:
    algebra, drop = subject.algebra, sp.symbols("d", positive=True)
    smaller = algebra.likelihood_ratio(P, A) - drop  # exp(-ε) of a larger ε
    excess = algebra.posterior(P, smaller) - (P + A)
    certificate = drop * (1 - P) * (P + A) ** 2 / (P - drop * (1 - P) * (P + A))
    same(excess, certificate, "the excess is not the certificate")
    return "posterior(P, y*-d) - (P+A) = d(1-P)(P+A)²/(P - d(1-P)(P+A)), positive as long as y*-d > 0"
