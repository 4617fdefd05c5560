"""Prepared cases on the workers. What a certified release measures of them are sums, and these alone leave.

Noise is added on the driver, to the sums: nothing here draws, so a task that is run again does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.certified.cases import Cases, within_facts
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.errors import sensitivity_exceeded
from amun_dp.certified.population import (
    KEYS,
    AnyTally,
    CountedPart,
    Part,
    Population,
    Seen,
    as_stated,
    counted_keys,
    name_of,
)
from amun_dp.certified.public_facts import PublicFacts, public_codes
from amun_dp.eventlog.variants import Sequences, spelled, words_of
from amun_dp.spark.engine.batches import Kernel, case_rows
from amun_dp.spark.engine.failures import quoting_nothing
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.case_rows import sorted_words

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_PREPARED = "word binary, times array<bigint>"
_CELLS = "tally int, cell bigint, amount bigint"
_KEYS = "word binary, cases bigint"
_EXCEEDED = -1
"""In the place of a cell: a case adds more than the tally states. A task that raised would only be run again."""


@dataclass(frozen=True, slots=True, eq=False)
class SparkPopulation(Population[Part]):
    """The cases of a stage. A view is computed again in every pass, which costs less than to keep it."""

    frame: DataFrame
    """Words of public codes and times, one row a case."""
    activities: int
    view: Callable[[Cases], Part]
    """What a part is to those who measure it."""

    def totals(self, *tallies: AnyTally[Part]) -> list[IntArray]:
        """Every task adds up its own cases, and checks them; only cells that are not zero are exchanged."""
        from pyspark.sql import functions as sql

        shared = self.frame.sparkSession.sparkContext.broadcast((self.activities, self.view, tallies))
        cells = self.frame.mapInArrow(_summed(shared), _CELLS)
        table = _taken(cells.groupBy("tally", "cell").agg(sql.sum("amount").alias("amount")))
        shared.destroy()
        tally, cell, amount = (table.column(name).to_numpy() for name in ("tally", "cell", "amount"))
        nobody = self.view(_nobody(self.activities))
        totals = [each(nobody).totals() for each in tallies]  # as many zeros as there are cells
        for number, total in enumerate(totals):
            own = tally == number
            if (cell[own] == _EXCEEDED).any():
                raise sensitivity_exceeded(name_of(tallies[number]))
            total[cell[own]] += amount[own]
        return totals

    def histogram(
        self: SparkPopulation[CountedPart], key: Callable[[CountedPart], pa.LargeBinaryArray]
    ) -> tuple[pa.LargeBinaryArray, IntArray]:
        """The driver gets the distinct keys."""
        from pyspark.sql import functions as sql

        shared = self.frame.sparkSession.sparkContext.broadcast((self.activities, self.view, key))
        counted = self.frame.mapInArrow(_counted(shared), _KEYS)
        table = _taken(counted.groupBy("word").agg(sql.sum("cases").alias("cases")))
        shared.destroy()
        if table.column("word").null_count:
            raise sensitivity_exceeded(KEYS)
        return sorted_words(table)

    def each(self, view: Callable[[Part], Seen]) -> SparkPopulation[Seen]:
        return SparkPopulation(self.frame, self.activities, _Then(self.view, view))


@dataclass(frozen=True, slots=True, eq=False)
class _Then:
    """One view after the other."""

    first: Callable[[Any], Any]
    second: Callable[[Any], Any]

    def __call__(self, cases: Cases) -> Any:
        return self.second(self.first(cases))


def prepared_cases(
    stages: Stages, cases: DataFrame, labels: tuple[str, ...], facts: PublicFacts, choices: CertifiedChoices
) -> SparkPopulation[Cases]:
    """The cases of a log within the public facts, as a stage."""
    # Workers need the alphabet and the time frame; the public variants, which may be many, they do not.
    kernel = _prepared(labels, replace(facts, variants=None), choices)
    frame = stages.write("prepared", cases.select("word", "times").mapInArrow(kernel, _PREPARED))
    return SparkPopulation(frame, len(facts.activities), _as_they_are)


def _taken(sums: DataFrame) -> pa.Table:
    """Asked for by whoever measures, with nobody around who would keep Spark's text to itself."""
    return quoting_nothing(sums.sparkSession, lambda: "measuring", sums.toArrow)


def _as_they_are(cases: Cases) -> Cases:
    return cases


def _nobody(activities: int) -> Cases:
    none = np.empty(0, dtype=np.int64)
    return Cases(Sequences(none, np.zeros(1, dtype=np.int64)), none, activities)


def _prepared(labels: tuple[str, ...], facts: PublicFacts, choices: CertifiedChoices) -> Kernel:
    codes = public_codes(labels, facts.activities)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for rows in case_rows(batches):
            flow = spelled(rows.words, len(labels))
            cases = within_facts(Sequences(codes[flow.activity], flow.offsets), rows.time, facts, choices)
            words = words_of(cases.flow, cases.activities).cast(pa.binary())
            times = pa.ListArray.from_arrays(pa.array(cases.flow.offsets, pa.int32()), pa.array(cases.time))
            yield pa.RecordBatch.from_arrays([words, times], ["word", "times"])

    return run


def _parts(batches: Iterable[pa.RecordBatch], activities: int, view: Callable[[Cases], Part]) -> Iterator[Part]:
    for rows in case_rows(batches):
        yield view(Cases(spelled(rows.words, activities), rows.time, activities))


def _summed(shared: Any) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        activities, view, tallies = shared.value
        totals: list[IntArray | int] = [0] * len(tallies)
        exceeded = [False] * len(tallies)
        for part in _parts(batches, activities, view):
            for number, tally in enumerate(tallies):
                added = tally(part)
                exceeded[number] |= not as_stated(tally, added)
                totals[number] = totals[number] + added.totals()
        for number, total in enumerate(totals):
            cell = np.array([_EXCEEDED]) if exceeded[number] else np.flatnonzero(total)
            if len(cell):
                amount = np.zeros(1, dtype=np.int64) if exceeded[number] else np.asarray(total)[cell]
                columns = [pa.array(np.full(len(cell), number, dtype=np.int32)), pa.array(cell), pa.array(amount)]
                yield pa.RecordBatch.from_arrays(columns, ["tally", "cell", "amount"])

    return run


def _counted(shared: Any) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        activities, view, key = shared.value
        for part in _parts(batches, activities, view):
            keys = key(part)
            words, cases = counted_keys(keys)
            columns = [words.cast(pa.binary()), pa.array(cases)]
            if len(keys) != part.count:
                columns = [pa.nulls(1, pa.binary()), pa.array([0])]
            yield pa.RecordBatch.from_arrays(columns, ["word", "cases"])

    return run
