"""A release on Spark is a release: what reads and verifies releases of one machine accepts it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from amun_dp import anonymize, load_release, open_registry, verify
from amun_dp.cli import main
from amun_dp.eventlog import EventLog
from amun_dp.generator import hospital_log
from amun_dp.parameters import Parameters
from amun_dp.reading import read_log
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.verification.checks import Outcome
from amun_dp.writing import write_log


def test_a_release_on_spark_passes_every_check_against_its_original(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.log_parts.EVENTS_A_PART", 100)
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


def test_no_events_or_cases_are_collected_on_the_driver(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql.classic.dataframe import DataFrame

    taken: list[tuple[set[str], Any]] = []

    def watched(name: str) -> Callable[[Any], Any]:
        take = getattr(DataFrame, name)

        def run(self: Any) -> Any:
            found = take(self)
            taken.append((set(self.columns), found))
            return found

        return run

    def refuse(self: Any, *_: Any) -> Any:
        raise AssertionError("rows are brought to the driver")

    for name in ("toArrow", "collect"):
        monkeypatch.setattr(DataFrame, name, watched(name))
    for name in ("toPandas", "toLocalIterator", "tail"):
        monkeypatch.setattr(DataFrame, name, refuse)
    log = hospital_log(30)
    anonymize_on_spark(session, parquet(log), tmp_path / "out", Parameters(0.3, "sampling"), noise="exact")
    # What the driver takes has a row a file, a label, a variant, a group, a partition or a quantile. Once it takes what
    # noise was drawn from of the cases with the largest losses, at most three, whose rows the account looks at.
    of_an_event = {"time", "times", "value", "noised", "prior", "number", "origin", "name"}
    rows = [found for names, found in taken if of_an_event & names]
    assert len(taken) > 1 and len(rows) == 1
    assert set(rows[0].column_names) == {"number", "value_range", "scale", "copies", "origin"}
    assert len(set(rows[0].column("origin").to_pylist())) <= 3


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
        (("--no-registry", "--method", "certified"), "not known yet"),
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
    write_log(hospital_log(30), path)
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
