"""The only door to randomness.

``SystemNoise`` is what a release uses unless told otherwise: discrete Laplace and discrete Gaussian noise from OpenDP
(exact integer samplers), everything else from the operating system's generator. ``ExactNoise`` makes the noise of the
operating system's bits by itself.
``SeededNoise`` repeats itself for tests and demonstrations; a release made with it says that it is not private, because
anyone who knows the seed can subtract the noise.

No other module imports ``random``, ``secrets`` or ``numpy.random``, and ``opendp_draws`` alone OpenDP (tested).
"""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.messages import Message
from amun_dp._base.out_of_memory import is_out_of_memory, memory_is_short
from amun_dp._base.sorting import order_of_codes, order_of_words
from amun_dp.errors import ParameterError, SamplerError
from amun_dp.noise import opendp_draws
from amun_dp.noise.exact import check_scales, discrete_laplace
from amun_dp.noise.exact_gaussian import discrete_gaussian

Bits = npt.NDArray[np.uint64]
Sampler = Literal["opendp", "exact", "seeded"]
"""What makes noise of random bits; a public report names it."""

_WORDS_AHEAD = 512


class NoiseSource(Protocol):
    """Uniform bits, discrete Laplace and discrete Gaussian noise; all other randomness is derived from the bits."""

    @property
    def unpredictable(self) -> bool:
        """Whether the noise is unpredictable."""
        ...

    @property
    def sampler(self) -> Sampler:
        """What reports call it."""
        ...

    def bits(self, n: int) -> Bits:
        """n independent uniform 64-bit numbers."""
        ...

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        """One independent draw for each scale b, P(k) ∝ exp(-|k|/b); saturating at the ends of int64. b = 0 gives 0."""
        ...

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        """One independent draw for each σ, P(k) ∝ exp(-k²/2σ²); saturating at the ends of int64. σ = 0 gives 0.

        σ is the fraction that the float is, so that σ² of the law is exactly ``Fraction(sigma) ** 2``.
        """
        ...


class SystemNoise:
    """OpenDP and the operating system."""

    unpredictable = True
    sampler: Sampler = "opendp"

    def bits(self, n: int) -> Bits:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        return opendp_draws.draws(scales, opendp_draws.laplace)

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        return opendp_draws.draws(sigmas, opendp_draws.gaussian)


class ExactNoise:
    """The operating system's bits, and integer arithmetic (docs/exact-noise.md)."""

    unpredictable = True
    sampler: Sampler = "exact"

    def bits(self, n: int) -> Bits:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        return discrete_laplace(scales, self.bits)

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        return discrete_gaussian(sigmas, self.bits)


class SeededNoise:
    """Repeatable and therefore not private."""

    unpredictable = False
    sampler: Sampler = "seeded"

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def bits(self, n: int) -> Bits:
        return self._generator.integers(0, 1 << 64, size=n, dtype=np.uint64)

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        """Difference of two geometric variables, each ⌊b·E⌋ with E exponential: the same law, in floating point."""
        check_scales(scales)
        plus = np.floor(self._generator.standard_exponential(len(scales)) * scales)
        minus = np.floor(self._generator.standard_exponential(len(scales)) * scales)
        drawn: IntArray = np.clip(plus - minus, -(2.0**62), 2.0**62).astype(np.int64)
        return drawn

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        """The exact sampler on repeatable bits."""
        return discrete_gaussian(sigmas, self.bits)


PRIVATE_SOURCES: dict[str, type[SystemNoise] | type[ExactNoise]] = {"opendp": SystemNoise, "exact": ExactNoise}


SamplerName = Literal["opendp", "exact"]


def noise_source(seed: int | None, noise: str = "opendp") -> NoiseSource:
    """A private source with one of two samplers, or a repeatable one if a seed is given."""
    if noise not in PRIVATE_SOURCES:
        raise ParameterError(f"Unknown noise '{noise}'. Choose {' or '.join(PRIVATE_SOURCES)}.")
    if seed is not None and noise != "opendp":
        raise ParameterError("Seeded noise has a sampler of its own: leave the seed or the choice of noise out.")
    if seed is not None and (not isinstance(seed, int) or seed < 0):
        raise ParameterError("A seed is a whole number that is not negative.")
    return PRIVATE_SOURCES[noise]() if seed is None else SeededNoise(seed)


