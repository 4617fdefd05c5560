"""What releases of older formats hold, as it was then: they are judged, too."""

from __future__ import annotations

from typing import Any

from accounting.guarantee import Reading, Relation, Scope
from accounting.parts import BOUNDED_VERDICTS
from amun_dp.report.attributes import privacy_attributes
from amun_dp.verification.report.report_checks import WHOLE, ReadReport

_UNITS = (Scope.INDIVIDUAL, Scope.CASE, Scope.EVENT, Scope.CELL)


def facts_in_log(read: ReadReport) -> dict[str, str | float]:
    """The attributes that a released log has to repeat from its report."""
    return privacy_attributes(read.report) if read.same_schema else _facts_of_schema_2(read.data)


def _facts_of_schema_2(data: dict[str, Any]) -> dict[str, str | float]:
    """Of the report as it stands: the unit, for instance, is the one that the accountant of then derived."""
    return {
        "privacy:release": data["release"]["id"],
        "privacy:method": data["method"],
        "privacy:advantage": float(data["advantage"]),
        "privacy:unit": _unit(data["guarantees"]),
        "privacy:private": "yes" if data["private"] else "no: seeded noise, do not publish",
        "privacy:version": f"amun-dp {data['software']['amun-dp']}",
    }


def _unit(lines: list[dict[str, Any]]) -> str:
    proved = {verdict.value for verdict in BOUNDED_VERDICTS}
    bounded = {
        line["scope"]
        for line in lines
        if (line["claim"], line["reading"], line["relation"]) == (WHOLE, Reading.STRICT.value, Relation.REPLACE.value)
        and line["bounded"] is True
        and line["verdict"] in proved
    }
    return next((scope.value for scope in _UNITS if scope.value in bounded), "none")
