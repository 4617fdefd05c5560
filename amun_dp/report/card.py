"""The label card: what a release guarantees, in one plain sentence, or as plainly that it does not.

Every word follows from the report. The good sentence is printed only where the strict reading of the whole release has
a bound that is proved, or proved under assumptions, and implies a guessing advantage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accounting.accountant import strictest
from accounting.guarantee import Guarantee, Relation, Scope
from amun_dp.drawing.numbers import capital, delta_text, epsilon_text, points, sentence
from amun_dp.report.remarks import (
    VACUOUS,
    Labelled,
    Remark,
    all_together,
    claimed,
    declared,
    meaning_of_delta,
    not_guaranteed,
    second_unit,
    taken_from_the_log,
    what_holds,
    why,
    with_earlier_ones,
)
from amun_dp.report.terms import NOISE_MEANS, RELATIONS, SYMBOLS, UNITS, css_of, is_bounded

Tone = Literal["good", "partial", "none", "void"]
LARGEST_DELTA = 1e-3
"""With a larger δ, the releases for which nothing is proved are too many for a footnote."""
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
    """The label card of a release: its sentence, what that rests on, remarks, and a table of bounds."""

    tone: Tone
    heading: str
    sentence: str
    provided: tuple[str, ...]
    """Ends of the sentence: the assumptions that it rests on."""
    remarks: tuple[Remark, ...]
    lines: tuple[CardLine, ...]

    @property
    def symbol(self) -> str:
        return SYMBOL[self.tone]


def card_of(report: Labelled) -> Card:
    """The label card of a report, derived from its guarantees."""
    guarantees = report.guarantees
    units = [Scope.CASE, Scope.INDIVIDUAL]
    if report.parameters.counts_individuals:
        units.reverse()  # the unit that was asked for comes first
    lines = [strictest(guarantees, scope, Relation.REPLACE) for scope in units]
    shown = tuple(_line(line) for line in lines)
    if not report.unpredictable:
        return Card("void", "Not private: do not publish", sentence(NOISE_MEANS[False]), (), (), shown)
    held = [line for line in lines if is_bounded(line)]
    if not held:
        return _negative(guarantees, lines[0], shown, (*declared(report), with_earlier_ones(report)))
    best = held[0]
    others = (
        *meaning_of_delta(report, best),
        with_earlier_ones(report),
        *taken_from_the_log(report),
        *all_together(report, best),
        *declared(report),
        *(second_unit(line, best) for line in held[1:]),
        *(not_guaranteed(line) for line in lines if line not in held),
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
            (with_earlier_ones(report),),
            shown,
        )
    return Card(
        "good" if best.delta <= LARGEST_DELTA and not report.parameters.discloses_variants else "partial",
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


def _heading(report: Labelled, unit: str) -> str:
    if report.parameters.discloses_variants:
        return f"A guarantee about the counts and times of {unit}, not about which variants occur"
    return f"A guarantee about {unit}"


def _who_knew(report: Labelled) -> str:
    """Whom the sentence speaks of: with the log's own variants as public, whoever learns them learns that, too."""
    return " who knew beforehand which variants occur" if report.parameters.discloses_variants else ""


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
        (("Why", why(case)), *claimed(guarantees), ("What does hold", what_holds(guarantees)), *more),
        shown,
    )


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
