"""Tables of counts with noise on each cell, and what the article does with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.confidential import Withheld
from accounting.events import CaseMoves, LaplaceCount, OneSidedCount
from accounting.guarantee import Guarantee, Kind, Relation, Scope
from accounting.implied import claimed_one_sided
from accounting.loss import FREE, NO_BOUND, Loss
from accounting.quantities import ZERO, Epsilon
from accounting.rules.rule import NOTHING, Perspectives, Rule, published, strict

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE


def _per_cell(event: LaplaceCount | OneSidedCount) -> Epsilon | None:
    """What one case costs one cell; None if the scale is withheld."""
    return None if isinstance(event.scale, Withheld) else Epsilon(Fraction(event.sensitivity) / Fraction(event.scale))


def _published(event: LaplaceCount | OneSidedCount, scope: Scope) -> Perspectives | None:
    if scope is Scope.EVENT:
        return NOTHING
    cell = _per_cell(event)
    return None if cell is None else (cell, ZERO)


def _assumed(whole_case: bool) -> tuple[Assumption, ...]:
    return (Assumption.EXACT_SAMPLER, *((Assumption.PUBLIC_LENGTH,) if whole_case else ()))


class LaplaceCounts(Rule[LaplaceCount]):
    """Premise: cells fixed without the log; noise of P(Z=k) ∝ exp(-|k|/b), independent by cell. A case moves k cells
    by at most s each. One cell: s/b. The table: k·s/b where the case comes, goes or contributes nothing, 2k·s/b where
    it is replaced. Claims ``count-cell``, ``count-table-composed``."""

    in_the_article = True
    made = (
        strict("count-cell", Scope.CELL, ADD_REMOVE),
        published("count-table", Scope.CASE, REPLACE),
        published("relation", Scope.CASE, REPLACE),
        strict("count-table-composed", Scope.CASE, ADD_REMOVE),
        strict("count-table-composed", Scope.CASE, REPLACE),
    )
    scale = "scale"

    def loss_of_one(self, event: LaplaceCount, change: Change) -> Loss:
        if change.scope is Scope.EVENT:
            return FREE
        one_cell = _per_cell(event)
        if one_cell is None:
            return NO_BOUND
        if change.scope is Scope.CELL:
            return Loss(one_cell)  # a replaced case moves a single cell by no more than an added one
        cells = change.known(event.cells_per_case)
        return NO_BOUND if cells is None else Loss(one_cell * (2 * cells if change.replaced else cells))

    def published(self, event: LaplaceCount, scope: Scope, view: View) -> Perspectives | None:
        return _published(event, scope)

    def assumptions(self, event: LaplaceCount, whole_case: bool) -> Iterable[Assumption]:
        return _assumed(whole_case)


def _one_sided_advantage(line: Guarantee, _times: int) -> Guarantee:
    return line if line.withheld else replace(line, advantage=claimed_one_sided(line.epsilon))


class OneSidedCounts(Rule[OneSidedCount]):
    """Noise that is never negative: what is below the true count is impossible, so nothing bounds a cell
    (``one-sided-count``)."""

    in_the_article = True
    made = (
        replace(
            published("one-sided-count", Scope.CELL, ADD_REMOVE, Kind.ADVANTAGE_ONLY), adjusted=_one_sided_advantage
        ),
    )
    stands_against = "one-sided-count"
    scale = "scale"

    def loss_of_one(self, event: OneSidedCount, change: Change) -> Loss:
        return FREE if change.scope is Scope.EVENT else NO_BOUND

    def published(self, event: OneSidedCount, scope: Scope, view: View) -> Perspectives | None:
        return _published(event, scope)

    def assumptions(self, event: OneSidedCount, whole_case: bool) -> Iterable[Assumption]:
        return _assumed(whole_case)


class MovedCases(Rule[CaseMoves]):
    """Noise carried out by copying and deleting cases: nothing bounds the counts that come out
    (``released-counts``)."""

    in_the_article = True
    # The claim is that the released counts are as private as the noisy ones.
    made = (replace(published("released-counts", Scope.CELL, ADD_REMOVE), of_whole_tree=True),)
    stands_against = "released-counts"

    def loss_of_one(self, event: CaseMoves, change: Change) -> Loss:
        return FREE if change.scope is Scope.EVENT else NO_BOUND  # counts do not see times

    def published(self, event: CaseMoves, scope: Scope, view: View) -> Perspectives | None:
        return NOTHING
