"""A small log, released."""

from __future__ import annotations

from typing import Any

import amun_dp
from accounting.registry import Registry
from amun_dp.generator import hospital_log

LOG = hospital_log(60)


def release(registry: Registry | None, releases: int = 1, **arguments: Any) -> amun_dp.Release:
    return amun_dp.anonymize(LOG, 0.3, "sampling", releases=releases, registry=registry, **arguments)
