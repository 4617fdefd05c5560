"""From what a release did (a tree of events) to what it guarantees.

Every guarantee derives from the tree alone: its figures from ``accounting.losses``, its verdict from the registry of
claims. There is a public account, which uses public facts only, and a confidential one with the figures of the log.
The whole tree is checked before anything is computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.claims import claim
from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
)
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.losses import Loss, View, check, published_loss, strict_loss
from accounting.quantities import UNBOUNDED, Epsilon, rounded_up

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
_BOUNDED_VERDICTS = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)


@dataclass(frozen=True, slots=True)
class Account:
    """What a release guarantees, for everybody and for those who may see figures of the original."""

    public: tuple[Guarantee, ...]
    confidential: Confidential[tuple[Guarantee, ...]]


def account(tree: PrivacyEvent) -> Account:
    """Both accounts of a release."""
    check(tree)
    return Account(
        public=_guarantees(tree, View.PUBLIC), confidential=Confidential(_guarantees(tree, View.CONFIDENTIAL))
    )


def _guarantees(tree: PrivacyEvent, view: View) -> tuple[Guarantee, ...]:
    claims: dict[tuple[object, ...], Guarantee] = {}
    for guarantee in (*_whole_release(tree, view), *_claims_of_parts(tree, view)):
        # The same claim about two parts of a tree is stated once, with the larger figure.
        key = (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation)
        if key not in claims or claims[key].epsilon < guarantee.epsilon:
            claims[key] = guarantee
    return tuple(claims.values())


# --- the whole release ----------------------------------------------------------------------------------------------

_LINES = (
    (Reading.PUBLISHED, Scope.CELL, ADD_REMOVE),
    (Reading.PUBLISHED, Scope.EVENT, REPLACE),
    (Reading.PUBLISHED, Scope.CASE, ADD_REMOVE),
    (Reading.PUBLISHED, Scope.INDIVIDUAL, ADD_REMOVE),
    (Reading.STRICT, Scope.CELL, REPLACE),
    (Reading.STRICT, Scope.EVENT, REPLACE),
    (Reading.STRICT, Scope.CASE, ADD_REMOVE),
    (Reading.STRICT, Scope.CASE, REPLACE),
    (Reading.STRICT, Scope.INDIVIDUAL, ADD_REMOVE),
    (Reading.STRICT, Scope.INDIVIDUAL, REPLACE),
)


def _whole_release(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    for reading, scope, relation in _LINES:
        strict = strict_loss(tree, scope, relation, view)
        if reading is Reading.STRICT:
            yield _whole(tree, reading, scope, relation, strict)
        else:
            yield _published_whole(tree, scope, relation, view, strict)


def _whole(tree: PrivacyEvent, reading: Reading, scope: Scope, relation: Relation, loss: Loss) -> Guarantee:
    verdict, why = _standing(tree, scope, loss)
    return Guarantee(
        claim="whole-release",
        reading=reading,
        statement=f"The whole release, with respect to {_UNIT[scope]}: the losses of all parts added up.",
        scope=scope,
        relation=relation,
        kind=Kind.APPROXIMATE if loss.delta else Kind.PURE,
        epsilon=loss.epsilon,
        delta=rounded_up(loss.delta) if loss.delta else 0.0,
        advantage=_advantage(loss),
        verdict=verdict,
        why=why,
        assumptions=_assumptions(tree) if verdict in _BOUNDED_VERDICTS else (),
        reference=claim("whole-release").reference,
    )


def _published_whole(tree: PrivacyEvent, scope: Scope, relation: Relation, view: View, strict: Loss) -> Guarantee:
    """What the article would say of the release. The Φ of events is confidential: publicly only its advantage is
    stated."""
    personalised = scope is not Scope.CELL and any(isinstance(leaf, BoundedLaplace) for leaf in leaves(tree))
    shown = not (personalised and view is View.PUBLIC)
    epsilon = published_loss(tree, scope, view)
    stands = strict.epsilon.bounded and strict.epsilon <= epsilon
    verdict, why = _standing(tree, scope, strict)
    if strict.epsilon.bounded and not stands:
        verdict, why = Verdict.NOT_PROVED, "the strict reading proves a larger loss only"
    claimed = [leaf.advantage for leaf in leaves(tree) if isinstance(leaf, BoundedLaplace)]
    return Guarantee(
        claim="whole-release",
        reading=Reading.PUBLISHED,
        statement=f"As the article reads it, with respect to {_UNIT[scope]}: control flow and times each have an ε "
        "of their "
        "own, and moving cases, filtering and grouping are free.",
        scope=scope,
        relation=relation,
        kind=Kind.PERSONALISED if personalised else Kind.PURE,
        epsilon=epsilon if shown else UNBOUNDED,
        delta=0.0,
        advantage=_advantage(Loss(epsilon)) if shown else max(claimed),
        verdict=verdict,
        why=why,
        assumptions=_assumptions(tree) if verdict in _BOUNDED_VERDICTS else (),
        reference="article, final lemma",
        withheld=not shown,
    )


_UNIT = {
    Scope.CELL: "what one table cell says about one individual",
    Scope.EVENT: "one relative time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}


def _standing(tree: PrivacyEvent, scope: Scope, loss: Loss) -> tuple[Verdict, str]:
    """The verdict on a bound for everything together, from the verdicts on what has none."""
    if loss.epsilon.bounded:
        return Verdict.PROVED_UNDER_ASSUMPTIONS, "every part has a proved loss, and losses add"
    obstacles = [name for leaf in leaves(tree) if (name := _obstacle(leaf, scope)) is not None]
    for name in obstacles:
        if claim(name).verdict is Verdict.REFUTED:
            return Verdict.REFUTED, f"{name}: {claim(name).why}"
    if obstacles:
        return Verdict.NOT_PROVED, f"{obstacles[0]}: {claim(obstacles[0]).why}"
    return (
        Verdict.NOT_PROVED,
        "a fact that the bound needs (length of a case, cases of an individual) is not declared public",
    )


def _obstacle(leaf: PrivacyEvent, scope: Scope) -> str | None:
    """The claim that would have to hold for the leaf to have a bound at this scope."""
    if strict_loss(leaf, scope, REPLACE, View.CONFIDENTIAL).epsilon.bounded:
        return None
    match leaf:
        case DataDependentSelection():
            return f"selection-of-{leaf.of}"
        case BoundedLaplace():
            return "event-time"
        case OneSidedCount():
            return "one-sided-count"
        case CaseMoves():
            return "released-counts"
        case NonPrivate():
            return "predictable-noise"
        case LaplaceCount():
            return None  # an undeclared fact, no failed claim
        case _:
            return "unknown-step"


def _assumptions(tree: PrivacyEvent) -> tuple[Assumption, ...]:
    """Everything that a bound for this tree rests on, each once, in the order of the list of assumptions."""
    found = {Assumption.INDEPENDENT_CASES, Assumption.PUBLIC_LABELS}
    for leaf in leaves(tree):
        match leaf:
            case LaplaceCount():
                found |= {Assumption.EXACT_SAMPLER, Assumption.PUBLIC_LENGTH}
            case ThresholdedHistogram():
                found |= {Assumption.EXACT_SAMPLER}
            case BoundedLaplace():
                found |= set(claim("event-time-public-scale").assumptions) | {Assumption.PUBLIC_TIME_FRAME}
            case DataDependentSelection(declared_public=True):
                found |= {Assumption.PUBLIC_VARIANTS if leaf.of == "variants" else Assumption.PUBLIC_GROUPS}
            case _:
                pass
    if any(isinstance(node, SharedByIndividual) for node in nodes(tree)):
        found.add(Assumption.PUBLIC_CASES_PER_INDIVIDUAL)
    return tuple(assumption for assumption in Assumption if assumption in found)


# --- claims about parts ---------------------------------------------------------------------------------------------


def _claims_of_parts(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    selected = any(isinstance(leaf, DataDependentSelection) and leaf.of == "cases" for leaf in leaves(tree))
    seeded = any(isinstance(leaf, NonPrivate) for leaf in leaves(tree))
    for leaf, around in _with_surroundings(tree):
        for guarantee in _claims_of(leaf, around, view):
            yield _voided(guarantee, "predictable-noise" if seeded else "selection-of-cases" if selected else None)


def _voided(guarantee: Guarantee, by: str | None) -> Guarantee:
    """A proved bound of a part does not survive predictable noise, or counting cases that private data selected."""
    if by is None or guarantee.verdict not in _BOUNDED_VERDICTS:
        return guarantee
    obstacle = claim(by)
    return replace(
        guarantee,
        epsilon=UNBOUNDED,
        delta=0.0,
        advantage=None,
        verdict=obstacle.verdict,
        why=f"{by}: {obstacle.why}",
        assumptions=(),
    )


def _claims_of(leaf: PrivacyEvent, around: tuple[PrivacyEvent, ...], view: View) -> Iterator[Guarantee]:
    def strict(name: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> Guarantee:
        loss = strict_loss(_surrounded(leaf, around), scope, relation, view)
        return _from_claim(name, Reading.STRICT, scope, relation, kind, loss)

    def published(name: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> Guarantee:
        hidden = isinstance(leaf, BoundedLaplace) and view is View.PUBLIC
        epsilon = UNBOUNDED if hidden else published_loss(_surrounded(leaf, around), scope, view)
        return replace(_from_claim(name, Reading.PUBLISHED, scope, relation, kind, Loss(epsilon)), withheld=hidden)

    match leaf:
        case LaplaceCount():
            yield strict("count-cell", Scope.CELL, ADD_REMOVE)
            yield published("count-table", Scope.CASE, REPLACE)
            yield published("relation", Scope.CASE, REPLACE)
            yield strict("count-table-composed", Scope.CASE, ADD_REMOVE)
            yield strict("count-table-composed", Scope.CASE, REPLACE)
        case OneSidedCount():
            yield published("one-sided-count", Scope.CELL, ADD_REMOVE, Kind.ADVANTAGE_ONLY)
        case CaseMoves():
            yield published("released-counts", Scope.CELL, ADD_REMOVE)
        case BoundedLaplace(scales="public"):
            yield strict("event-time-public-scale", Scope.EVENT, REPLACE)
        case BoundedLaplace():
            for name in ("event-time", "event-time-any-prior", "copies"):
                yield published(name, Scope.EVENT, REPLACE, Kind.PERSONALISED)
            for name in ("case-times", "personalised-dp"):
                yield published(name, Scope.CASE, REPLACE, Kind.PERSONALISED)
        case DataDependentSelection(declared_public=False, made_by=None):
            yield published(f"selection-of-{leaf.of}", Scope.CASE, REPLACE)
        case NonPrivate():
            yield strict("predictable-noise", Scope.CASE, REPLACE)
        case PostProcessing() | ThresholdedHistogram() | DataDependentSelection():
            return
        case _:
            yield strict("unknown-step", Scope.CASE, REPLACE)


def _from_claim(name: str, reading: Reading, scope: Scope, relation: Relation, kind: Kind, loss: Loss) -> Guarantee:
    record = claim(name)
    verdict, why = record.verdict, record.why
    if verdict in _BOUNDED_VERDICTS and not loss.epsilon.bounded:
        verdict, why = Verdict.NOT_PROVED, f"{why}; but a fact that the bound needs is not declared public"
    return Guarantee(
        claim=name,
        reading=reading,
        statement=record.statement,
        scope=scope,
        relation=relation,
        kind=kind,
        epsilon=loss.epsilon,
        delta=rounded_up(loss.delta) if loss.delta else 0.0,
        advantage=_advantage(loss) if verdict in _BOUNDED_VERDICTS else None,
        verdict=verdict,
        why=why,
        assumptions=(Assumption.INDEPENDENT_CASES, *record.assumptions) if verdict in _BOUNDED_VERDICTS else (),
        reference=record.reference,
    )


def _advantage(loss: Loss) -> float | None:
    """Largest guessing advantage over all priors: tanh(ε/4), and δ more where the guarantee is approximate."""
    if loss.epsilon.value is None:
        return None
    above = math.nextafter(float(loss.epsilon.value), math.inf)
    return min(1.0, rounded_up(Fraction(float(worst_case_advantage(above))) + loss.delta))


# --- walking --------------------------------------------------------------------------------------------------------


def nodes(tree: PrivacyEvent) -> Iterator[PrivacyEvent]:
    """The tree's events, compositions included."""
    yield tree
    match tree:
        case Sequential() | Parallel():
            for part in tree.parts:
                yield from nodes(part)
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            yield from nodes(tree.part)
        case DataDependentSelection(made_by=PrivacyEvent() as made_by):
            yield from nodes(made_by)
        case _:
            pass


