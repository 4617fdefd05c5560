"""``python -m benchmarks.noise``: processor time a draw of discrete Laplace noise, of OpenDP and the exact sampler.

Processor time of all threads, not wall time: OpenDP's draws are shared among the cores, the exact ones are not.
"""

from __future__ import annotations

import platform
import time
from importlib.metadata import version

import numpy as np

from amun_dp.eventlog import FloatArray
from amun_dp.mechanisms.bounded_laplace import lattice_scale
from amun_dp.noise import ExactNoise, NoiseSource, SystemNoise

DRAWS = {"opendp": 100_000, "exact": 1_000_000}
REPEATS = 3


def scales_of(n: int) -> dict[str, FloatArray]:
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


def microseconds(source: NoiseSource, scales: FloatArray) -> float:
    """A draw, the best of several runs; the first one also warms up."""
    best = np.inf
    for _ in range(REPEATS):
        began = time.process_time()
        source.discrete_laplace(scales)
        best = min(best, time.process_time() - began)
    return float(best / len(scales) * 1e6)


def main() -> None:
    theirs, ours = scales_of(DRAWS["opendp"]), scales_of(DRAWS["exact"])
    print(f"Python {platform.python_version()}, numpy {version('numpy')}, OpenDP {version('opendp')}\n")
    print("| scale | OpenDP, µs a draw | exact, µs a draw | ratio |\n|---|---:|---:|---:|")
    for name in ours:
        slow, fast = microseconds(SystemNoise(), theirs[name]), microseconds(ExactNoise(), ours[name])
        print(f"| {name} | {slow:.2f} | {fast:.2f} | {slow / fast:.0f} |")


if __name__ == "__main__":
    main()
