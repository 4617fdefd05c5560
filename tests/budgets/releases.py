"""Small logs, released."""

from __future__ import annotations

from typing import Any

import pandas as pd

import amun_dp
from accounting.registry import Declared, Registry
from amun_dp.budgets.spending import reserve_plan
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import noise_source
from amun_dp.reading import read_log
from amun_dp.release.methods import carry_out
from amun_dp.synthetic import hospital_log

LOG = hospital_log(60)


def release(registry: Registry | None, releases: int = 1, **arguments: Any) -> amun_dp.Release:
    return amun_dp.anonymize(LOG, 0.3, "sampling", releases=releases, registry=registry, **arguments)


def drawn(registry: Registry, log: EventLog = LOG, method: Any = "sampling", **arguments: Any) -> amun_dp.Release:
    """A release as a command holds it before it is written: nobody has seen anything of it."""
    plan = amun_dp.plan(log, arguments.pop("advantage", 0.3), method, **arguments)
    return carry_out(
        plan, noise_source(None), reserve=lambda p, name: reserve_plan(registry, p, name, declared=Declared())
    )


def people(cases: int = 200) -> EventLog:
    """Everybody has ten cases."""
    log = hospital_log(cases)
    return read_log(log.to_pandas().assign(patient=log.case // 10), individual="patient")


def alike(cases: int = 3000) -> EventLog:
    """Cases of one course, so that a threshold keeps them; everybody has ten."""
    start, rows = pd.Timestamp("2024-01-01", tz="UTC"), []
    for case in range(cases):
        for step, name in enumerate(("in", "out")):
            time = start + pd.Timedelta(hours=case + step)
            rows.append({"case:concept:name": str(case), "concept:name": name, "time:timestamp": time})
    frame = pd.DataFrame(rows)
    return read_log(frame.assign(patient=frame["case:concept:name"].astype(int) // 10), individual="patient")
