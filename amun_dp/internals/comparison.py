"""Before and after: what a release did to the original log. Every figure is confidential.

The internal page draws it. Sums and counts that ``amun_dp.internals.figures`` holds already (moves, losses by case and
individual) are not repeated here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.confidential import Confidential
from accounting.events import PerEventNoise
from accounting.personalised import UNIT_BITS, event_losses
from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp._base.sorting import order_of_codes
from amun_dp.article.plan import Plan
from amun_dp.article.planned_variants import PlannedVariants
from amun_dp.article.step3_filtering import exceeds
from amun_dp.eventlog.figures import LogFigures, figures_of
from amun_dp.eventlog.log import PublicLog
from amun_dp.eventlog.one_of_a_kind import OneOfAKind, one_of_a_kind
from amun_dp.internals.removed import Culprits, Removed, removed_by_filtering
from amun_dp.report.public_report import PublicReport

TOP_VARIANTS = 50
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
    one_of_a_kind: OneOfAKind
    """Those that one original case alone has."""
    top: tuple[VariantChange, ...]
    """The most frequent ones before."""


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
            losses=losses_by_activity(log.activities, _spread(log.activity[row], loss, len(log.activities))),
            guessing=_guessing(plan, row, loss),
            variants=variant_changes(plan.variants, plan.annotated.dafsa.variants.cases(copies)),
            removed=removed_by_filtering(plan.variants, _culprits(plan)) if plan.method.filters else None,
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
    return row, losses_of_units(event_losses(columns)[copy[row]])


def losses_of_units(units: IntArray) -> FloatArray:
    """Losses as they are drawn, of those that ``accounting.personalised`` counts; infinity where there is no bound."""
    return np.where(units < 0, np.inf, units * 2.0**-UNIT_BITS)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Smallest, (lower) median and largest value of each group, and its size; NaN for an empty one."""

    smallest: FloatArray
    median: FloatArray
    largest: FloatArray
    size: IntArray


def _spread(group: IntArray, value: FloatArray, groups: int) -> Spread:
    size = np.bincount(group, minlength=groups)
    end = np.cumsum(size)
    smallest, median, largest = (np.full(groups, np.nan) for _ in range(3))
    grouped = value[order_of_codes(group, groups)]  # then the values are selected from, not sorted
    for each in np.flatnonzero(size).tolist():
        values, middle = grouped[end[each] - size[each] : end[each]], (size[each] - 1) // 2
        smallest[each], largest[each] = values.min(), values.max()
        median[each] = np.partition(values, middle)[middle]
    return Spread(smallest, median, largest, size)


def losses_by_activity(activities: tuple[str, ...], losses: Spread) -> ActivityLosses:
    """Of the activities that were released, given the losses of each one's events."""
    there = losses.size > 0
    names = tuple(name for name, present in zip(activities, there, strict=True) if present)
    return ActivityLosses(
        names, losses.smallest[there], losses.median[there], losses.largest[there], losses.size[there]
    )


def posterior_of(prior: FloatArray, loss: FloatArray) -> FloatArray:
    """P' with logit P' = logit P + ε: the bound of the article. An event without noise is known; P = 0 and 1 stay."""
    with np.errstate(over="ignore"):
        odds = (1.0 - prior) * np.exp(-loss)
    result: FloatArray = np.where(prior > 0, prior / np.where(prior > 0, prior + odds, 1.0), 0.0)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Of each event: in which twentieth its prior and its posterior lie, and whether the latter exceeds the claim."""

    prior_bin: IntArray
    posterior: FloatArray
    posterior_bin: IntArray
    above_claim: BoolArray


def guesses(prior: FloatArray, loss: FloatArray, advantage: float) -> Guesses:
    """How surely events with these priors and losses are guessed."""
    posterior = posterior_of(prior, loss)
    above = posterior > (prior + advantage) * (1 + 1e-9)
    return Guesses(_twentieths(prior), posterior, _twentieths(posterior), above)


def _guessing(plan: Plan, row: IntArray, loss: FloatArray) -> Guessing:
    found = guesses(plan.filtered.knowledge.prior[row], loss, plan.parameters.advantage)
    return guessing_of(
        _spread(found.prior_bin, found.posterior, PROBABILITY_BINS),
        np.bincount(found.posterior_bin, minlength=PROBABILITY_BINS),
        int(np.count_nonzero(found.above_claim)),
    )


def guessing_of(posteriors: Spread, counts: IntArray, above_claim: int) -> Guessing:
    """From the posteriors of the events by the bin of their prior, and how many posteriors lie in each bin."""
    return Guessing(
        prior=posteriors.size,
        posterior=counts,
        lowest=posteriors.smallest,
        median=posteriors.median,
        highest=posteriors.largest,
        above_claim=above_claim,
    )


def _twentieths(probability: FloatArray) -> IntArray:
    return np.minimum(probability * PROBABILITY_BINS, PROBABILITY_BINS - 1).astype(np.int64)


def variant_changes(variants: PlannedVariants, after: IntArray) -> VariantChanges:
    """What became of the variants, of which each now has so many cases ``after``."""
    before, kept = variants.before, variants.kept
    top = np.argsort(-before, kind="stable")[:TOP_VARIANTS]
    return VariantChanges(
        kept=int(np.count_nonzero(after)),
        filtered=int(np.count_nonzero(kept == 0)),
        deleted=int(np.count_nonzero((kept > 0) & (after == 0))),
        replicated=int(np.count_nonzero(after > before)),
        thinned=int(np.count_nonzero((after > 0) & (after < before))),
        cases_of_lost=int(before[after == 0].sum()),
        new=0,
        one_of_a_kind=one_of_a_kind(before, after),
        top=tuple(
            VariantChange(variants.labels(each), int(before[each]), int(kept[each]), int(after[each]))
            for each in top.tolist()
        ),
    )


def _culprits(plan: Plan) -> Culprits:
    log, prior = plan.annotated.log, plan.filtered.prior_at_decision
    gone = ~plan.filtered.kept_case[log.case]
    violating = np.flatnonzero(gone & exceeds(prior, plan.parameters.advantage))
    transition = plan.annotated.transition[violating]
    found, events = np.unique(transition, return_counts=True)
    pairs = np.unique(np.stack((transition, log.case[violating])), axis=1)
    cases = np.bincount(np.searchsorted(found, pairs[0]), minlength=len(found))
    largest = np.zeros(len(found))
    np.maximum.at(largest, np.searchsorted(found, transition), prior[violating])
    return Culprits(found, events, cases, largest)
