"""What a loss means for a guess after every output."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

from accounting.algebra import one_sided_advantage
from accounting.formulas import worst_case_advantage
from accounting.guarantee import Relation, Scope
from accounting.loss import Loss
from accounting.quantities import Epsilon, rounded_up


def implied_advantage(loss: Loss, scope: Scope, relation: Relation) -> float | None:
    """Largest guessing advantage over all priors, every output: tanh(ε/4) for a replaced unit.

    Where a case is added, removed or left out, that bounds what can be guessed about it only as two steps, out and in:
    twice ε, except for a single cell. An approximate guarantee by itself implies none. Where it is a mixture
    (``threshold-mixture``) it is that of the part of probability 1 - δ: nobody succeeds more often than (1 - δ)·(P + A)
    + δ. A Gaussian curve implies none: after some outputs a guess is as good as sure.
    """
    if loss.epsilon.value is None or (loss.delta and (not loss.mixture or relation is not Relation.REPLACE)):
        return None
    twice = relation is not Relation.REPLACE and scope in (Scope.CASE, Scope.INDIVIDUAL)
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
