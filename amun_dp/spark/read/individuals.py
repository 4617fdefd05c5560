"""Whose cases they are. An individual is known by the number of their first case; names stay with the workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amun_dp.reading.assembly import cases_without_individual, several_individuals
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Individuals:
    """A stage with a row a case: its number, the individual (number of their first case) and their name, if any."""

    frame: DataFrame
    most_cases: int
    """Of one individual."""
    nobodys: int
    """Cases of which no row says whose they are."""
    notes: tuple[str, ...]

    def first_cases(self, most: int) -> DataFrame:
        """Numbers of so many cases of each individual, at most: the first in the order of the input, as
        ``amun_dp.certified.cases`` marks them."""
        from pyspark.sql import Window
        from pyspark.sql import functions as sql

        rank = sql.row_number().over(Window.partitionBy("individual").orderBy("number"))
        return self.frame.withColumn("rank", rank).where(sql.col("rank") <= most).select("number")


def find_individuals(stages: Stages, cases: DataFrame, stated: DataFrame, choice: ColumnChoice) -> Individuals:
    """The individual of each numbered case, from what the rows of the input state. A case without gets one of its own;
    one with several is refused."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    named = cases.select("case", "number").join(_one_a_case(stages, stated, choice), "case", "left")
    # Each case without a name is a group of its own: one group of them all would be one task.
    alone = sql.when(sql.col("name").isNull(), sql.col("number"))
    first = sql.min("number").over(Window.partitionBy("name", alone))
    frame = stages.write("individuals", named.select("number", first.alias("individual"), "name"))
    found = (
        frame.groupBy("individual")
        .agg(sql.count("*").alias("cases"), sql.count("name").alias("named"))
        .agg(sql.max("cases"), sql.count_if(sql.col("named") == 0))
        .first()
    )
    assert found is not None  # an aggregate without groups has one row
    most, unknown = int(found[0]), int(found[1])
    return Individuals(frame, most, unknown, (cases_without_individual(unknown),) if unknown else ())


def _one_a_case(stages: Stages, stated: DataFrame, choice: ColumnChoice) -> DataFrame:
    from pyspark.sql import functions as sql

    smallest, largest = sql.min("individual"), sql.max("individual")
    names = (
        stated.where("case IS NOT NULL AND individual IS NOT NULL")
        .groupBy("case")
        .agg(smallest.alias("name"), (smallest != largest).alias("several"))
    )
    written = stages.write("names-of-individuals", names)
    several = written.where("several").count()
    if several:
        raise several_individuals(several, choice)
    return written.select("case", "name")


def named_cases(cases: DataFrame, individuals: DataFrame | None) -> DataFrame:
    """The cases with the ``name`` of their individual, where individuals are known."""
    return cases if individuals is None else cases.join(individuals.select("number", "name"), "number")
