"""Words for the terms of a guarantee: the unit, how neighbouring logs differ in it, the verdict, the reading."""

from __future__ import annotations

from accounting.guarantee import Guarantee, Reading, Relation, Scope, Verdict

UNITS = {
    Scope.CELL: "one case in one table cell",
    Scope.EVENT: "one time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}
RELATIONS = {Relation.ADD_REMOVE: "added or removed", Relation.REPLACE: "replaced by another"}
READINGS = {
    Reading.STRICT: "what can be proved",
    Reading.PUBLISHED: "what the method's authors claim",
}

SYMBOLS = {
    Verdict.PROVED: "✓",
    Verdict.PROVED_UNDER_ASSUMPTIONS: "✓",
    Verdict.REFUTED: "✗",
    Verdict.NOT_PROVED: "?",
}
"""A verdict is never told by colour alone: symbol and words say the same."""


def is_bounded(line: Guarantee) -> bool:
    """Whether the line says something that holds: a verdict of proved, and a figure."""
    proved = line.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)
    return proved and line.epsilon.bounded and not line.withheld


def css_of(verdict: Verdict) -> str:
    return verdict.value.replace(" ", "-")
