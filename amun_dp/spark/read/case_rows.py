"""From events to cases, one row each, and from the words of cases to the automaton."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.dafsa import Dafsa, build_dafsa
from amun_dp.article.step1_annotation import groups_of, relative_times, transitions_of
from amun_dp.article.step7_compression import PublicFacts
from amun_dp.eventlog.variants import Sequences, Variants, spelled, word_order, words_of
from amun_dp.reading.sequence import no_order
from amun_dp.spark.engine.batches import Kernel, case_rows, whole_cases
from amun_dp.spark.engine.cumulative import cumulative
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

CASES = "case string, first bigint, word binary, times array<bigint>, start bigint, last bigint, tied boolean"


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """What workers need to annotate cases."""

    activities: tuple[str, ...]
    words: pa.LargeBinaryArray
    """The variants as byte strings, in their order."""
    dafsa: Dafsa
    public: PublicFacts

    def variants_of(self, words: pa.LargeBinaryArray) -> IntArray:
        """The variant of each word."""
        import pyarrow.compute as pc

        found: IntArray = pc.index_in(words, value_set=self.words).to_numpy(zero_copy_only=False).astype(np.int64)
        return found

    def cases_of_variants(self, words: pa.LargeBinaryArray, cases: IntArray) -> IntArray:
        """Cases of each variant, from those of some words."""
        counts = np.zeros(len(self.words), dtype=np.int64)
        counts[self.variants_of(words)] = cases
        return counts


def find_cases(stages: Stages, events: DataFrame) -> tuple[DataFrame, tuple[str, ...]]:
    """Cases numbered by their first appearance in the input, and the labels of their activities.

    Those that appear at the same place (a sequence may number the events of each case from 0) are in the order of their
    names. Left to Spark, it would depend on the files it happens to read first, and so would which of an individual's
    cases count: on the cases of others.
    """
    from pyspark.sql import functions as sql

    # Sorted as Python text, as labels are on one machine.
    activities = tuple(sorted(events.select("activity").distinct().toArrow().column(0).to_pylist()))
    rows = (
        events.repartition(stages.partitions, "case")
        .sortWithinPartitions("case", "time", "sequence")
        .mapInArrow(_case_rows(activities), CASES)
    )
    cases = stages.write("cases", rows)
    tied = cases.where("tied").count()
    if tied:
        raise no_order(tied)
    counted = cases.drop("tied").withColumn("one", sql.lit(1))
    numbered = cumulative(stages, "numbered", counted, ["first", "case"], "one")
    return numbered.withColumnRenamed("before", "number").drop("one", "first"), activities


def _case_rows(activities: tuple[str, ...]) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        labels = pa.array(activities, pa.string())
        for table, offsets in whole_cases(batches, "case"):
            codes = pc.index_in(table.column("activity").combine_chunks(), value_set=labels)
            flow = Sequences(codes.to_numpy(zero_copy_only=False).astype(np.int64), offsets)
            words = words_of(flow, len(activities))
            time = table.column("time").to_numpy()
            sequence = table.column("sequence").to_numpy()
            same = np.concatenate(([False], (time[1:] == time[:-1]) & (sequence[1:] == sequence[:-1])))
            same[offsets[:-1]] = False
            yield pa.RecordBatch.from_arrays(
                [
                    table.column("case").combine_chunks().take(offsets[:-1]),
                    pa.array(np.minimum.reduceat(sequence, offsets[:-1])),
                    words.cast(pa.binary()),
                    pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(time)),
                    pa.array(time[offsets[:-1]]),
                    pa.array(time[offsets[1:] - 1]),
                    pa.array(np.logical_or.reduceat(same, offsets[:-1])),
                ],
                ["case", "first", "word", "times", "start", "last", "tied"],
            )

    return run


def count_words(cases: DataFrame) -> tuple[pa.LargeBinaryArray, IntArray]:
    """The distinct words of cases in their order, and how many cases have each: this much the driver holds."""
    return sorted_words(cases.groupBy("word").count().withColumnRenamed("count", "cases").toArrow())


def sorted_words(table: pa.Table) -> tuple[pa.LargeBinaryArray, IntArray]:
    """Words in their order, and the ``cases`` of each, from a table of both."""
    import pyarrow as pa

    words = table.column("word").cast(pa.large_binary()).combine_chunks()  # all words may exceed 2 GB
    order = word_order(words)
    return words.take(order), table.column("cases").to_numpy()[order]


def build_automaton(words: pa.LargeBinaryArray, cases: DataFrame, activities: tuple[str, ...]) -> Automaton:
    """The minimal DAFSA of the distinct words of cases, and the public time frame."""
    from pyspark.sql import functions as sql

    variants = spelled(words, len(activities))
    nobody = np.empty(0, dtype=np.int64)  # which case has which variant, only workers know
    frame = cases.agg(sql.min("start"), sql.max("start"), sql.max("last")).first()
    assert frame is not None  # an aggregate without groups has one row
    return Automaton(
        activities=activities,
        words=words,
        dafsa=build_dafsa(Variants(variants.activity, variants.offsets, nobody)),
        public=PublicFacts(*frame),
    )


EVENTS = "position int, transition bigint, group bigint, value bigint"
"""Columns of annotated events, beside those of their cases."""


def annotated_events(cases: DataFrame, automaton: Automaton, kept: tuple[str, ...]) -> DataFrame:
    """A row an event, with its place in the case, its transition, group and relative time, and columns of its case."""
    from pyspark.sql.types import StructType

    shared = cases.sparkSession.sparkContext.broadcast(automaton)
    schema = StructType([cases.schema[name] for name in kept])
    for field in StructType.fromDDL(EVENTS):
        schema.add(field)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        known = shared.value
        for rows in case_rows(batches):
            firsts = np.repeat(rows.offsets[:-1], rows.lengths)
            transition = transitions_of(known.dafsa, known.variants_of(rows.words), rows.lengths)
            columns = [
                pa.array((np.arange(len(firsts)) - firsts).astype(np.int32)),
                pa.array(transition),
                pa.array(groups_of(transition, rows.offsets)),
                pa.array(relative_times(rows.time, rows.offsets, known.public.first_start)),
            ]
            yield pa.RecordBatch.from_arrays([*map(rows.repeated, kept), *columns], schema.names)

    return cases.select(*kept, "word", "times").mapInArrow(run, schema)