def leaves(tree: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    """The tree's events that are no compositions, left to right."""
    return tuple(leaf for leaf, _ in _with_surroundings(tree))


def _with_surroundings(
    tree: PrivacyEvent, around: tuple[PrivacyEvent, ...] = ()
) -> Iterator[tuple[PrivacyEvent, tuple[PrivacyEvent, ...]]]:
    """Each leaf with the compositions around it that multiply its loss, the outermost first."""
    match tree:
        case Sequential() | Parallel():
            for part in tree.parts:
                yield from _with_surroundings(part, around)
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            yield from _with_surroundings(tree.part, (*around, tree))
        case _:
            yield tree, around


def _surrounded(leaf: PrivacyEvent, around: tuple[PrivacyEvent, ...]) -> PrivacyEvent:
    """The leaf alone, inside the compositions that multiply its loss."""
    for outer in reversed(around):
        match outer:
            case Replicated():
                leaf = Replicated(leaf, outer.copies)
            case RepeatedRelease():
                leaf = RepeatedRelease(leaf, outer.releases)
            case SharedByIndividual():
                leaf = SharedByIndividual(leaf, outer.cases)
    return leaf


def strictest(guarantees: tuple[Guarantee, ...], scope: Scope, relation: Relation) -> Guarantee:
    """The strict bound for the whole release at a scope: what ``--require`` and budgets look at."""
    return next(
        guarantee
        for guarantee in guarantees
        if (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation)
        == ("whole-release", Reading.STRICT, scope, relation)
    )


__all__ = ["Account", "Epsilon", "account", "leaves", "nodes", "strictest"]
