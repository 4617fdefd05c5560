"""Histograms with discrete Gaussian noise: a bound on the average over the noise, and none on a single output."""

from __future__ import annotations

from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.average import threshold_delta_of
from accounting.average_algebra import group_square, replaced_square, replaced_square_centred
from accounting.change import Change, View
from accounting.confidential import Withheld
from accounting.events import GaussianHistogram, ThresholdedGaussian
from accounting.events.gaussian import SMOOTHING
from accounting.guarantee import Kind, Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss, gaussian
from accounting.quantities import UNBOUNDED
from accounting.rules.histograms import by_perspective, counted_twice, unseen
from accounting.rules.rule import NO_EPSILON, PartClaim, Perspectives, Rule, strict


def _claims(name: str) -> tuple[PartClaim, ...]:
    return tuple(
        strict(name, Scope.CASE, relation, Kind.ON_AVERAGE) for relation in (Relation.LEAVE_OUT, Relation.REPLACE)
    )


class GaussianHistograms(Rule[GaussianHistogram]):
    """Premise, sensitivity and law: ``GaussianHistogram``. Loss: μ² = R²/(σ²-4) where the case comes, goes or
    contributes nothing; 2R²/(σ²-4) where it is replaced, 4R²/(σ²-4) if its amounts are centred. Claims
    ``discrete-gaussian-release``, ``gaussian-steps``, ``norm-nonnegative``, ``norm-centred``; Dong, Roth, Su 2022; for
    steps that earlier outputs choose Smith, Thakurta 2022 and Koskela, Tobaben, Honkela 2022."""

    made = _claims("discrete-gaussian-release")
    assumed = (Assumption.EXACT_SAMPLER,)
    scale = "variance"

    def loss_of_one(self, event: GaussianHistogram, change: Change) -> Loss:
        if unseen(event.of, change):
            return FREE
        if isinstance(event.variance, Withheld):
            return NO_BOUND
        square = event.norm**2
        # One time may be all that the case adds, before and after.
        if counted_twice(change) or change.scope is Scope.EVENT:
            square = replaced_square_centred(square) if event.centred else replaced_square(square)
        return gaussian(Fraction(square) / (event.variance - SMOOTHING), event.cells)

    def published(self, event: GaussianHistogram, scope: Scope, view: View) -> Perspectives | None:
        return by_perspective(event.of, scope, UNBOUNDED)  # the article knows no such noise

    def obstacle(self, event: GaussianHistogram, on_average: bool) -> str | None:
        return None if on_average else NO_EPSILON


class ThresholdedGaussians(Rule[ThresholdedGaussian]):
    """Premise, sensitivity and law: ``ThresholdedGaussian``. Each of the laws of two neighbouring logs is with
    probability 1-δ a noisy histogram over the cells of the others, and a unit of C cases moves that by at most C·norm
    (√2 times that where it is replaced). Claims ``average-threshold``, ``discrete-gaussian-tail``; both laws as
    mixtures: ``threshold-mixture``. The surcharge is for the cells that the unit is in: the others have the same law in
    both logs."""

    made = _claims("average-threshold")
    assumed = (Assumption.EXACT_SAMPLER,)
    scale = "variance"

    def loss(self, event: ThresholdedGaussian, change: Change) -> Loss:
        """Of several cases directly, not by a chain of neighbours, which says less."""
        if change.scope is Scope.EVENT:
            return FREE
        cases = change.number
        if isinstance(event.variance, Withheld) or cases * event.norm >= event.threshold:
            return NO_BOUND
        square = group_square(event.norm**2, cases)
        if counted_twice(change):
            square = replaced_square(square)
        own = cases * threshold_delta_of(Fraction(event.variance), event.threshold, cases * event.norm)
        # Between two discrete laws, before and after, so twice for each cell of the unit (see Curve).
        return gaussian(Fraction(square) / (event.variance - SMOOTHING), 2 * cases, min(Fraction(1), own))

    def published(self, event: ThresholdedGaussian, scope: Scope, view: View) -> Perspectives | None:
        return by_perspective("control flow", scope, UNBOUNDED)

    def obstacle(self, event: ThresholdedGaussian, on_average: bool) -> str | None:
        return None if on_average else NO_EPSILON
