"""Checks of what the report says about the source of its noise: whether anyone who knows a seed can subtract it."""

from __future__ import annotations

from accounting.events import NonPrivate
from accounting.trees import nodes
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import require


def seeded(report: PublicReport) -> bool:
    return any(isinstance(node, NonPrivate) for node in nodes(report.mechanisms.tree))


def predictability(report: PublicReport) -> str:
    """The flag that people read and the record that the accountant reads must agree."""
    require(
        report.unpredictable is not seeded(report),
        "the report says that the noise is unpredictable, but records that it was not"
        if report.unpredictable
        else "the report says that the noise is predictable, but does not record it as a mechanism",
    )
    require(
        report.sampler is None or (report.sampler == "seeded") is seeded(report),
        "the named sampler of the noise is not one for noise of the recorded predictability",
    )
    return f"unpredictable{_sampler(report)}" if report.unpredictable else "seeded, and recorded as such"


def _sampler(report: PublicReport) -> str:
    return "" if report.sampler is None else f" (sampler: {report.sampler})"


def not_seeded(report: PublicReport) -> str:
    require(
        report.unpredictable and not seeded(report),
        "the noise came from a seed and can be subtracted: do not publish this release",
    )
    return "the noise is recorded as unpredictable"
