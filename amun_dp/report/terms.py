"""Words for the terms of a guarantee: the unit, how neighbouring logs differ in it, the verdict."""

from __future__ import annotations

from accounting.guarantee import Guarantee, Kind, Relation, Scope, Verdict

UNITS = {
    Scope.CELL: "one case in one table cell",
    Scope.EVENT: "one time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}
RELATIONS = {
    Relation.ADD_REMOVE: "added or removed",
    Relation.REPLACE: "replaced by another",
    Relation.LEAVE_OUT: "left out, public facts as they are",
}

SYMBOLS = {
    Verdict.PROVED: "✓",
    Verdict.PROVED_UNDER_ASSUMPTIONS: "✓",
    Verdict.REFUTED: "✗",
    Verdict.NOT_PROVED: "?",
}
"""The symbol of each verdict. A verdict is never shown by colour alone: symbol and words say the same."""


def is_bounded(line: Guarantee) -> bool:
    """Whether the line says something that holds: a verdict of proved, and a figure."""
    proved = line.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)
    figure = line.curve is not None if line.kind is Kind.ON_AVERAGE else line.epsilon.bounded
    return proved and figure and not line.withheld


def css_of(verdict: Verdict) -> str:
    return verdict.value.replace(" ", "-")


NOISE_MEANS = {
    True: "the noise cannot be predicted; that alone guarantees nothing: what is guaranteed is said by the guarantees",
    False: "the noise came from a seed and can be subtracted: do not publish this release",
}
"""By whether the noise is unpredictable."""
