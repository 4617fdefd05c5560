"""``oversampling_epsilon`` is on the safe side of the root of the cubic, over the whole domain.

Its parts are taken from the shipped source: the closed form before the loop, the loop's body, the last expression. On
symbols the closed form is the root (by its own claim) and the body is a step of Newton's method. On boxes that cover
the domain, a running error analysis bounds how far the computed start and one computed step are from the exact ones;
an iterate at distance e from the root is then followed by one at distance K·e² + rounding, K = max|f''|/(2·min|f'|).
"""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

from accounting.guarantee import Verdict
from proofs.numbers import EDGE, equal, points_on_the_safe_side, probabilities
from proofs.registry import checker, require
from proofs.subject import Subject

Curvature = Callable[[Any, Any, bool], Any]

WIDTH = 1.03
"""Ratio of the ends of a box, in A below 1/2 and in 1-A above."""


class Parts:
    """The shipped function in three pieces that can be executed on anything."""

    def __init__(self, formulas: Any) -> None:
        tree = ast.parse(textwrap.dedent(inspect.getsource(formulas.oversampling_epsilon))).body[0]
        require(isinstance(tree, ast.FunctionDef), "the source is not a function")
        body = [node for node in tree.body if not isinstance(node, ast.Expr)]  # type: ignore[attr-defined]
        loops = [place for place, node in enumerate(body) if isinstance(node, ast.For)]
        require(len(loops) == 1 and isinstance(body[-1], ast.Return), "it is not a start, one loop and a return")
        loop = body[loops[0]]
        self._start = body[1 : loops[0]]  # the first statement makes an array of the argument
        self._body = loop.body
        self._result = body[-1].value
        self.steps = eval(compile(ast.Expression(loop.iter), "loop", "eval"), {"range": lambda n: n})

    def start(self, library: Any, a: Any) -> dict[str, Any]:
        return self._run(self._start, {"np": library, "a": a})

    def step(self, library: Any, a: Any, name: str, value: Any) -> Any:
        """One pass through the loop, as far as it concerns that variable: x and h go their ways separately."""
        own = [node for node in self._body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name]
        require(len(own) == 1, f"the loop does not assign {name} once")
        return self._run(own, {"np": library, "a": a, name: value})[name]

    def result(self, library: Any, a: Any, x: Any, h: Any) -> Any:
        scope = {"np": library, "a": a, "x": x, "h": h, "rounding": None, "_rounded": lambda value, _: value}
        return eval(compile(ast.Expression(self._result), "result", "eval"), scope)

    @staticmethod
    def _run(statements: Sequence[ast.stmt], scope: dict[str, Any]) -> dict[str, Any]:
        exec(compile(ast.Module(list(statements), []), "part", "exec"), scope)
        return scope


SYMBOLS = SimpleNamespace(
    cbrt=lambda value: sp.cbrt(sp.nsimplify(value)), sqrt=lambda value: sp.sqrt(sp.nsimplify(value))
)


@checker("numeric-oversampling", "flint", Verdict.PROVED_UNDER_ASSUMPTIONS)
def _oversampling(subject: Subject) -> str:
    parts = Parts(subject.formulas)
    _on_symbols(subject, parts)
    factors = {side: float(subject.formulas._rounded(np.asarray(1.0), side)) for side in ("down", "up")}
    worst, boxes = 0.0, 0
    curvature = _curvature(subject)
    for low, high in _boxes():
        error = _relative_error(subject, parts, curvature, low, high)
        worst, boxes = max(worst, float(error)), boxes + 1
        unit = 2.0**-53
        safe = (1 + error) * factors["down"] * (1 + unit) <= 1 <= (1 - error) * factors["up"] * (1 - unit)
        require(safe, f"for A in [{float(low):.3g}, {float(high):.3g}] the error may be {float(error):.3g}")
    points = ((a,) for a in probabilities(random.Random(7)))
    exact = _exact(subject)
    count = points_on_the_safe_side(subject.formulas.oversampling_epsilon, exact, points, ("down", "up"))
    return f"error at most {worst * 2.0**53:.0f} roundings on {boxes:,} boxes over the domain; {count:,} points agree"


