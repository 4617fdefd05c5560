"""A DataFrame as events: case, activity, time and the place that breaks ties.

The columns are read by the functions that read Parquet files on one machine, batch by batch, so that numbers, text and
times mean the same. Spark knows no order of rows: it must be in a column, or be that of Parquet files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from amun_dp._base.arrays import BoolArray
from amun_dp._base.messages import Message
from amun_dp.errors import IncompleteLog, InputError, ParameterError
from amun_dp.eventlog.log import ReadingFacts
from amun_dp.reading.assembly import TRANSITION, no_such_transition, of_transition, other_transitions
from amun_dp.reading.coded import coded_from_arrow, nested
from amun_dp.reading.columns import ColumnChoice
from amun_dp.reading.sequence import no_whole_numbers, unnumbered
from amun_dp.reading.tables import TableColumns, choose_columns
from amun_dp.reading.timestamps import not_times, times_from_arrow
from amun_dp.spark.engine.batches import Kernel
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.parquet import FILE, SEQUENCE, check_alike, check_all_read

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_ROW_BITS = 40
"""Rows of one file: a trillion. Eight million files fit beside them."""
EVENTS = (
    "case string, activity string, time bigint, unreadable boolean, naive boolean, sequence bigint, transition boolean"
)
"""``transition`` is null where a lifecycle transition is asked for and the event states none."""


@dataclass(frozen=True, slots=True)
class Events:
    """What was read: a stage with a row an event."""

    frame: DataFrame
    facts: ReadingFacts
    number: int
    individuals: DataFrame | None
    """Case and individual as every row of the input states them, also those of events that are left out; not computed
    yet. None if nobody asked for individuals."""


def read_events(stages: Stages, frame: DataFrame, choice: ColumnChoice) -> Events:
    """The events of a frame."""
    columns = choose_columns(_own_columns(frame), choice)
    check_alike(frame, columns.needed())
    place = _place(frame, columns, choice)
    files = _file_names(frame) if place == SEQUENCE else None
    roles = {"case": columns.case, "activity": columns.activity, "time": columns.timestamp, "sequence": place}
    roles |= {} if files is None else {"file": FILE}
    roles |= {} if columns.lifecycle is None else {"lifecycle": columns.lifecycle}
    roles |= {} if columns.individual is None else {"individual": columns.individual}
    named = frame.select(*(frame[f"`{name}`"].alias(role) for role, name in roles.items()))
    if FILE not in frame.columns:  # a computation, which need not have the same result twice: files do
        named = stages.write("input", named)
    events = named.drop("individual").mapInArrow(_typed(columns, choice, files), EVENTS)
    written = stages.write("events", events)
    # Events of another lifecycle transition are not in the stage; how many there were, only the input knows.
    read = int(written.count())
    others = 0 if choice.lifecycle is None else int(named.count()) - read
    check_all_read(frame, read + others)
    return _complete(written, columns, choice, others, _individuals(named, columns))


def _own_columns(frame: DataFrame) -> list[str]:
    """Without those that were put there to know the order of files."""
    return [name for name in frame.columns if name not in (SEQUENCE, FILE)]


def _place(frame: DataFrame, columns: TableColumns, choice: ColumnChoice) -> str:
    """The column that orders events of a case at one time, once all columns have types that can be read."""
    from pyspark.sql.types import (
        ArrayType,
        DateType,
        IntegralType,
        MapType,
        StringType,
        StructType,
        TimestampNTZType,
        TimestampType,
    )

    for name in (columns.case, columns.activity, columns.individual):
        if name is not None and isinstance(frame.schema[name].dataType, ArrayType | MapType | StructType):
            raise nested(name)
    times: tuple[type, ...] = (DateType, StringType, TimestampNTZType, TimestampType)
    times += () if choice.timestamp_format is None else (IntegralType,)
    if not isinstance(frame.schema[columns.timestamp].dataType, times):
        raise not_times(columns.timestamp)
    if columns.sequence is not None:
        if not isinstance(frame.schema[columns.sequence].dataType, IntegralType):
            raise no_whole_numbers(columns.sequence)
        return columns.sequence
    if SEQUENCE not in frame.columns:
        raise ParameterError(
            "A DataFrame has no order, and events of a case at the same time need one: name a column of whole "
            "numbers that has it (ColumnChoice(sequence=…))."
        )
    return SEQUENCE


def _file_names(frame: DataFrame) -> list[str]:
    """In the order of the names themselves: in addresses, a blank is %20, which is after an exclamation mark."""
    return sorted(frame.select(f"`{FILE}`").distinct().toArrow().column(0).to_pylist(), key=unquote)


def _typed(columns: TableColumns, choice: ColumnChoice, files: list[str] | None) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        names = ["case", "activity", "time", "unreadable", "naive", "sequence", "transition"]
        for whole in batches:
            batch, unknown = _of_lifecycle(whole, columns, choice)
            times = times_from_arrow(batch.column("time"), columns.timestamp, choice.timestamp_format)
            sequence = batch.column("sequence").cast(pa.int64())
            if files is not None:
                file = pc.index_in(batch.column("file"), value_set=pa.array(files)).cast(pa.int64())
                sequence = pc.add(pc.shift_left(file, _ROW_BITS), sequence)
            yield pa.RecordBatch.from_arrays(
                [
                    _text(batch.column("case"), columns.case),
                    _text(batch.column("activity"), columns.activity),
                    pa.array(times.milliseconds, mask=times.missing),
                    pa.array(times.unreadable),
                    pa.array(times.naive),
                    sequence,
                    pa.array(~unknown, mask=unknown),
                ],
                names,
            )

    return run


def _individuals(named: DataFrame, columns: TableColumns) -> DataFrame | None:
    if columns.individual is None:
        return None
    roles = {"case": columns.case, "individual": columns.individual}

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            texts = [_text(batch.column(role), name) for role, name in roles.items()]
            yield pa.RecordBatch.from_arrays(texts, list(roles))

    return named.select(*roles).mapInArrow(run, "case string, individual string")


def _of_lifecycle(
    batch: pa.RecordBatch, columns: TableColumns, choice: ColumnChoice
) -> tuple[pa.RecordBatch, BoolArray]:
    """The rows of the lifecycle transition that was asked for, in any case of letters, and of none, and which of them
    have none; all, if none was asked for."""
    if choice.lifecycle is None or columns.lifecycle is None:
        return batch, np.zeros(len(batch), dtype=np.bool_)
    coded = coded_from_arrow(batch.column("lifecycle"), columns.lifecycle)
    rows = np.flatnonzero(np.isin(coded.codes, of_transition(coded.labels, choice.lifecycle)) | coded.missing)
    return batch.take(rows), coded.missing[rows]


def _text(column: pa.Array, name: str) -> Any:
    import pyarrow as pa

    coded = coded_from_arrow(column, name)
    labels = pa.array(coded.labels, pa.string())
    return labels.take(pa.array(coded.codes, mask=np.asarray(coded.codes < 0)))


def _complete(
    frame: DataFrame, columns: TableColumns, choice: ColumnChoice, others: int, individuals: DataFrame | None
) -> Events:
    """Refuse what cannot be read; refuse or drop what is not complete."""
    from pyspark.sql import functions as sql

    roles = {"case": "case", "activity": "activity", "timestamp": "time", TRANSITION: "transition"}
    whole = sql.lit(True)
    for column in roles.values():
        whole = whole & sql.col(column).isNotNull()
    found = frame.agg(
        sql.count("*").alias("total"),
        sql.count_if("unreadable").alias("unreadable"),
        sql.count_if("naive").alias("naive"),
        sql.count_if(sql.col("sequence").isNull()).alias("unplaced"),
        sql.count_if(~whole).alias("incomplete"),
        sql.count("transition").alias("of transition"),
        *(
            sql.count_if(sql.col(column).isNull() & ~sql.col("unreadable")).alias(role)
            for role, column in roles.items()
        ),
    ).first()
    assert found is not None  # an aggregate without groups has one row
    if not found["total"] and not others:
        raise InputError("The log has no events. Export it again, with its events.")
    if not found["of transition"]:
        raise no_such_transition(choice)
    if found["unreadable"]:
        raise InputError(
            Message(
                "{unreadable} of {total} timestamps ({name!r}) cannot be read: they are not ISO 8601 of the years 1 to "
                "9999, or do not follow {timestamp_format}.",
                unreadable=found["unreadable"],
                total=found["total"],
                name=columns.timestamp,
            )
        )
    if found["unplaced"]:
        raise unnumbered(found["unplaced"], found["total"])
    notes = list(columns.notes)
    if others:
        notes.append(other_transitions(others))
    if found["naive"]:
        notes.append(f"{found['naive']} of {found['total']} timestamps without a UTC offset were read as UTC.")
    if found["incomplete"]:
        missing = ", ".join(f"{found[role]} have no {role}" for role in roles if found[role])
        if not choice.drop_incomplete:
            raise IncompleteLog(
                Message(
                    "{incomplete} of {total} events are incomplete: {missing}. Complete the log, or leave such events "
                    "out with {drop_incomplete}.",
                    incomplete=found["incomplete"],
                    total=found["total"],
                    missing=missing,
                )
            )
        notes.append(f"{found['incomplete']} incomplete events were dropped ({missing}).")
    if found["incomplete"] == found["total"]:
        raise InputError(f"The log has no events left: all {found['total']} were dropped as they were not complete.")
    facts = ReadingFacts(
        format="parquet",
        notes=tuple(notes),
        dropped_attributes=columns.dropped,
        incomplete_events=found["incomplete"],
        columns=columns.roles(),
        other_lifecycle_events=others,
    )
    kept = frame.where(whole).select("case", "activity", "time", "sequence")
    return Events(kept, facts, found["total"] - found["incomplete"], individuals)
