"""The oversampling root: the cubic, its only root between 0 and 1, and the article's closed form of it."""

from __future__ import annotations

import sympy as sp

from proofs.registry import checker, require
from proofs.subject import Subject
from proofs.symbolic import A, same, x


@checker("one-sided-cubic", "sympy")
def _cubic(subject: Subject) -> str:
    algebra = subject.algebra
    gap = algebra.one_sided_advantage(x) - A
    same(gap * (1 + x), -algebra.oversampling_polynomial(x, A), "(advantage - A)(1+x) is not minus the polynomial")
    loss = sp.symbols("loss", positive=True)
    printed = sp.exp(-loss) * sp.tanh(loss / 4).rewrite(sp.exp) + 1 - sp.exp(-loss)
    difference = sp.simplify(algebra.one_sided_advantage(sp.exp(-loss / 2)) - printed)
    require(difference == 0, "the advantage is not exp(-ε)·A' + 1 - exp(-ε)")
    return "(advantage - A)·(1+x) = -p(x), and 1+x > 0; the advantage is the article's Eq. in ε"


@checker("cubic-root-unique", "sympy")
def _unique(subject: Subject) -> str:
    polynomial = subject.algebra.oversampling_polynomial
    same(polynomial(sp.Integer(0), A), A - 1, "p(0) is not A - 1")
    same(polynomial(sp.Integer(1), A), 2 * A, "p(1) is not 2A")
    # p(x) = 0 says 1-A = 2x³/(1+x); its derivative in x is positive, so A determines x and x falls as A grows.
    level = 2 * x**3 / (1 + x)
    same(polynomial(x, A), (1 + x) * (level - (1 - A)), "p is not (1+x)·(2x³/(1+x) - (1-A))")
    same(sp.diff(level, x), 2 * x**2 * (3 + 2 * x) / (1 + x) ** 2, "2x³/(1+x) does not rise")
    return "p(0) = A-1 < 0 < 2A = p(1); p = (1+x)(2x³/(1+x) - (1-A)) with a strictly rising first term"


@checker("oversampling-closed-form", "sympy")
def _closed_form(subject: Subject) -> str:
    b, s, c, a = sp.symbols("B s c A")
    asked: list[sp.Expr] = []

    def cbrt(of: sp.Expr) -> sp.Symbol:
        asked.append(of)
        return c if of == 6 else b

    def sqrt(of: sp.Expr) -> sp.Expr:
        # √3·√radicand is one symbol s, with s² = 3·radicand.
        if of == 3:
            return sp.Integer(1)
        asked.append(of)
        return s

    root = subject.algebra.oversampling_root(a, sqrt, cbrt)
    require(len(asked) == 3 and asked[0] == 6, "the closed form takes other roots than those of the article")
    radicand, cube = sp.expand(asked[1]), sp.expand(asked[2])
    require(sp.expand(radicand - (a - 1) ** 2 * (2 * a + 25)) == 0, "the radicand is not (A-1)²(2A+25)")
    require(sp.expand(cube - (s - 9 * a + 9)) == 0, "B³ is not s - 9A + 9")
    ideal = sp.groebner([c**3 - 6, s**2 - 3 * radicand, b**3 - cube], b, s, c, a, order="grevlex")
    numerator = sp.numer(sp.together(subject.algebra.oversampling_polynomial(root, a)))
    require(ideal.contains(sp.expand(numerator)), "the numerator is not in the ideal")
    # On 0 < A < 1: s > 0 and 9-9A > 0, so B > 0, both terms of the root are positive, and it is the one below 1.
    return f"p(root)·denominator lies in the ideal ({len(ideal.exprs)} generators); B, c > 0: the root is positive"
