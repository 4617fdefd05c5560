"""The label card: what a release guarantees, in one plain sentence, or as plainly that it does not.

Every word follows from the report. The good sentence is printed only where the strict reading of the whole release has
a bound that is proved, or proved under assumptions, and implies a guessing advantage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accounting.accountant import strictest
from accounting.guarantee import Guarantee, Reading, Relation, Scope
from accounting.whole_release import others_known
from amun_dp.earlier_releases import OTHERS_KNOWN, OTHERS_UNKNOWN, TotalLine
from amun_dp.pages.claims import reason
from amun_dp.pages.units import RELATIONS, SYMBOLS, UNITS, css_of, is_bounded
from amun_dp.pages.words import capital, count, counted, delta_text, epsilon_text, points, sentence
from amun_dp.report import NOISE_MEANS, PublicReport
from amun_dp.report_parameters import CertifiedParameters

Tone = Literal["good", "partial", "none", "void"]
Remark = tuple[str, str]
"""What else a reader must know, with a short name."""
VACUOUS = 0.99
"""From here on a guessing advantage is no protection, whatever proved it."""
LARGEST_DELTA = 1e-3
"""A larger part of the releases for which nothing is proved is no footnote."""
DECLARED = "Declared"
ABOUT_INDIVIDUALS = (DECLARED, capital(UNITS[Scope.INDIVIDUAL]), f"Not guaranteed: {UNITS[Scope.INDIVIDUAL]}")
"""Names of the remarks that say what is promised about individuals, and on whose word."""
SYMBOL: dict[Tone, str] = {"good": "✓", "partial": "◐", "none": "✗", "void": "⚠"}


@dataclass(frozen=True, slots=True)
class CardLine:
    """One row of the card's table: the strict bound of the whole release for one unit."""

    unit: str
    relation: str
    epsilon: str
    advantage: str
    verdict: str
    symbol: str
    css: str


@dataclass(frozen=True, slots=True)
class Card:
    tone: Tone
    heading: str
    sentence: str
    provided: tuple[str, ...]
    """Ends of the sentence: the assumptions it rests on."""
    remarks: tuple[Remark, ...]
    lines: tuple[CardLine, ...]

    @property
    def symbol(self) -> str:
        return SYMBOL[self.tone]


def card_of(report: PublicReport) -> Card:
    guarantees = report.guarantees
    units = [Scope.CASE, Scope.INDIVIDUAL]
    if isinstance(report.parameters, CertifiedParameters) and report.parameters.scope == "individual":
        units.reverse()  # the unit that was asked for comes first
    lines = [strictest(guarantees, scope, Relation.REPLACE) for scope in units]
    shown = tuple(_line(line) for line in lines)
    if not report.unpredictable:
        return Card("void", "Not private: do not publish", sentence(NOISE_MEANS[False]), (), (), shown)
    held = [line for line in lines if is_bounded(line)]
    if not held:
        return _negative(guarantees, lines[0], shown, (*_declared(report), _with_earlier_ones(report)))
    best = held[0]
    others = (
        *_meaning_of_delta(report, best),
        _with_earlier_ones(report),
        *_taken_from_the_log(report),
        *_all_together(report, best),
        *_declared(report),
        *(_also(line, best) for line in held[1:]),
        *(_missing(line) for line in lines if line not in held),
    )
    unit = UNITS[best.scope]
    if best.advantage is None:
        return _approximate(best, others, shown)
    if best.advantage >= VACUOUS:
        return Card(
            "none",
            f"A bound that protects nobody: ε = {epsilon_text(best.epsilon)}",
            f"This release has a proved bound for {unit}, but one so large that it rules nothing out: from it an "
            "attacker may go from knowing next to nothing to being all but sure",
            (),
            (_with_earlier_ones(report),),
            shown,
        )
    return Card(
        "good" if best.delta <= LARGEST_DELTA and not _discloses_variants(report) else "partial",
        _heading(report, unit),
        _promise(best, best.advantage, _who_knew(report)),
        _assumed(best),
        others,
        shown,
    )


def _promise(best: Guarantee, advantage: float, who_knew: str) -> str:
    unit, gain = UNITS[best.scope], points(advantage)
    if not best.delta:
        return (
            f"After this release nobody{who_knew} can guess anything about {unit} with a success probability more than "
            f"{gain} points higher than before"
        )
    return (
        f"After this release nobody{who_knew} guesses right about {unit} more often than (1-δ)·(P + {gain} points) "
        f"+ δ, where P is their chance before it and δ = {delta_text(best.delta)}"
    )


def _meaning_of_delta(report: PublicReport, best: Guarantee) -> tuple[Remark, ...]:
    """What δ says of single outputs, and what it does not."""
    if not best.delta or best.advantage is None:
        return ()
    bound = f"P + {points(best.advantage)} points"
    known = f"For somebody who knows all other cases that happens with probability at most δ; {_UNSURE}"
    if not others_known(report.mechanisms.tree, best.delta):
        known = f"How often that happens has no bound here; {_UNSURE}"
    words = f"A guess can become surer than {bound}, on average by at most δ·(1 - P - A), A being the points. {known}."
    return (("What δ means", words),)


_UNSURE = "for somebody who is not sure about them it may happen often, by very little"


