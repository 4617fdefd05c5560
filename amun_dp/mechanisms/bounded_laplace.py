"""Attribute-bounded Laplace: noise for relative times, with a scale of its own for each event.

Domain: integers x (milliseconds) with a range r each, x in [0, r].
Sensitivity: one value moves by at most r. Relation: one value of one event is replaced (bounded DP with respect to the
attribute, Def. 3 of the article). Loss of one release: r/scale; a case released D times gets D times the scale.
"""

from __future__ import annotations

import numpy as np

from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise
from amun_dp.eventlog import FloatArray, IntArray
from amun_dp.noise import NoiseSource

_MANTISSA = 64
"""Scales are k·2^e with 32 ≤ k ≤ 64: at most 3.1 % more noise than asked for, and a few hundred distinct scales."""


def lattice_scale(scale: FloatArray) -> FloatArray:
    """The next lattice point at or above each scale (0 stays 0).

    OpenDP samples one scale a call, so events share a lattice of scales; short dyadic rationals also sample faster.
    """
    mantissa, exponent = np.frexp(scale)
    result: FloatArray = np.ldexp(np.ceil(mantissa * _MANTISSA) / _MANTISSA, exponent)
    return result


def noise_scales(value_range: IntArray, loss: FloatArray, copies: IntArray) -> FloatArray:
    """Scale D·r/loss, rounded up to the lattice."""
    exact = value_range * copies.astype(np.float64) / loss
    return lattice_scale(np.nextafter(exact, np.where(exact > 0, np.inf, 0.0)))


def bounded_laplace(
    values: IntArray,
    value_range: IntArray,
    loss: FloatArray,
    copies: IntArray,
    case: IntArray,
    advantage: float,
    source: NoiseSource,
) -> tuple[IntArray, BoundedLaplace]:
    """x + discrete Laplace noise for each row; the recorded scales are the ones really drawn from."""
    scale = noise_scales(value_range, loss, copies)
    noise = np.clip(source.discrete_laplace(scale), -(1 << 62), 1 << 62)  # room for x: no wrap-around
    columns = PerEventNoise(case=case, value_range=value_range, scale=scale, copies=copies)
    return values + noise, BoundedLaplace(advantage=advantage, columns=Confidential(columns))
