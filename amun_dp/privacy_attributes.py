"""The public facts that travel with a released log, as attributes of the log itself.

Under the ``privacy`` extension (docs/privacy.xesext) in XES, as metadata in Parquet; CSV has no place for them. They
repeat the report and point to it by the release's identifier; the report holds the hash of the log, not the reverse.
"""

from __future__ import annotations

from accounting.accountant import strictest
from accounting.guarantee import Relation, Scope, Verdict
from amun_dp.report import PublicReport
from amun_dp.writing.xes import PRIVACY_PREFIX

NO_UNIT = "none"
"""The guaranteed unit of a release of which no strict bound is proved."""


def privacy_attributes(report: PublicReport) -> dict[str, str | float]:
    facts: dict[str, str | float] = {
        "release": report.release_id,
        "method": report.method,
        "advantage": float(report.advantage),
        "unit": guaranteed_unit(report),
        "noise": "unpredictable" if report.unpredictable else "seeded: do not publish",
        "version": f"amun-dp {report.software['amun-dp']}",
    }
    return {PRIVACY_PREFIX + name: value for name, value in facts.items()}


def guaranteed_unit(report: PublicReport) -> str:
    """The largest unit for which the whole release is proved to have a bound when one such unit is replaced."""
    lines = report.guarantees
    for scope in (Scope.INDIVIDUAL, Scope.CASE, Scope.EVENT, Scope.CELL):
        line = strictest(lines, scope, Relation.REPLACE)
        if line.epsilon.bounded and line.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS):
            return str(scope.value)
    return NO_UNIT
