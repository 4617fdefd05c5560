"""What an entry in the registry of deployments says of its guarantees: the one bound that is proved for a whole case or
individual, if there is one, and in words all that is claimed, with its verdict."""

from __future__ import annotations

from accounting.accountant import strictest
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope
from accounting.quantities import rounded_up
from amun_dp.privacy_attributes import guaranteed_unit
from amun_dp.report import PublicReport

UNITS = {
    Scope.CELL: "what one cell of the table of transitions says about one case",
    Scope.EVENT: "one relative time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}
RELATIONS = {Relation.ADD_REMOVE: "added or removed", Relation.REPLACE: "replaced"}


def proved_bound(report: PublicReport) -> Guarantee | None:
    """The bound for the largest unit that has a proved one, if the noise was unpredictable.

    Of smaller units none: a case that is in the open may well have an ε of 0 for one of its times.
    """
    unit = guaranteed_unit(report)
    if unit not in (Scope.CASE.value, Scope.INDIVIDUAL.value) or not report.unpredictable:
        return None
    return strictest(report.guarantees, Scope(unit), Relation.REPLACE)


def claims_text(report: PublicReport) -> str:
    lines = report.guarantees
    whole = [line for line in lines if line.claim == "whole-release"]
    rests_on = {assumption for line in lines for assumption in line.assumptions}
    return "\n".join(
        [
            "The whole release, losses of all parts added up:",
            "",
            *(_claim(line) for line in whole if line.reading is Reading.STRICT),
            "",
            "What the article would claim of the whole release. These are claims, and no guarantee unless proved:",
            "",
            *(_claim(line) for line in whole if line.reading is Reading.PUBLISHED),
            "",
            "Claims about single parts of the release:",
            "",
            *(
                f"- {line.claim} ({line.scope.value}, {line.relation.value}): {_size(line)}; {line.verdict.value}"
                for line in lines
                if line not in whole
            ),
            "",
            "Assumptions that a proved claim may rest on:",
            "",
            *(f"- {each.value}: {each.explanation}" for each in sorted(rests_on, key=lambda each: each.value)),
            "",
            f"A guessing advantage of {report.advantage!r} was asked for: how much an attacker's chance of guessing "
            "right may rise. It is not the δ of approximate differential privacy." + warning(report),
        ]
    )


def _claim(line: Guarantee) -> str:
    return f"- {UNITS[line.scope]}, {RELATIONS[line.relation]}: {_size(line)}; {line.verdict.value} ({line.why})"


def _size(line: Guarantee) -> str:
    claimed = "claimed " if line.reading is Reading.PUBLISHED else ""
    if line.rate is not None:
        return f"{claimed}ε of {rounded_up(line.rate.value)!r} per millisecond"
    if line.withheld:
        return f"{claimed}ε withheld, a figure of the original log"
    if not line.epsilon.bounded:
        return "no bound"
    delta = f" and δ of {line.delta!r}" if line.kind is Kind.APPROXIMATE else ""
    return f"{claimed}ε of {line.epsilon.stated()!r}{delta}"


def warning(report: PublicReport) -> str:
    return "" if report.unpredictable else " NOT PRIVATE: the noise came from a seed; do not publish this release."
