"""Steps 1–4 on Spark: everything that is decided before any noise is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.columns import ColumnChoice
from amun_dp.errors import ParameterError
from amun_dp.eventlog import IntArray, ReadingFacts
from amun_dp.methods import Method, method_named
from amun_dp.parameters import Parameters
from amun_dp.planning import (
    Progress,
    check_longest_case,
    cost_of,
    details_of,
    every_case_filtered,
    planned_control_flow_epsilon,
    planned_losses,
    silent,
)
from amun_dp.spark.cases import Automaton, annotated_events, build_automaton, find_cases
from amun_dp.spark.fingerprints import fingerprint_on_spark
from amun_dp.spark.priors import Priors, filter_cases, keep_all_cases
from amun_dp.spark.reading import parquet_files, read_events
from amun_dp.spark.stages import Stages

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
    method: Method
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
    """The same before filtering."""
    variant_cases: IntArray
    """Cases of each variant before filtering."""
    kept_variant_cases: IntArray
    """Cases of each variant after filtering."""
    priors: Priors
    """The prior of every value of every group, as a stage."""
    passes: int
    """How often priors were estimated."""
    cases_per_individual: int
    """Largest number of cases of one individual, as declared; 1 otherwise."""

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
        number = int(self.variant_cases.sum())
        return fingerprint_on_spark(self.stages, self.all_cases, number, self.automaton.activities, hasher)

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
    sequence: str | None = None,
    progress: Progress = silent,
) -> SparkPlan:
    """Read, annotate, estimate priors, filter; what is computed is kept in ``stages``.

    ``log`` is a DataFrame or the path of Parquet files, ``choice`` says which of its columns is which, and ``sequence``
    names a column of whole numbers that orders events of the same time. ``parameters`` are what the steward chose;
    ``progress`` is called with the name of each step.
    """
    if parameters.max_individual_loss is not None:
        raise ParameterError("On Spark, --max-individual-loss is not known yet.")
    progress("reading the log")
    frame = parquet_files(stages.session, log) if isinstance(log, str) else log
    events = read_events(stages, frame, choice or ColumnChoice(), sequence)
    progress("building the automaton")
    cases, activities = find_cases(stages, events.frame)
    automaton = build_automaton(cases, activities)
    check_longest_case(int(automaton.dafsa.variants.lengths.max()), parameters)
    method = method_named(parameters.method)
    progress("filtering cases" if method.filters else "estimating prior knowledge")
    kept = (filter_cases if method.filters else keep_all_cases)(stages, cases, automaton, parameters)
    counts = automaton.cases_of_variants(kept.frame.groupBy("word").count().toArrow())
    if not counts.any():
        raise every_case_filtered(parameters)
    return SparkPlan(
        stages=stages,
        parameters=parameters,
        method=method,
        reading=events.facts,
        n_events=events.number,
        automaton=automaton,
        cases=kept.frame,
        all_cases=cases,
        variant_cases=automaton.cases_of_variants(cases.groupBy("word").count().toArrow()),
        kept_variant_cases=counts,
        priors=kept.priors,
        passes=kept.passes,
        # Individuals are not read, so that only a declared number can be above 1.
        cases_per_individual=parameters.max_cases_per_individual or 1,
    )


def _with_losses(events: DataFrame, plan: SparkPlan) -> DataFrame:
    from pyspark.sql.types import DoubleType, LongType, StructType

    ranges = plan.priors.facts.value_range(plan.parameters.conventions)
    schema = StructType([*events.schema.fields]).add("value_range", LongType()).add("loss", DoubleType())
    return events.mapInArrow(_losses(ranges, plan.parameters, plan.cases_per_individual), schema)


def _losses(
    ranges: IntArray, parameters: Parameters, cases_per_individual: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
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
