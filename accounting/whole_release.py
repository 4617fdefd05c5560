"""What a release guarantees as a whole, all of its parts together, in both readings, and what stands against it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from accounting.change import View
from accounting.claims import claim
from accounting.confidential import Withheld
from accounting.events import BoundedLaplace, OneSidedCount, PrivacyEvent, ThresholdedHistogram
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.implied import claimed_one_sided, implied_advantage
from accounting.loss import NO_BOUND, Loss
from accounting.losses import strict_loss
from accounting.published import published_loss
from accounting.quantities import UNBOUNDED, Epsilon, rounded_up
from accounting.standing import (
    CASES_TOLD,
    NUMBER_TOLD,
    UNIT,
    assumed,
    cases_unknown,
    is_article_s,
    number_from_the_log,
    number_tells_of_individuals,
    standing,
    subject,
)
from accounting.trees import leaves

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
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


def whole_release(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    """One guarantee for each reading, scope and relation in which something is to be said."""
    article = is_article_s(tree)
    for reading, scope, relation in _LINES:
        if reading is Reading.PUBLISHED and not article:
            continue  # the article says nothing of such a release
        # The advantage belongs to the replace relation, whichever line asks.
        strict = strict_loss(tree, scope, relation if reading is Reading.STRICT else REPLACE, view)
        if reading is Reading.STRICT and relation is ADD_REMOVE and number_from_the_log(tree):
            yield replace(_strict_whole(tree, scope, relation, NO_BOUND), verdict=Verdict.REFUTED, why=NUMBER_TOLD)
            continue
        if reading is Reading.STRICT and scope is Scope.INDIVIDUAL and number_tells_of_individuals(tree):
            yield replace(_strict_whole(tree, scope, relation, NO_BOUND), verdict=Verdict.REFUTED, why=CASES_TOLD)
            continue
        if reading is Reading.STRICT:
            yield _strict_whole(tree, scope, relation, strict)
        else:
            yield _published_whole(tree, scope, relation, view, strict)


def _strict_whole(tree: PrivacyEvent, scope: Scope, relation: Relation, loss: Loss) -> Guarantee:
    verdict, why = standing(tree, scope, loss)
    if not loss.epsilon.bounded:  # whatever it says of the average is another line (accounting.average_release)
        loss = NO_BOUND
    return Guarantee(
        claim="whole-release",
        reading=Reading.STRICT,
        statement=f"{subject(tree)}, with respect to {UNIT[scope]}: the losses of all parts added up"
        + (
            _meaning_of_delta(tree, loss)
            if loss.delta and implied_advantage(loss, scope, relation) is not None
            else "."
        ),
        scope=scope,
        relation=relation,
        kind=Kind.APPROXIMATE if loss.delta else Kind.PURE,
        epsilon=loss.epsilon,
        delta=rounded_up(loss.delta) if loss.delta else 0.0,
        advantage=implied_advantage(loss, scope, relation),
        verdict=verdict,
        why=why,
        assumptions=assumed(tree, scope),
        reference=claim("whole-release").reference,
    )


def _published_whole(tree: PrivacyEvent, scope: Scope, relation: Relation, view: View, strict: Loss) -> Guarantee:
    """What the article would say of the release. It stands only if the strict reading proves as much."""
    epsilon = published_loss(tree, scope, view)
    claimed = _claimed_advantage(tree, scope, epsilon)
    verdict, why = standing(tree, scope, strict)
    if strict.epsilon.bounded:
        proved = implied_advantage(strict, scope, REPLACE)
        if strict.delta or proved is None or claimed is None or proved > claimed:
            verdict, why = Verdict.NOT_PROVED, "the strict reading proves a weaker guarantee only"
    return Guarantee(
        claim="whole-release",
        reading=Reading.PUBLISHED,
        statement=f"{subject(tree)}, as the article reads it, with respect to {UNIT[scope]}: control flow and times "
        "each have an ε of "
        "their own, and moving cases, filtering and grouping are free.",
        scope=scope,
        relation=relation,
        kind=Kind.PERSONALISED if _has_times(tree) and scope is not Scope.CELL else Kind.PURE,
        epsilon=UNBOUNDED if epsilon is None else epsilon,
        delta=0.0,
        advantage=claimed,
        verdict=verdict,
        why=why,
        assumptions=assumed(tree, scope),
        reference="article, final lemma",
        withheld=epsilon is None,
    )


def _has_times(tree: PrivacyEvent) -> bool:
    return any(isinstance(leaf, BoundedLaplace) for leaf in leaves(tree))


def _claimed_advantage(tree: PrivacyEvent, scope: Scope, epsilon: Epsilon | None) -> float | None:
    """The advantage that the article claims: the one that was asked for, where times are in play."""
    if scope is Scope.INDIVIDUAL and cases_unknown(tree):
        return None
    asked = [leaf.advantage for leaf in leaves(tree) if isinstance(leaf, BoundedLaplace)]
    if asked and scope is not Scope.CELL:
        return max(asked)
    if epsilon is None:
        return None
    if any(isinstance(leaf, OneSidedCount) for leaf in leaves(tree)):
        return claimed_one_sided(epsilon)
    return implied_advantage(Loss(epsilon), Scope.CELL, REPLACE)  # the article counts an add-remove ε once


_MIXTURE = (
    "; with P as the chance of a guess before, and A as the advantage: nobody guesses right more often than "
    "(1-δ)·(P+A)+δ, and what a guess is surer of than P+A is on average at most δ·(1-P-A)"
)
_KNOWN_OTHERS = "; whoever knows all other cases is surer than P+A with probability at most δ"


def _meaning_of_delta(tree: PrivacyEvent, loss: Loss) -> str:
    """What is proved beside a δ, and no more (``mixture-exception``)."""
    return _MIXTURE + (_KNOWN_OTHERS if others_known(tree, float(loss.delta)) else "") + "."


def others_known(tree: PrivacyEvent, delta: float) -> bool:
    """Whether δ also bounds how often somebody who knows all other cases exceeds the advantage: the condition of
    ``threshold-known-others``, δ ≤ 1 - e^(-1/b), with room for rounding."""
    scales = [leaf.scale for leaf in leaves(tree) if isinstance(leaf, ThresholdedHistogram)]
    return all(not isinstance(scale, Withheld) and delta <= -0.999 * math.expm1(-1 / scale) for scale in scales)
