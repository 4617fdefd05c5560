"""From what a release did (a tree of events) to what it guarantees.

Every guarantee derives from the tree alone: its figures from ``accounting.losses``, its verdict from the registry of
claims. There is a public account, which uses public facts only, and a confidential one with the figures of the log.
The whole tree is checked before anything is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from accounting.average_release import average_release
from accounting.change import View
from accounting.confidential import Confidential
from accounting.events import PrivacyEvent
from accounting.guarantee import AVERAGE_RELEASE, WHOLE_RELEASE, Guarantee, Reading, Relation, Scope
from accounting.ledger import Ledger, tree_of
from accounting.parts import claims_of_parts
from accounting.publication import PublicTree, public_tree
from accounting.whole_release import whole_release


@dataclass(frozen=True, slots=True)
class Account:
    """What a release guarantees, for everybody and for those who may see figures of the original."""

    public: tuple[Guarantee, ...]
    """From public facts alone: what a report states."""
    confidential: Confidential[tuple[Guarantee, ...]]
    """With the figures of the log."""


def account(tree: PrivacyEvent) -> Account:
    """Both accounts of a release."""
    return Account(
        # Of the published tree, so that whoever has it finds the same guarantees, and no confidential figure can enter.
        public=_guarantees(public_tree(tree).tree, View.PUBLIC),
        confidential=Confidential(_guarantees(tree, View.CONFIDENTIAL)),
    )


def public_account(published: PublicTree) -> tuple[Guarantee, ...]:
    """What anybody can derive from the mechanisms that a release publishes."""
    return _guarantees(public_tree(published.tree).tree, View.PUBLIC)


def replay(ledger: Ledger) -> Account:
    """The account of a release from its ledger alone: the same guarantees, bit for bit."""
    return account(tree_of(ledger))


def _guarantees(tree: PrivacyEvent, view: View) -> tuple[Guarantee, ...]:
    claims: dict[tuple[object, ...], Guarantee] = {}
    for guarantee in (*whole_release(tree, view), *average_release(tree, view), *claims_of_parts(tree, view)):
        # The same claim about two parts of a tree is stated once, with the larger figure.
        key = (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation, guarantee.kind)
        if key not in claims or _smaller(claims[key], guarantee):
            claims[key] = guarantee
    if view is View.CONFIDENTIAL:
        return tuple(claims.values())
    # Exact fractions would carry more than what is stated.
    return tuple(replace(line, epsilon=line.epsilon.rounded()) for line in claims.values())


def _smaller(one: Guarantee, other: Guarantee) -> bool:
    if one.rate is not None and other.rate is not None:
        return one.rate.value < other.rate.value
    return one.epsilon < other.epsilon


def on_average(guarantees: tuple[Guarantee, ...], scope: Scope) -> Guarantee | None:
    """Of the ``guarantees``, the bound on average over the noise for the whole release at a scope; None if nothing is
    said of it there. It bounds something only where its verdict says so."""
    for line in guarantees:
        if (line.claim, line.scope, line.relation) == (AVERAGE_RELEASE, scope, Relation.LEAVE_OUT):
            return line
    return None


def strictest(guarantees: tuple[Guarantee, ...], scope: Scope, relation: Relation) -> Guarantee:
    """Of the ``guarantees``, the strict bound for the whole release at a scope, in a relation: what demands on a
    release and budgets look at."""
    return next(
        guarantee
        for guarantee in guarantees
        if (guarantee.claim, guarantee.reading, guarantee.scope, guarantee.relation)
        == (WHOLE_RELEASE, Reading.STRICT, scope, relation)
    )


__all__ = ["Account", "account", "on_average", "public_account", "replay", "strictest"]
