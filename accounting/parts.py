"""What can be claimed of the parts of a release: one record, one or more claims of the registry."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from accounting.algebra import one_sided_advantage
from accounting.assumptions import Assumption
from accounting.claims import claim
from accounting.confidential import Withheld
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    OneSidedCount,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.losses import KNOWN, Loss, View, strict_loss
from accounting.personalised import largest_rate
from accounting.published import published_loss
from accounting.quantities import UNBOUNDED, Epsilon, EpsilonPerMillisecond, rounded_up
from accounting.trees import individuals_from_the_log, leaves, surrounded, with_surroundings

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
BOUNDED_VERDICTS = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)


def claims_of_parts(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    void = _what_voids(tree)
    for leaf, around in with_surroundings(tree):
        for guarantee in _claims_of(leaf, around, tree, view):
            yield _voided(guarantee, void)
    if individuals_from_the_log(tree):
        yield _from_claim("individuals-from-the-log", Reading.PUBLISHED, Scope.INDIVIDUAL, REPLACE, Kind.PURE, None)


def _what_voids(tree: PrivacyEvent) -> str | None:
    """The claim whose failure takes every proved bound of a part away: predictable noise, or private data that
    selected cases."""
    if any(isinstance(leaf, NonPrivate) for leaf in leaves(tree)):
        return "predictable-noise"
    if any(
        isinstance(leaf, DataDependentSelection) and leaf.of == "cases" and not leaf.made_by for leaf in leaves(tree)
    ):
        return "selection-of-cases"
    return None


def _voided(guarantee: Guarantee, by: str | None) -> Guarantee:
    if by is None or claim(guarantee.claim).verdict not in BOUNDED_VERDICTS:
        return guarantee
    obstacle = claim(by)
    return replace(
        guarantee,
        epsilon=UNBOUNDED,
        delta=0.0,
        advantage=None,
        verdict=obstacle.verdict,
        why=f"{by}: {obstacle.why}",
        rate=None,
    )


def _claims_of(  # noqa: PLR0912 -- one case a kind of record
    leaf: PrivacyEvent, around: tuple[PrivacyEvent, ...], tree: PrivacyEvent, view: View
) -> Iterator[Guarantee]:
    alone = surrounded(leaf, around)

    def strict(name: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> Guarantee:
        return _from_claim(name, Reading.STRICT, scope, relation, kind, strict_loss(alone, scope, relation, view))

    def published(name: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> Guarantee:
        epsilon = published_loss(alone, scope, view)
        loss = None if epsilon is None else Loss(epsilon)
        return _from_claim(name, Reading.PUBLISHED, scope, relation, kind, loss)

    if type(leaf) not in KNOWN:
        yield strict("unknown-step", Scope.CASE, REPLACE)
        return
    match leaf:
        case LaplaceCount():
            yield strict("count-cell", Scope.CELL, ADD_REMOVE)
            yield published("count-table", Scope.CASE, REPLACE)
            yield published("relation", Scope.CASE, REPLACE)
            yield strict("count-table-composed", Scope.CASE, ADD_REMOVE)
            yield strict("count-table-composed", Scope.CASE, REPLACE)
        case OneSidedCount():
            line = published("one-sided-count", Scope.CELL, ADD_REMOVE, Kind.ADVANTAGE_ONLY)
            yield line if line.withheld else replace(line, advantage=claimed_one_sided(line.epsilon))
        case CaseMoves():
            # The claim is that the released counts are as private as the noisy ones.
            noisy = published_loss(tree, Scope.CELL, view)
            loss = None if noisy is None else Loss(noisy)
            yield _from_claim("released-counts", Reading.PUBLISHED, Scope.CELL, ADD_REMOVE, Kind.PURE, loss)
        case BoundedLaplace(scales="public"):
            yield strict("event-time-public-scale", Scope.EVENT, REPLACE)
            if view is View.CONFIDENTIAL and not isinstance(leaf.columns, Withheld):
                per_time = strict("event-time-public-scale", Scope.EVENT, REPLACE, Kind.PER_UNIT_OF_TIME)
                yield replace(per_time, rate=_rate(leaf, around))
        case BoundedLaplace():
            for name in ("event-time", "event-time-any-prior", "copies"):
                yield published(name, Scope.EVENT, REPLACE, Kind.PERSONALISED)
            for name in ("case-times", "personalised-dp"):
                yield published(name, Scope.CASE, REPLACE, Kind.PERSONALISED)
        case DataDependentSelection(declared_public=False, made_by=None):
            yield published(f"selection-of-{leaf.of}", Scope.CASE, REPLACE)
        case WeightedHistogram():
            yield strict("weighted-histogram", Scope.CASE, ADD_REMOVE)
            yield strict("weighted-histogram", Scope.CASE, REPLACE)
        case NoisyMax():
            yield strict("noisy-max", Scope.CASE, REPLACE)
        case ThresholdedHistogram():
            yield strict("threshold-mixture", Scope.CASE, REPLACE, Kind.APPROXIMATE)
        case NonPrivate():
            yield strict("predictable-noise", Scope.CASE, REPLACE)
        case _:
            return


def _rate(leaf: BoundedLaplace, around: tuple[PrivacyEvent, ...]) -> EpsilonPerMillisecond | None:
    rate = largest_rate(leaf.columns.reveal())
    times = math.prod(
        outer.copies if isinstance(outer, Replicated) else outer.releases if isinstance(outer, RepeatedRelease) else 1
        for outer in around
    )
    return None if rate is None else EpsilonPerMillisecond(rate.value * times)


def _from_claim(
    name: str, reading: Reading, scope: Scope, relation: Relation, kind: Kind, loss: Loss | None
) -> Guarantee:
    """A claim of the registry with the figures of this release; without a loss the figure is withheld."""
    record = claim(name)
    verdict, why = record.verdict, record.why
    known_loss = loss if loss is not None else Loss(UNBOUNDED)
    if verdict in BOUNDED_VERDICTS and not known_loss.epsilon.bounded:
        verdict, why = Verdict.NOT_PROVED, f"{why}; but a fact that the bound needs is not declared public"
    return Guarantee(
        claim=name,
        reading=reading,
        statement=record.statement,
        scope=scope,
        relation=relation,
        kind=kind,
        epsilon=known_loss.epsilon,
        delta=rounded_up(known_loss.delta) if known_loss.delta else 0.0,
        advantage=implied_advantage(known_loss, scope, relation) if verdict in BOUNDED_VERDICTS else None,
        verdict=verdict,
        why=why,
        assumptions=tuple(dict.fromkeys((Assumption.INDEPENDENT_CASES, *record.assumptions))),
        reference=record.reference,
        withheld=loss is None,
    )


def implied_advantage(loss: Loss, scope: Scope, relation: Relation) -> float | None:
    """Largest guessing advantage over all priors, every output: tanh(ε/4) for a replaced unit.

    Adding or removing a case bounds what can be guessed about it only as two steps, remove and add: twice ε, except
    for a single cell. An approximate guarantee by itself implies none. Where it is a mixture (``threshold-mixture``)
    it is that of the part of probability 1 - δ: nobody succeeds more often than (1 - δ)·(P + A) + δ.
    """
    if loss.epsilon.value is None or (loss.delta and (not loss.mixture or relation is ADD_REMOVE)):
        return None
    twice = relation is ADD_REMOVE and scope in (Scope.CASE, Scope.INDIVIDUAL)
    above = _float_above(loss.epsilon.value * (2 if twice else 1))
    return min(1.0, rounded_up(Fraction(float(worst_case_advantage(above)))))


def claimed_one_sided(epsilon: Epsilon) -> float | None:
    """The advantage that the article claims for one-sided noise of this ε."""
    if epsilon.value is None:
        return None
    x = math.exp(-_float_above(epsilon.value) / 2)
    return min(1.0, rounded_up(Fraction(one_sided_advantage(x))))


def _float_above(value: Fraction) -> float:
    return math.inf if value > Fraction(sys.float_info.max) else math.nextafter(float(value), math.inf)
