"""What a reader of the label must know beside its sentence: each remark with a short name."""

from __future__ import annotations

from typing import Protocol

from accounting.guarantee import Guarantee, Reading, Scope
from accounting.publication import PublicTree
from accounting.whole_release import others_known
from amun_dp.budgets.earlier_releases import OTHERS_KNOWN, OTHERS_UNKNOWN, EarlierReleases, TotalLine
from amun_dp.drawing.numbers import capital, count, counted, delta_text, epsilon_text, points, sentence
from amun_dp.report.claims import reason
from amun_dp.report.parameters import ReportParameters
from amun_dp.report.terms import RELATIONS, UNITS, is_bounded

Remark = tuple[str, str]
"""What else a reader must know, with a short name."""
VACUOUS = 0.99
"""From here on a guessing advantage is no protection, whatever proved it."""
DECLARED = "Declared"
ABOUT_INDIVIDUALS = (DECLARED, capital(UNITS[Scope.INDIVIDUAL]), f"Not guaranteed: {UNITS[Scope.INDIVIDUAL]}")
"""Names of the remarks that say what is promised about individuals, and on whose word."""
_UNSURE = "for somebody who is not sure about them it may happen often, by very little"


class Labelled(Protocol):
    """What the card states of a report. The report itself shows its card in a notebook, so it cannot be named here."""

    @property
    def guarantees(self) -> tuple[Guarantee, ...]: ...
    @property
    def parameters(self) -> ReportParameters: ...
    @property
    def unpredictable(self) -> bool: ...
    @property
    def mechanisms(self) -> PublicTree: ...
    @property
    def earlier_releases(self) -> EarlierReleases: ...
    @property
    def releases(self) -> int: ...
    @property
    def max_cases_per_individual(self) -> int | None: ...
    @property
    def individuals(self) -> dict[str, int | str | None]: ...


def meaning_of_delta(report: Labelled, best: Guarantee) -> tuple[Remark, ...]:
    """What δ says of single outputs, and what it does not."""
    if not best.delta or best.advantage is None:
        return ()
    bound = f"P + {points(best.advantage)} points"
    known = f"For somebody who knows all other cases that happens with probability at most δ; {_UNSURE}"
    if not others_known(report.mechanisms.tree, best.delta):
        known = f"How often that happens has no bound here; {_UNSURE}"
    words = f"A guess can become surer than {bound}, on average by at most δ·(1 - P - A), A being the points. {known}."
    return (("What δ means", words),)


def claimed(guarantees: tuple[Guarantee, ...]) -> tuple[Remark, ...]:
    """What the authors of the method claim of such a release, where they claim something about a case."""
    for line in guarantees:
        if (line.claim, line.reading, line.scope) == ("whole-release", Reading.PUBLISHED, Scope.CASE):
            if line.advantage is None:
                return ()
            return (
                (
                    "What the method's authors claim",
                    f"That nobody's guess about one case gains more than {points(line.advantage)} points. This claim "
                    f"is {line.verdict.value}.",
                ),
            )
    return ()


def what_holds(guarantees: tuple[Guarantee, ...]) -> str:
    """The parts that are proved, though the whole is not."""
    proved = [line for line in guarantees if line.reading is Reading.STRICT and is_bounded(line)]
    if not proved:
        return "No bound of any part is proved for this release."
    sentences = [
        f"{line.statement.rstrip('.')}, with ε = {epsilon_text(line.epsilon)} ({line.verdict.value}; "
        f"{UNITS[line.scope]}, {RELATIONS[line.relation]})."
        for line in proved
    ]
    return " ".join(sentences) + " That is a part of what was computed, not the released log."


def with_earlier_ones(report: Labelled) -> Remark:
    """What stands above is about this release; several can be compared. Who made it knows the earlier ones."""
    earlier = report.earlier_releases
    if not earlier.looked_at:
        return (
            OTHERS_UNKNOWN,
            "None was looked at: what is said here is about this release alone. Others of the same log, before or "
            "after it, add to what can be learned.",
        )
    known = "as the publisher's registry knew on the day of this release; later ones add to it"
    if not earlier.others:
        return (OTHERS_UNKNOWN, f"None before this one, {known}.")
    number = counted(earlier.others, "earlier release")
    planned = f" and all {count(report.releases)} that are planned" if report.releases > 1 else ""
    units = " ".join(sentence(_together(line)) for line in earlier.total)
    return (OTHERS_KNOWN, f"Together with {number} of this log{planned}, {known}. {units}")


def _together(line: TotalLine) -> str:
    unit = UNITS[Scope(line.unit)]
    if line.epsilon is None:
        return f"about {unit} nothing is bounded"
    failing = f", δ = {delta_text(line.delta)}" if line.delta else ""
    gains = "no bound on a guess follows" if line.advantage is None else _gain(line.advantage, line.delta)
    return f"about {unit}: ε = {line.epsilon:g}{failing}; {gains}"


def _gain(advantage: float, delta: float) -> str:
    """What a bound means for a guess that was right with probability P before."""
    if delta:
        return f"a guess is right at most with probability (1-δ)·(P + {points(advantage)} points) + δ"
    return f"a guess gains at most {points(advantage)} points"


def taken_from_the_log(report: Labelled) -> tuple[Remark, ...]:
    """What the publisher let the log decide: the promise does not cover it, so it stands beside the promise."""
    exposed = report.parameters.exposed
    return (("Not covered", " ".join(sentence(text) for text in exposed)),) if exposed else ()


def declared(report: Labelled) -> tuple[Remark, ...]:
    """What the publisher vouches for about individuals; nobody sees it from the release."""
    most = report.max_cases_per_individual
    if report.individuals["by"] != "declaration" or most is None:
        return ()
    return ((DECLARED, f"The publisher declares that nobody has more than {_cases(most)}."),)


def _cases(number: int) -> str:
    return "one case" if number == 1 else f"{count(number)} cases"


def all_together(report: Labelled, best: Guarantee) -> tuple[Remark, ...]:
    """δ is for one unit; a reader will ask for all of them."""
    cases = report.parameters.cases
    # A number that was given need not be the number of those who are in the log.
    if not best.delta or cases is None or "number of cases" not in report.parameters.from_log:
        return ()
    anybody = delta_text(min(1.0, best.delta * cases))
    return (("All cases together", f"δ is for one case; added up over all {count(cases)} it is at most {anybody}."),)


def second_unit(line: Guarantee, best: Guarantee) -> Remark:
    """A second unit with a bound: its figures, and what it assumes beyond the first."""
    gains = "" if line.advantage is None else f": {_gain(line.advantage, line.delta)}"
    if line.advantage is not None and line.advantage >= VACUOUS:
        gains = ", a bound so large that it rules nothing out"
    more = [assumption.explanation for assumption in line.assumptions if assumption not in best.assumptions]
    beyond = f", provided also that {', and '.join(more)}" if more else ""
    failing = f", δ = {delta_text(line.delta)}" if line.delta else ""
    return (capital(UNITS[line.scope]), f"ε = {epsilon_text(line.epsilon)}{failing}{gains}{beyond}.")


def not_guaranteed(line: Guarantee) -> Remark:
    return (f"Not guaranteed: {UNITS[line.scope]}", why(line))


def why(line: Guarantee) -> str:
    """The reason without the identifier of the claim that gives it; the table of claims names that."""
    return reason(line.why).words
