"""What a release guarantees as a whole, all of its parts together, in both readings, and what stands against it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

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
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.losses import COSTLY, KNOWN, NO_BOUND, Loss, View, strict_loss
from accounting.parts import ADD_REMOVE, REPLACE, claimed_one_sided, implied_advantage
from accounting.published import published_loss
from accounting.quantities import UNBOUNDED, Epsilon, rounded_up
from accounting.trees import individuals_from_the_log, leaves, nodes, with_surroundings

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

_NOT_THE_ARTICLE_S = (
    DataDependentSelection,
    NoisyMax,
    NonPrivate,
    PostProcessing,
    TakenAsPublic,
    ThresholdedHistogram,
    WeightedHistogram,
)


def _is_article_s(tree: PrivacyEvent) -> bool:
    """Whether the article's reading has anything to say of it; of a step from outside it is asked as well."""
    return any(type(leaf) not in _NOT_THE_ARTICLE_S for leaf in leaves(tree))


def whole_release(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    """One guarantee for each reading, scope and relation in which something is to be said."""
    article = _is_article_s(tree)
    for reading, scope, relation in _LINES:
        if reading is Reading.PUBLISHED and not article:
            continue  # the article says nothing of such a release
        # The advantage belongs to the replace relation, whichever line asks.
        strict = strict_loss(tree, scope, relation if reading is Reading.STRICT else REPLACE, view)
        if reading is Reading.STRICT and relation is ADD_REMOVE and _number_from_the_log(tree):
            yield replace(_strict_whole(tree, scope, relation, NO_BOUND), verdict=Verdict.REFUTED, why=_NUMBER_TOLD)
            continue
        if reading is Reading.STRICT and scope is Scope.INDIVIDUAL and _number_tells_of_individuals(tree):
            yield replace(_strict_whole(tree, scope, relation, NO_BOUND), verdict=Verdict.REFUTED, why=_CASES_TOLD)
            continue
        if reading is Reading.STRICT:
            yield _strict_whole(tree, scope, relation, strict)
        else:
            yield _published_whole(tree, scope, relation, view, strict)


_NUMBER_TOLD = "the number of cases was read off the log and is told, and adding or removing a case changes it"


_CASES_TOLD = (
    "the number of cases was read off the log and is told, and somebody who may have several changes it by how many "
    "they have"
)


def _number_tells_of_individuals(tree: PrivacyEvent) -> bool:
    """Somebody's cases, replaced by another number of cases, change the number of all. (Where individuals are
    truncated it is measured with noise; with one case each it stays.)"""
    several = any(
        isinstance(node, SharedByIndividual) and not node.truncated and isinstance(node.cases, int) and node.cases > 1
        for node in nodes(tree)
    )
    return several and _number_from_the_log(tree)


def _number_from_the_log(tree: PrivacyEvent) -> bool:
    return any(
        isinstance(leaf, TakenAsPublic) and leaf.what == "number of cases" and leaf.from_log for leaf in leaves(tree)
    )


def _strict_whole(tree: PrivacyEvent, scope: Scope, relation: Relation, loss: Loss) -> Guarantee:
    verdict, why = _standing(tree, scope, loss)
    return Guarantee(
        claim="whole-release",
        reading=Reading.STRICT,
        statement=f"{_subject(tree)}, with respect to {_UNIT[scope]}: the losses of all parts added up"
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
        assumptions=_assumptions(tree, scope),
        reference=claim("whole-release").reference,
    )


def _published_whole(tree: PrivacyEvent, scope: Scope, relation: Relation, view: View, strict: Loss) -> Guarantee:
    """What the article would say of the release. It stands only if the strict reading proves as much."""
    epsilon = published_loss(tree, scope, view)
    claimed = _claimed_advantage(tree, scope, epsilon)
    verdict, why = _standing(tree, scope, strict)
    if strict.epsilon.bounded:
        proved = implied_advantage(strict, scope, REPLACE)
        if strict.delta or proved is None or claimed is None or proved > claimed:
            verdict, why = Verdict.NOT_PROVED, "the strict reading proves a weaker guarantee only"
    return Guarantee(
        claim="whole-release",
        reading=Reading.PUBLISHED,
        statement=f"{_subject(tree)}, as the article reads it, with respect to {_UNIT[scope]}: control flow and times "
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
        assumptions=_assumptions(tree, scope),
        reference="article, final lemma",
        withheld=epsilon is None,
    )


def _subject(tree: PrivacyEvent) -> str:
    """What the figures are about: with an ε divided over several releases they are for all of these."""
    releases = max((node.releases for node in nodes(tree) if isinstance(node, RepeatedRelease)), default=1)
    return "The whole release" if releases == 1 else f"All {releases} releases together"


def _has_times(tree: PrivacyEvent) -> bool:
    return any(isinstance(leaf, BoundedLaplace) for leaf in leaves(tree))


def _claimed_advantage(tree: PrivacyEvent, scope: Scope, epsilon: Epsilon | None) -> float | None:
    """The advantage that the article claims: the one that was asked for, where times are in play."""
    if scope is Scope.INDIVIDUAL and _cases_unknown(tree):
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


_UNIT = {
    Scope.CELL: "what one table cell says about one case",
    Scope.EVENT: "one relative time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}


NO_DECLARED_CASES = "no bound on the cases of one individual is declared, and somebody may have any number"


def _cases_unknown(tree: PrivacyEvent) -> bool:
    """Whether something costs a case and nothing, not even the log, says how many cases an individual has."""
    return any(
        isinstance(leaf, COSTLY)
        and not any(isinstance(outer, SharedByIndividual) and outer.cases is not None for outer in around)
        for leaf, around in with_surroundings(tree)
    )


def _undeclared_cases(tree: PrivacyEvent) -> bool:
    """Whether something costs a case and nobody said how many cases an individual has at most."""
    return any(
        isinstance(leaf, COSTLY)
        and not any(isinstance(outer, SharedByIndividual) and isinstance(outer.cases, int) for outer in around)
        for leaf, around in with_surroundings(tree)
    )


def _standing(tree: PrivacyEvent, scope: Scope, loss: Loss) -> tuple[Verdict, str]:
    """The verdict on a bound for everything together, from the verdicts on what has none."""
    if loss.epsilon.bounded:
        return Verdict.PROVED_UNDER_ASSUMPTIONS, "every part has a proved loss, and losses add"
    # What stands against a bound for an individual's case stands against one for the individual.
    unit = Scope.CASE if scope is Scope.INDIVIDUAL else scope
    obstacles = [name for leaf in leaves(tree) if (name := _obstacle(leaf, unit)) is not None]
    if individuals_from_the_log(tree):
        obstacles.append("individuals-from-the-log")
    for name in obstacles:
        if claim(name).verdict is Verdict.REFUTED:
            return Verdict.REFUTED, f"{name}: {claim(name).why}"
    if obstacles:
        return Verdict.NOT_PROVED, f"{obstacles[0]}: {claim(obstacles[0]).why}"
    if scope is Scope.INDIVIDUAL and _undeclared_cases(tree):
        return Verdict.NOT_PROVED, NO_DECLARED_CASES
    return (
        Verdict.NOT_PROVED,
        "a fact that the bound needs (length of a case, cases of an individual) is not declared public",
    )


def _obstacle(leaf: PrivacyEvent, scope: Scope) -> str | None:
    """The claim that would have to hold for the leaf to have a bound at this scope."""
    if strict_loss(leaf, scope, REPLACE, View.CONFIDENTIAL).epsilon.bounded:
        return None
    if type(leaf) not in KNOWN:
        return "unknown-step"
    match leaf:
        case DataDependentSelection(made_by=None):
            return f"selection-of-{leaf.of}"
        case BoundedLaplace(scales="data"):
            return "event-time"
        case OneSidedCount():
            return "one-sided-count"
        case CaseMoves():
            return "released-counts"
        case NonPrivate():
            return "predictable-noise"
        case _:
            return None  # an undeclared fact, no failed claim


_PUBLIC = {
    "labels": Assumption.PUBLIC_LABELS,
    "variants": Assumption.PUBLIC_VARIANTS,
    "time frame": Assumption.PUBLIC_TIME_FRAME,
    "number of cases": Assumption.PUBLIC_NUMBER_OF_CASES,
    "number of individuals": Assumption.PUBLIC_NUMBER_OF_INDIVIDUALS,
    "longest duration": Assumption.PUBLIC_LONGEST_DURATION,
}


def _assumptions(tree: PrivacyEvent, scope: Scope) -> tuple[Assumption, ...]:
    """What a bound for this tree rests on, or would need, each once, in the order of the list of assumptions."""
    found = {Assumption.INDEPENDENT_CASES, Assumption.READING, Assumption.CHOICES}
    if _is_article_s(tree):  # its tables have a cell for each label of the log
        found.add(Assumption.PUBLIC_LABELS)
    whole = scope in (Scope.CASE, Scope.INDIVIDUAL)
    for leaf in leaves(tree):
        match leaf:
            case LaplaceCount() | OneSidedCount():
                found |= {Assumption.EXACT_SAMPLER, *((Assumption.PUBLIC_LENGTH,) if whole else ())}
            case ThresholdedHistogram() | WeightedHistogram() | NoisyMax():
                found |= {Assumption.EXACT_SAMPLER}
            case BoundedLaplace():
                found |= {*claim("event-time-public-scale").assumptions, Assumption.PUBLIC_TIME_FRAME}
                found |= {Assumption.COPIES_IGNORE_TIMES} if leaf.scales == "data" else set()
                found |= {Assumption.KNOWN_CONTROL_FLOW, Assumption.PUBLIC_LENGTH} if whole else set()
            case TakenAsPublic(from_log=True):
                found.add(_PUBLIC[leaf.what])
            case TakenAsPublic(from_log=False):
                found.add(Assumption.GIVEN_FACTS)
            case DataDependentSelection(made_by=None):
                needed = Assumption.PUBLIC_VARIANTS if leaf.of == "variants" else Assumption.PUBLIC_GROUPS
                found |= {needed} if leaf.of != "cases" else set()
            case _:
                pass
    if scope is Scope.INDIVIDUAL and any(isinstance(leaf, COSTLY) for leaf in leaves(tree)):
        found.add(Assumption.PUBLIC_CASES_PER_INDIVIDUAL)
    return tuple(assumption for assumption in Assumption if assumption in found)
