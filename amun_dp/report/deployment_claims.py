"""What an entry in the registry of deployments says of its guarantees: the one bound that is proved for a whole case or
individual, if there is one, and in words all that is claimed, with its verdict."""

from __future__ import annotations

from fractions import Fraction

from accounting.accountant import strictest
from accounting.guarantee import AVERAGE_RELEASE, WHOLE_RELEASE, Guarantee, Kind, Reading, Relation, Scope
from accounting.quantities import rounded_up
from amun_dp.report.attributes import guaranteed_scope, guaranteed_unit
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport

UNITS = {
    Scope.CELL: "what one cell of the table of transitions says about one case",
    Scope.EVENT: "one relative time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}
RELATIONS = {
    Relation.ADD_REMOVE: "added or removed",
    Relation.REPLACE: "replaced",
    Relation.LEAVE_OUT: "left out, public facts as they are",
}


def proved_bound(report: PublicReport) -> Guarantee | None:
    """The bound for the largest unit that has a proved one, if the noise was unpredictable.

    Of smaller units none: a case that is in the open may well have an ε of 0 for one of its times.
    """
    scope = guaranteed_scope(report)
    if scope not in (Scope.CASE, Scope.INDIVIDUAL) or not report.unpredictable:
        return None
    return strictest(report.guarantees, scope, Relation.REPLACE)


def unit_of(report: PublicReport, proved: Guarantee) -> str:
    """What the bound is about, in the words of the registry where these are true."""
    if report.parameters.discloses_variants:
        return f"{guaranteed_unit(report).capitalize()}; which variants occur is not protected"
    return f"{proved.scope.value.capitalize()}-level"


def adjacency_of(report: PublicReport, proved: Guarantee) -> str:
    """Which two logs are compared: what was taken from the log as public is the same in both."""
    changed = f"Adjacent logs differ in {UNITS[proved.scope]}, {RELATIONS[proved.relation]}"
    chosen = report.parameters
    same = sorted(chosen.from_log) if isinstance(chosen, CertifiedParameters) else []
    if not same:
        return f"{changed}."
    return f"{changed}, and agree in what was taken from the log as public: {', '.join(_SAME[fact] for fact in same)}."


_SAME = {
    "labels": "the set of labels",
    "variants": "the set of variants",
    "time frame": "the time frame, in whole days",
    "number of cases": "the number of cases",
    "number of individuals": "the number of individuals",
    "longest duration": "the longest duration",
}
"""Facts that may be taken from the log."""


def claims_text(report: PublicReport) -> str:
    lines = report.guarantees
    whole = [line for line in lines if line.claim in (WHOLE_RELEASE, AVERAGE_RELEASE)]
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
    if line.kind is Kind.ON_AVERAGE and line.curve is not None:
        return f"on average over the noise, μ of {rounded_up(Fraction(line.curve.mu))!r}"
    if not line.epsilon.bounded:
        return "no bound"
    delta = f" and δ of {line.delta!r}" if line.kind is Kind.APPROXIMATE else ""
    return f"{claimed}ε of {line.epsilon.stated()!r}{delta}"


def warning(report: PublicReport) -> str:
    return "" if report.unpredictable else " NOT PRIVATE: the noise came from a seed; do not publish this release."
