"""``python -m benchmarks.noise``: processor time per draw of discrete Laplace and Gaussian noise, OpenDP's and exact.

Processor time of all threads, not wall time: OpenDP's draws are shared among the cores, the exact ones are not.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.mechanisms.bounded_laplace import lattice_scale
from amun_dp.noise.sources import ExactNoise, SystemNoise

DRAWS = {"opendp": 100_000, "exact": 1_000_000}
REPEATS = 3


def laplace_scales(n: int) -> dict[str, FloatArray]:
    # From a second to ten years in milliseconds, evenly on a logarithmic scale: as the events of a log have them.
    spread = np.geomspace(1e3, 3e11, n)
    return {
        "0.01": np.full(n, 0.01),
        "1": np.full(n, 1.0),
        "1.2331 (counts at an advantage of 0.2)": np.full(n, 1.2331),
        "1,000": np.full(n, 1e3),
        "10⁹": np.full(n, 1e9),
        "10³ to 3·10¹¹ on the lattice of a release": lattice_scale(spread),
        "10¹⁷, beyond 2⁵³": np.full(n // 10, 1e17),
    }


def gaussian_sigmas(n: int) -> dict[str, FloatArray]:
    # A case in units of 2⁻¹⁶, times the caps of a table of steps, evenly on a logarithmic scale.
    spread = lattice_scale(np.geomspace(2.0**16, 2.0**30, n))
    return {
        "0.3": np.full(n, 0.3),
        "1": np.full(n, 1.0),
        "1.01": np.full(n, 1.01),
        "1.974 (counts at an advantage of 0.2)": np.full(n, 1.974),
        "1,000": np.full(n, 1e3),
        "10⁹": np.full(n, 1e9),
        "1.1·2⁴⁰": np.full(n, 1.1 * 2.0**40),
        "2¹⁶ to 2³⁰ on a lattice": spread,
        "10¹⁷, beyond 2⁵³": np.full(n // 10, 1e17),
    }


def microseconds(draw: Callable[[FloatArray], IntArray], scales: FloatArray) -> float:
    """Per draw, the best of several runs; the first one also warms up."""
    best = np.inf
    for _ in range(REPEATS):
        began = time.process_time()
        draw(scales)
        best = min(best, time.process_time() - began)
    return float(best / len(scales) * 1e6)


def table(
    law: str,
    theirs: Callable[[FloatArray], IntArray],
    ours: Callable[[FloatArray], IntArray],
    scales: Callable[[int], dict[str, FloatArray]],
) -> None:
    few, many = scales(DRAWS["opendp"]), scales(DRAWS["exact"])
    print(f"\n| {law} | OpenDP, µs per draw | exact, µs per draw | ratio |\n|---|---:|---:|---:|")
    for name in many:
        slow, fast = microseconds(theirs, few[name]), microseconds(ours, many[name])
        print(f"| {name} | {slow:.2f} | {fast:.2f} | {slow / fast:.0f} |", flush=True)


def main() -> None:
    theirs, ours = SystemNoise(), ExactNoise()
    print(f"Python {platform.python_version()}, numpy {version('numpy')}, OpenDP {version('opendp')}")
    table("Laplace, scale", theirs.discrete_laplace, ours.discrete_laplace, laplace_scales)
    table("Gaussian, σ", theirs.discrete_gaussian, ours.discrete_gaussian, gaussian_sigmas)


if __name__ == "__main__":
    main()
