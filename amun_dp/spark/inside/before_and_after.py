"""The confidential figures of a release on Spark: the same ones as on one machine, put together by the same functions.

What has one row per event is counted, added up and ranked by the workers; the driver has variants, transitions and
bins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.confidential import Confidential
from accounting.personalised import PersonalisedAccount
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.article.planning_rules import planned_losses
from amun_dp.article.step1_annotation import START_GROUP
from amun_dp.article.step5_sampling import Sampled
from amun_dp.article.summary import PlannedTimes, PlanSummary, median_errors, summary_of
from amun_dp.eventlog.figures import LogFigures
from amun_dp.internals.comparison import (
    PROBABILITY_BINS,
    Comparison,
    Guessing,
    guesses,
    guessing_of,
    losses_by_activity,
    losses_of_units,
    variant_changes,
)
from amun_dp.internals.figures import Internals, internals_of
from amun_dp.internals.removed import Culprits, Removed, removed_by_filtering
from amun_dp.report.public_report import PublicReport
from amun_dp.spark.article.article_plan import SparkPlan
from amun_dp.spark.engine.batches import Kernel
from amun_dp.spark.engine.spreads import AMOUNTS, Spreads, spread_of
from amun_dp.spark.inside.original_figures import figures_on_spark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

LOSS, START_ERROR, DURATION_ERROR = 0, 1, 2
"""Of the plan: what each event may lose, and by how much its noise will move it."""
ACTIVITY_LOSS, POSTERIOR, POSTERIOR_BIN, ABOVE_CLAIM = 3, 4, 5, 6
"""Of the release: loss by activity, posterior by the bin of its prior; and two that are only counted."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedFigures:
    """What is known of a release once its parts are written."""

    log: DataFrame
    """Released events: activity, prior, units of loss and copies of each."""
    after: LogFigures
    events_without_noise: int
    losses: PersonalisedAccount
    span: tuple[int, int]
    """First and last time of both logs."""


def look_inside(
    plan: SparkPlan, sampled: Sampled, released: ReleasedFigures, report: PublicReport
) -> tuple[Internals, Comparison]:
    """All figures that stay inside."""
    amounts = planned_amounts(plan).union(released_amounts(released.log, plan.parameters.advantage))
    spreads = spread_of(plan.stages, "spreads", amounts)
    internals = internals_of(
        plan.reading,
        summarise_on_spark(plan, spreads),
        plan.variants,
        sampled,
        events_without_noise=released.events_without_noise,
        losses=released.losses,
    )
    activities = plan.automaton.activities
    comparison = Comparison(
        report=report,
        before=figures_on_spark(plan.stages, plan.all_cases, plan.automaton, released.span),
        after=released.after,
        losses=losses_by_activity(activities, spreads.by_member(ACTIVITY_LOSS, len(activities))),
        guessing=_guessing(spreads),
        variants=variant_changes(plan.variants, sampled.cases),
        removed=removed_on_spark(plan),
    )
    return internals, comparison


def summary_of_plan(plan: SparkPlan) -> Confidential[PlanSummary]:
    """The figures of a plan that nothing is drawn for; its stage is written, so they can be asked for once."""
    return Confidential(summarise_on_spark(plan, spread_of(plan.stages, "planned-spreads", planned_amounts(plan))))


def summarise_on_spark(plan: SparkPlan, spreads: Spreads) -> PlanSummary:
    """The figures that a steward looks at, given the spread of ``planned_amounts``."""
    smallest, largest = spreads.ends(LOSS)
    ranges = plan.priors.facts.value_range(plan.parameters.conventions)
    times = PlannedTimes(
        smallest_loss=smallest,
        median_loss=spreads.median(LOSS),
        largest_loss=largest,
        start_error=spreads.median(START_ERROR),
        duration_error=spreads.median(DURATION_ERROR),
        without_noise=int(plan.priors.facts.size[ranges == 0].sum()),
    )
    return summary_of(
        plan.variants,
        times,
        advantage=plan.parameters.advantage,
        passes=plan.passes,
        cases_per_individual=plan.cases_per_individual,
        control_flow_epsilon=plan.control_flow_epsilon,
    )


