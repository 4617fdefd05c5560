"""Individuals on Spark: who is behind a case, what that divides, costs and is known by, all as on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from accounting.accountant import account
from accounting.events import PerEventNoise
from accounting.ledger import read_ledger, tree_of
from accounting.personalised import largest_losses, personalised_account
from accounting.quantities import UNBOUNDED
from accounting.registry import Declared
from amun_dp import anonymize, open_registry, verify
from amun_dp.article.conventions import ARTICLE
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import _worst_individual as worst_on_one_machine
from amun_dp.article.plan import plan_article
from amun_dp.budgets.spending import reserve_plan
from amun_dp.errors import AmunError, BudgetError, ColumnError, InputError, ParameterError
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.release.save import as_plain
from amun_dp.report.public_report import guarantee_as_dict
from amun_dp.spark import plan_on_spark
from amun_dp.spark.article.article_plan import _worst_individual as worst_on_spark
from amun_dp.spark.read.case_rows import find_cases
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.individuals import find_individuals
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.spark.writing import telling_noise
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.verification.checks import Outcome
from tests.logs import log_of
from tests.spark.conftest import MakeStages
from tests.spark.test_budget import HASHER
from tests.spark.test_budget import same as same_fingerprint
from tests.spark.test_plan import same as same_plan
from tests.verification.forging import noise_in

WHO = ColumnChoice(individual="patient")
SAMPLING = Parameters(0.3, "sampling")
WriteRows = Callable[[pd.DataFrame], str]


def rows_of_people(cases: int = 200) -> pd.DataFrame:
    """Events in no order; individuals with up to some ten cases, some cases without, and not every event says whose."""
    log = generate_log(LogShape(cases=cases, activities=6, variants=12, mean_length=5, max_length=9, seed=5))
    rng = np.random.Generator(np.random.PCG64(7))
    patient = rng.geometric(0.05, size=cases).astype(np.float64)
    patient[rng.random(cases) < 0.1] = np.nan
    rows = log.to_pandas().assign(patient=patient[log.case])
    unsaid = (rng.random(len(rows)) < 0.4) & ~log.first_of_case
    rows.loc[unsaid, "patient"] = np.nan
    return rows.sample(frac=1, random_state=3)


def test_which_cases_of_a_person_count_does_not_depend_on_the_cases_of_others(session: Any, stages: MakeStages) -> None:
    """A sequence that numbers the events of each case from 0 puts all cases at the same place. If Spark chose, a long
    case of one person would decide which cases of many others count, and no ε stated for a person would hold."""

    def counted(events_of_another: int) -> set[str]:
        lengths = [events_of_another] + [1] * 39
        case = np.repeat([f"c{number:02}" for number in range(40)], lengths)
        place = np.concatenate([np.arange(length) for length in lengths])
        rows = pd.DataFrame(
            {"case": case, "activity": "a", "time": pd.Timestamp("2024-01-01", tz="UTC"), "place": place}
        )
        rows["patient"] = rows["case"].map({f"c{number:02}": f"p{number % 20:02}" for number in range(40)})
        made = stages()
        whole = session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)).repartition(7)
        events = read_events(made, whole, ColumnChoice(individual="patient", sequence="place"))
        assert events.individuals is not None
        cases, _ = find_cases(made, events.frame)
        first = find_individuals(made, cases, events.individuals, WHO).first_cases(1)
        return set(cases.join(first, "number", "left_semi").toArrow().column("case").to_pylist())

    assert counted(1) == counted(3_000) == {f"c{number:02}" for number in range(20)}


@pytest.mark.parametrize("method", ["sampling", "filtering"])
def test_individuals_and_their_epsilon_are_those_of_one_machine(
    method: str, stages: MakeStages, parquet: WriteRows
) -> None:
    path = parquet(rows_of_people())
    log = read_log(path, individual="patient")
    rules = Parameters(0.8, method, max_individual_loss=1e6)
    expected, found = plan_article(log, rules), plan_on_spark(stages(), path, rules, WHO)
    same_plan(found, expected)
    assert (method == "sampling") == expected.filtered.kept_case.all()
    assert found.cases_per_individual == expected.cases_per_individual > 3
    assert found.reading == log.facts
    assert any("without an individual" in note for note in log.facts.notes)
    assert found.individuals is not None
    people = found.individuals.toArrow().sort_by("number")
    np.testing.assert_array_equal(people.column("number").to_numpy(), np.arange(log.n_cases))
    np.testing.assert_array_equal(people.column("individual").to_numpy(), log.individuals)
    assert log.individual_name is not None
    assert people.column("name").fill_null("").to_pylist() == log.individual_name.tolist()
    # The cap is compared with the same loss, to the last unit.
    assert worst_on_spark(found) == worst_on_one_machine(expected)
    same_fingerprint(found.fingerprint(HASHER), log_fingerprint := expected.fingerprint(HASHER))
    assert len(log_fingerprint.alike) == 4


def test_events_that_are_left_out_say_whose_case_it_is_too(stages: MakeStages, parquet: WriteRows) -> None:
    log = hospital_log(20)
    rows = log.to_pandas().assign(patient=None, **{"lifecycle:transition": "complete"})
    last = log.offsets[1:] - 1
    # Of even cases an event that has no activity says it, of odd ones an event of another lifecycle transition.
    rows.loc[last, "patient"] = [f"p{number // 4}" for number in range(20)]
    rows.loc[last[::2], "concept:name"] = None
    rows.loc[last[1::2], "lifecycle:transition"] = "start"
    rows.loc[last[6], "patient"] = None
    path = parquet(rows)
    read = read_log(path, individual="patient", lifecycle="complete", drop_incomplete=True)
    choice = ColumnChoice(individual="patient", lifecycle="complete", drop_incomplete=True)
    found = plan_on_spark(stages(), path, SAMPLING, choice)
    assert found.cases_per_individual == 4
    assert (
        found.reading.notes[-1] == read.facts.notes[-1] == "1 case without an individual was each given one of its own."
    )
    assert found.individuals is not None
    people = found.individuals.toArrow().sort_by("number").column("individual")
    np.testing.assert_array_equal(people.to_numpy(), read.individuals)


def same_refusal(made: MakeStages, path: str, rules: Parameters, choice: ColumnChoice, kind: type[AmunError]) -> str:
    with pytest.raises(kind) as expected:
        plan_article(read_log(path, individual=choice.individual), rules)
    with pytest.raises(kind) as refusal:
        plan_on_spark(made(), path, rules, choice)
    assert str(refusal.value) == str(expected.value)
    return str(refusal.value)


@pytest.mark.parametrize("cases", [1, 2])
def test_cases_of_several_individuals_are_refused_with_their_number(
    cases: int, stages: MakeStages, parquet: WriteRows
) -> None:
    log = hospital_log(20)
    rows = log.to_pandas().assign(patient=[f"patient {number}" for number in log.case])
    rows.loc[log.offsets[3 : 3 + cases], "patient"] = "somebody else"
    text = same_refusal(stages, parquet(rows), SAMPLING, WHO, InputError)
    assert text.startswith(f"{cases} case") and "somebody" not in text


def test_a_declared_number_of_cases_is_held_against_the_log(stages: MakeStages, parquet: WriteRows) -> None:
    log = hospital_log(20)
    path = parquet(log.to_pandas().assign(patient=log.case % 5))
    text = same_refusal(stages, path, Parameters(0.3, "sampling", max_cases_per_individual=3), WHO, ParameterError)
    assert "more than the declared 3 cases" in text
    declared = Parameters(0.3, "sampling", max_cases_per_individual=6)
    found = plan_on_spark(stages(), path, declared, WHO)
    assert found.cases_per_individual == 6
    assert (
        found.control_flow_epsilon == plan_article(read_log(path, individual="patient"), declared).control_flow_epsilon
    )


def test_an_unknown_column_and_one_of_lists_are_refused(stages: MakeStages, parquet: WriteRows) -> None:
    log = hospital_log(5)
    path = parquet(log.to_pandas().assign(patient=pd.Series([[1]] * log.n_events, dtype=object)))
    for choice in (WHO, ColumnChoice(individual="nobody")):
        same_refusal(stages, path, SAMPLING, choice, ColumnError)


@pytest.mark.parametrize("choice", [WHO, ColumnChoice()], ids=["individuals", "cases"])
def test_a_cap_is_refused_before_anything_is_charged_or_drawn(
    choice: ColumnChoice, session: Any, stages: MakeStages, tmp_path: Path, parquet: WriteRows
) -> None:
    path = parquet(rows_of_people(60))
    log = read_log(path, individual=choice.individual)
    loss = worst_on_one_machine(plan_article(log, SAMPLING)).value
    assert loss is not None
    worst = float(loss)
    below = Parameters(0.3, "sampling", max_individual_loss=worst * (1 - 1e-9))
    made = stages()
    same_refusal(lambda: made, path, below, choice, BudgetError)
    written = {each.name for each in Path(made.folder).iterdir()}
    assert written and not written & {"sampled", "keys", "names", "drawn"}
    plan_on_spark(stages(), path, Parameters(0.3, "sampling", max_individual_loss=worst * (1 + 1e-9)), choice)
    registry = open_registry(tmp_path / "registry.sqlite")
    reserve = partial(reserve_plan, registry, declared=Declared())
    with pytest.raises(BudgetError, match="nothing was drawn"):
        anonymize_on_spark(session, path, tmp_path / "out", below, choice=choice, partitions=2, reserve=reserve)
    assert not registry.logs() and not (tmp_path / "out").exists()


def test_times_without_a_range_have_no_bound_under_any_cap(stages: MakeStages, parquet: WriteRows) -> None:
    # All of them take the second step after the same time: there is nothing to noise.
    log = log_of([[("a", start), ("b", start + 1000)] for start in range(0, 10**9, 10**8)])
    path = parquet(log.to_pandas().assign(patient=log.case // 2))
    same_refusal(stages, path, Parameters(0.2, "sampling", ARTICLE, max_individual_loss=1e9), WHO, BudgetError)
    assert worst_on_spark(plan_on_spark(stages(), path, Parameters(0.2, "sampling", ARTICLE), WHO)) == UNBOUNDED


@pytest.mark.parametrize("declared", [None, 12])
def test_a_release_accounts_for_individuals_and_passes_every_check(
    declared: int | None,
    session: Any,
    tmp_path: Path,
    parquet: WriteRows,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[PerEventNoise] = []

    def telling(*given: Any) -> PerEventNoise:
        told.append(telling_noise(*given))
        return told[-1]

    monkeypatch.setattr("amun_dp.spark.release.telling_noise", telling)
    monkeypatch.setattr("amun_dp.folder.parts.EVENTS_A_PART", 150)
    log = hospital_log(60)
    # Four cases each, not next to each other; the first ten cases have nobody.
    patient = pd.Series(log.case % 13, dtype="Int64").mask(pd.Series(log.case < 10))
    path = parquet(log.to_pandas().assign(patient=patient))
    read, out = read_log(path, individual="patient"), tmp_path / "out"
    rules = Parameters(0.9, "sampling", max_cases_per_individual=declared, max_individual_loss=1e6)
    report = anonymize_on_spark(session, path, out, rules, noise="exact", choice=WHO, partitions=2)
    options: dict[str, Any] = {"max_cases_per_individual": declared, "noise": "exact"}
    assert report.guarantees == anonymize(read, 0.9, "sampling", **options).report.guarantees
    internal = json.loads((out / "internal" / "report.json").read_text())
    assert internal["plan"]["cases_per_individual"] == (declared or 4)
    noise = noise_in(out)
    np.testing.assert_array_equal(noise.individual, read.individuals[noise.origin])
    # What was reported is what all rows give, by the functions of one machine.
    due = personalised_account(noise)
    assert due.individuals.largest > due.cases.largest and due.individuals.owners < due.cases.owners
    assert internal["losses"] == json.loads(json.dumps(as_plain(due)))
    assert len(told[0].case) < len(noise.case) and largest_losses(told[0]) == largest_losses(noise)
    replayed = account(tree_of(read_ledger(out / "internal"))).confidential.reveal()
    assert internal["guarantees"] == json.loads(json.dumps([guarantee_as_dict(line) for line in replayed]))
    for original in (None, read):
        found = verify(out, original, prove=False)
        assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []


def test_the_command_knows_individuals_and_their_cap(session: Any, tmp_path: Path) -> None:
    log, path = hospital_log(30), tmp_path / "log.parquet"
    log.to_pandas().assign(patient=log.case // 3).to_parquet(path)
    command = [sys.executable, "-m", "amun_dp.cli", "anonymize", str(path), "--advantage", "0.5", "--noise", "exact"]
    command += ["--individual", "patient", "--max-individual-loss", "0.001", "--out", str(tmp_path / "out")]
    command += ["--method", "sampling", "--no-registry", "--engine", "spark", "--master", "local[2]"]
    refused = subprocess.run(command, check=False, capture_output=True, text=True)
    assert refused.returncode == 1 and "more than the 0.001 that is allowed" in refused.stderr


def test_cases_are_numbered_by_their_first_event_that_is_kept(stages: MakeStages, parquet: WriteRows) -> None:
    """Where cases overlap in the file, and an event that is left out is the first of one."""
    rows = pd.DataFrame(
        {
            "case:concept:name": ["b", "a", "b", "a", "c"],
            "concept:name": [None, "x", "x", "y", "x"],
            "time:timestamp": pd.to_datetime(range(5), unit="D", utc=True),
            "patient": ["p", "q", "p", "q", "p"],
        }
    )
    path = parquet(rows)
    log = read_log(path, individual="patient", drop_incomplete=True)
    assert log.case_names.tolist() == ["a", "b", "c"] and log.individuals.tolist() == [0, 1, 1]
    plan = plan_on_spark(stages(), path, SAMPLING, ColumnChoice(individual="patient", drop_incomplete=True))
    same_plan(plan, plan_article(log, SAMPLING))
