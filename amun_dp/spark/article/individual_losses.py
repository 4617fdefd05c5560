"""What the times of a release lose, by event, case and individual: sums and order statistics over all workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.personalised import QUANTILES, LossSummary, epsilon_of, rank_of
from accounting.quantities import UNBOUNDED, Epsilon
from amun_dp.spark.engine.cumulative import cumulative
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LAST = np.iinfo(np.int64).max
"""Where losses without a bound rank."""
_LARGEST_SUM = 1 << 62
"""As in ``accounting.personalised``: a sum beyond it counts as unbounded."""


def losses_of_events(stages: Stages, log: DataFrame, worst_event: int) -> LossSummary:
    """Losses of the released events, as ``accounting.personalised`` computes them, of rows that no machine holds. Which
    row loses most is given."""
    from pyspark.sql import functions as sql

    by_loss = log.groupBy("units").count().withColumn("owner", sql.lit(worst_event).cast("bigint"))
    return _summary(stages, "loss-of-events", by_loss)


def losses_by(stages: Stages, log: DataFrame, owner: str) -> LossSummary:
    """Losses by ``owner``, the original case (``origin``) or the ``individual``, as ``accounting.personalised``
    computes them: the rows of all copies are added up."""
    from pyspark.sql import functions as sql

    losses = summed(log.select(sql.col(owner).alias("owner"), sql.col("row_units").alias("units")))
    return _summary(stages, f"loss-by-{owner}", losses.withColumn("count", sql.lit(1).cast("bigint")))


def summed(losses: DataFrame) -> DataFrame:
    """Units by owner: exact sums, -1 where one of them has no bound."""
    from pyspark.sql import functions as sql

    total = sql.sum(sql.col("units").cast("decimal(38,0)"))
    bounded = (sql.min("units") >= 0) & (total < _LARGEST_SUM)
    units = sql.when(bounded, total.cast("bigint")).otherwise(sql.lit(-1))
    return losses.groupBy("owner").agg(units.alias("units"))


def largest_loss(losses: DataFrame) -> Epsilon:
    """The largest of losses in units; unbounded if any is."""
    from pyspark.sql import functions as sql

    found = losses.agg(sql.min("units"), sql.max("units")).first()
    assert found is not None  # an aggregate without groups has one row
    return UNBOUNDED if found[0] < 0 else epsilon_of(int(found[1]))


def _summary(stages: Stages, name: str, losses: DataFrame) -> LossSummary:
    """Quantiles by rank. ``losses`` has units, how many owners have them (count), and one of these (owner)."""
    from pyspark.sql import functions as sql

    place = sql.when(sql.col("units") < 0, sql.lit(_LAST)).otherwise(sql.col("units"))
    ranked = cumulative(stages, name, losses.withColumn("place", place), ["place", "owner"], "count")
    totals = ranked.agg(
        sql.sum("count"), sql.sum(sql.when(sql.col("units") < 0, sql.col("count")).otherwise(0))
    ).first()
    assert totals is not None  # an aggregate without groups has one row
    owners, unbounded = int(totals[0]), int(totals[1])
    ranks = [rank_of(share, owners) for share in QUANTILES]
    wanted = sql.lit(False)
    for rank in ranks:
        wanted = wanted | ((sql.col("before") <= rank) & (sql.col("before") + sql.col("count") > rank))
    found = ranked.where(wanted).select("before", "units", "owner").toArrow().sort_by("before")
    before, units = found.column("before").to_numpy(), found.column("units").to_numpy()
    at = [epsilon_of(int(units[np.searchsorted(before, rank, side="right") - 1])) for rank in ranks]
    smallest, median, upper_quartile, ninety_ninth, largest = at
    worst = int(found.column("owner")[-1].as_py())
    return LossSummary(owners, unbounded, smallest, median, upper_quartile, ninety_ninth, largest, worst)


@dataclass(frozen=True, slots=True)
class Extremes:
    """The ends of a released log."""

    origins: tuple[int, ...]
    """Original cases with the event that loses most, in all and per millisecond. With the case and the individual that
    lose most, an account, which looks at the largest only, is the same for their rows as for all."""
    span: tuple[int, int]
    """First and last time."""


def extremes_of(log: DataFrame) -> Extremes:
    """One pass over the released events."""
    from pyspark.sql import functions as sql

    place = sql.when(sql.col("units") < 0, sql.lit(_LAST)).otherwise(sql.col("units"))
    noised = sql.col("scale") > 0
    found = log.agg(
        sql.max_by("origin", place),
        sql.max_by("origin", sql.when(noised, sql.col("copies") / sql.col("scale")).otherwise(sql.lit(float("inf")))),
        sql.min("time"),
        sql.max("time"),
    ).first()
    assert found is not None  # an aggregate without groups has one row
    return Extremes((int(found[0]), int(found[1])), (int(found[2]), int(found[3])))
