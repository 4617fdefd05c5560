"""The plan on Spark is the plan of one machine: automaton, priors and ε, event by event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from amun_dp._base.units import MINUTE
from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import Plan, plan_article
from amun_dp.errors import InputError, ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark import SparkPlan, plan_on_spark
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.logs import log_of
from tests.spark.conftest import MakeStages


def events_of(plan: SparkPlan) -> pd.DataFrame:
    """Collected for comparison: tests may, the package does not."""
    frame: pd.DataFrame = plan.events(plan.cases, ("case", "number")).toArrow().to_pandas()
    return frame.sort_values(["number", "position"], ignore_index=True)


def same(found: SparkPlan, expected: Plan) -> None:
    """Exactly: the automaton, the kept cases, and of every event prior, range and loss."""
    log, dafsa = expected.log, expected.annotated.dafsa
    assert found.automaton.activities == log.activities
    for ours, theirs in (
        (found.automaton.dafsa.source, dafsa.source),
        (found.automaton.dafsa.activity, dafsa.activity),
        (found.automaton.dafsa.target, dafsa.target),
        (found.automaton.dafsa.path, dafsa.path),
        (found.variant_cases, dafsa.variants.cases()),
        (found.kept_variant_cases, expected.kept_variant_cases),
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert found.automaton.public == expected.public
    assert found.passes == expected.filtered.passes
    assert found.control_flow_epsilon == expected.control_flow_epsilon
    kept = expected.filtered.kept_case[log.case]
    events = events_of(found)
    for column, due in (
        ("case", log.case_names[log.case]),
        ("number", log.case),
        ("transition", expected.annotated.transition),
        ("group", expected.annotated.group),
        ("value", expected.annotated.relative_time),
        ("prior", expected.filtered.knowledge.prior),
        ("value_range", expected.filtered.knowledge.value_range),
        ("loss", expected.losses),
    ):
        np.testing.assert_array_equal(events[column].to_numpy(), due[kept], err_msg=column)


@pytest.mark.parametrize(
    ("method", "conventions", "advantage"),
    [("sampling", CORRECTED, 0.3), ("filtering", CORRECTED, 0.8), ("filtering", ARTICLE, 0.4)],
)
def test_a_plan_on_spark_is_the_plan_of_one_machine(
    method: str,
    conventions: Conventions,
    advantage: float,
    stages: MakeStages,
    parquet: Callable[[EventLog], str],
) -> None:
    log = generate_log(LogShape(cases=300, activities=6, variants=12, mean_length=5, max_length=9, seed=5))
    rules = Parameters(advantage, method, conventions, max_cases_per_individual=2, releases=3)
    expected = plan_article(log, rules)
    assert (method == "sampling") == expected.filtered.kept_case.all()
    same(plan_on_spark(stages(), parquet(log), rules), expected)


@pytest.mark.real_logs
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BPIC13_incidents", "sampling"),
        ("BPIC15_1", "sampling"),
        ("BPIC20_PermitLog", "filtering"),
        ("CCC19", "filtering"),
        ("Receipt_WABO", "filtering"),
        ("RoadTrafficFines", "sampling"),
        ("Sepsis", "sampling"),
        ("Unrineweginfectie", "filtering"),
    ],
)
def test_a_plan_of_a_real_log_on_spark_is_the_plan_of_one_machine(
    name: str, method: str, real_logs: Path, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    read = read_log(real_logs / f"{name}.xes.gz")
    rules = Parameters(0.2, method)
    same(plan_on_spark(stages(), parquet(read), rules), plan_article(read, rules))


def test_a_group_larger_than_a_partition_is_cut_and_counted_exactly(
    stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    # One activity, one event a case: all values are in the group of starts, some of them equal, windows overlap.
    rng = np.random.Generator(np.random.PCG64(3))
    log = log_of([[("a", int(minute) * MINUTE)] for minute in rng.integers(0, 20_000, size=400)])
    made = stages(partitions=5)
    rules = Parameters(0.2, "sampling")
    found = plan_on_spark(made, parquet(log), rules)
    same(found, plan_article(log, rules))
    ranks = made.session.read.parquet(f"{made.folder}/pass-1-ranks").where("kind = 0")
    assert ranks.select("part").distinct().count() == 5


def test_events_at_one_time_keep_the_order_of_their_sequence_numbers(session: Any, stages: MakeStages) -> None:
    words = ["cab", "bca", "cab", "abc"]
    log = log_of([[(letter, 0) for letter in word] for word in words])
    rows = log.to_pandas().assign(place=np.arange(log.n_events)).sample(frac=1, random_state=1)
    frame = session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)).repartition(4)
    rules = Parameters(0.2, "sampling")
    same(plan_on_spark(stages(), frame, rules, choice=ColumnChoice(sequence="place")), plan_article(log, rules))


def test_a_frame_without_an_order_is_refused(session: Any, stages: MakeStages) -> None:
    frame = session.createDataFrame(pa.Table.from_pandas(hospital_log(10).to_pandas()))
    with pytest.raises(ParameterError, match="has no order"):
        plan_on_spark(stages(), frame, Parameters(0.2, "sampling"))


def test_events_of_another_lifecycle_are_left_out_as_on_one_machine(tmp_path: Path, stages: MakeStages) -> None:
    rows = hospital_log(30).to_pandas()
    phases = np.array(["Complete", "START", "complete", "suspend"], dtype=object)
    rows = rows.assign(**{"lifecycle:transition": phases[np.arange(len(rows)) % 4]})
    # What is not asked for need not be readable, nor complete.
    rows["time:timestamp"] = rows["time:timestamp"].astype(str).where(np.arange(len(rows)) % 4 != 1, "soon")
    rows.to_parquet(tmp_path / "log.parquet")
    choice = ColumnChoice(lifecycle="COMPLETE")
    log = read_log(tmp_path / "log.parquet", lifecycle="COMPLETE")
    assert log.facts.other_lifecycle_events == len(rows) - log.n_events > 0
    rules = Parameters(0.2, "sampling")
    found = plan_on_spark(stages(), str(tmp_path / "log.parquet"), rules, choice)
    same(found, plan_article(log, rules))
    assert found.reading == log.facts
    with pytest.raises(InputError, match="No event has the lifecycle transition 'resume'"):
        plan_on_spark(stages(), str(tmp_path / "log.parquet"), rules, ColumnChoice(lifecycle="resume"))


def test_equal_sequence_numbers_at_one_time_are_refused(session: Any, stages: MakeStages) -> None:
    rows = log_of([[("a", 0), ("b", 0)]]).to_pandas().assign(place=7)
    with pytest.raises(InputError, match="order is not known"):
        plan_on_spark(
            stages(),
            session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)),
            Parameters(0.2, "sampling"),
            choice=ColumnChoice(sequence="place"),
        )


def test_incomplete_events_are_refused_with_their_number_and_no_value(session: Any, stages: MakeStages) -> None:
    rows = hospital_log(10).to_pandas()
    rows = rows.assign(place=np.arange(len(rows)))
    rows.loc[[1, 4], "concept:name"] = None
    with pytest.raises(InputError, match=r"2 of \d+ events are incomplete: 2 have no activity") as refusal:
        plan_on_spark(
            stages(),
            session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)),
            Parameters(0.2, "sampling"),
            choice=ColumnChoice(sequence="place"),
        )
    assert not any(str(name) in str(refusal.value) for name in rows["case:concept:name"].unique())
