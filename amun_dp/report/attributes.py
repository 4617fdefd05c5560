"""The public facts that travel with a released log, as attributes of the log itself.

Under the ``privacy`` extension (docs/privacy.xesext) in XES, as metadata in Parquet; CSV has no place for them. They
repeat the report and point to it by the release's identifier; the report holds the hash of the log, not the reverse.
"""

from __future__ import annotations

from accounting.accountant import strictest
from accounting.guarantee import Relation, Scope, Verdict
from amun_dp.report.public_report import PublicReport
from amun_dp.writing.xes import PRIVACY_PREFIX

NO_UNIT = "none"
"""The guaranteed unit of a release of which no strict bound is proved."""
PART_OF = {
    Scope.CASE: "counts and times of a case",
    Scope.INDIVIDUAL: "counts and times of an individual",
}
"""What a bound is about if it does not cover which variants occur."""


def privacy_attributes(report: PublicReport) -> dict[str, str | float]:
    """The facts of the report that the file of the released log repeats, by name."""
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
    """What the proved bound for the largest unit is about. Where the log's own variants were taken as public it is not
    the whole unit: the bound compares two logs that have the same variants, and anyone who alone has a variant is
    disclosed."""
    scope = guaranteed_scope(report)
    if scope is None:
        return NO_UNIT
    return PART_OF[scope] if scope in PART_OF and report.parameters.discloses_variants else scope.value


def guaranteed_scope(report: PublicReport) -> Scope | None:
    """The largest unit for which the whole release is proved to have a bound when one such unit is replaced."""
    for scope in (Scope.INDIVIDUAL, Scope.CASE, Scope.EVENT, Scope.CELL):
        line = strictest(report.guarantees, scope, Relation.REPLACE)
        if line.epsilon.bounded and line.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS):
            return scope
    return None
