"""Smallest, middle and largest of many series of numbers at once: one sort over all workers, however many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.internals.comparison import Spread
from amun_dp.spark.engine.cumulative import cumulative
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

AMOUNTS = "figure int, member bigint, amount double, copies bigint, count bigint"
"""Rows of what is spread: the figure and the member of it (an activity, a bin) that a number belongs to, and how many
rows have it. Where every number stands in so many rows (``copies``), it counts once."""


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """Spreads of several series of numbers, one row per series."""

    figure: IntArray
    member: IntArray
    size: IntArray
    smallest: FloatArray
    largest: FloatArray
    lower: FloatArray
    """The middle number, or the smaller of the two."""
    upper: FloatArray

    def median(self, figure: int) -> float:
        """As numpy has it, between the two in the middle; 0 if there are none."""
        found = np.flatnonzero(self.figure == figure)
        return float(np.median([self.lower[found], self.upper[found]])) if len(found) else 0.0

    def ends(self, figure: int) -> tuple[float, float]:
        """Smallest and largest of a figure that has one member."""
        (found,) = np.flatnonzero(self.figure == figure)
        return float(self.smallest[found]), float(self.largest[found])

    def by_member(self, figure: int, members: int) -> Spread:
        """All members of a figure, as one machine has them."""
        found = self.figure == figure
        place = self.member[found]
        smallest, median, largest = (np.full(members, np.nan) for _ in range(3))
        smallest[place], median[place], largest[place] = self.smallest[found], self.lower[found], self.largest[found]
        return Spread(smallest, median, largest, self.sizes(figure, members))

    def sizes(self, figure: int, members: int) -> IntArray:
        """How many numbers each member has."""
        found = self.figure == figure
        size = np.zeros(members, dtype=np.int64)
        size[self.member[found]] = self.size[found]
        return size


def spread_of(stages: Stages, name: str, amounts: DataFrame) -> Spreads:
    """The spread of every series. The driver gets three rows a series."""
    from pyspark.sql import functions as sql

    series = ["figure", "member"]
    counted = (
        amounts.groupBy(*series, "amount", "copies")
        .agg(sql.sum("count").alias("rows"))
        .select(*series, "amount", sql.expr("rows div copies").alias("count"))
    )
    ranked = cumulative(stages, name, counted, [*series, "amount"], "count")
    sizes = (
        ranked.groupBy(*series)
        .agg(
            sql.sum("count").alias("size"),
            sql.min("amount").alias("smallest"),
            sql.max("amount").alias("largest"),
            sql.min("before").alias("first"),
        )
        .toArrow()
        .sort_by([(column, "ascending") for column in series])
    )
    size, first = sizes.column("size").to_numpy(), sizes.column("first").to_numpy()
    lower, upper = first + (size - 1) // 2, first + size // 2
    return Spreads(
        figure=sizes.column("figure").to_numpy(),
        member=sizes.column("member").to_numpy(),
        size=size,
        smallest=sizes.column("smallest").to_numpy(),
        largest=sizes.column("largest").to_numpy(),
        **_at_ranks(stages, ranked, sizes.select(series), {"lower": lower, "upper": upper}),
    )


def _at_ranks(stages: Stages, ranked: DataFrame, series: pa.Table, ranks: dict[str, IntArray]) -> dict[str, FloatArray]:
    """The numbers at two neighbouring ranks of each series."""
    from pyspark.sql import functions as sql

    wanted = series.append_column("lower", [ranks["lower"]]).append_column("upper", [ranks["upper"]])
    known = sql.broadcast(stages.session.createDataFrame(wanted))
    found = (
        ranked.join(known, ["figure", "member"])
        .where("before <= upper AND before + count > lower")
        .select("before", "amount")
        .toArrow()
        .sort_by("before")
    )
    before, amount = found.column("before").to_numpy(), found.column("amount").to_numpy()
    return {side: amount[np.searchsorted(before, rank, side="right") - 1] for side, rank in ranks.items()}
