"""A release on Spark is a release: what reads and verifies releases of one machine accepts it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from amun_dp import anonymize, load_release, open_registry, verify
from amun_dp.article.methods import article_method_named
from amun_dp.article.parameters import Parameters
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.cli import main
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.release.methods import register_method, unregister_method
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.synthetic import hospital_log
from amun_dp.verification.checks import Outcome
from amun_dp.writing import write_log


def test_a_release_on_spark_passes_every_check_against_its_original(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.folder.parts.EVENTS_A_PART", 100)
    path = tmp_path / "log.parquet"
    write_log(hospital_log(60), path)
    report = anonymize_on_spark(
        session, str(path), tmp_path / "out", Parameters(0.3, "filtering"), noise="exact", partitions=2
    )
    parts = [f"part-{number:05}.parquet" for number in range(-(-report.released.events // 100))]
    assert len(parts) > 1
    for folder in ("log.parquet", "internal/ledger.parquet"):
        assert sorted(each.name for each in (tmp_path / "out" / folder).iterdir()) == parts
    found = verify(tmp_path / "out", read_log(path), prove=False)
    assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []
    loaded = load_release(tmp_path / "out")
    assert loaded.report == report and loaded.event_log.n_events == report.released.events
    assert report.guarantees == anonymize(read_log(path), 0.3, "filtering", noise="exact").report.guarantees
    # Nothing of the stages, which hold the original, is left.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["log.parquet", "out"]


def test_both_engines_order_by_sequence_numbers_alike(
    session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows in any order, numbers from 0 in each case: all cases begin at the same place, and names decide. Those here
    are in another order as UTF-8, which is Spark's and Python's, than as UTF-16 or in a dictionary."""
    rows = hospital_log(60).to_pandas()
    names = sorted(rows["case:concept:name"].unique())
    renamed = {name: f"{letter}{at}" for at, (name, letter) in enumerate(zip(names, cycle("aBé\ufb00\U0001d4b3")))}
    rows["case:concept:name"] = rows["case:concept:name"].map(renamed)
    rows["time:timestamp"] = rows["time:timestamp"].dt.floor("D")  # many events of a case at the same time
    rows["place"] = rows.groupby("case:concept:name").cumcount()
    path, out = tmp_path / "log.parquet", tmp_path / "out"
    rows.sample(frac=1, random_state=3).to_parquet(path)
    rules, choice = Parameters(0.3, "sampling"), ColumnChoice(sequence="place")
    anonymize_on_spark(session, str(path), out, rules, noise="exact", choice=choice, partitions=2)
    original = read_log(path, sequence="place")
    assert original.case_names.tolist() == sorted(renamed.values())
    assert verify(out, original, prove=False).passed
    against = ["verify", str(out), "--original", str(path), "--no-prove", "--quiet"]
    assert main([*against, "--sequence", "place"]) == 0
    assert main(against) == 1  # in the order of the rows they are other cases
    assert "✗" in capsys.readouterr().out


