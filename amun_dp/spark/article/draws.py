"""Steps 5 and 6 on Spark: everything random about people, drawn once and made durable before it is used (ADR 13)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.step5_sampling import ControlFlow, Sampled, copies_by_rank
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.mechanisms.bounded_laplace import bounded_laplace, noise_scales, noised_values
from amun_dp.noise.sources import NoiseSource, noise_source, random_names
from amun_dp.release.article import check_moves, check_sampled
from amun_dp.spark.article.article_plan import SparkPlan
from amun_dp.spark.engine.batches import Kernel, case_rows
from amun_dp.spark.engine.cumulative import cumulative
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class DrawnEvents:
    """A stage with a row for each released event: its case's number, name, origin and copies, and individual if known,
    its scale, and its noised relative time. And what was drawn on transitions."""

    frame: DataFrame
    sampled: Sampled


def draw_release(stages: Stages, plan: SparkPlan, source: NoiseSource) -> DrawnEvents:
    """Sample cases, name them, noise their times. Workers draw as ``source`` does, each from the operating system."""
    check_drawable(plan, source)
    sampled, released = _sampled(stages, plan, source)
    kept = _with_variants(stages, plan)
    keys = draw_stage(stages, "keys", kept.select("number", "variant"), _keys(source.sampler), KEYS)
    _check_one_each(keys, int(plan.kept_variant_cases.sum()), "case")
    named = _named(stages, plan, keys, released, source)
    columns: tuple[str, ...] = ("number", "name", "origin", "copies")
    if plan.individuals is not None:
        named = named.join(plan.individuals.selectExpr("number AS origin", "individual"), "origin")
        columns = (*columns, "individual")
    cases = named.join(kept.withColumnRenamed("number", "origin"), "origin")
    protected = stages.write("protected", plan.events(cases, columns))
    return DrawnEvents(_noised(stages, protected, source), sampled)


def check_drawable(plan: SparkPlan, source: NoiseSource) -> None:
    """Refuse what cannot be drawn, or leads to nothing but noise."""
    if plan.method.noise_times is not bounded_laplace:
        raise ParameterError(f"On Spark, the time mechanism of method '{plan.method.name}' is not known.")
    if not source.unpredictable:
        raise ParameterError("On Spark there is no seeded noise: a task that is run again would repeat it.")
    moves = plan.automaton.dafsa.n_transitions / plan.control_flow_epsilon
    check_moves(moves, plan.n_events / int(plan.variant_cases.sum()))


def draw_stage(stages: Stages, name: str, frame: DataFrame, kernel: Kernel, schema: Any) -> DataFrame:
    """A stage whose kernel draws: for each row of committed files, without a shuffle before or after in the same job,
    so that no row is drawn for twice and none is left out when tasks are run again."""
    drawn = frame.mapInArrow(kernel, schema)
    others = _steps(drawn) - _ROW_BY_ROW
    if others:
        what = ", ".join(sorted(others))
        raise ReleaseError(f"The stage '{name}' would draw in a job with a shuffle ({what}); nothing was drawn in it.")
    return stages.write(name, drawn)


_ROW_BY_ROW = {
    *("AdaptiveSparkPlan", "WholeStageCodegen", "InputAdapter", "ColumnarToRow"),  # how, not what
    *("FileScan", "Project", "Filter", "MapInArrow"),
    *("BroadcastHashJoin", "BroadcastExchange", "Scan", "LocalTableScan"),  # with a small table of the driver
}
"""Steps of a job that read files and treat each row by itself."""


def _steps(frame: DataFrame) -> set[str]:
    """Names of the steps by which Spark would compute a frame."""
    plan = str(frame._jdf.queryExecution().executedPlan().toString())
    return set(re.findall(r"^[^A-Za-z]*([A-Za-z]+)", plan, flags=re.MULTILINE))


def _sampled(stages: Stages, plan: SparkPlan, source: NoiseSource) -> tuple[Sampled, IntArray]:
    """The driver's draws, and the released cases of each variant as they are read back."""
    import pyarrow as pa

    flow = ControlFlow(plan.automaton.dafsa, plan.kept_variant_cases, plan.parameters.max_case_length)
    sampled = plan.method.sample(flow, plan.control_flow_epsilon, source)
    check_sampled(plan.method, plan.kept_variant_cases, sampled)
    table = pa.table({"variant": np.arange(len(sampled.cases)), "cases": sampled.cases})
    written = stages.write("sampled", stages.session.createDataFrame(table))
    return sampled, written.toArrow().sort_by("variant").column("cases").to_numpy()


