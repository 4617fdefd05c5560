"""Attribute-bounded Laplace: noise for relative times, with a scale of its own for each event.

Domain: integers x (milliseconds) with a range r each, x in [0, r].
Sensitivity: one value moves by at most r. Relation: one value of one event is replaced (bounded DP with respect to the
attribute, Def. 3 of the article). Loss of one release: r/scale; a case released D times gets D times the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.blocks import in_blocks
from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise, PrivacyEvent
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.noise.sources import NoiseSource

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

    def scales(moved: IntArray, loss: FloatArray, copies: IntArray) -> FloatArray:
        exact = moved * copies.astype(np.float64) / loss
        return lattice_scale(np.nextafter(exact, np.where(exact > 0, np.inf, 0.0)))

    return in_blocks(scales, value_range, loss, copies)


@dataclass(frozen=True, slots=True, eq=False)
class RelativeTimes:
    """What a time mechanism sees: one row an event to be released."""

    value: IntArray
    """Start offset or time since the predecessor, in [0, value_range]; milliseconds."""
    value_range: IntArray
    """r of each row; milliseconds."""
    loss: FloatArray
    """Loss ε·r that all copies of the event may cost together."""
    copies: IntArray
    """D: how many released cases repeat the original of this one."""
    case: IntArray
    """Released case of each row."""
    origin: IntArray
    """Original case of each row."""
    individual: IntArray
    """Individual behind each row; its original case if nothing else is known."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisedTimes:
    """What a time mechanism returns: noised values, what it cost, and the noise of each row for the ledger."""

    value: IntArray
    """Noised, a row each; milliseconds."""
    event: PrivacyEvent
    """What it cost."""
    noise: Confidential[PerEventNoise]
    """Range, scale and copies of each row."""


def bounded_laplace(times: RelativeTimes, advantage: float, source: NoiseSource) -> NoisedTimes:
    """x + discrete Laplace noise for each row; the recorded scales are the ones really drawn from."""
    scale = noise_scales(times.value_range, times.loss, times.copies)
    columns = Confidential(
        PerEventNoise(times.case, times.value_range, scale, times.copies, times.origin, times.individual)
    )
    return NoisedTimes(noised_values(times.value, scale, source), BoundedLaplace(advantage, columns), columns)


def noised_values(value: IntArray, scale: FloatArray, source: NoiseSource) -> IntArray:
    """x + discrete Laplace noise of its own scale for each x."""
    noise = np.clip(source.discrete_laplace(scale), -(1 << 62), 1 << 62)  # room for x: no wrap-around
    return value + noise
