"""The figures of the original log from those of its cases, batch by batch, as one machine computes them."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from amun_dp.eventlog.figures import LogFigures, added_figures, figures_of
from amun_dp.spark.engine.batches import Kernel, case_rows
from amun_dp.spark.engine.failures import quoting_nothing
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.case_rows import Automaton

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def figures_on_spark(stages: Stages, cases: DataFrame, automaton: Automaton, span: tuple[int, int]) -> LogFigures:
    """The figures of all cases that the automaton was built of (confidential); ``span`` sets the time bins."""
    return figures_of_cases(stages, cases, automaton.activities, len(automaton.words), span)


def figures_of_cases(
    stages: Stages, cases: DataFrame, activities: tuple[str, ...], variants: int, span: tuple[int, int]
) -> LogFigures:
    """The figures of ``cases`` with so many variants (confidential); ``span`` sets the time bins. One pass without a
    shuffle; the driver gets one set of figures per partition."""
    found = cases.select("case", "word", "times").mapInArrow(_figures(activities, span), "figures binary")
    taken = quoting_nothing(stages.session, lambda: "computing the figures of the log", found.toArrow)
    parts: list[LogFigures] = [pickle.loads(part) for part in taken.column("figures").to_pylist()]
    return added_figures(parts, variants)


def _figures(activities: tuple[str, ...], span: tuple[int, int]) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        total: LogFigures | None = None
        for rows in case_rows(batches):
            own = figures_of(rows.as_log(activities), span)
            total = own if total is None else added_figures([total, own], 0)
        if total is not None:
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(total)], pa.binary())], ["figures"])

    return run