def test_a_sampling_rule_of_ones_own_works_and_a_time_mechanism_of_ones_own_is_refused(
    session: Any, tmp_path: Path
) -> None:
    path, sampling = tmp_path / "log.parquet", article_method_named("sampling")
    write_log(hospital_log(60), path)

    def thrice(flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        return sampling.sample(flow, epsilon / 3, source)

    own = [
        replace(sampling, name="thrice the noise", sample=thrice),
        replace(sampling, name="no time", noise_times=partial(sampling.noise_times)),
    ]
    rules = [Parameters(0.3, register_method(each).name) for each in own]
    try:
        report = anonymize_on_spark(session, str(path), tmp_path / "out", rules[0], noise="exact", partitions=2)
        (cell,) = (line for line in report.guarantees if line.claim == "count-cell")
        assert float(cell.epsilon.value or 0) == pytest.approx(4 * math.atanh(0.3) / 3)
        found = verify(tmp_path / "out", prove=False)
        assert not found.failed and found.unchecked  # nobody but its author knows what it should have recorded
        with pytest.raises(ParameterError, match="time mechanism"):
            anonymize_on_spark(session, str(path), tmp_path / "other", rules[1], partitions=2)
    finally:
        for each in own:
            unregister_method(each.name)


@pytest.mark.parametrize("who", [None, "patient"])
def test_no_events_or_cases_are_collected_on_the_driver(
    who: str | None, session: Any, tmp_path: Path, parquet: Callable[[Any], str], taken: list[tuple[set[str], Any]]
) -> None:
    log = hospital_log(30)
    path = parquet(log.to_pandas().assign(patient=log.case % 10))  # each has three cases
    rules, choice = Parameters(0.3, "sampling", max_individual_loss=1e6), ColumnChoice(individual=who)
    anonymize_on_spark(session, path, tmp_path / "out", rules, noise="exact", choice=choice, allow_too_small=True)
    # What the driver takes has a row a file, a label, a variant, a group, a partition or a quantile. Once it takes what
    # noise was drawn from of the cases with the largest losses, at most three, whose rows the account looks at, and of
    # the individual with the largest loss.
    of_an_event = {"time", "times", "value", "noised", "prior", "number", "origin", "name", "individual"}
    rows = [found for names, found in taken if of_an_event & names]
    assert len(taken) > 1 and len(rows) == 1
    assert set(rows[0].column_names) == {"number", "value_range", "scale", "copies", "origin", "individual"}
    assert len(set(rows[0].column("origin").to_pylist())) <= 3 + (3 if who else 0)


@pytest.mark.real_logs
def test_a_release_of_a_real_log_on_spark_passes_every_check(
    real_logs: Path, session: Any, tmp_path: Path, parquet: Callable[[EventLog], str]
) -> None:
    log = read_log(real_logs / "Unrineweginfectie.xes.gz")
    anonymize_on_spark(session, parquet(log), tmp_path / "out", Parameters(0.2, "sampling"), partitions=3)
    found = verify(tmp_path / "out", log, prove=False)
    assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--no-registry", "--seed", "1"), "no seeded noise"),
        (("--no-registry", "--format", "csv"), "written as Parquet"),
    ],
)
def test_what_spark_does_not_have_is_refused_before_it_starts(
    flags: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["anonymize", "log.parquet", "--advantage", "0.2", "--out", str(tmp_path / "out"), "--engine", "spark"]
    assert main([*command, *flags]) == 2
    assert message in capsys.readouterr().err


def test_flags_of_spark_are_refused_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["anonymize", "log.parquet", "--advantage", "0.2", "--out", str(tmp_path / "out"), "--no-registry"]
    assert main([*command, "--master", "local[2]"]) == 2
    assert "--master needs --engine spark" in capsys.readouterr().err


def test_the_command_makes_the_same_folder_and_charges_its_budget(session: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    write_log(hospital_log(60), path)
    command = [
        sys.executable,
        "-m",
        "amun_dp.cli",
        "anonymize",
        str(path),
        "--advantage",
        "0.3",
        "--method",
        "sampling",
    ]
    registry = tmp_path / "registry.sqlite"
    options = ["--out", str(tmp_path / "out"), "--registry", str(registry), "--releases", "2"]
    options += ["--engine", "spark", "--master", "local[2]", "--json"]
    done = subprocess.run([*command, *options], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["released"]["cases"] == load_release(tmp_path / "out").event_log.n_cases
    (log,) = open_registry(registry).logs()
    assert [charge["log"] for charge in found["budget"]] == [log.log]
    # One machine knows the log again, and that half of its budget is spent.
    again = [
        "anonymize",
        str(path),
        "--advantage",
        "0.3",
        "--out",
        str(tmp_path / "again"),
        "--registry",
        str(registry),
    ]
    assert main([*again, "--noise", "exact"]) == 1