def try_out(source: NoiseSource, draws: int = 1) -> None:
    """Draw and throw it away, so that a sampler that cannot work here, with the threads that so many ``draws`` have,
    fails before a budget is charged: MemoryError or SamplerError.

    A repeatable source is left alone: it would no longer repeat itself, and no budget is charged for it.
    """
    if not source.unpredictable:
        return
    try:
        source.bits(1)
        source.discrete_laplace(np.ones(1))
        source.discrete_gaussian(np.ones(1))
        if isinstance(source, SystemNoise):
            opendp_draws.try_out(draws)
    except Exception as error:
        if is_out_of_memory(error) or memory_is_short():
            raise MemoryError("the sampler of the noise got no memory") from error
        another = "" if source.sampler == "exact" else Message(", or use {noise:exact}, which needs no other library")
        raise SamplerError(
            Message(
                "The sampler of the noise ({sampler}) does not work here ({error}). Nothing was drawn. Install amun-dp "
                "again{another}.",
                sampler=source.sampler,
                error=type(error).__name__,
                another=another,
            )
        ) from error


def derived_seed(seed: int, *path: int) -> int:
    """A seed for a part of an experiment: as good as independent of those of all other parts."""
    text = "/".join(str(number) for number in (seed, *path))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def fresh_seed() -> int:
    """A seed that nobody chose."""
    return secrets.randbits(48)


# --- derived from the bits alone ------------------------------------------------------------------------------------


class _DrawnAhead:
    """A source whose bits are drawn a block at a time, for many small requests: each word is handed out once.

    To be used by one function and dropped: a process that is forked would repeat what is left of the block.
    """

    def __init__(self, source: NoiseSource) -> None:
        self._source = source
        self._words = source.bits(0)
        self.unpredictable, self.sampler = source.unpredictable, source.sampler
        self.discrete_laplace, self.discrete_gaussian = source.discrete_laplace, source.discrete_gaussian

    def bits(self, n: int) -> Bits:
        if n > len(self._words):
            self._words = self._source.bits(max(n, _WORDS_AHEAD))
        given, self._words = self._words[:n], self._words[n:]
        return given


def drawn_ahead(source: NoiseSource) -> NoiseSource:
    """The same source for many small requests."""
    return _DrawnAhead(source)


def integers_below(source: NoiseSource, bound: int, n: int) -> IntArray:
    """n independent uniform integers in [0, bound), without modulo bias (rejection)."""
    fair = (1 << 64) - (1 << 64) % bound
    result = np.empty(0, dtype=np.uint64)
    while len(result) < n:
        drawn = source.bits(n - len(result))
        result = np.concatenate((result, drawn[drawn <= np.uint64(fair - 1)] % np.uint64(bound)))
    return result.astype(np.int64)


def distinct_below(source: NoiseSource, bound: int, n: int) -> IntArray:
    """n distinct integers in [0, bound), every set equally likely."""
    if 2 * n >= bound:
        return permutation(source, bound)[:n]
    chosen = np.empty(0, dtype=np.int64)
    while len(chosen) < n:  # drawing again for repeats is drawing without replacement
        chosen = np.unique(np.concatenate((chosen, integers_below(source, bound, n - len(chosen)))))
    return chosen


def permutation(source: NoiseSource, n: int) -> IntArray:
    """A uniform permutation: the order of n random 64-bit keys (equal keys, 2⁻⁶⁴ a pair, keep their order)."""
    return order_of_words(source.bits(n))


def weighted_order(source: NoiseSource, weights: IntArray) -> IntArray:
    """Successive draws without replacement, each with probability proportional to weight (Efraimidis–Spirakis)."""
    uniform = (source.bits(len(weights)) >> np.uint64(11)).astype(np.float64) + 0.5
    return np.argsort(-np.log(uniform * 2.0**-53) / weights, kind="stable").astype(np.int64, copy=False)


def random_names(source: NoiseSource, n: int) -> list[str]:
    """n names of 128 random bits: unlinkable to anything, and distinct but for a probability below n²·2⁻¹²⁹."""
    text = source.bits(2 * n).tobytes().hex()
    return [text[at : at + 32] for at in range(0, 32 * n, 32)]


def uniforms(source: NoiseSource, n: int) -> FloatArray:
    """n independent uniform multiples of 2⁻⁵³ in [0, 1). For post-processing: no mechanism uses them."""
    result: FloatArray = (source.bits(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return result


def shuffled_groups(source: NoiseSource, group: IntArray) -> IntArray:
    """The rows by ascending group, in a uniformly random order within each group."""
    shuffled = permutation(source, len(group))
    return shuffled[order_of_codes(group[shuffled], int(group.max(initial=0)) + 1)]
