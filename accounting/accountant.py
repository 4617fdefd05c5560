"""From what a release did (a tree of events) to what it guarantees.

This is the ground for the full accountant: it reads each record of the tree into the claims that the article makes of
it, with their verdicts, and closes with that of the whole release. Guarantees derive from the tree alone, and nothing
confidential in the tree shows in them: figures are rounded up to six digits, which also makes the stated guarantee
never better than the true one. What is not known is unbounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    PostProcessing,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
)
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Guarantee, Kind, Relation, Scope, Verdict

INDEPENDENT_CASES = (
    "independent cases: the cases of the individual in question are independent of the others, given what the attacker "
    "knows"
)
PUBLIC_LABELS = "public labels: the set of activity labels is no secret"
PUBLIC_STRUCTURE = "public structure: variants, automaton and groups are known for reasons outside the log"


@dataclass(frozen=True, slots=True)
class _Context:
    """What else is in the tree that bears on a claim."""

    cases_of_individual: int = 1
    cases_selected: bool = False
    not_private: str | None = None


def guarantees(tree: PrivacyEvent) -> tuple[Guarantee, ...]:
    """All claims that can be made of a release; that of the whole release last."""
    leaves = [leaf for leaf, _ in _leaves(tree)]
    context = _Context(
        cases_selected=any(isinstance(leaf, DataDependentSelection) and leaf.of == "cases" for leaf in leaves),
        not_private=next((leaf.why for leaf in leaves if isinstance(leaf, NonPrivate)), None),
    )
    claims: list[Guarantee] = []
    for leaf, cases in _leaves(tree):
        claims.extend(_claims_of(leaf, replace(context, cases_of_individual=cases)))
    claims.extend(_whole_release(leaves))
    return tuple(_voided(claim, context) for claim in claims)


def flatten(tree: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    """The leaves of a tree, left to right."""
    return tuple(leaf for leaf, _ in _leaves(tree))


def _leaves(tree: PrivacyEvent, cases: int = 1) -> Iterator[tuple[PrivacyEvent, int]]:
    """The leaves, each with the number of cases that one individual may have in it."""
    if isinstance(tree, Sequential):
        for part in tree.parts:
            yield from _leaves(part, cases)
    elif isinstance(tree, SharedByIndividual):
        yield from _leaves(tree.part, cases * tree.cases.reveal())
    else:
        yield tree, cases


def rounded_up(value: Fraction) -> float:
    """The value rounded up to six significant digits: what is stated is never smaller than what is true."""
    context = Context(prec=6, rounding=ROUND_CEILING)
    stated = float(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    return stated if Fraction(stated) >= value else math.nextafter(stated, math.inf)


def _voided(claim: Guarantee, context: _Context) -> Guarantee:
    """Without privacy of the noise no bound stands."""
    if context.not_private is None or claim.epsilon is None:
        return claim
    return replace(
        claim, epsilon=None, advantage=None, verdict=Verdict.REFUTED, why=context.not_private, assumptions=()
    )


def _claims_of(event: PrivacyEvent, context: _Context) -> tuple[Guarantee, ...]:
    match event:
        case LaplaceCount():
            return _cell(event, context), _TABLE
        case OneSidedCount():
            return (_ONE_SIDED,)
        case BoundedLaplace():
            return _times(event)
        case CaseMoves():
            return (_MOVES,)
        case DataDependentSelection():
            return (_selection(event),)
        case PostProcessing():
            return ()
        case NonPrivate():
            return (_unbounded("private-noise", "The noise cannot be predicted.", event.why, Verdict.REFUTED),)
        case _:
            why = f"the accountant does not know events of type {type(event).__name__}"
            return (_unbounded("unknown-event", "This step is differentially private.", why, Verdict.NOT_PROVED),)


def _unbounded(
    claim: str, statement: str, why: str, verdict: Verdict, scope: Scope = Scope.CASE, reference: str = ""
) -> Guarantee:
    return Guarantee(
        claim=claim,
        statement=statement,
        scope=scope,
        relation=Relation.ADD_REMOVE if scope is Scope.CELL else Relation.REPLACE,
        kind=Kind.PERSONALISED if scope is Scope.EVENT else Kind.PURE,
        epsilon=None,
        advantage=None,
        verdict=verdict,
        why=why,
        reference=reference,
    )


def _cell(event: LaplaceCount, context: _Context) -> Guarantee:
    if context.cases_selected:
        return _unbounded(
            "noisy-count-cell",
            "One cell of the noisy transition table is ε-differentially private.",
            "the counted cases were selected by private data, so one case can move a cell by more than 1: in a log "
            "of fifteen "
            "cases, adding one moves a cell from 3 to 11",
            Verdict.REFUTED,
            Scope.CELL,
            "article, Prop. CT-DP (1); notes 4.3",
        )
    exact = Fraction(event.sensitivity * context.cases_of_individual) / Fraction(event.scale)
    epsilon = rounded_up(exact)
    # The float next above the exact ε, not the six digits: the advantage is rounded by itself.
    advantage = rounded_up(Fraction(float(worst_case_advantage(math.nextafter(float(exact), math.inf)))))
    return Guarantee(
        claim="noisy-count-cell",
        statement=f"One cell of the noisy transition table is {epsilon:g}-differentially private for one individual "
        "with all "
        f"their cases; whatever the prior, a guess from that cell alone improves by at most {advantage:g}.",
        scope=Scope.CELL,
        relation=Relation.ADD_REMOVE,
        kind=Kind.PURE,
        epsilon=epsilon,
        advantage=advantage,
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="discrete Laplace noise on a count that one case moves by a bounded amount",
        assumptions=(INDEPENDENT_CASES, PUBLIC_LABELS, PUBLIC_STRUCTURE),
        reference="article, Prop. CT-DP (1)",
    )


_TABLE = _unbounded(
    "noisy-count-table",
    "The noise that suffices for one cell suffices for the whole noisy transition table, because the prior is the "
    "worst one.",
    "a case of length k moves k cells and costs k·ε (add-remove), two cases of lengths k and k' cost (k+k')·ε "
    "(replace); "
    "with two cells, advantage 1/2 and prior 1/4 the posterior is 27/28; no public bound on the length is declared",
    Verdict.REFUTED,
    reference="article, Prop. CT (guessing advantage); notes 4.1, 4.8",
)
_ONE_SIDED = _unbounded(
    "one-sided-count-cell",
    "One cell of the table with one-sided noise keeps the stated guessing advantage.",
    "the noise is never negative, so a released count equal to the true one rules out a larger log: the likelihood "
    "ratio is "
    "unbounded; the article bounds an average over outputs, its definition every output",
    Verdict.REFUTED,
    Scope.CELL,
    "article, Prop. oversampling; notes 4.5",
)
_MOVES = _unbounded(
    "released-counts",
    "Copying and deleting cases has the privacy of adding the drawn noise to the counts.",
    "a moved case shifts every transition on its path, so the released counts are not the true ones plus the noise",
    Verdict.NOT_PROVED,
    Scope.CELL,
    "article, Prop. sampling; notes 4.7",
)


def _times(event: BoundedLaplace) -> tuple[Guarantee, ...]:
    return (
        _unbounded(
            "event-time",
            f"Guessing one relative time improves by at most {event.advantage:g} for an attacker with the estimated "
            "prior.",
            "the scale of the noise is computed from the value that it hides (prior and range come from its group), "
            "so the "
            "likelihood ratio of x + Lap(1/ε(x)) is unbounded",
            Verdict.REFUTED,
            Scope.EVENT,
            "article, Prop. minimum eps; notes 4.4",
        ),
        _unbounded(
            "event-time-any-prior",
            f"Guessing one relative time improves by at most {event.advantage:g} whatever the attacker's prior.",
            "an ε computed from a prior bounds only attackers with that prior: at advantage 0.3 the ε for a prior "
            "of 0.01 is "
            "3.795, which lets the worst prior gain 0.74",
            Verdict.REFUTED,
            Scope.EVENT,
            "notes 4.9",
        ),
        _unbounded(
            "case-times",
            "The noise on each time suffices for all times of one case together.",
            "the losses of the events of a case add up; the appendix divides by the longest case, the algorithm "
            "does not",
            Verdict.REFUTED,
            Scope.CASE,
            "article, Prop. timestamps and final lemma; notes 4.6",
        ),
        _unbounded(
            "copies",
            "Dividing ε by the number of copies of a case makes up for releasing it several times.",
            "the number of copies is itself private and random, and it sets the scale of the noise",
            Verdict.NOT_PROVED,
            Scope.EVENT,
            "article, Alg. 1 line 26; notes 3",
        ),
    )


def _selection(event: DataDependentSelection) -> Guarantee:
    why = event.rule if event.counterexample is None else f"{event.rule}; {event.counterexample}"
    verdict = Verdict.NOT_PROVED if event.counterexample is None else Verdict.REFUTED
    return _unbounded(f"selection-of-{event.of}", f"Selecting {event.of} by private data costs nothing.", why, verdict)


def _whole_release(leaves: list[PrivacyEvent]) -> tuple[Guarantee, ...]:
    """Everything together. Only post-processing is free; no other step here has a bound for a whole case."""
    refuted = any(isinstance(leaf, DataDependentSelection) and leaf.counterexample is not None for leaf in leaves)
    verdict = Verdict.REFUTED if refuted else Verdict.NOT_PROVED
    why = (
        "a selection by private data has no bound (see its claim), and a sum with an unbounded part is unbounded"
        if refuted
        else "at least one step has no proved bound for a whole case (see its claim)"
    )
    return tuple(
        _unbounded(
            f"whole-release-{scope.value}",
            f"The whole release is ε-differentially private, for some ε, with respect to one {scope.value}.",
            why,
            verdict,
            scope,
        )
        for scope in (Scope.CASE, Scope.INDIVIDUAL)
    )
