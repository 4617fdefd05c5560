"""Steps 1–4 on Spark: everything that is decided before any noise is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.quantities import Epsilon
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp._base.arrays import IntArray
from amun_dp._base.progress import Progress, silent
from amun_dp.article.methods import ArticleMethod, article_method_named
from amun_dp.article.parameters import Parameters
from amun_dp.article.planned_variants import PlannedVariants
from amun_dp.article.planning_rules import (
    cases_of_one,
    check_longest_case,
    cost_of,
    details_of,
    every_case_filtered,
    planned_control_flow_epsilon,
    planned_losses,
    planned_units,
    refuse_above_cap,
)
from amun_dp.eventlog.log import ReadingFacts
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.article.individual_losses import largest_loss, summed
from amun_dp.spark.article.priors import Priors, filter_cases, keep_all_cases
from amun_dp.spark.engine.batches import Kernel
from amun_dp.spark.engine.failures import naming_steps
from amun_dp.spark.engine.interruptions import Caller, undisturbed
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.case_fingerprints import fingerprint_on_spark
from amun_dp.spark.read.case_rows import Automaton, annotated_events, build_automaton, count_words, find_cases
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.individuals import find_individuals, named_cases
from amun_dp.spark.read.parquet import parquet_files

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SparkPlan:
    """What a release would do. Its figures and frames come from the original log: keep them inside."""

    stages: Stages
    """Where what was computed is kept."""
    parameters: Parameters
    """What the steward chose."""
    method: ArticleMethod
    """The method, with its sampling rule and its time mechanism."""
    reading: ReadingFacts
    """What happened while the log was read."""
    n_events: int
    """Number of events that were read."""
    automaton: Automaton
    """Labels, variants and DAFSA, which every worker gets."""
    cases: DataFrame
    """Kept cases, one row each: case, number (by first appearance), word, times."""
    all_cases: DataFrame
    """All cases before filtering, one row each, with the columns of ``cases``."""
    variant_cases: IntArray
    """Cases of each variant before filtering."""
    kept_variant_cases: IntArray
    """Cases of each variant after filtering."""
    priors: Priors
    """The prior of every value of every group, as a stage."""
    passes: int
    """How often priors were estimated."""
    removed: DataFrame | None
    """The events for which cases were removed (number, transition, prior); None if no case was."""
    individuals: DataFrame | None
    """Number of each case before filtering, with the individual behind it (number of their first case) and their name;
    None if individuals are unknown."""
    cases_per_individual: int
    """Largest number of cases of one individual: as declared, or found in the log."""

    @property
    def variants(self) -> PlannedVariants:
        """The variants with their cases before and after filtering."""
        automaton = self.automaton
        return PlannedVariants(automaton.activities, automaton.dafsa, self.variant_cases, self.kept_variant_cases)

    @property
    def control_flow_epsilon(self) -> float:
        """ε_d, divided already."""
        return planned_control_flow_epsilon(self.parameters, self.cases_per_individual)

    @property
    def cost(self) -> Cost:
        """What the release will cost, for the registry."""
        return cost_of(self.parameters)

    @property
    def details(self) -> dict[str, Any]:
        """The public parameters of the release, for the registry."""
        return details_of(self.parameters)

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""
        cases, labels = int(self.variant_cases.sum()), self.automaton.activities

        def found(_: Caller) -> Fingerprint:
            named = named_cases(self.all_cases, self.individuals)
            return fingerprint_on_spark(self.stages, named, cases, labels, hasher)

        return undisturbed(self.stages.session, found)

    def events(self, cases: DataFrame, kept: tuple[str, ...]) -> DataFrame:
        """The events of such cases with prior, range and loss ε_t·r, and the ``kept`` columns of their case."""
        annotated = annotated_events(cases, self.automaton, kept)
        known = annotated.join(self.priors.frame.select("group", "value", "prior"), ["group", "value"])
        return _with_losses(known, self)


def plan_on_spark(
    stages: Stages,
    log: DataFrame | str,
    parameters: Parameters,
    choice: ColumnChoice | None = None,
    progress: Progress = silent,
) -> SparkPlan:
    """Read, annotate, estimate priors, filter; what is computed is kept in ``stages``.

    ``log`` is a DataFrame or the path of Parquet files; ``choice`` says which of its columns is which, and a DataFrame
    needs one that orders its events. ``parameters`` are what the steward chose; ``progress`` is called with the name of
    each step.
    """
    asked = choice or ColumnChoice()
    return naming_steps(stages.session, progress, lambda step: _plan(stages, log, parameters, asked, step))


def _plan(
    stages: Stages,
    log: DataFrame | str,
    parameters: Parameters,
    choice: ColumnChoice,
    progress: Progress,
) -> SparkPlan:
    progress("reading the log")
    frame = parquet_files(stages.session, log) if isinstance(log, str) else log
    events = read_events(stages, frame, choice)
    progress("building the automaton")
    cases, activities = find_cases(stages, events.frame)
    people = None if events.individuals is None else find_individuals(stages, cases, events.individuals, choice)
    per_individual = cases_of_one(people.most_cases if people else None, parameters.max_cases_per_individual)
    words, variant_cases = count_words(cases)
    automaton = build_automaton(words, cases, activities)
    check_longest_case(int(automaton.dafsa.variants.lengths.max()), parameters)
    method = article_method_named(parameters.method)
    progress("filtering cases" if method.filters else "estimating prior knowledge")
    kept = (filter_cases if method.filters else keep_all_cases)(stages, cases, automaton, parameters)
    counts = variant_cases if kept.frame is cases else automaton.cases_of_variants(*count_words(kept.frame))
    if not counts.any():
        raise every_case_filtered(parameters)
    planned = SparkPlan(
        stages=stages,
        parameters=parameters,
        method=method,
        reading=replace(events.facts, notes=(*events.facts.notes, *(people.notes if people else ()))),
        n_events=events.number,
        automaton=automaton,
        cases=kept.frame,
        all_cases=cases,
        variant_cases=variant_cases,
        kept_variant_cases=counts,
        priors=kept.priors,
        passes=kept.passes,
        removed=kept.removed,
        individuals=people.frame if people else None,
        cases_per_individual=per_individual,
    )
    if parameters.max_individual_loss is not None:
        refuse_above_cap(_worst_individual(planned), parameters.max_individual_loss)
    return planned


def _worst_individual(plan: SparkPlan) -> Epsilon:
    """The largest loss that the plan allows one individual: by case, then over the cases of each."""
    from pyspark.sql import functions as sql

    by_case = summed(plan.events(plan.cases, ("number",)).mapInArrow(_planned_units, "owner bigint, units bigint"))
    if plan.individuals is None:
        return largest_loss(by_case)
    owners = plan.individuals.select(sql.col("number").alias("owner"), "individual")
    cases = by_case.join(owners, "owner")
    return largest_loss(summed(cases.select(sql.col("individual").alias("owner"), "units")))


def _planned_units(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        units = planned_units(batch.column("loss").to_numpy(), batch.column("value_range").to_numpy())
        yield pa.RecordBatch.from_arrays([batch.column("number"), pa.array(units)], ["owner", "units"])


def _with_losses(events: DataFrame, plan: SparkPlan) -> DataFrame:
    from pyspark.sql.types import DoubleType, LongType, StructType

    ranges = plan.priors.facts.value_range(plan.parameters.conventions)
    schema = StructType([*events.schema.fields]).add("value_range", LongType()).add("loss", DoubleType())
    return events.mapInArrow(_losses(ranges, plan.parameters, plan.cases_per_individual), schema)


def _losses(ranges: IntArray, parameters: Parameters, cases_per_individual: int) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            prior = np.asarray(batch.column("prior").to_numpy(zero_copy_only=False))
            own = [
                pa.array(ranges[batch.column("group").to_numpy()]),
                pa.array(planned_losses(prior, parameters, cases_per_individual)),
            ]
            yield pa.RecordBatch.from_arrays([*batch.columns, *own], [*batch.schema.names, "value_range", "loss"])

    return run
