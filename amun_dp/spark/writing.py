"""From drawn events to files. Workers put times together and sort; the driver passes the sorted parts on in batches.

A release has one log and one ledger, whoever made it, so that everything that reads releases reads these too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.events import PerEventNoise
from accounting.ledger.records import Column
from accounting.ledger.texts import TextColumn, text_column_of_arrow
from accounting.personalised import loss_units
from amun_dp.conventions import Conventions
from amun_dp.eventlog import IntArray, PublicLog, build_event_log, declared_public
from amun_dp.figures import PublicFigures, added_figures, public_figures
from amun_dp.mechanisms.postprocessing import PublicFacts, rebuild_times
from amun_dp.spark.batches import whole_cases
from amun_dp.spark.drawing import DrawnEvents
from amun_dp.spark.planning import SparkPlan
from amun_dp.spark.stages import Stages
from amun_dp.writing.tables import Attributes, rows_a_batch, write_parquet_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_LEDGER_ROWS = 1 << 18
_NAME_BYTES = 32
_LOG = (
    "number bigint, name string, activity bigint, time bigint, value_range bigint, scale double, copies bigint, "
    "origin bigint, transition bigint, prior double, units bigint, row_units bigint"
)
"""Of a released event: its case and what is published of it, what its noise was drawn from, and its loss, over all
copies and of this row alone (units of ``accounting.personalised``)."""


@dataclass(frozen=True, slots=True)
class SortedLog:
    """A stage whose files, by name, hold the released events in their order."""

    frame: DataFrame
    folder: Path
    activities: tuple[str, ...]
    """Labels by code."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows from the first on."""
        import pyarrow.parquet as pq

        for path in sorted(self.folder.glob("part-*.parquet")):
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(batch_size=_LEDGER_ROWS)


def sort_log(stages: Stages, plan: SparkPlan, drawn: DrawnEvents) -> SortedLog:
    """Released events with their times, in the order of the released cases."""
    conventions = plan.parameters.conventions
    span = _anonymised_span(drawn.frame) if conventions.compression == "factor" else None
    kernel = _released(plan.automaton.dafsa.activity, plan.automaton.public, conventions, span)
    ordered = drawn.frame.repartitionByRange(stages.partitions, "number").sortWithinPartitions("number", "position")
    frame = stages.write("log", ordered.mapInArrow(kernel, _LOG))
    return SortedLog(frame, Path(stages.folder) / "log", plan.automaton.activities)


def _anonymised_span(drawn: DataFrame) -> int:
    from pyspark.sql import functions as sql

    start = sql.greatest(sql.col("noised"), sql.lit(0))
    found = drawn.where("position = 0").agg(sql.max(start) - sql.min(start)).first()
    assert found is not None  # an aggregate without groups has one row
    return int(found[0])


