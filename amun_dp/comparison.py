"""Before and after: what a release did to the original log. Every figure is confidential.

The internal page draws it. Sums and counts that ``amun_dp.internal`` holds already (moves, losses by case and
individual) are not repeated here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.confidential import Confidential
from accounting.events import PerEventNoise
from accounting.personalised import UNIT_BITS, event_losses
from amun_dp.eventlog import FloatArray, IntArray, PublicLog
from amun_dp.figures import LogFigures, figures_of
from amun_dp.filtering import exceeds
from amun_dp.ordering import order_of_codes
from amun_dp.planning import Plan
from amun_dp.report import PublicReport
from amun_dp.variants import Variants

TOP_VARIANTS = TOP_CAUSES = 50
PROBABILITY_BINS = 20


@dataclass(frozen=True, slots=True, eq=False)
class ActivityLosses:
    """ε of the released events' times, by activity: D·r/b with the noise really drawn; infinity where there is none."""

    activities: tuple[str, ...]
    smallest: FloatArray
    median: FloatArray
    largest: FloatArray
    events: IntArray
    """Original events that were released, each counted once however many copies it has."""


@dataclass(frozen=True, slots=True, eq=False)
class Guessing:
    """How surely an event's time is guessed before and after, by the article's reckoning; one bin a twentieth."""

    prior: IntArray
    posterior: IntArray
    lowest: FloatArray
    """Lowest, median and highest posterior of the events whose prior lies in each bin; NaN where there is none."""
    median: FloatArray
    highest: FloatArray
    above_claim: int
    """Events whose posterior exceeds prior + advantage."""


@dataclass(frozen=True, slots=True)
class VariantChange:
    """One variant: its activities, and how many cases followed it before and after."""

    activities: tuple[str, ...]
    before: int
    kept: int
    """Cases that filtering left."""
    after: int


@dataclass(frozen=True, slots=True)
class VariantChanges:
    """What became of the variants. ``kept`` ones occur in the release; each of the others is lost in one way."""

    kept: int
    filtered: int
    """Lost because every case of it was filtered."""
    deleted: int
    """Lost because every case of it was deleted to realise the noise."""
    replicated: int
    """Kept ones with more cases than before."""
    thinned: int
    """Kept ones with fewer cases than before."""
    cases_of_lost: int
    new: int
    """Released ones that the original does not have."""
    top: tuple[VariantChange, ...]
    """The most frequent ones before."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A transition of the automaton with events that could not be protected."""

    activity: str
    source: int
    target: int
    events: int
    """Events on it with P + A ≥ 1 when they were last looked at."""
    cases: int
    """Cases that have such an event there."""
    largest_prior: float


@dataclass(frozen=True, slots=True, eq=False)
class Removed:
    """What filtering removed, and why."""

    cases: int
    events: int
    activity_events: IntArray
    """Removed events of each activity of the original."""
    causes: tuple[Cause, ...]
    """The transitions with most such events, most first."""
    transitions: int
    """How many transitions have such events."""
    unprotectable: int
    """Such events on all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Figures of the original and of the released log side by side."""

    report: PublicReport
    before: LogFigures
    after: LogFigures
    losses: ActivityLosses | None
    """None, with ``guessing``, where the noise is not on single events."""
    guessing: Guessing | None
    variants: VariantChanges
    removed: Removed | None
    """None if the method filters nothing."""


def compare_logs(
    plan: Plan, released: PublicLog, noise: Confidential[PerEventNoise], copies: IntArray, report: PublicReport
) -> Confidential[Comparison]:
    """Before and after. ``copies`` says how often each original case was released."""
    log = plan.annotated.log
    span = (int(min(log.time.min(), released.time.min())), int(max(log.time.max(), released.time.max())))
    columns = noise.reveal()
    row, loss = _released_events(plan, released, columns)
    return Confidential(
        Comparison(
            report=report,
            before=figures_of(log, span),
            after=figures_of(released, span),
            losses=_activity_losses(plan, row, loss),
            guessing=_guessing(plan, row, loss),
            variants=_variant_changes(plan, copies),
            removed=_removed(plan) if plan.method.filters else None,
        )
    )


def _released_events(plan: Plan, released: PublicLog, columns: PerEventNoise) -> tuple[IntArray, FloatArray]:
    """Original events that were released, and the loss of each over all its copies."""
    log = plan.annotated.log
    position = np.arange(released.n_events) - released.offsets[released.case]
    # Copies of an event repeat its prior and its loss: one of them stands for all.
    copy = np.full(log.n_events, -1, dtype=np.int64)
    copy[log.offsets[columns.origin] + position] = np.arange(released.n_events)
    row = np.flatnonzero(copy >= 0)
    units = event_losses(columns)[copy[row]]
    return row, np.where(units < 0, np.inf, units * 2.0**-UNIT_BITS)


