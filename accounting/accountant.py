"""From what a release did (a tree of events) to what it guarantees.

Every guarantee derives from the tree alone: its figures from ``accounting.losses``, its verdict from the registry of
claims. There is a public account, which uses public facts only, and a confidential one with the figures of the log.
The whole tree is checked before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    PrivacyEvent,
    SharedByIndividual,
    ThresholdedHistogram,
)
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.ledger import Ledger, tree_of
from accounting.losses import Loss, View, published_loss, strict_loss
from accounting.parts import ADD_REMOVE, BOUNDED_VERDICTS, REPLACE, claims_of_parts, implied_advantage
from accounting.quantities import UNBOUNDED, rounded_up
from accounting.trees import check, leaves, nodes


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


def replay(ledger: Ledger) -> Account:
    """The account of a release from its ledger alone: the same guarantees, bit for bit."""
    return account(tree_of(ledger))


def _guarantees(tree: PrivacyEvent, view: View) -> tuple[Guarantee, ...]:
    claims: dict[tuple[object, ...], Guarantee] = {}
    for guarantee in (*_whole_release(tree, view), *claims_of_parts(tree, view)):
        # The same claim about two parts of a tree is stated once, with the larger figure.
        key = (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation, guarantee.kind)
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
        advantage=implied_advantage(loss),
        verdict=verdict,
        why=why,
        assumptions=_assumptions(tree) if verdict in BOUNDED_VERDICTS else (),
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
        advantage=implied_advantage(Loss(epsilon)) if shown else max(claimed),
        verdict=verdict,
        why=why,
        assumptions=_assumptions(tree) if verdict in BOUNDED_VERDICTS else (),
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


def strictest(guarantees: tuple[Guarantee, ...], scope: Scope, relation: Relation) -> Guarantee:
    """The strict bound for the whole release at a scope: what ``--require`` and budgets look at."""
    return next(
        guarantee
        for guarantee in guarantees
        if (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation)
        == ("whole-release", Reading.STRICT, scope, relation)
    )


__all__ = ["Account", "account", "replay", "strictest"]