def _released(
    activity: IntArray, public: PublicFacts, conventions: Conventions, span: int | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for table, offsets in whole_cases(batches, "number"):
            column = {name: table.column(name).to_numpy() for name in _NUMBERS}
            times, _ = rebuild_times(column["noised"], offsets, public, conventions, span)
            own = {
                "activity": activity[column["transition"]],
                "time": times,
                "units": loss_units(column["value_range"], column["copies"], column["scale"]),
                "row_units": loss_units(column["value_range"], 1, column["scale"]),
            }
            arrays = [
                pa.array(own[name]) if name in own else table.column(name).combine_chunks() for name in _LOG_NAMES
            ]
            yield pa.RecordBatch.from_arrays(arrays, _LOG_NAMES)

    return run


_LOG_NAMES = [field.split()[0] for field in _LOG.split(", ")]
_NUMBERS = ("noised", "transition", "value_range", "copies", "scale")


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """What the driver saw of the released log while it passed: figures, and rows that stand for all (confidential)."""

    figures: PublicFigures
    telling: PerEventNoise
    worst_event: int
    """Row with the largest loss, the last one of several."""


def look_through(log: SortedLog, variants: int, telling: list[int]) -> Passed:
    """One pass over the released events. ``telling`` are the original cases whose rows are kept."""
    import pyarrow as pa
    from pyspark.sql import functions as sql

    ends = log.frame.agg(sql.min("time"), sql.max("time")).first()
    assert ends is not None  # an aggregate without groups has one row
    figures: list[PublicFigures] = []
    kept: list[Any] = []
    worst, largest, seen = 0, -1, 0
    for table, offsets in whole_cases(log.batches(), "number"):
        part = public_figures(_part(table, offsets, log.activities), (ends[0], ends[1]))
        figures = [added_figures([*figures, part], variants)]
        rows = np.flatnonzero(np.isin(table.column("origin").to_numpy(), telling))
        if len(rows):
            kept.append(table.take(rows))
        units = table.column("units").to_numpy()
        place = np.where(units < 0, np.iinfo(np.int64).max, units)
        if int(place.max()) >= largest:
            largest = int(place.max())
            worst = seen + int(np.flatnonzero(place == largest)[-1])
        seen += table.num_rows
    return Passed(figures[0], _noise(pa.concat_tables(kept)), worst)


def _part(table: pa.Table, offsets: IntArray, activities: tuple[str, ...]) -> PublicLog:
    lengths = np.diff(offsets)
    part = build_event_log(
        case=np.repeat(np.arange(len(lengths)), lengths),
        case_names=table.column("name").combine_chunks().take(offsets[:-1]).to_numpy(zero_copy_only=False),
        activity=table.column("activity").to_numpy(),
        labels=np.array(activities, dtype=object),
        time=table.column("time").to_numpy(),
        sequence=np.arange(table.num_rows),
    )
    return declared_public(part)


def _noise(table: pa.Table) -> PerEventNoise:
    columns = {name: table.column(name).to_numpy() for name in ("number", "value_range", "scale", "copies", "origin")}
    case = np.unique(columns.pop("number"), return_inverse=True)[1].astype(np.int64)
    return PerEventNoise(case=case, individual=columns["origin"], **columns)


def write_log_file(log: SortedLog, path: Path, attributes: Attributes, figures: PublicFigures) -> None:
    """The released log as the one-machine engine writes it, byte for byte the same for the same rows."""
    import pyarrow as pa

    rows = rows_a_batch(_NAME_BYTES, pa.array(figures.activities, pa.large_string()))
    labels = pa.array(log.activities, pa.large_string())
    batches = (
        (
            table.column("name").combine_chunks(),
            labels.take(table.column("activity").combine_chunks()),
            table.column("time").to_numpy(),
        )
        for table in _exactly(log.batches(), rows)
    )
    with path.open("wb") as stream:
        write_parquet_rows(batches, stream, attributes)


def ledger_rows(log: SortedLog) -> Iterator[Mapping[str, Column]]:
    """The rows of the ledger's time mechanism, with their annotations."""
    for table in _exactly(log.batches(), _LEDGER_ROWS):
        column = {name: table.column(name).to_numpy() for name in _LOG_NAMES if name != "name"}
        yield {
            "columns.case": column["number"],
            "columns.value_range": column["value_range"],
            "columns.scale": column["scale"],
            "columns.copies": column["copies"],
            "columns.origin": column["origin"],
            "columns.individual": column["origin"],
            "annotation:released_case": text_column_of_arrow(table.column("name")),
            "annotation:activity": TextColumn(column["activity"], log.activities),
            "annotation:transition": column["transition"],
            "annotation:prior": column["prior"],
        }


def _exactly(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of exactly so many, but for the last."""
    import pyarrow as pa

    gathered: Any = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        gathered = table if gathered is None else pa.concat_tables([gathered, table])
        while gathered.num_rows >= rows:
            yield gathered.slice(0, rows).combine_chunks()
            gathered = gathered.slice(rows)
    if gathered is not None and gathered.num_rows:
        yield gathered.combine_chunks()
