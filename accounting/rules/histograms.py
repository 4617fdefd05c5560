"""Histograms and choices with Laplace noise, of which one case moves a bounded part."""

from __future__ import annotations

from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.confidential import Withheld
from accounting.events import NoisyMax, ThresholdedHistogram, WeightedHistogram
from accounting.formulas import threshold_delta
from accounting.guarantee import Kind, Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss
from accounting.quantities import ZERO, Epsilon
from accounting.rules.rule import NOTHING, Perspectives, Rule, strict

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE


def counted_twice(change: Change) -> bool:
    """Whether the unit takes something away and puts something else in its place. What is released of one cell is
    fitted to the others, so that it sees as much as all of them."""
    return change.replaced or (change.scope is Scope.CELL and change.relation is ADD_REMOVE)


def unseen(of: str, change: Change) -> bool:
    """Control flow does not see a change of one relative time."""
    return change.scope is Scope.EVENT and of == "control flow"


def by_perspective(of: str, scope: Scope, epsilon: Epsilon | None) -> Perspectives | None:
    """An ε as the article sorts it."""
    if of == "control flow" and scope is Scope.EVENT:
        return NOTHING
    if epsilon is None:
        return None
    return (ZERO, epsilon) if of == "times" else (epsilon, ZERO)


class WeightedHistograms(Rule[WeightedHistogram]):
    """Premise: cells fixed by public facts and earlier outputs; noise of P(Z=k) ∝ exp(-|k|/b), independent by cell. A
    case adds whole numbers of a total of at most w: L1 sensitivity w where it comes, goes or contributes nothing, 2w
    where it is replaced. Loss w/b or 2w/b. Claim ``weighted-histogram``; Dwork, McSherry, Nissim, Smith 2006; for the
    discrete law Ghosh, Roughgarden, Sundararajan 2009."""

    made = (
        strict("weighted-histogram", Scope.CASE, ADD_REMOVE),
        strict("weighted-histogram", Scope.CASE, REPLACE),
    )
    assumed = (Assumption.EXACT_SAMPLER,)
    scale = "scale"

    def loss_of_one(self, event: WeightedHistogram, change: Change) -> Loss:
        if unseen(event.of, change):
            return FREE
        whole = self._per_case(event)
        if whole is None:
            return NO_BOUND
        # A changed time takes its share of the weight from one cell to another: at most all of it, twice.
        return Loss(whole * (2 if counted_twice(change) or change.scope is Scope.EVENT else 1))

    def published(self, event: WeightedHistogram, scope: Scope, view: View) -> Perspectives | None:
        return by_perspective(event.of, scope, self._per_case(event))

    def _per_case(self, event: WeightedHistogram) -> Epsilon | None:
        return None if isinstance(event.scale, Withheld) else Epsilon(event.weight / Fraction(event.scale))


class NoisyChoices(Rule[NoisyMax]):
    """Premise: whole-number scores plus public offsets; noise of P(Z=k) ∝ exp(-|k|/b) on each. No case moves a score by
    more than s, whether it comes, goes, is replaced or contributes nothing. Loss 2s/b in every relation. Claim
    ``noisy-max``; report noisy max, Dwork, Roth 2014, Claim 3.9."""

    made = (strict("noisy-max", Scope.CASE, REPLACE),)
    assumed = (Assumption.EXACT_SAMPLER,)
    scale = "scale"

    def loss_of_one(self, event: NoisyMax, change: Change) -> Loss:
        if unseen(event.of, change):
            return FREE
        whole = self._loss(event)
        return NO_BOUND if whole is None else Loss(whole)

    def published(self, event: NoisyMax, scope: Scope, view: View) -> Perspectives | None:
        # No mechanism of the article; it has one loss, whatever is read into it.
        return by_perspective(event.of, scope, self._loss(event))

    def _loss(self, event: NoisyMax) -> Epsilon | None:
        return None if isinstance(event.scale, Withheld) else Epsilon(2 * event.sensitivity / Fraction(event.scale))


class ThresholdedHistograms(Rule[ThresholdedHistogram]):
    """Premise: the cells are those that occur, each case is in one of them; noise of P(Z=k) ∝ exp(-|k|/b) on each, and
    only what reaches t is released. A unit of C cases loses C/b where it comes, goes or contributes nothing and 2C/b
    where it is replaced, and is seen in a cell of its own with δ = C·P(C + Z ≥ t). Claims ``threshold-mixture``,
    ``mixture-composition``; Korolova, Kenthapadi, Mishra, Ntoulas 2009."""

    made = (strict("threshold-mixture", Scope.CASE, REPLACE, Kind.APPROXIMATE),)
    assumed = (Assumption.EXACT_SAMPLER,)
    scale = "scale"

    def loss(self, event: ThresholdedHistogram, change: Change) -> Loss:
        """Of several cases directly, not by a chain of neighbours, which says less."""
        if change.scope is Scope.EVENT:
            return FREE
        cases = change.number
        if isinstance(event.scale, Withheld) or cases >= event.threshold:
            return NO_BOUND
        moved = Fraction(2 * cases if counted_twice(change) else cases)
        # The unit's own cells, that nobody else is in, are at most as many as its cases, with at most all of these in
        # one; whatever replaces it, it is seen by those that it has, not by those that it might have had.
        own = Fraction(threshold_delta(event.scale, event.threshold, cases)) * cases
        return Loss(Epsilon(moved / Fraction(event.scale)), min(Fraction(1), own))

    def published(self, event: ThresholdedHistogram, scope: Scope, view: View) -> Perspectives | None:
        one = None if isinstance(event.scale, Withheld) else Epsilon(1 / Fraction(event.scale))
        return by_perspective("control flow", scope, one)
