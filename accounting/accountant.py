"""From what a release did (a tree of events) to what it guarantees.

This is the ground for the full accountant: it reads each record of the tree into the claims that can be made of it,
with their verdicts, and closes with the claim everybody wants, that of the whole release for one case and one
individual. Guarantees derive from the tree alone. What is not known is unbounded.
"""

from __future__ import annotations

import math

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
)
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Guarantee, Kind, Relation, Scope, Verdict

INDEPENDENT_CASES = "independent cases: the case in question is independent of the others given what the attacker knows"
PUBLIC_LABELS = "public labels: the set of activity labels is no secret"
PUBLIC_TIMES = "public times: the first start, last start and last timestamp of the log are no secret"
PUBLIC_STRUCTURE = "public structure: variants, automaton and groups are known for reasons outside the log"


def guarantees(tree: PrivacyEvent) -> tuple[Guarantee, ...]:
    """All claims that can be made of a release, the strict bound for a whole case and for an individual last."""
    claims: list[Guarantee] = []
    for event in flatten(tree):
        claims.extend(_claims_of(event))
    return (*claims, *_whole_release(tree))


def flatten(tree: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    """The leaves of a tree, left to right."""
    if isinstance(tree, Sequential):
        return tuple(leaf for part in tree.parts for leaf in flatten(part))
    return (tree,)


def _claims_of(event: PrivacyEvent) -> tuple[Guarantee, ...]:
    match event:
        case LaplaceCount():
            return _laplace_count(event)
        case OneSidedCount():
            return (_one_sided_count(event),)
        case BoundedLaplace():
            return (_bounded_laplace(event),)
        case CaseMoves():
            return (_case_moves(),)
        case DataDependentSelection():
            return (_selection(event),)
        case PostProcessing():
            return ()
        case NonPrivate():
            return (_unbounded("not-private", event.why, event.why, Verdict.REFUTED),)
        case _:
            why = f"the accountant does not know events of type {type(event).__name__}"
            return (_unbounded("unknown-event", f"Nothing can be said: {why}.", why, Verdict.NOT_PROVED),)


def _laplace_count(event: LaplaceCount) -> tuple[Guarantee, ...]:
    # One division of floats is right to half a unit in the last place; one step up makes it an upper bound.
    epsilon = math.nextafter(event.sensitivity / event.scale, math.inf)
    advantage = float(worst_case_advantage(epsilon))
    cell = Guarantee(
        claim="noisy-count-cell",
        statement=f"One cell of the noisy transition table is {epsilon:.4g}-differentially private; whatever the "
        "prior, a guess "
        f"about one case from that cell alone improves by at most {advantage:.4g}.",
        scope=Scope.CELL,
        relation=Relation.ADD_REMOVE,
        kind=Kind.PURE,
        epsilon=epsilon,
        advantage=advantage,
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="discrete Laplace noise on a count of sensitivity 1",
        assumptions=(INDEPENDENT_CASES, PUBLIC_LABELS, PUBLIC_STRUCTURE),
        reference="article, Prop. CT-DP (1)",
    )
    table = Guarantee(
        claim="noisy-count-table",
        statement="The same noise suffices for the whole noisy transition table, because the prior is the worst one.",
        scope=Scope.CASE,
        relation=Relation.REPLACE,
        kind=Kind.PURE,
        epsilon=None,
        advantage=None,
        verdict=Verdict.REFUTED,
        why="a case of length k moves k cells and costs k·ε (add-remove), two cases of lengths k and k' cost (k+k')·ε "
        "(replace); with two cells, advantage 1/2 and prior 1/4 the posterior is 27/28; no public bound on the "
        "length is "
        "declared, so the cost for a case has none",
        reference="article, Prop. CT (guessing advantage); notes 4.1",
    )
    return cell, table


def _one_sided_count(event: OneSidedCount) -> Guarantee:
    return Guarantee(
        claim="one-sided-count-cell",
        statement="One cell of the table with one-sided noise keeps the stated guessing advantage.",
        scope=Scope.CELL,
        relation=Relation.ADD_REMOVE,
        kind=Kind.ADVANTAGE_ONLY,
        epsilon=None,
        advantage=None,
        verdict=Verdict.REFUTED,
        why=f"noise of scale {event.scale:.4g} is never negative, so a released count equal to the true one rules "
        "out a "
        "larger log: the likelihood ratio is unbounded; the article bounds an average over outputs, its definition "
        "every output",
        reference="article, Prop. oversampling; notes 4.5",
    )


def _bounded_laplace(event: BoundedLaplace) -> Guarantee:
    sound = event.scale_source == "public" and event.range_source == "public"
    return Guarantee(
        claim="event-time",
        statement=f"Guessing one relative time of one event improves by at most {event.advantage:g} for an attacker "
        "with "
        "the estimated prior.",
        scope=Scope.EVENT,
        relation=Relation.REPLACE,
        kind=Kind.PERSONALISED,
        epsilon=None,
        advantage=event.advantage if sound else None,
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS if sound else Verdict.REFUTED,
        why="every value has Laplace noise of a public scale"
        if sound
        else "the scale of the noise is computed from the value that it hides (prior, range and copies come from "
        "the log), so "
        "the likelihood ratio is unbounded; and an attacker with another prior may gain more than the stated advantage",
        assumptions=(INDEPENDENT_CASES, PUBLIC_LABELS, PUBLIC_TIMES, PUBLIC_STRUCTURE),
        reference="article, Prop. 1 and Prop. timestamps; notes 4.4, 4.6, 4.9",
    )


def _case_moves() -> Guarantee:
    return Guarantee(
        claim="released-counts",
        statement="Copying and deleting cases has the privacy of adding the drawn noise to the counts.",
        scope=Scope.CELL,
        relation=Relation.ADD_REMOVE,
        kind=Kind.PURE,
        epsilon=None,
        advantage=None,
        verdict=Verdict.NOT_PROVED,
        why="a moved case shifts every transition on its path, so the released counts are not the true ones plus "
        "the noise",
        reference="article, Prop. sampling; notes 4.7",
    )


def _selection(event: DataDependentSelection) -> Guarantee:
    return _unbounded(
        event.claim,
        f"Choosing {event.what} from the log costs nothing.",
        f"{event.what}: {event.rule}",
        Verdict.REFUTED,
    )


def _unbounded(claim: str, statement: str, why: str, verdict: Verdict) -> Guarantee:
    return Guarantee(
        claim=claim,
        statement=statement,
        scope=Scope.CASE,
        relation=Relation.REPLACE,
        kind=Kind.PURE,
        epsilon=None,
        advantage=None,
        verdict=verdict,
        why=why,
    )


def _whole_release(tree: PrivacyEvent) -> tuple[Guarantee, ...]:
    """The strict bound of everything together: only post-processing is free, nothing else here bounds a case."""
    costly = [event for event in flatten(tree) if not isinstance(event, PostProcessing)]
    bounded = not costly
    return tuple(
        Guarantee(
            claim=f"whole-release-{scope.value}",
            statement=f"Nobody can guess anything about one {scope.value} much better after the release than before.",
            scope=scope,
            relation=Relation.REPLACE,
            kind=Kind.PURE,
            epsilon=0.0 if bounded else None,
            advantage=0.0 if bounded else None,
            verdict=Verdict.PROVED if bounded else Verdict.NOT_PROVED,
            why="nothing was released"
            if bounded
            else "at least one step has no bound for a whole case (see the other claims); a sum with an unbounded "
            "part is unbounded",
        )
        for scope in (Scope.CASE, Scope.INDIVIDUAL)
    )
