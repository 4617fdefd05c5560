"""The only door to randomness.

``SystemNoise`` is what a release uses unless told otherwise: discrete Laplace noise from OpenDP (exact integer
sampler), everything else from the operating system's generator. ``ExactNoise`` makes the Laplace noise of the operating
system's bits by itself.
``SeededNoise`` repeats itself for tests and demonstrations; a release made with it says that it is not private, because
whoever knows the seed can subtract the noise.

No other module imports ``random``, ``secrets``, ``numpy.random`` or OpenDP (tested).
"""

from __future__ import annotations

import hashlib
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from amun_dp.errors import ParameterError, SamplerError
from amun_dp.eventlog import FloatArray, IntArray
from amun_dp.exact_noise import discrete_laplace
from amun_dp.ordering import order_of_codes, order_of_words

Bits = npt.NDArray[np.uint64]
Sampler = Literal["opendp", "exact", "seeded"]
"""What makes discrete Laplace noise of random bits; a public report names it."""

_DRAWS_A_CALL = 16_384
"""Size of one OpenDP call: large enough to hide its overhead (0.2 ms), small enough to share among threads."""


_WORDS_AHEAD = 512


class NoiseSource(Protocol):
    """Uniform bits and discrete Laplace noise; all other randomness is derived from the bits."""

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


class SystemNoise:
    """OpenDP and the operating system."""

    unpredictable = True
    sampler: Sampler = "opendp"

    def bits(self, n: int) -> Bits:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        """OpenDP knows one scale a call: draws are grouped by scale and the groups shared among threads."""
        result = np.zeros(len(scales), dtype=np.int64)
        order = np.argsort(scales, kind="stable")
        distinct, starts = np.unique(scales[order], return_index=True)
        jobs = [
            (float(scale), order[at : min(at + _DRAWS_A_CALL, stop)])
            for scale, start, stop in zip(distinct, starts, [*starts[1:], len(order)], strict=True)
            if scale > 0
            for at in range(int(start), int(stop), _DRAWS_A_CALL)
        ]

        jobs.sort(key=lambda job: len(job[1]))  # the largest are taken first, so that all threads end together

        def draw_what_is_left(_: int) -> None:
            while True:
                try:
                    scale, rows = jobs.pop()
                except IndexError:
                    return
                result[rows] = _opendp_laplace(scale)(np.zeros(len(rows), dtype=np.int64))

        threads = max(
            1, min(os.cpu_count() or 1, len(scales) // _DRAWS_A_CALL)
        )  # fewer draws than that are not worth one
        with ThreadPoolExecutor(threads) as pool:  # OpenDP leaves the interpreter lock while it samples
            try:
                list(pool.map(draw_what_is_left, range(threads)))
            finally:
                jobs.clear()  # interrupted, the threads end with the calls that they are at
        return result


class ExactNoise:
    """The operating system's bits, and integer arithmetic (docs/exact-noise.md)."""

    unpredictable = True
    sampler: Sampler = "exact"

    def bits(self, n: int) -> Bits:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def discrete_laplace(self, scales: FloatArray) -> IntArray:
        return discrete_laplace(scales, self.bits)


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
        plus = np.floor(self._generator.standard_exponential(len(scales)) * scales)
        minus = np.floor(self._generator.standard_exponential(len(scales)) * scales)
        drawn: IntArray = np.clip(plus - minus, -(2.0**62), 2.0**62).astype(np.int64)
        return drawn


PRIVATE_SOURCES: dict[str, type[SystemNoise] | type[ExactNoise]] = {"opendp": SystemNoise, "exact": ExactNoise}


def noise_source(seed: int | None, noise: str = "opendp") -> NoiseSource:
    """A private source with one of two samplers, or a repeatable one if a seed is given."""
    if noise not in PRIVATE_SOURCES:
        raise ParameterError(f"Unknown noise '{noise}'. Choose {' or '.join(PRIVATE_SOURCES)}.")
    if seed is not None and noise != "opendp":
        raise ParameterError("Seeded noise has a sampler of its own: leave the seed or the choice of noise out.")
    if seed is not None and (not isinstance(seed, int) or seed < 0):
        raise ParameterError("A seed is a whole number that is not negative.")
    return PRIVATE_SOURCES[noise]() if seed is None else SeededNoise(seed)


def try_out(source: NoiseSource) -> None:
    """Draw once and throw it away, so that a sampler that cannot work here fails before a budget is charged.

    A repeatable source is left alone: it would no longer repeat itself, and no budget is charged for it.
    """
    if not source.unpredictable:
        return
    try:
        source.bits(1)
        source.discrete_laplace(np.ones(1))
    except MemoryError:
        raise
    except Exception as error:
        another = "" if source.sampler == "exact" else ", or use --noise exact, which needs no other library"
        raise SamplerError(
            f"The sampler of the noise ({source.sampler}) does not work here ({type(error).__name__}). Nothing was "
            f"drawn. Install amun-dp again{another}."
        ) from error


def derived_seed(seed: int, *path: int) -> int:
    """A seed for a part of an experiment: as good as independent of those of all other parts."""
    text = "/".join(str(number) for number in (seed, *path))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def fresh_seed() -> int:
    """A seed that nobody chose."""
    return secrets.randbits(48)


@cache
def _opendp_laplace(scale: float) -> Any:
    # Any: OpenDP's measurements are callables without a static signature.
    from opendp.measurements import make_laplace  # not the prelude, which takes twice as long

    return make_laplace(*_opendp_space(), scale=scale)


@cache
def _opendp_space() -> tuple[Any, Any]:
    """Vectors of integers and the distance between them: most of what it takes to make a measurement."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T="i64")), l1_distance(T="i64")


# --- derived from the bits alone ------------------------------------------------------------------------------------


class _DrawnAhead:
    """A source whose bits are drawn a block at a time, for many small requests: each word is handed out once.

    To be used by one function and dropped: a process that is forked would repeat what is left of the block.
    """

    def __init__(self, source: NoiseSource) -> None:
        self._source = source
        self._words = source.bits(0)
        self.unpredictable, self.sampler, self.discrete_laplace = (
            source.unpredictable,
            source.sampler,
            source.discrete_laplace,
        )

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
