"""What a registry knows a log by, computed where its cases are: the same fingerprint as on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accounting.registry.fingerprints import MOST_TOKENS, Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.errors import RegistryRefused
from amun_dp.eventlog import build_event_log
from amun_dp.fingerprint import TOKENS_A_CASE, case_tokens, fingerprint_of
from amun_dp.spark.batches import case_rows
from amun_dp.spark.stages import Stages
from amun_dp.variants import spelled

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_CASES = MOST_TOKENS // TOKENS_A_CASE
_COLUMNS = [f"token_{number}" for number in range(TOKENS_A_CASE)]
_TOKENS = ", ".join(["number bigint", *(f"{name} bigint" for name in _COLUMNS)])


def fingerprint_on_spark(
    stages: Stages, cases: DataFrame, n_cases: int, activities: tuple[str, ...], hasher: Hasher
) -> Fingerprint:
    """The workers hash, with the registry's key; the driver holds nine tokens of eight bytes a case, and no more of it.
    ``cases`` are all of the log, numbered."""
    import pyarrow.parquet as pq

    if n_cases > MOST_CASES:
        raise RegistryRefused(
            f"A registry knows logs of up to {MOST_CASES:,} cases, and this one has more; nothing was drawn. Use "
            "--no-registry, and keep the budget across releases yourself."
        )
    kernel = _tokens(activities, hasher)
    folder = Path(stages.folder, "tokens")
    if not folder.exists():  # asked again, when somebody had to say whose log it is
        stages.write("tokens", cases.select("number", "case", "word", "times").mapInArrow(kernel, _TOKENS))
    tokens = np.empty((n_cases, TOKENS_A_CASE), dtype=np.uint64)
    for path in sorted(folder.glob("part-*.parquet")):
        part = pq.read_table(path, partitioning=None)
        number = part.column("number").to_numpy()
        for place, column in enumerate(_COLUMNS):
            tokens[number, place] = part.column(column).to_numpy().view(np.uint64)
    return fingerprint_of(tokens, hasher)


def _tokens(
    activities: tuple[str, ...], hasher: Hasher
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    labels = np.array(activities, dtype=object)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for rows in case_rows(batches):
            activity, _ = spelled(rows.words, len(activities))
            some = build_event_log(
                case=np.repeat(np.arange(len(rows.lengths)), rows.lengths),
                case_names=rows.table.column("case").to_numpy(),
                activity=activity,
                labels=labels,
                time=rows.time,
                sequence=np.arange(len(activity)),
            )
            tokens = case_tokens(some, hasher).view(np.int64)
            columns = [pa.array(np.ascontiguousarray(column)) for column in tokens.T]
            yield pa.RecordBatch.from_arrays(
                [rows.table.column("number").combine_chunks(), *columns], ["number", *_COLUMNS]
            )

    return run
