"""Draws from OpenDP's exact samplers on whole numbers, for many scales.

OpenDP takes a scale for the fraction that the float is (``integerize_scale``), draws from exactly that law by the
algorithms of Canonne, Kamath and Steinke, and saturates at the ends of int64. Versions before 0.14.2 do not: a division
of fractions was wrong there (opendp/opendp#2638), which is why ``pyproject.toml`` asks for that version.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import Any

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.noise.exact import check_scales

_DRAWS_A_CALL = 16_384
"""Size of one OpenDP call: large enough to hide its overhead (0.2 ms), small enough to share among threads."""


def draws(scales: FloatArray, measurement: Callable[[float], Any]) -> IntArray:
    """One draw for each scale; 0 for the scale 0.

    OpenDP knows one scale a call: draws are grouped by scale and the groups shared among threads.
    """
    check_scales(scales)
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
            result[rows] = measurement(scale)(np.zeros(len(rows), dtype=np.int64))

    threads = _threads_for(len(scales))
    with ThreadPoolExecutor(threads) as pool:  # OpenDP leaves the interpreter lock while it samples
        try:
            list(pool.map(draw_what_is_left, range(threads)))
        finally:
            jobs.clear()  # interrupted, the threads end with the calls that they are at
    return result


def _threads_for(draws: int) -> int:
    return max(1, min(os.cpu_count() or 1, draws // _DRAWS_A_CALL))  # fewer draws than that are not worth one


def try_out(draws: int) -> None:
    """Draw once in each thread that so many draws would have, all of them at the same time."""
    threads = _threads_for(draws)
    together = Barrier(threads)

    def draw_once(_: int) -> None:
        together.wait()
        laplace(1.0)(np.zeros(1, dtype=np.int64))

    with ThreadPoolExecutor(threads) as pool:
        try:
            list(pool.map(draw_once, range(threads)))
        except BaseException:
            together.abort()  # those that wait for a thread that could not be started
            raise


@cache
def laplace(scale: float) -> Any:
    """Adds discrete Laplace noise of this scale to a vector of int64."""
    # Any: OpenDP's measurements are callables without a static signature.
    from opendp.measurements import make_laplace  # not the prelude, which takes twice as long

    return make_laplace(*_space("l1_distance"), scale=scale)


@cache
def gaussian(sigma: float) -> Any:
    """Adds discrete Gaussian noise, P(k) ∝ exp(-k²/2σ²), to a vector of int64."""
    from opendp.measurements import make_gaussian

    return make_gaussian(*_space("l2_distance"), scale=sigma)


@cache
def _space(metric: str) -> tuple[Any, Any]:
    """Vectors of integers and the distance between them: most of what it takes to make a measurement."""
    from opendp import metrics
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T="i64")), getattr(metrics, metric)(T="i64")
