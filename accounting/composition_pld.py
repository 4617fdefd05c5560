"""A tighter composition for approximate differential privacy, by Google's dp_accounting (the extra ``pld``).

The noise of this toolkit is discrete Laplace, and its privacy loss distribution is used. That of the continuous Laplace
mechanism would not do: with the same scale it is the more private of the two, so its ε would be too small.

The estimate is pessimistic in its grid ("connect the dots": the discretised pair dominates the true one) and in the
tails it cuts off. Its floating-point arithmetic is not verified; ``ROUNDING`` of δ is set aside for it. This is an
allowance, not a proof.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from accounting.change import Change, View
from accounting.confidential import Withheld
from accounting.errors import AccountingError
from accounting.events import (
    LaplaceCount,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    ThresholdedHistogram,
)
from accounting.guarantee import Relation, Scope
from accounting.losses import strict_loss
from accounting.quantities import UNBOUNDED, Epsilon, total

ROUNDING: Final = 1e-11
"""Part of δ set aside for the rounding errors of the Fourier transforms; at a δ no larger, the basic sum is all we
say."""
_GRID: Final = 1 << 17
"""Steps between no loss and the basic sum."""
_LARGEST_SENSITIVITY: Final = 4096
"""The library goes through every output between two neighbours; for more of them a coarser pair is used."""
_SUMS: Final = (Fraction(1, 10**6), Fraction(5000))
_LARGEST_LOSS: Final = 100
"""Of one mechanism. Beyond this, and outside these sums, exponentials lose precision: the basic sum is returned."""


def tighter_epsilon(laplace_scales_and_sensitivities: Sequence[tuple[float, float]], delta: float) -> Epsilon:
    """ε at this δ for discrete Laplace mechanisms released together; never more than the basic sum of their ε.

    Each mechanism is a pair in ``laplace_scales_and_sensitivities`` (the sensitivity a whole number, as the noise is).
    Time grows with the number of distinct pairs. At ``delta`` 0 nothing is tighter than the sum.
    """
    if not 0 <= delta < 1:
        raise AccountingError("a δ lies between 0 and 1, and is not 1.")
    counts = Counter(laplace_scales_and_sensitivities)
    for scale, sensitivity in counts:
        if not 0 < scale < math.inf:
            raise AccountingError("Laplace noise has a positive finite scale.")
        if not 1 <= sensitivity < math.inf or sensitivity != int(sensitivity):
            raise AccountingError("discrete Laplace noise hides a whole-number sensitivity of at least 1.")
    basic = total(Epsilon(Fraction(int(s)) / Fraction(scale)) * times for (scale, s), times in counts.items())
    if delta <= ROUNDING or not counts:
        return basic
    composed = _composed(counts, basic)
    if composed is None:
        return basic
    # One step up: the library's own last rounding may have gone down.
    tighter = Epsilon.of(math.nextafter(float(composed.get_epsilon_for_delta(delta - ROUNDING)), math.inf))
    return tighter if tighter <= basic else basic


def _composed(counts: Counter[tuple[float, float]], basic: Epsilon) -> Any:
    """The privacy loss distribution of all mechanisms together; None where it would leave the range of floats."""
    library = _library()
    largest = max(Fraction(int(sensitivity)) / Fraction(scale) for scale, sensitivity in counts)
    if basic.value is None or not _SUMS[0] <= basic.value <= _SUMS[1] or largest > _LARGEST_LOSS:
        return None
    interval = float(basic.value) / _GRID
    result: Any = None
    for (scale, size), times in sorted(counts.items()):
        sensitivity = int(size)
        parameter = 1 / Fraction(scale)
        if sensitivity > _LARGEST_SENSITIVITY:
            # Of all mechanisms with this ε, discrete Laplace noise on a sensitivity of 1 (randomised response) leaks
            # most.
            parameter, sensitivity = parameter * sensitivity, 1
        single = library.from_discrete_laplace_mechanism(
            math.nextafter(float(parameter), math.inf),
            sensitivity,
            pessimistic_estimate=True,
            value_discretization_interval=interval,
            use_connect_dots=True,
        )
        part = single.self_compose(times) if times > 1 else single
        result = part if result is None else result.compose(part)
    return result


def _library() -> Any:
    try:
        return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise AccountingError("a tighter composition needs dp_accounting: install amun-dp[pld].") from error


def tighter_case_loss(tree: PrivacyEvent, relation: Relation, delta: float, view: View) -> Epsilon:
    """ε of a release for one case at a total δ (``delta``) in a relation, beside the basic one; never more than that.

    Only noisy counts compose more tightly; a tree with anything else keeps its basic loss. What thresholds spend of δ
    is taken off first. The ``view`` says whether confidential facts count.
    """
    basic = strict_loss(tree, Scope.CASE, relation, view)
    mechanisms = Counter[tuple[float, float]]()
    if basic.delta > Fraction(delta) or not basic.epsilon.bounded or not _collect(tree, 1, relation, view, mechanisms):
        return basic.epsilon if basic.delta <= Fraction(delta) else UNBOUNDED
    left = max(0.0, math.nextafter(float(Fraction(delta) - basic.delta), 0.0))
    tighter = tighter_epsilon(tuple(mechanisms.elements()), left)
    return tighter if tighter <= basic.epsilon else basic.epsilon


def _collect(
    event: PrivacyEvent, times: int, relation: Relation, view: View, found: Counter[tuple[float, float]]
) -> bool:
    """Count the Laplace mechanisms of one case; False if the tree holds something that is none."""
    moved = times * (2 if relation is Relation.REPLACE else 1)
    match event:
        case PostProcessing():
            return True
        case LaplaceCount(scale=scale) if not isinstance(scale, Withheld):
            found[scale, float(event.sensitivity)] += moved * (
                Change(Scope.CASE, relation, view).known(event.cells_per_case) or 0
            )
            return True
        case ThresholdedHistogram(scale=scale) if not isinstance(scale, Withheld):
            found[scale, 1.0] += moved
            return True
        case Sequential():
            return all(_collect(part, times, relation, view, found) for part in event.parts)
        case Replicated():
            return _collect(event.part, times * event.copies, relation, view, found)
        case RepeatedRelease():
            return _collect(event.part, times * event.releases, relation, view, found)
        case _:
            return False
