"""Reports and pages for tests: of real releases, and of trees of events that no method makes yet."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import amun_dp
from accounting.confidential import Confidential
from accounting.events import PrivacyEvent
from accounting.publication import public_tree
from amun_dp.article.plan import Plan
from amun_dp.eventlog.log import EventLog
from amun_dp.internals.comparison import Comparison, compare_logs
from amun_dp.noise.sources import noise_source
from amun_dp.release.made import Release
from amun_dp.release.methods import carry_out
from amun_dp.release.plan import plan
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log


def hospital_release(method: Any = "filtering", seed: int | None = None) -> Release:
    """A release of the example, the same one for every test that asks."""
    return _release(method, seed)


@cache
def _release(method: Any, seed: int | None) -> Release:
    return amun_dp.anonymize(hospital_log(), 0.2, method, seed=seed)


def report_of(tree: PrivacyEvent) -> PublicReport:
    """The report of a release that did this and nothing else."""
    return replace(hospital_release().report, mechanisms=public_tree(tree))


def compared(log: EventLog, advantage: float = 0.2, method: Any = "filtering") -> tuple[Plan, Release, Comparison]:
    planned = plan(log, advantage, method)
    release = carry_out(planned, noise_source(None))
    return planned, release, comparison_of(planned, release).reveal()


def comparison_of(planned: Plan, release: Release) -> Confidential[Comparison]:
    # How often each case was released, counted in the noise columns: one row an event, the first of each case counts.
    assert release.noise is not None
    columns = release.noise.reveal()
    firsts = release.event_log.offsets[:-1]
    copies = np.bincount(columns.origin[firsts], minlength=planned.annotated.log.n_cases)
    return compare_logs(planned, release.event_log, release.noise, copies, release.report)