def _heading(report: PublicReport, unit: str) -> str:
    if _discloses_variants(report):
        return f"A guarantee about the counts and times of {unit}, not about which variants occur"
    return f"A guarantee about {unit}"


def _who_knew(report: PublicReport) -> str:
    """Whom the sentence speaks of: with the log's own variants as public, whoever learns them learns that, too."""
    return " who knew beforehand which variants occur" if _discloses_variants(report) else ""


def _approximate(best: Guarantee, others: tuple[Remark, ...], shown: tuple[CardLine, ...]) -> Card:
    """A bound from which no advantage follows: approximate differential privacy by itself bounds no single output."""
    return Card(
        "partial",
        f"An approximate guarantee about {UNITS[best.scope]}",
        f"This release is differentially private with respect to {UNITS[best.scope]} ({RELATIONS[best.relation]}) "
        f"with ε = {epsilon_text(best.epsilon)} and δ = {delta_text(best.delta)}",
        _assumed(best),
        (("Guessing", "No bound on how much better somebody guesses after this release follows from it."), *others),
        shown,
    )


def _negative(
    guarantees: tuple[Guarantee, ...], case: Guarantee, shown: tuple[CardLine, ...], more: tuple[Remark, ...]
) -> Card:
    return Card(
        "none",
        "No guarantee about a whole case",
        "This release does not guarantee anything about one whole case, nor about one individual: somebody may learn "
        "from it what one of them did, and no ε limits how surely",
        (),
        (("Why", _why(case)), *_claimed(guarantees), ("What does hold", _holds(guarantees)), *more),
        shown,
    )


def _claimed(guarantees: tuple[Guarantee, ...]) -> tuple[Remark, ...]:
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


def _holds(guarantees: tuple[Guarantee, ...]) -> str:
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


def _discloses_variants(report: PublicReport) -> bool:
    """The log's own variants as public disclose every case that has one alone: no green label for that."""
    chosen = report.parameters
    return "variants" in chosen.from_log if isinstance(chosen, CertifiedParameters) else chosen.public_variants


def _with_earlier_ones(report: PublicReport) -> Remark:
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
    units = " ".join(sentence(_together(line)) for line in earlier.total)
    return (OTHERS_KNOWN, f"Together with {number} of this log, {known}. {units}")


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


def _taken_from_the_log(report: PublicReport) -> tuple[Remark, ...]:
    """What the publisher let the log decide: the promise does not cover it, so it stands beside the promise."""
    exposed = report.parameters.exposed
    return (("Not covered", " ".join(sentence(text) for text in exposed)),) if exposed else ()


def _declared(report: PublicReport) -> tuple[Remark, ...]:
    """What the publisher vouches for about individuals; nobody sees it from the release."""
    most = report.max_cases_per_individual
    if report.individuals["by"] != "declaration" or most is None:
        return ()
    return ((DECLARED, f"The publisher declares that nobody has more than {_cases(most)}."),)


def _cases(number: int) -> str:
    return "one case" if number == 1 else f"{count(number)} cases"


def _all_together(report: PublicReport, best: Guarantee) -> tuple[Remark, ...]:
    """δ is for one unit; a reader will ask for all of them."""
    chosen = report.parameters
    cases = chosen.cases if isinstance(chosen, CertifiedParameters) else None
    # A number that was given need not be the number of those who are in the log.
    if not best.delta or cases is None or "number of cases" not in report.parameters.as_dict()["from_log"]:
        return ()
    anybody = delta_text(min(1.0, best.delta * cases))
    return (("All cases together", f"δ is for one case; added up over all {count(cases)} it is at most {anybody}."),)


def _also(line: Guarantee, best: Guarantee) -> Remark:
    """A second unit with a bound: its figures, and what it assumes beyond the first."""
    gains = "" if line.advantage is None else f": {_gain(line.advantage, line.delta)}"
    if line.advantage is not None and line.advantage >= VACUOUS:
        gains = ", a bound so large that it rules nothing out"
    more = [assumption.explanation for assumption in line.assumptions if assumption not in best.assumptions]
    beyond = f", provided also that {', and '.join(more)}" if more else ""
    failing = f", δ = {delta_text(line.delta)}" if line.delta else ""
    return (capital(UNITS[line.scope]), f"ε = {epsilon_text(line.epsilon)}{failing}{gains}{beyond}.")


def _missing(line: Guarantee) -> Remark:
    return (f"Not guaranteed: {UNITS[line.scope]}", _why(line))


def _why(line: Guarantee) -> str:
    """The reason without the identifier of the claim that gives it; the table of claims names that."""
    return reason(line.why).words


def _assumed(line: Guarantee) -> tuple[str, ...]:
    return tuple(assumption.explanation for assumption in line.assumptions)


def _line(line: Guarantee) -> CardLine:
    bounded = is_bounded(line)
    delta = f", δ = {delta_text(line.delta)}" if bounded and line.delta else ""
    if bounded and line.advantage is not None:
        advantage = f"{points(line.advantage)} points{', and δ' if line.delta else ''}"
    else:
        advantage = "none follows" if bounded else "no bound"
    return CardLine(
        unit=capital(UNITS[line.scope]),
        relation=RELATIONS[line.relation],
        epsilon=epsilon_text(line.epsilon, line.withheld) + delta,
        advantage=advantage,
        verdict=line.verdict.value,
        symbol=SYMBOLS[line.verdict],
        css=css_of(line.verdict),
    )