def _guessing(spreads: Spreads) -> Guessing:
    return guessing_of(
        spreads.by_member(POSTERIOR, PROBABILITY_BINS),
        spreads.sizes(POSTERIOR_BIN, PROBABILITY_BINS),
        int(spreads.sizes(ABOVE_CLAIM, 1)[0]),
    )


def removed_on_spark(plan: SparkPlan) -> Removed | None:
    """What filtering removed; None if the method filters nothing."""
    from pyspark.sql import functions as sql

    if not plan.method.filters:
        return None
    if plan.removed is None:
        nobody = np.zeros(0, dtype=np.int64)
        return removed_by_filtering(plan.variants, Culprits(nobody, nobody, nobody, np.zeros(0)))
    by_transition = plan.removed.groupBy("transition").agg(
        sql.count("*").alias("events"), sql.max("prior").alias("largest_prior")
    )
    found = by_transition.toArrow().sort_by("transition")
    transition, events, largest = (column.to_numpy() for column in found.columns)
    # A case is removed once, and takes a transition once: the automaton has no cycle.
    return removed_by_filtering(plan.variants, Culprits(transition, events, events, largest))


def planned_amounts(plan: SparkPlan) -> DataFrame:
    """What events may lose and by how much they will be moved: of each value of each group, with its events."""
    ranges = plan.priors.facts.value_range(plan.parameters.conventions)
    rules, cases_per_individual = plan.parameters, plan.cases_per_individual

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            group, prior, events = (batch.column(name).to_numpy() for name in ("group", "prior", "events"))
            losses = planned_losses(prior, rules, cases_per_individual)
            errors = median_errors(ranges[group], losses)
            kind = np.where(group == START_GROUP, START_ERROR, DURATION_ERROR)
            one = np.ones_like(events)
            yield _amounts(np.full_like(kind, LOSS), np.zeros_like(group), losses, one, events)
            yield _amounts(kind, np.zeros_like(group), errors, one, events)

    return plan.priors.frame.select("group", "prior", "events").mapInArrow(run, AMOUNTS)


def released_amounts(log: DataFrame, advantage: float) -> DataFrame:
    """Losses and posteriors of released events. All copies of an event are there, with the same figures."""
    return log.select("activity", "prior", "units", "copies").mapInArrow(_released_amounts(advantage), AMOUNTS)


def _released_amounts(advantage: float) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            activity, prior, units, copies = (
                batch.column(name).to_numpy() for name in ("activity", "prior", "units", "copies")
            )
            loss = losses_of_units(units)
            found = guesses(prior, loss, advantage)
            above = found.above_claim
            for figure, member, amount, rows in (
                (ACTIVITY_LOSS, activity, loss, copies),
                (POSTERIOR, found.prior_bin, found.posterior, copies),
                (POSTERIOR_BIN, found.posterior_bin, np.zeros_like(loss), copies),
                (ABOVE_CLAIM, np.zeros_like(activity)[above], np.zeros_like(loss)[above], copies[above]),
            ):
                one = np.ones_like(rows)
                yield _amounts(np.full_like(rows, figure), member, amount, rows, one)

    return run


def _amounts(
    figure: IntArray, member: IntArray, amount: FloatArray, copies: IntArray, count: IntArray
) -> pa.RecordBatch:
    """Rows of ``AMOUNTS``, counted: a batch has few different numbers, and they go through a socket."""
    import pyarrow as pa

    rows = pa.table(
        {"figure": figure.astype(np.int32), "member": member, "amount": amount, "copies": copies, "count": count}
    )
    counted = rows.group_by(["figure", "member", "amount", "copies"], use_threads=False).aggregate([("count", "sum")])
    columns = [counted.column(name).combine_chunks() for name in ("figure", "member", "amount", "copies", "count_sum")]
    return pa.RecordBatch.from_arrays(columns, rows.column_names)
