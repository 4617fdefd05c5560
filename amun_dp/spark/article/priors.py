"""Priors on Spark: every window is a difference of two ranks, and ranks come of one sort over all workers (ADR 13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amun_dp.article.conventions import Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.article.step1_annotation import START_GROUP
from amun_dp.article.step2_prior import GroupFacts, half_widths
from amun_dp.article.step3_filtering import exceeds
from amun_dp.spark.engine.batches import Kernel
from amun_dp.spark.engine.cumulative import cumulative
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.case_rows import Automaton, annotated_events

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_VALUE, _LOWER, _UPPER = 0, 1, 2
"""Kinds of rows on the common axis; values come before the ends of windows at the same place, which count them."""
ENDS = "group bigint, value bigint, at bigint, kind int, count bigint"
PRIORS = "group bigint, value bigint, prior double, exceeding boolean, events bigint"


@dataclass(frozen=True, slots=True)
class Priors:
    """A stage with the prior of every group and value that occur, and what the groups share."""

    frame: DataFrame
    facts: GroupFacts


def estimate_priors(stages: Stages, name: str, cases: DataFrame, automaton: Automaton, rules: Parameters) -> Priors:
    """The priors among the given cases."""
    from pyspark.sql import functions as sql

    events = annotated_events(cases, automaton, ())
    values = stages.write(f"{name}-values", events.groupBy("group", "value").count())
    facts = _group_facts(values, automaton.dafsa.n_transitions + 1)
    ends = values.mapInArrow(_window_ends(facts, rules.conventions), ENDS)
    ranked = cumulative(stages, f"{name}-ranks", ends, ["group", "at", "kind"], "count")
    kind, before = sql.col("kind"), sql.col("before")
    in_window = ranked.groupBy("group", "value").agg(
        sql.sum(sql.when(kind == _UPPER, before).when(kind == _LOWER, -before).otherwise(0)).alias("in_window"),
        sql.sum("count").alias("events"),
    )
    return Priors(stages.write(f"{name}-priors", in_window.mapInArrow(_priors(facts, rules.advantage), PRIORS)), facts)


def _group_facts(values: DataFrame, n_groups: int) -> GroupFacts:
    from pyspark.sql import functions as sql

    found = values.groupBy("group").agg(sql.sum("count"), sql.min("value"), sql.max("value")).toArrow()
    group = found.column(0).to_numpy()
    columns = []
    for number in (1, 2, 3):
        column = np.zeros(n_groups, dtype=np.int64)
        column[group] = found.column(number).to_numpy()
        columns.append(column)
    return GroupFacts(*columns)


def _window_ends(facts: GroupFacts, conventions: Conventions) -> Kernel:
    """Each value as itself and as the last places below and inside its window."""
    window = half_widths(len(facts.size), conventions)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            group, value, count = (batch.column(name).to_numpy() for name in ("group", "value", "count"))
            lower = value - window[group]
            if conventions.prior == "clamped-cdf":  # open below, and never below F(min), but for starts
                lower = np.where(group == START_GROUP, lower, np.maximum(lower, facts.minimum[group]))
            else:
                lower = lower - 1
            for kind, at, weight in (
                (_VALUE, value, count),
                (_LOWER, lower, np.zeros_like(count)),
                (_UPPER, value + window[group], np.zeros_like(count)),
            ):
                kinds = np.full(len(group), kind, dtype=np.int32)
                yield pa.RecordBatch.from_arrays(
                    [pa.array(column) for column in (group, value, at, kinds, weight)],
                    ["group", "value", "at", "kind", "count"],
                )

    return run


def _priors(facts: GroupFacts, advantage: float) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            group, in_window = batch.column("group").to_numpy(), batch.column("in_window").to_numpy()
            prior = facts.prior(np.maximum(in_window, 0), group, advantage)
            yield pa.RecordBatch.from_arrays(
                [
                    batch.column("group"),
                    batch.column("value"),
                    pa.array(prior),
                    pa.array(exceeds(prior, advantage)),
                    batch.column("events"),
                ],
                ["group", "value", "prior", "exceeding", "events"],
            )

    return run


@dataclass(frozen=True, slots=True)
class KeptCases:
    """Which cases stay, and the priors among them."""

    frame: DataFrame
    priors: Priors
    passes: int
    removed: DataFrame | None = None
    """Why cases were removed: the events with P + A ≥ 1 when their case was last looked at (number, transition, prior).
    None if no case was."""


def keep_all_cases(stages: Stages, cases: DataFrame, automaton: Automaton, rules: Parameters) -> KeptCases:
    return KeptCases(cases, estimate_priors(stages, "pass-1", cases, automaton, rules), 1)


def filter_cases(stages: Stages, cases: DataFrame, automaton: Automaton, rules: Parameters) -> KeptCases:
    """Remove the cases that violate P + A < 1, once or until none does (Def. 8)."""
    removed: DataFrame | None = None
    passes = 0
    while True:
        passes += 1
        kept = cases if removed is None else cases.join(removed.select("number"), "number", "left_anti")
        priors = estimate_priors(stages, f"pass-{passes}", kept, automaton, rules)
        settled = rules.conventions.filtering == "once" and passes == 2
        violating = priors.frame.where("exceeding").select("group", "value", "prior")
        if settled or violating.isEmpty():
            return KeptCases(kept, priors, passes, removed)
        events = annotated_events(kept, automaton, ("number",)).join(violating, ["group", "value"])
        more = events.select("number", "transition", "prior")
        removed = stages.write(f"removed-{passes}", more if removed is None else removed.union(more))
