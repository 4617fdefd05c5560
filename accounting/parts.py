"""What can be claimed of the parts of a release: one record, one or more claims of the registry."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.claims import claim
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    PostProcessing,
    PrivacyEvent,
    ThresholdedHistogram,
)
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.losses import Loss, View, published_loss, strict_loss
from accounting.personalised import largest_rate
from accounting.quantities import UNBOUNDED, rounded_up
from accounting.trees import leaves, surrounded, with_surroundings

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
BOUNDED_VERDICTS = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)


def claims_of_parts(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    selected = any(isinstance(leaf, DataDependentSelection) and leaf.of == "cases" for leaf in leaves(tree))
    seeded = any(isinstance(leaf, NonPrivate) for leaf in leaves(tree))
    for leaf, around in with_surroundings(tree):
        for guarantee in _claims_of(leaf, around, view):
            yield _voided(guarantee, "predictable-noise" if seeded else "selection-of-cases" if selected else None)


def _voided(guarantee: Guarantee, by: str | None) -> Guarantee:
    """A proved bound of a part does not survive predictable noise, or counting cases that private data selected."""
    if by is None or guarantee.verdict not in BOUNDED_VERDICTS:
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
        loss = strict_loss(surrounded(leaf, around), scope, relation, view)
        return _from_claim(name, Reading.STRICT, scope, relation, kind, loss)

    def published(name: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> Guarantee:
        hidden = isinstance(leaf, BoundedLaplace) and view is View.PUBLIC
        epsilon = UNBOUNDED if hidden else published_loss(surrounded(leaf, around), scope, view)
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
            per_time = strict("event-time-public-scale", Scope.EVENT, REPLACE, Kind.PER_UNIT_OF_TIME)
            yield replace(per_time, rate=largest_rate(leaf.columns.reveal()))
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
    if verdict in BOUNDED_VERDICTS and not loss.epsilon.bounded:
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
        advantage=implied_advantage(loss) if verdict in BOUNDED_VERDICTS else None,
        verdict=verdict,
        why=why,
        assumptions=(Assumption.INDEPENDENT_CASES, *record.assumptions) if verdict in BOUNDED_VERDICTS else (),
        reference=record.reference,
    )


def implied_advantage(loss: Loss) -> float | None:
    """Largest guessing advantage over all priors: tanh(ε/4), and δ more where the guarantee is approximate."""
    if loss.epsilon.value is None:
        return None
    above = math.nextafter(float(loss.epsilon.value), math.inf)
    return min(1.0, rounded_up(Fraction(float(worst_case_advantage(above))) + loss.delta))
