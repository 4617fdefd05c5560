"""The figures a steward looks at before deciding, and the price of each scope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.calibration import PublicBounds, count_scale, time_scale
from accounting.guarantee import Scope

if TYPE_CHECKING:
    from amun_dp.planning import Plan


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


def summarise(plan: Plan) -> PlanSummary:
    annotated, log = plan.annotated, plan.annotated.log
    kept = plan.filtered.kept_case[log.case]
    losses, ranges = plan.losses[kept], plan.filtered.knowledge.value_range[kept]
    is_start = annotated.is_start[kept]
    # |Laplace(b)| has median b·ln 2.
    error = ranges / losses * math.log(2)
    durations = error[~is_start]
    longest = int(log.lengths[plan.filtered.kept_case].max())
    return PlanSummary(
        cases=log.n_cases,
        kept_cases=int(plan.filtered.kept_case.sum()),
        events=log.n_events,
        kept_events=int(kept.sum()),
        variants=annotated.dafsa.variants.count,
        kept_variants=int(np.count_nonzero(plan.kept_variant_cases)),
        states=annotated.dafsa.n_states,
        transitions=annotated.dafsa.n_transitions,
        filter_passes=plan.filtered.passes,
        cases_per_individual=plan.cases_per_individual,
        control_flow_epsilon=plan.control_flow_epsilon,
        event_epsilon_minimum=float(losses.min()),
        event_epsilon_median=float(np.median(losses)),
        event_epsilon_maximum=float(losses.max()),
        median_start_error_days=float(np.median(error[is_start])) / 86_400_000,
        median_duration_error_hours=float(np.median(durations)) / 3_600_000 if len(durations) else 0.0,
        events_without_noise=int(np.count_nonzero(ranges == 0)),
        longest_case=longest,
        prices=_prices(plan, longest),
    )


def _prices(plan: Plan, longest: int) -> tuple[Price, ...]:
    advantage = plan.parameters.advantage
    bounds = PublicBounds(longest, plan.cases_per_individual)
    one_event = time_scale(advantage, Scope.EVENT, 1_000_000, bounds)

    def price(scope: Scope) -> Price:
        counts = None if scope is Scope.EVENT else count_scale(advantage, scope, bounds)
        times = None if scope is Scope.CELL else time_scale(advantage, scope, 1_000_000, bounds) / one_event
        return Price(scope.value, counts, times)

    return tuple(price(scope) for scope in Scope)