def _with_variants(stages: Stages, plan: SparkPlan) -> DataFrame:
    """The kept cases as a stage of their own, with their variants."""
    cases = plan.cases.select("number", "word", "times")
    shared = stages.session.sparkContext.broadcast(plan.automaton)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for rows in case_rows(batches):
            variant = pa.array(shared.value.variants_of(rows.words))
            yield from rows.table.append_column("variant", variant).combine_chunks().to_batches()

    return stages.write(
        "kept", cases.mapInArrow(run, "number bigint, word binary, times array<bigint>, variant bigint")
    )


KEYS = "number bigint, variant bigint, key bigint"


def _keys(sampler: str) -> Kernel:
    """A random key for each case: their order within a variant is a uniform permutation."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        source = noise_source(None, sampler)
        for batch in batches:
            keys = pa.array(source.bits(batch.num_rows).view(np.int64))
            yield pa.RecordBatch.from_arrays([*batch.columns, keys], ["number", "variant", "key"])

    return run


def _named(stages: Stages, plan: SparkPlan, keys: DataFrame, released: IntArray, source: NoiseSource) -> DataFrame:
    """Released cases with random names, numbered in the order of these, which is a uniform one."""
    from pyspark.sql import functions as sql

    one = sql.lit(1)
    ranked = cumulative(stages, "ranked", keys.withColumn("one", one), ["variant", "key", "number"], "one")
    kernel = _names(plan.kept_variant_cases, released, source.sampler)
    names = draw_stage(stages, "names", ranked, kernel, "origin bigint, copies bigint, name string")
    numbered = cumulative(stages, "released", names.withColumn("one", one), ["name"], "one")
    return numbered.drop("one").withColumnRenamed("before", "number")


def _names(present: IntArray, released: IntArray, sampler: str) -> Kernel:
    first = np.cumsum(present) - present

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        source = noise_source(None, sampler)
        for batch in batches:
            variant = batch.column("variant").to_numpy()
            rank = batch.column("before").to_numpy() - first[variant]
            copies = copies_by_rank(variant, rank, present, released)
            rows = np.repeat(np.arange(batch.num_rows), copies)
            yield pa.RecordBatch.from_arrays(
                [
                    batch.column("number").take(pa.array(rows)),
                    pa.array(copies[rows]),
                    pa.array(random_names(source, len(rows)), pa.string()),
                ],
                ["origin", "copies", "name"],
            )

    return run


def _noised(stages: Stages, protected: DataFrame, source: NoiseSource) -> DataFrame:
    from pyspark.sql.types import DoubleType, LongType, StructType

    schema = StructType([*protected.schema.fields]).add("scale", DoubleType()).add("noised", LongType())
    drawn = draw_stage(stages, "drawn", protected, _times(source.sampler), schema)
    _check_one_each(drawn, int(protected.count()), "event")
    return drawn


def _check_one_each(drawn: DataFrame, number: int, of: str) -> None:
    if drawn.count() != number:
        raise ReleaseError(f"What was drawn and written is not one row for each {of}; nothing was released.")


def _times(sampler: str) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        source = noise_source(None, sampler)
        for batch in batches:
            value, value_range, copies = (batch.column(name).to_numpy() for name in ("value", "value_range", "copies"))
            scale = noise_scales(value_range, batch.column("loss").to_numpy(), copies)
            own = [pa.array(scale), pa.array(noised_values(value, scale, source))]
            yield pa.RecordBatch.from_arrays([*batch.columns, *own], [*batch.schema.names, "scale", "noised"])

    return run
