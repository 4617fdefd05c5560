"""Running the shipped number functions on symbols, on ranges and at points."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import sympy as sp

from proofs.registry import require
from proofs.subject import Subject, fresh_module

EDGE = 1e-12
"""How close to 0 and 1 priors and advantages may come."""
POINTS = 400


def on_symbols(subject: Subject) -> Any:
    """``accounting.formulas`` with sympy for numpy and no margin."""
    library = SimpleNamespace(
        asarray=lambda value, dtype=None: value,  # noqa: ARG005 -- numpy's signature
        all=lambda _: True,
        isfinite=lambda _: True,
        inf=sp.oo,
        float64=float,
        log1p=lambda z: sp.log(1 + z),
        exp=sp.exp,
        expm1=lambda z: sp.exp(z) - 1,
        tanh=sp.tanh,
        nextafter=lambda value, _: value,
        minimum=lambda value, _: value,
        where=lambda _, __, value: value,
        errstate=lambda **_: nullcontext(),
    )
    return fresh_module(
        subject.formulas, np=library, MARGIN=0, _require=lambda *_: None, float=lambda v: v, min=lambda _, v: v
    )


def on_ranges(subject: Subject) -> Any:
    """``accounting.formulas`` with error bounds for numpy; 1 - A - P by its own claim (numeric-headroom)."""
    from proofs.intervals import UNIT, within
    from proofs.rounding import LIBRARY_OF_RANGES, Ranged

    def headroom(prior: Any, advantage: Any) -> Any:
        require(prior.ratio.exact and advantage.ratio.exact, "headroom is bounded for exact arguments only")
        return Ranged(EDGE, 1, within(2 * UNIT * (1 + 2 * UNIT)))

    return fresh_module(
        subject.formulas,
        np=LIBRARY_OF_RANGES,
        headroom=headroom,
        float=lambda value: value,
        min=lambda limit, value: LIBRARY_OF_RANGES.minimum(value, limit),
    )


def equal(left: Any, right: Any, what: str) -> None:
    """The same function; floating-point constants of the shipped source are read as the fractions that they are."""
    require(sp.simplify(sp.nsimplify(left - right, rational=True)) == 0, what)


def not_below(result: Any) -> None:
    """Computed ≥ exact, also where it was capped."""
    require(result.ratio.low >= 1, f"computed/exact may be as low as 1 - {float(1 - result.ratio.low):.3g}")
    for cap in result.caps:
        require(cap.ratio.low >= 1, "a cap may fall below its exact value")


def not_above(result: Any) -> None:
    require(result.ratio.high <= 1, f"computed/exact may be as high as 1 + {float(result.ratio.high - 1):.3g}")


def both_ways(compute: Callable[[str], Any]) -> str:
    down, up = compute("down"), compute("up")
    not_above(down)
    not_below(up)
    unit = 2.0**-53
    below, above = float(1 - down.ratio.low) / unit, float(up.ratio.high - 1) / unit
    return f"down within {below:.0f}, up within {above:.0f} roundings"


def probabilities(generator: random.Random) -> Iterator[float]:
    """Near both ends and in between."""
    yield from (EDGE, 1 - EDGE, 0.5, math.nextafter(0.5, 0), math.nextafter(0.5, 1), 0.2, 0.3, 0.4)
    for _ in range(POINTS):
        tiny = 10 ** generator.uniform(-12, 0) / 2
        yield from (tiny, 1 - tiny, generator.uniform(EDGE, 1 - EDGE))


def points_on_the_safe_side(
    function: Callable[..., Any],
    exact: Callable[..., Any],
    arguments: Iterator[tuple[Any, ...]],
    roundings: tuple[str, ...],
) -> int:
    """The real function at real points; ``exact`` gives a ball."""
    count = 0
    for values in arguments:
        truth = exact(*values)
        for rounding in roundings:
            got = float(function(*values, rounding) if len(roundings) > 1 else function(*values))
            safe = truth.lower() >= got if rounding == "down" else got >= truth.upper()
            require(safe, f"at {values} rounded {rounding}: {got!r} against {truth}")
            count += 1
    return count
