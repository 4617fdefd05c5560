"""The figures a steward looks at before deciding, and the price of each scope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.calibration import PublicBounds, count_scale, time_scale
from accounting.guarantee import Scope
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.units import DAY, HOUR
from amun_dp.article.planned_variants import PlannedVariants

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """The figures a steward looks at before deciding. Computed from the original log: confidential."""

    cases: int
    kept_cases: int
    events: int
    kept_events: int
    variants: int
    kept_variants: int
    states: int
    transitions: int
    filter_passes: int
    cases_per_individual: int
    control_flow_epsilon: float
    event_epsilon_minimum: float
    event_epsilon_median: float
    event_epsilon_maximum: float
    median_start_error_days: float
    """Median absolute error of a start time, for a case with one copy, before it is mapped into the window."""
    median_duration_error_hours: float
    """Median absolute error of a duration, for a case with one copy."""
    events_without_noise: int
    longest_case: int
    prices: tuple[Price, ...]
    """The noise that the same advantage takes at each scope, whatever the prior."""


@dataclass(frozen=True, slots=True)
class Price:
    """Noise for the same advantage at one scope, if the length of a case and the cases of an individual were public."""

    scope: str
    count_scale: float | None
    """Scale of the noise on a transition count (cases); None where the scope has no counts."""
    time_factor: float | None
    """Noise on a time relative to noise for one event; None where the scope has no times."""


@dataclass(frozen=True, slots=True)
class PlannedTimes:
    """Of the kept events: the losses that the plan allows, and by how much noise will move times (milliseconds)."""

    smallest_loss: float
    median_loss: float
    largest_loss: float
    start_error: float
    """Median of what ``median_errors`` says of starts, and of all other events; 0 if there are none."""
    duration_error: float
    without_noise: int
    """Events in groups of range 0."""


def median_errors(ranges: IntArray, losses: FloatArray) -> FloatArray:
    """Median absolute error of each time, for a case with one copy: that of Laplace noise of scale b is b·ln 2."""
    result: FloatArray = ranges / losses * math.log(2)
    return result


def summary_of(
    variants: PlannedVariants,
    times: PlannedTimes,
    *,
    advantage: float,
    passes: int,
    cases_per_individual: int,
    control_flow_epsilon: float,
) -> PlanSummary:
    """The summary of a plan, wherever its events are."""
    dafsa, longest = variants.dafsa, variants.longest_kept
    return PlanSummary(
        cases=int(variants.before.sum()),
        kept_cases=int(variants.kept.sum()),
        events=variants.events(variants.before),
        kept_events=variants.events(variants.kept),
        variants=dafsa.variants.count,
        kept_variants=int(np.count_nonzero(variants.kept)),
        states=dafsa.n_states,
        transitions=dafsa.n_transitions,
        filter_passes=passes,
        cases_per_individual=cases_per_individual,
        control_flow_epsilon=control_flow_epsilon,
        event_epsilon_minimum=times.smallest_loss,
        event_epsilon_median=times.median_loss,
        event_epsilon_maximum=times.largest_loss,
        median_start_error_days=times.start_error / DAY,
        median_duration_error_hours=times.duration_error / HOUR,
        events_without_noise=times.without_noise,
        longest_case=longest,
        prices=_prices(advantage, PublicBounds(longest, cases_per_individual)),
    )


def _prices(advantage: float, bounds: PublicBounds) -> tuple[Price, ...]:
    one_event = time_scale(advantage, Scope.EVENT, 1_000_000, bounds)

    def price(scope: Scope) -> Price:
        counts = None if scope is Scope.EVENT else count_scale(advantage, scope, bounds)
        times = None if scope is Scope.CELL else time_scale(advantage, scope, 1_000_000, bounds) / one_event
        return Price(scope.value, counts, times)

    return tuple(price(scope) for scope in Scope)
