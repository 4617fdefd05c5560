"""From drawn events to files. Workers put times together, sort, and write log and ledger in parts; the driver moves the
parts into place and adds up what was found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accounting.events import PerEventNoise
from accounting.ledger.in_parts import LedgerPart, write_part
from accounting.ledger.records import Column
from accounting.ledger.texts import TextColumn, text_column_of_arrow
from accounting.personalised import loss_units
from amun_dp._base.arrays import IntArray
from amun_dp.article.conventions import Conventions
from amun_dp.article.step7_compression import PublicFacts, rebuild_times
from amun_dp.eventlog.figures import LogFigures, PublicFigures, figures_of, public_figures
from amun_dp.eventlog.log import PublicLog, build_event_log, declared_public
from amun_dp.folder.parts import file_digest, first_cases, parts_for
from amun_dp.spark.article.article_plan import SparkPlan
from amun_dp.spark.article.draws import DrawnEvents
from amun_dp.spark.engine.batches import Kernel, runs, whole_cases
from amun_dp.spark.engine.stages import Stages
from amun_dp.writing import write_log
from amun_dp.writing.tables import Attributes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_LOG = (
    "number bigint, name string, activity bigint, time bigint, value_range bigint, scale double, copies bigint, "
    "origin bigint, individual bigint, transition bigint, prior double, units bigint, row_units bigint"
)
"""Of a released event: its case and what is published of it, what its noise was drawn from, and its loss, over all
copies and of this row alone (units of ``accounting.personalised``)."""


@dataclass(frozen=True, slots=True)
class SortedLog:
    """A stage whose files hold the released events in their order, one file per part of the release."""

    frame: DataFrame
    files: tuple[Path, ...]
    activities: tuple[str, ...]
    """Labels by code."""
    cases: int
    events: int


def sort_log(stages: Stages, plan: SparkPlan, drawn: DrawnEvents) -> SortedLog:
    """Released events with their times, in the order of the released cases, cut between cases."""
    from pyspark.sql import functions as sql

    conventions = plan.parameters.conventions
    span = _anonymised_span(drawn.frame) if conventions.compression == "factor" else None
    kernel = _released(plan.automaton.dafsa.activity, plan.automaton.public, conventions, span)
    cases = int(drawn.sampled.cases.sum())
    events = int((drawn.sampled.cases * plan.automaton.dafsa.variants.lengths).sum())
    parts = parts_for(events, cases)
    part_of_case = sql.expr(f"((number + 1) * {parts} - 1) div {cases}").cast("int")
    ordered = drawn.frame.repartitionById(parts, part_of_case).sortWithinPartitions("number", "position")
    if plan.individuals is None:
        ordered = ordered.withColumn("individual", ordered["origin"])
    frame = stages.write("log", ordered.mapInArrow(kernel, _LOG))
    files = tuple(sorted(Path(stages.folder, "log").glob("part-*.parquet")))
    return SortedLog(frame, files, plan.automaton.activities, cases, events)


def _anonymised_span(drawn: DataFrame) -> int:
    from pyspark.sql import functions as sql

    start = sql.greatest(sql.col("noised"), sql.lit(0))
    found = drawn.where("position = 0").agg(sql.max(start) - sql.min(start)).first()
    assert found is not None  # an aggregate without groups has one row
    return int(found[0])


def _released(activity: IntArray, public: PublicFacts, conventions: Conventions, span: int | None) -> Kernel:
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


def telling_noise(log: SortedLog, origins: list[int], individual: int) -> PerEventNoise:
    """The rows of a few original cases and of one individual, which stand for all in an account (confidential)."""
    columns = ("number", "value_range", "scale", "copies", "origin", "individual")
    telling = log.frame["origin"].isin(origins) | (log.frame["individual"] == individual)
    table = log.frame.where(telling).select(*columns).toArrow()
    found = {name: table.column(name).to_numpy() for name in columns}
    case = np.unique(found.pop("number"), return_inverse=True)[1].astype(np.int64)
    return PerEventNoise(case=case, **found)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenPart:
    """A part as a worker wrote it, and what the driver has to know of it."""

    log: Path
    log_sha256: str
    ledger: Path
    ledger_facts: LedgerPart
    figures: PublicFigures
    compared: LogFigures
    """Figures of the part with the time bins of both logs, before and after: confidential, as the original's span is.
    """
    events: int
    without_noise: int
    """Events whose noise had scale 0."""
    largest_loss: int
    """Largest loss of an event of this part, in units; losses without a bound rank above all others."""
    worst_event: int
    """Row of the part that has the largest loss; the last one if there are several."""


def write_parts(
    stages: Stages,
    log: SortedLog,
    attributes: Attributes,
    span: tuple[int, int],
    compared: tuple[int, int],
    record: int,
) -> list[WrittenPart]:
    """Log and ledger in parts, each a task. ``span`` are first and last released time, ``compared`` those of both logs,
    and ``record`` is the record of the rows in the ledger. A task that is run again, or twice, writes files of its own:
    only those reported count."""
    folder = Path(stages.folder, "written")
    folder.mkdir()
    files, activities = log.files, log.activities
    firsts = first_cases(log.cases, len(files)).tolist()

    def write(number: int) -> WrittenPart:
        import pyarrow.parquet as pq
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None  # workers have one
        table = pq.read_table(files[number], partitioning=None)
        part = _part(table, activities)
        if part.n_cases != firsts[number + 1] - firsts[number]:
            raise ValueError("a part of the sorted log has not the cases that it should have")
        attempt = f"{number:05}-{context.taskAttemptId()}"
        released, rows = folder / f"{attempt}-log.parquet", folder / f"{attempt}-ledger.parquet"
        write_log(part, released, attributes)
        place = _places(table.column("units").to_numpy())
        return WrittenPart(
            log=released,
            log_sha256=file_digest(released),
            ledger=rows,
            ledger_facts=write_part(_ledger_columns(table, activities), record, rows),
            figures=public_figures(part, span),
            compared=figures_of(part, compared),
            events=part.n_events,
            without_noise=int(np.count_nonzero(table.column("scale").to_numpy() == 0)),
            largest_loss=int(place.max()),
            worst_event=int(np.flatnonzero(place == place.max())[-1]),
        )

    return list(stages.session.sparkContext.parallelize(range(len(files)), len(files)).map(write).collect())


def _places(units: IntArray) -> IntArray:
    return np.where(units < 0, np.iinfo(np.int64).max, units)


def worst_event(parts: list[WrittenPart]) -> int:
    """Row of the released log with the largest loss, the last one of several."""
    firsts = np.cumsum([0, *(part.events for part in parts)])
    number = max(range(len(parts)), key=lambda each: (parts[each].largest_loss, each))
    return int(firsts[number]) + parts[number].worst_event


def _part(table: pa.Table, activities: tuple[str, ...]) -> PublicLog:
    offsets = runs(table.column("number"))
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


def _ledger_columns(table: pa.Table, activities: tuple[str, ...]) -> dict[str, Column]:
    """The rows of the ledger's time mechanism, with their annotations."""
    column = {name: table.column(name).to_numpy() for name in _LOG_NAMES if name != "name"}
    return {
        "columns.case": column["number"],
        "columns.value_range": column["value_range"],
        "columns.scale": column["scale"],
        "columns.copies": column["copies"],
        "columns.origin": column["origin"],
        "columns.individual": column["individual"],
        "annotation:released_case": text_column_of_arrow(table.column("name")),
        "annotation:activity": TextColumn(column["activity"], activities),
        "annotation:transition": column["transition"],
        "annotation:prior": column["prior"],
    }
