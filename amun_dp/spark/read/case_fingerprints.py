"""What a registry knows a log by, computed where its cases are: the same fingerprint as on one machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accounting.registry.fingerprints import MOST_TOKENS, Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.budgets.fingerprint import TOKENS_A_CASE, case_tokens, fingerprint_of
from amun_dp.errors import RegistryRefused, ReleaseError
from amun_dp.spark.engine.batches import Kernel, case_rows
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def fingerprint_on_spark(
    stages: Stages, cases: DataFrame, n_cases: int, activities: tuple[str, ...], hasher: Hasher
) -> Fingerprint:
    """The workers hash, with the registry's key; the driver holds nine tokens of eight bytes a case (ten with
    individuals), and no more of it. ``cases`` are all of the log, numbered, with the ``name`` of their individual if
    that is known."""
    import pyarrow.parquet as pq

    people = "name" in cases.columns
    columns = [f"token_{number}" for number in range(TOKENS_A_CASE + people)]
    most = MOST_TOKENS // len(columns)
    if n_cases > most:
        raise RegistryRefused(
            f"A registry knows logs of up to {most:,} cases, and this one has more; nothing was drawn. Release "
            "without a registry, and keep the budget across releases yourself."
        )
    name = f"tokens-{hasher.digest('name of a stage', b'').hex()[:16]}"  # other keys have other tokens
    folder = Path(stages.folder, name)
    if not folder.exists():  # asked again, when somebody had to say whose log it is
        known = cases.select("number", "case", "word", "times", *(["name"] if people else []))
        schema = ", ".join(f"{name} bigint" for name in ["number", *columns])
        stages.write(name, known.mapInArrow(_tokens(activities, columns, hasher), schema))
    tokens, found = np.empty((n_cases, len(columns)), dtype=np.uint64), 0
    for path in sorted(folder.glob("part-*.parquet")):
        part = pq.read_table(path, partitioning=None)
        number = part.column("number").to_numpy()
        found += len(number)
        for place, column in enumerate(columns):
            tokens[number, place] = part.column(column).to_numpy().view(np.uint64)
    if found != n_cases:
        raise ReleaseError("The cases that were hashed are not those that were read; nothing was charged or drawn.")
    return fingerprint_of(tokens, hasher)


def _tokens(activities: tuple[str, ...], columns: list[str], hasher: Hasher) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for rows in case_rows(batches):
            tokens = case_tokens(rows.as_log(activities), hasher).view(np.int64)
            arrays = [pa.array(np.ascontiguousarray(column)) for column in tokens.T]
            yield pa.RecordBatch.from_arrays(
                [rows.table.column("number").combine_chunks(), *arrays], ["number", *columns]
            )

    return run
