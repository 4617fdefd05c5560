"""What can be claimed of the parts of a release: one record, one or more claims of the registry."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.change import View
from accounting.claims import claim
from accounting.curve import curve_of
from accounting.events import PrivacyEvent, RepeatedRelease, Replicated
from accounting.guarantee import BOUNDED_VERDICTS, Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.implied import implied_advantage
from accounting.loss import NO_BOUND, Loss
from accounting.losses import strict_loss
from accounting.published import published_loss
from accounting.quantities import UNBOUNDED, rounded_up
from accounting.rules import rule_of
from accounting.rules.rule import PartClaim
from accounting.trees import individuals_from_the_log, leaves, surrounded, with_surroundings


def claims_of_parts(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    void = _what_voids(tree)
    for leaf, around in with_surroundings(tree):
        for made in rule_of(leaf).claims(leaf, view):
            line = _line(made, _figure(made, tree if made.of_whole_tree else surrounded(leaf, around), view))
            if made.adjusted is not None:
                line = made.adjusted(line, _times(around))
            yield _voided(line, void)
    if individuals_from_the_log(tree):
        made = PartClaim("individuals-from-the-log", Reading.PUBLISHED, Scope.INDIVIDUAL, Relation.REPLACE)
        yield _line(made, None)


def _what_voids(tree: PrivacyEvent) -> str | None:
    """The claim whose failure takes every proved bound of a part away: predictable noise before all others."""
    found = {name for leaf in leaves(tree) if (name := rule_of(leaf).voids(leaf)) is not None}
    return "predictable-noise" if "predictable-noise" in found else min(found, default=None)


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
        curve=None,
    )


def _figure(made: PartClaim, tree: PrivacyEvent, view: View) -> Loss | None:
    """None: not public."""
    if made.claimed is not None:
        return made.claimed
    if made.reading is Reading.STRICT:
        return strict_loss(tree, made.scope, made.relation, view)
    epsilon = published_loss(tree, made.scope, view)
    return None if epsilon is None else Loss(epsilon)


def _times(around: tuple[PrivacyEvent, ...]) -> int:
    """How often a record counts that is inside these."""
    return math.prod(
        outer.copies if isinstance(outer, Replicated) else outer.releases if isinstance(outer, RepeatedRelease) else 1
        for outer in around
    )


def _line(made: PartClaim, loss: Loss | None) -> Guarantee:
    """A claim of the registry with the figures of this release; without a loss the figure is withheld."""
    record = claim(made.claim)
    verdict, why = record.verdict, record.why
    known_loss = loss if loss is not None else NO_BOUND
    if verdict in BOUNDED_VERDICTS and made.claimed is not None:
        verdict, why = Verdict.NOT_PROVED, f"{why}; but that is its author's word, and no check of it is registered"
    elif verdict in BOUNDED_VERDICTS and not known_loss.bounded:
        verdict, why = Verdict.NOT_PROVED, f"{why}; but a fact that the bound needs is not declared public"
    curve = curve_of(known_loss, made.relation) if made.kind is Kind.ON_AVERAGE else None
    advantage = implied_advantage(known_loss, made.scope, made.relation)
    if curve is not None:
        advantage = min(1.0, rounded_up(Fraction(curve.advantage)))
    return Guarantee(
        claim=made.claim,
        reading=made.reading,
        statement=record.statement,
        scope=made.scope,
        relation=made.relation,
        kind=made.kind,
        epsilon=known_loss.epsilon,
        delta=rounded_up(known_loss.delta) if known_loss.delta else 0.0,
        advantage=advantage if verdict in BOUNDED_VERDICTS else None,
        verdict=verdict,
        why=why,
        assumptions=tuple(dict.fromkeys((Assumption.INDEPENDENT_CASES, *record.assumptions))),
        reference=record.reference,
        curve=curve,
        withheld=loss is None,
    )


__all__ = ["BOUNDED_VERDICTS", "claims_of_parts", "implied_advantage"]