def _activity_losses(plan: Plan, row: IntArray, loss: FloatArray) -> ActivityLosses:
    log = plan.annotated.log
    activity = log.activity[row]
    smallest, median, largest, events = _spread(activity, loss, len(log.activities))
    there = events > 0
    names = tuple(name for name, present in zip(log.activities, there, strict=True) if present)
    return ActivityLosses(names, smallest[there], median[there], largest[there], events[there])


def _spread(group: IntArray, value: FloatArray, groups: int) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Smallest, (lower) median and largest value of each group, and its size; NaN for an empty one."""
    size = np.bincount(group, minlength=groups)
    end = np.cumsum(size)
    smallest, median, largest = (np.full(groups, np.nan) for _ in range(3))
    grouped = value[order_of_codes(group, groups)]  # then the values are selected from, not sorted
    for each in np.flatnonzero(size).tolist():
        values, middle = grouped[end[each] - size[each] : end[each]], (size[each] - 1) // 2
        smallest[each], largest[each] = values.min(), values.max()
        median[each] = np.partition(values, middle)[middle]
    return smallest, median, largest, size


def posterior_of(prior: FloatArray, loss: FloatArray) -> FloatArray:
    """P' with logit P' = logit P + ε: the bound of the article. An event without noise is known; P = 0 and 1 stay."""
    with np.errstate(over="ignore"):
        odds = (1.0 - prior) * np.exp(-loss)
    result: FloatArray = np.where(prior > 0, prior / np.where(prior > 0, prior + odds, 1.0), 0.0)
    return result


def _guessing(plan: Plan, row: IntArray, loss: FloatArray) -> Guessing:
    prior = plan.filtered.knowledge.prior[row]
    posterior = posterior_of(prior, loss)
    before, after = _twentieths(prior), _twentieths(posterior)
    lowest, median, highest, count = _spread(before, posterior, PROBABILITY_BINS)
    claimed = prior + plan.parameters.advantage
    return Guessing(
        prior=count,
        posterior=np.bincount(after, minlength=PROBABILITY_BINS),
        lowest=lowest,
        median=median,
        highest=highest,
        above_claim=int(np.count_nonzero(posterior > claimed * (1 + 1e-9))),
    )


def _twentieths(probability: FloatArray) -> IntArray:
    return np.minimum(probability * PROBABILITY_BINS, PROBABILITY_BINS - 1).astype(np.int64)


def _variant_changes(plan: Plan, copies: IntArray) -> VariantChanges:
    variants = plan.annotated.dafsa.variants
    before, kept, after = variants.cases(), plan.kept_variant_cases, variants.cases(copies)
    top = np.argsort(-before, kind="stable")[:TOP_VARIANTS]
    return VariantChanges(
        kept=int(np.count_nonzero(after)),
        filtered=int(np.count_nonzero(kept == 0)),
        deleted=int(np.count_nonzero((kept > 0) & (after == 0))),
        replicated=int(np.count_nonzero(after > before)),
        thinned=int(np.count_nonzero((after > 0) & (after < before))),
        cases_of_lost=int(before[after == 0].sum()),
        new=0,
        top=tuple(
            VariantChange(_labels(plan, variants, int(each)), int(before[each]), int(kept[each]), int(after[each]))
            for each in top
        ),
    )


def _labels(plan: Plan, variants: Variants, variant: int) -> tuple[str, ...]:
    codes = variants.activity[variants.offsets[variant] : variants.offsets[variant + 1]]
    return tuple(plan.annotated.log.activities[code] for code in codes)


def _removed(plan: Plan) -> Removed:
    annotated, log = plan.annotated, plan.annotated.log
    gone = ~plan.filtered.kept_case[log.case]
    prior = plan.filtered.prior_at_decision
    violating = np.flatnonzero(gone & exceeds(prior, plan.parameters.advantage))
    transition = annotated.transition[violating]
    found, events = np.unique(transition, return_counts=True)
    pairs = np.unique(np.stack((transition, log.case[violating])), axis=1)
    cases = np.bincount(np.searchsorted(found, pairs[0]), minlength=len(found))
    largest = np.zeros(len(found))
    np.maximum.at(largest, np.searchsorted(found, transition), prior[violating])
    order = np.argsort(-events, kind="stable")
    dafsa = annotated.dafsa
    return Removed(
        cases=int(np.count_nonzero(~plan.filtered.kept_case)),
        events=int(np.count_nonzero(gone)),
        activity_events=np.bincount(log.activity[gone], minlength=len(log.activities)),
        causes=tuple(
            Cause(
                activity=log.activities[dafsa.activity[found[each]]],
                source=int(dafsa.source[found[each]]),
                target=int(dafsa.target[found[each]]),
                events=int(events[each]),
                cases=int(cases[each]),
                largest_prior=float(largest[each]),
            )
            for each in order[:TOP_CAUSES]
        ),
        transitions=len(found),
        unprotectable=len(violating),
    )
