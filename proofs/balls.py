"""Ball arithmetic for the normal distribution. Without python-flint the checkers that use it are skipped, but the
modules that hold them can be imported: others in them need no balls."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from accounting import average_algebra

_flint: Any = import_module("flint") if find_spec("flint") else None
acb: Any = getattr(_flint, "acb", None)
arb: Any = getattr(_flint, "arb", None)
ctx: Any = getattr(_flint, "ctx", None)

PRECISION = 160
"""Bits that balls carry."""
if ctx is not None:
    ctx.prec = PRECISION


def exact(value: Fraction) -> Any:
    return arb(value.numerator) / value.denominator


def normal_cdf(x: Any) -> Any:
    return (-arb(x) / arb(2).sqrt()).erfc() / 2


def density(z: Any) -> Any:
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


def quantile(probability: Fraction) -> Any:
    """Φ⁻¹; of a tiny probability 2p - 1 is as good as -1 unless many digits are carried."""
    ctx.prec = PRECISION + 2 * max(0, probability.denominator.bit_length() - probability.numerator.bit_length())
    try:
        return arb(2).sqrt() * (2 * exact(probability) - 1).erfinv()
    finally:
        ctx.prec = PRECISION


def excess(mu: Any, epsilon: Any) -> Any:
    """δ of N(μ, 1) over e^ε·N(0, 1)."""
    return average_algebra.gaussian_excess(mu, epsilon, lambda x: normal_cdf(-x), lambda x: x.exp())


def integral(function: Any, low: Any, high: Any) -> Any:
    """A ball around ∫ function; it is analytic there."""
    return acb.integral(lambda z, _: function(z), acb(low), acb(high)).real


__all__ = ["PRECISION", "acb", "arb", "ctx", "density", "exact", "excess", "integral", "normal_cdf", "quantile"]
