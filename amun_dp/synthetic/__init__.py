"""Synthetic event logs of any size, for tests, benchmarks and the example.

Seeded: the same shape gives the same log. None of this randomness protects anybody; it only makes logs.
"""

from __future__ import annotations

from amun_dp.synthetic.hospital import hospital_log
from amun_dp.synthetic.log_shapes import LogShape, generate_log

__all__ = ["LogShape", "generate_log", "hospital_log"]
