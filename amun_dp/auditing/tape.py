"""What a certified release measured, and what it would have been made of in the neighbouring log.

A release is a function of its noisy measurements, public facts and random numbers that depend on no data. So an
attacker who sees the measurements themselves sees all there is, and the likelihood ratio of two logs, given the same
outputs, is the best score there can be. It is found by recording a run on one log and playing it back on the other:
with the same outputs and random numbers the same things are measured, and only the true values differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.mechanisms.histograms import MeasuringSource
from amun_dp.noise.sources import Bits, NoiseSource, Sampler


class NotAlikeError(Exception):
    """The other log measures something else given the same outputs, so the ratio is not known this way."""


@dataclass(frozen=True, slots=True, eq=False)
class _Measurement:
    values: IntArray
    scale: float
    noisy: IntArray
    chosen: bool
    gaussian: bool = False
    """Then ``scale`` is σ."""


@dataclass(slots=True, eq=False)
class Recorder(MeasuringSource):
    """A source of noise that keeps what it gave."""

    source: NoiseSource
    measurements: list[_Measurement] = field(default_factory=list)
    numbers: list[Bits] = field(default_factory=list)

    @property
    def unpredictable(self) -> bool:
        return self.source.unpredictable

    @property
    def sampler(self) -> Sampler:
        return self.source.sampler

    def bits(self, n: int) -> Bits:
        self.numbers.append(self.source.bits(n))
        return self.numbers[-1]

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        raise NotAlikeError(f"noise was drawn for {len(scales)} values that are not told")

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        raise NotAlikeError(f"noise was drawn for {len(sigmas)} values that are not told")

    def plus_noise(self, values: IntArray, scale: float, chosen: bool) -> IntArray:
        noisy = values + self.source.discrete_laplace(np.full(len(values), scale))
        self.measurements.append(_Measurement(values, scale, noisy, chosen))
        return noisy

    def plus_gaussian_noise(self, values: IntArray, sigma: float) -> IntArray:
        noisy = values + self.source.discrete_gaussian(np.full(len(values), sigma))
        self.measurements.append(_Measurement(values, sigma, noisy, chosen=False, gaussian=True))
        return noisy


@dataclass(slots=True, eq=False)
class Playback(MeasuringSource):
    """Gives what was recorded, whatever it is asked to noise, and adds up the logarithm of the likelihood ratio."""

    tape: Recorder
    ratio: float = 0.0
    """ln P[outputs on the recorded log] - ln P[outputs on this one]; of noisy choices nothing is counted."""
    _place: int = 0
    _drawn: int = 0

    @property
    def unpredictable(self) -> bool:
        return False

    @property
    def sampler(self) -> Sampler:
        return self.tape.sampler

    def bits(self, n: int) -> Bits:
        if self._drawn >= len(self.tape.numbers) or len(self.tape.numbers[self._drawn]) != n:
            raise NotAlikeError("the random numbers are used in another way")
        self._drawn += 1
        return self.tape.numbers[self._drawn - 1]

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        raise NotAlikeError(f"noise was drawn for {len(scales)} values that are not told")

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        raise NotAlikeError(f"noise was drawn for {len(sigmas)} values that are not told")

    def plus_noise(self, values: IntArray, scale: float, chosen: bool) -> IntArray:
        taped = self._next(values, scale, gaussian=False)
        if not chosen:
            here, there = np.abs(taped.noisy - values), np.abs(taped.noisy - taped.values)
            self.ratio += float((here - there).sum()) / scale
        return taped.noisy

    def plus_gaussian_noise(self, values: IntArray, sigma: float) -> IntArray:
        taped = self._next(values, sigma, gaussian=True)
        # here² - there² as a product: squares of noise in fine units do not fit 64 bits
        apart = (taped.values - values).astype(np.float64)
        both = (taped.noisy - values).astype(np.float64) + (taped.noisy - taped.values)
        self.ratio += float((apart * both).sum()) / (2.0 * sigma**2)
        return taped.noisy

    def _next(self, values: IntArray, scale: float, gaussian: bool) -> _Measurement:
        if self._place >= len(self.tape.measurements):
            raise NotAlikeError("more is measured")
        taped = self.tape.measurements[self._place]
        self._place += 1
        if len(taped.values) != len(values) or taped.scale != scale or taped.gaussian != gaussian:
            raise NotAlikeError("something else is measured")
        return taped