def _on_symbols(subject: Subject, parts: Parts) -> None:
    a, x, h = sp.symbols("A x h", positive=True)
    polynomial = subject.algebra.oversampling_polynomial
    start = parts.start(SYMBOLS, a)
    # √((1-A)²(2A+25)) in the source, √(2A³+21A²-48A+25) in the algebra: the same radicand.
    equal(sp.expand(start["b"] ** 3), sp.expand(_cube(subject, a)), "the start takes another cube root")
    b = sp.symbols("b", positive=True)
    as_source = start["x"].subs(start["b"], b)
    equal(as_source, b / sp.cbrt(6) ** 2 - (a - 1) / (sp.cbrt(6) * b), "the start is not the closed form")
    equal(start["h"], 1 - start["x"], "h does not start at 1 - x")
    following = parts.step(SYMBOLS, a, "x", x)
    equal(following, x - polynomial(x, a) / sp.diff(polynomial(x, a), x), "x does not take a Newton step")
    mirrored = sp.expand(polynomial(1 - h, a))
    equal(parts.step(SYMBOLS, a, "h", h), h - mirrored / sp.diff(mirrored, h), "h does not take a Newton step")
    require(parts.steps >= 2, "there are fewer than two steps")


def _cube(subject: Subject, a: Any) -> Any:
    """What the algebra takes the second cube root of."""
    taken: list[Any] = []

    def cbrt(value: Any) -> Any:
        taken.append(value)
        return sp.Symbol("root", positive=True)

    subject.algebra.oversampling_root(a, lambda v: sp.sqrt(sp.factor(sp.sympify(v))), cbrt)
    return taken[-1]


def _boxes() -> Iterator[tuple[Any, Any]]:
    """From 10⁻¹² to 1/2 growing, then from 1/2 to 1-10⁻¹² shrinking towards 1: together they cover the domain."""
    from flint import arb

    low = arb(EDGE).lower()
    while low < 0.5:
        high = min((low * WIDTH).upper(), arb(0.5))
        yield low, high
        low = high
    room = arb(0.5)
    while room > EDGE:
        smaller = (room / WIDTH).lower()
        yield (1 - room).lower(), (1 - smaller).upper()
        room = smaller


def _relative_error(subject: Subject, parts: Parts, curvature: Curvature, low: Any, high: Any) -> Any:
    from flint import arb

    from proofs.running import LIBRARY_OF_ERRORS, Running, span

    a = Running(span(low, high), ends=(low, high))
    start = parts.start(LIBRARY_OF_ERRORS, a)
    first, last = _root(subject, high)[0], _root(subject, low)[1]  # the root falls as A grows
    near_zero = bool(high <= 0.5)
    name = "h" if near_zero else "x"
    roots = span(1 - last, 1 - first) if near_zero else span(first, last)
    e = start[name].error
    iterate = Running(span(roots.lower() - e, roots.upper() + e))
    require(iterate.range.lower() > 0, "an iterate may pass 0")
    rounding = parts.step(LIBRARY_OF_ERRORS, a, name, iterate).error
    bend = curvature(a.range, iterate.range, near_zero)
    for _ in range(parts.steps):
        following = (bend * e * e + rounding).upper()
        require(following <= e, "an iterate may leave the neighbourhood of the root")
        e = following
    final, other = Running(roots, e), Running(arb(0.5))  # the formula that is not chosen may see anything
    x, h = (other, final) if near_zero else (final, other)
    result = parts.result(LIBRARY_OF_ERRORS, a, x, h)
    size = result.range.lower()
    require(size > 0, "ε may be 0")
    return (arb(result.error) / size).upper()


def _root(subject: Subject, a: Any) -> tuple[Any, Any]:
    """Two numbers around the root, by the signs of the shipped polynomial (it has one root in (0, 1))."""
    from flint import arb

    def value(x: Any) -> Any:
        return subject.algebra.oversampling_polynomial(x, a)

    guess = subject.algebra.oversampling_root(a, lambda v: arb(v).sqrt(), lambda v: arb(v).root(3))
    reach = arb(2) ** -90
    low, high = (guess * (1 - reach)).lower(), (guess * (1 + reach)).upper()
    high = min(high, arb(1))
    require(value(low) < 0 < value(high), f"no root near the closed form at A = {float(a):.6g}")
    return low, high


def _curvature(subject: Subject) -> Curvature:
    """max|f''|/(2·min|f'|) over a box, from the derivatives of the shipped polynomial in x or in 1-x."""
    variable, advantage = sp.symbols("x A")
    functions = {}
    for near_zero, inner in ((False, variable), (True, 1 - variable)):
        polynomial = sp.expand(subject.algebra.oversampling_polynomial(inner, advantage))
        functions[near_zero] = [
            sp.lambdify((variable, advantage), sp.diff(polynomial, variable, order), "math") for order in (1, 2)
        ]

    def over(a: Any, at: Any, near_zero: bool) -> Any:
        slope, bend = (derivative(at, a) for derivative in functions[near_zero])
        smallest = abs(slope).lower()
        require(smallest > 0, "the polynomial may be flat")
        return abs(bend).upper() / (2 * smallest)

    return over


def _exact(subject: Subject) -> Any:
    from flint import arb

    def epsilon(a: float) -> Any:
        low, high = _root(subject, arb(a))
        return -2 * low.union(high).log()

    return epsilon
