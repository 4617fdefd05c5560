"""Prepared cases on the workers. What a certified release measures of them are sums, and these alone leave.

Noise is added on the driver, to the sums: nothing here draws, so a task that is run again does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.facts import PublicFacts, public_codes
from amun_dp.certified.population import Part, Population, Seen, Tally, counted_keys
from amun_dp.certified.preparing import Cases, within_facts
from amun_dp.certified.sequences import Sequences, words_of
from amun_dp.eventlog import IntArray
from amun_dp.spark.batches import Kernel, case_rows
from amun_dp.spark.cases import sorted_words
from amun_dp.spark.failures import quoting_nothing
from amun_dp.spark.stages import Stages
from amun_dp.variants import spelled

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_PREPARED = "word binary, times array<bigint>"
_CELLS = "tally int, cell bigint, amount bigint"
_KEYS = "word binary, cases bigint"


@dataclass(frozen=True, slots=True, eq=False)
class SparkPopulation(Population[Part]):
    """The cases of a stage. A view is computed again in every pass, which costs less than to keep it."""

    frame: DataFrame
    """Words of public codes and times, one row a case."""
    activities: int
    view: Callable[[Cases], Part]
    """What a part is to those who measure it."""

    def totals(self, *tallies: Tally[Part]) -> list[IntArray]:
        """Every task adds up its own cases; only cells that are not zero are exchanged."""
        from pyspark.sql import functions as sql

        shared = self.frame.sparkSession.sparkContext.broadcast((self.activities, self.view, tallies))
        cells = self.frame.mapInArrow(_summed(shared), _CELLS)
        table = _taken(cells.groupBy("tally", "cell").agg(sql.sum("amount").alias("amount")))
        shared.destroy()
        tally, cell, amount = (table.column(name).to_numpy() for name in ("tally", "cell", "amount"))
        nobody = self.view(_nobody(self.activities))
        totals = [each(nobody).astype(np.int64) for each in tallies]  # as many zeros as there are cells
        for number, total in enumerate(totals):
            own = tally == number
            total[cell[own]] += amount[own]
        return totals

    def histogram(self, key: Callable[[Part], pa.LargeBinaryArray]) -> tuple[pa.LargeBinaryArray, IntArray]:
        """The driver gets the distinct keys."""
        from pyspark.sql import functions as sql

        shared = self.frame.sparkSession.sparkContext.broadcast((self.activities, self.view, key))
        counted = self.frame.mapInArrow(_counted(shared), _KEYS)
        table = _taken(counted.groupBy("word").agg(sql.sum("cases").alias("cases")))
        shared.destroy()
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
            activity, offsets = spelled(rows.words, len(labels))
            cases = within_facts(Sequences(codes[activity], offsets), rows.time, facts, choices)
            words = words_of(cases.flow, cases.activities).cast(pa.binary())
            times = pa.ListArray.from_arrays(pa.array(cases.flow.offsets, pa.int32()), pa.array(cases.time))
            yield pa.RecordBatch.from_arrays([words, times], ["word", "times"])

    return run


def _parts(batches: Iterable[pa.RecordBatch], activities: int, view: Callable[[Cases], Part]) -> Iterator[Part]:
    for rows in case_rows(batches):
        yield view(Cases(Sequences(*spelled(rows.words, activities)), rows.time, activities))


def _summed(shared: Any) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        activities, view, tallies = shared.value
        totals: list[IntArray | int] = [0] * len(tallies)
        for part in _parts(batches, activities, view):
            totals = [total + tally(part) for total, tally in zip(totals, tallies, strict=True)]
        for number, total in enumerate(totals):
            cell = np.flatnonzero(total)
            if len(cell):
                amount = np.asarray(total)[cell]
                columns = [pa.array(np.full(len(cell), number, dtype=np.int32)), pa.array(cell), pa.array(amount)]
                yield pa.RecordBatch.from_arrays(columns, ["tally", "cell", "amount"])

    return run


def _counted(shared: Any) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        activities, view, key = shared.value
        for part in _parts(batches, activities, view):
            words, cases = counted_keys(key(part))
            yield pa.RecordBatch.from_arrays([words.cast(pa.binary()), pa.array(cases)], ["word", "cases"])

    return run
