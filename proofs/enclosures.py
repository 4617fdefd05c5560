"""The floating-point functions err only on the safe side, over their domains.

Three parts each. The shipped source runs on symbols: without rounding it is the formula that was proved. It runs on
ranges: the error stays within the rounding margin over the whole domain (``proofs.rounding``). And the real function
runs at boundary and random points against ball arithmetic, to see that the model and the machine agree.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

from accounting.guarantee import Verdict
from proofs.numbers import (
    EDGE,
    POINTS,
    both_ways,
    equal,
    not_below,
    on_ranges,
    on_symbols,
    points_on_the_safe_side,
    probabilities,
)
from proofs.registry import checker, require
from proofs.subject import Subject, fresh_module

HELD = Verdict.PROVED_UNDER_ASSUMPTIONS
DEEPEST = 690
"""Largest (t - influence)/scale of a threshold for which δ is claimed."""


@checker("numeric-headroom", "exact", HELD)
def _headroom(subject: Subject) -> str:
    """Exhaustive in a small format, exact at random points of the real one; in general by Knuth and Sterbenz."""
    from proofs.smallfloat import small_floats

    library = SimpleNamespace(asarray=lambda value, dtype=None: value, float64=float)  # noqa: ARG005
    small = fresh_module(subject.formulas, np=library)
    bits, count = 5, 0
    numbers = list(small_floats(bits, lowest=-7))
    for prior in numbers:
        for advantage in numbers:
            true = 1 - prior.value - advantage.value
            if true > 0:
                got = small.headroom(prior, advantage).value
                unit = Fraction(1, 2**bits)
                require(abs(got - true) <= 2 * unit * (1 + 2 * unit) * true, f"{prior.value}, {advantage.value}")
                count += 1
    generator = random.Random(1)
    real = 0
    values = list(probabilities(generator))
    for one in values:
        for other in (generator.choice(values), 1 - one, math.nextafter(1 - one, 0), generator.random() * (1 - one)):
            true = 1 - Fraction(one) - Fraction(other)
            if other > 0 and true > 0:
                got = Fraction(float(subject.formulas.headroom(one, other)))
                require(abs(got - true) <= Fraction(2, 2**53) * true * (1 + Fraction(2, 2**53)), f"at {one}, {other}")
                real += 1
    return f"all {count:,} pairs of a {bits}-bit format, {real:,} pairs of doubles, exactly; in general Knuth, Sterbenz"


@checker("numeric-loss", "flint", HELD)
def _loss(subject: Subject) -> str:
    from flint import arb

    from proofs.rounding import Ranged

    prior, advantage, span = sp.symbols("P A r", positive=True)
    symbolic = on_symbols(subject)
    target = -sp.log(subject.algebra.likelihood_ratio(prior, advantage))
    found = symbolic.loss_for_prior(prior, advantage, "up")
    equal(sp.exp(found), sp.exp(target), "without rounding it is not -ln y*(P, A)")
    equal(symbolic.rate_for_prior(prior, advantage, span, "up") * span, found, "the rate is not the loss / r")
    ranges, inside = on_ranges(subject), Ranged(EDGE, 1 - EDGE)
    bounds = both_ways(lambda rounding: ranges.loss_for_prior(inside, inside, rounding))
    both_ways(lambda rounding: ranges.rate_for_prior(inside, inside, Ranged(1e-100, 1e100), rounding))

    def exact(p: float, a: float) -> Any:
        return -subject.algebra.likelihood_ratio(arb(p), arb(a)).log()

    def exact_rate(p: float, a: float, r: float) -> Any:
        return exact(p, a) / r

    generator = random.Random(2)
    values = list(probabilities(generator))
    pairs = [
        (p, a) for p in values for a in (generator.choice(values), (1 - p) * generator.random()) if p + a < 1 - EDGE
    ]
    pairs += [(p, 1 - p - EDGE * 2) for p in values if 1 - p - EDGE * 2 > EDGE]
    formulas = subject.formulas
    count = points_on_the_safe_side(formulas.loss_for_prior, exact, iter(pairs), ("down", "up"))
    rates = ((p, a, 10 ** generator.uniform(-3, 12)) for p, a in pairs)
    count += points_on_the_safe_side(formulas.rate_for_prior, exact_rate, rates, ("down", "up"))
    return f"{bounds}, over the whole domain; {count:,} points agree"


@checker("numeric-worst-loss", "flint", HELD)
def _worst_loss(subject: Subject) -> str:
    from flint import arb

    from proofs.rounding import Ranged

    advantage = sp.symbols("A", positive=True)
    found = on_symbols(subject).worst_case_loss(advantage, "up")
    equal(sp.exp(-found), subject.algebra.worst_ratio(advantage), "without rounding it is not -ln ((1-A)/(1+A))²")
    ranges = on_ranges(subject)
    bounds = both_ways(lambda rounding: ranges.worst_case_loss(Ranged(EDGE, 1 - EDGE), rounding))
    points = ((a,) for a in probabilities(random.Random(3)))
    count = points_on_the_safe_side(
        subject.formulas.worst_case_loss, lambda a: 4 * arb(a).atanh(), points, ("down", "up")
    )
    return f"{bounds}, over the whole domain; {count:,} points agree"


@checker("numeric-advantage", "flint", HELD)
def _advantage(subject: Subject) -> str:
    from flint import arb

    from proofs.rounding import Ranged

    prior, quarter = sp.symbols("P l", positive=True)
    loss = 4 * quarter
    symbolic, formulas, algebra = on_symbols(subject), subject.formulas, subject.algebra
    for cases in (1, 3):
        target = algebra.worst_advantage(sp.exp(-cases * loss / 2))
        equal(
            symbolic.worst_case_advantage(loss, cases).rewrite(sp.exp),
            target,
            "without rounding it is not tanh(g·loss/4)",
        )
    gained = symbolic.advantage_for_prior(prior, loss)
    equal(gained, algebra.posterior(prior, sp.exp(-loss)) - prior, "without rounding it is not the gain at that prior")
    equal(1 - prior - gained, (1 - prior) * sp.exp(-loss) / (prior + sp.exp(-loss) * (1 - prior)), "1-P is no cap")
    ranges = on_ranges(subject)
    inside, several = Ranged(EDGE, 1 - EDGE), Ranged(2, 2**53)
    highest = 0.0
    # Beyond 500 exp(-loss) may lose its digits; beyond 2⁹⁶⁹ a product may overflow.
    for losses in (Ranged(1e-200, 600), Ranged(500, 2.0**969)):
        not_below(ranges.group_loss(losses, several))
        for result in (
            ranges.worst_case_advantage(losses, 1),
            ranges.worst_case_advantage(losses, several),
            ranges.advantage_for_prior(inside, losses),
        ):
            not_below(result)
            highest = max(highest, float(result.ratio.high - 1))
    not_below(ranges.worst_case_advantage(Ranged(500, 2.0**1022), 1))
    _saturated(subject)

    generator = random.Random(4)
    priors = list(probabilities(generator))
    sizes = [10 ** generator.uniform(-12, 3) for _ in range(POINTS)] + [0.8109, 1.2381, 700.0, 750.0, 1e5]
    pairs = [(generator.choice(priors), value) for value in sizes * 2]
    count = points_on_the_safe_side(
        formulas.advantage_for_prior,
        lambda p, x: algebra.posterior(arb(p), (-arb(x)).exp()) - arb(p),
        iter(pairs),
        ("up",),
    )
    count += points_on_the_safe_side(
        formulas.worst_case_advantage,
        lambda x, g: (arb(x) * g / 4).tanh(),
        ((value, cases) for value in sizes for cases in (1, 2, 5, 100) if value * cases < 200),
        ("up",),
    )
    return f"never below, at most {highest * 2.0**53:.0f} roundings above; {count:,} points agree"


def _saturated(subject: Subject) -> None:
    """Where the arithmetic ends: losses that overflow, infinity and 0, by the real functions."""
    formulas = subject.formulas
    for prior in (EDGE, 0.3, 0.5, 1 - EDGE):
        for loss in (500.0, 708.0, 745.0, 746.0, 1e300, math.inf):
            got = Fraction(float(formulas.advantage_for_prior(prior, loss)))
            require(got >= 1 - Fraction(prior), f"at prior {prior} and loss {loss} it is below 1 - P")
    require(float(formulas.worst_case_advantage(math.inf)) == 1.0, "an infinite loss does not give 1")
    with np.errstate(over="ignore"):
        require(float(formulas.worst_case_advantage(1e308, 100)) == 1.0, "an overflowing loss does not give 1")
    require(float(formulas.worst_case_advantage(0.0)) >= 0.0, "no loss gives less than 0")


@checker("numeric-laplace-loss", "flint", HELD)
def _laplace(subject: Subject) -> str:
    from flint import arb

    from proofs.rounding import Ranged

    moved, scale = sp.symbols("Delta b", positive=True)
    equal(on_symbols(subject).laplace_loss(moved, scale), moved / scale, "without rounding it is not sensitivity/scale")
    not_below(on_ranges(subject).laplace_loss(Ranged(1e-100, 1e100), Ranged(1e-100, 1e100)))
    formulas = subject.formulas
    require(float(formulas.laplace_loss(1.0, 0.0)) == math.inf, "no noise is not an infinite loss")
    require(float(formulas.laplace_loss(0.0, 0.0)) == 0.0, "nothing that moves does not cost 0")
    generator = random.Random(5)
    points = ((10 ** generator.uniform(-9, 12), 10 ** generator.uniform(-9, 12)) for _ in range(POINTS * 3))
    count = points_on_the_safe_side(formulas.laplace_loss, lambda s, b: arb(s) / arb(b), points, ("up",))
    return f"one correctly rounded quotient, then the next number up; {count:,} points agree"


@checker("numeric-threshold", "flint", HELD)
def _threshold(subject: Subject) -> str:
    from flint import arb

    from proofs.rounding import Ranged

    scale = sp.symbols("b", positive=True)
    steps = sp.symbols("t", integer=True, positive=True)
    found = on_symbols(subject).threshold_delta(scale, steps + 3, 3)
    equal(found, subject.algebra.laplace_tail(sp.exp(-1 / scale), steps), "without rounding it is not q^(t-w)/(1+q)")

    class Steps(Ranged):
        """A whole threshold; less the influence it is a whole number that is exact."""

        __slots__ = ()

        def __sub__(self, other: Any) -> Ranged:
            require(other == 1, "only the influence is subtracted")
            return Ranged(1, 2**53)

    ranges, above = on_ranges(subject), 0.0
    edges = [1 / DEEPEST, *(2.0**power for power in range(-5, 3)), 2.0**50]
    for low, high in pairwise(edges):  # boxes of scales, because the error of q counts by the share of q in 1 + q
        b = Ranged(low, high)
        b.quotient = (1 / arb(high), arb(DEEPEST))
        up = ranges.threshold_delta(b, Steps(2, 2**53))
        not_below(up)
        above = max(above, float(up.ratio.high - 1))
    generator = random.Random(6)

    def points() -> Iterator[tuple[float, int, int]]:
        for _ in range(POINTS * 3):
            noise, influence = 10 ** generator.uniform(-1, 4), generator.randint(1, 5)
            most = int(DEEPEST * noise)
            if most >= 1:
                yield noise, influence + generator.randint(1, most), influence

    def exact(noise: float, threshold: int, influence: int) -> Any:
        q = (-1 / arb(noise)).exp()
        return (-arb(threshold - influence) / arb(noise)).exp() / (1 + q)

    count = points_on_the_safe_side(subject.formulas.threshold_delta, exact, points(), ("up",))
    return f"never below, at most {above * 2.0**53:.0f} roundings above; {count:,} points agree"
