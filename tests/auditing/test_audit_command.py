"""``amun-dp audit`` as a person and as a program meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from amun_dp.auditing.experiment import FEWEST_RUNS
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.certified.cases import ordinary_cases
from tests.commandline import SECRET, refused, run
from tests.logs import log_of

QUICK = ("--runs", FEWEST_RUNS, "--seed", 1, "--workers", 1)


def test_broken_claims_are_told_with_how_surely_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "audit", "--method", "sampling", "--advantage", 0.3, *QUICK)
    assert code == 1
    assert err == ""
    assert not out.startswith("CONFIDENTIAL")  # nothing of it comes from a log
    lines = {line.split()[1]: line for line in out.splitlines() if line.lstrip()[:1] in ("✓", "✗") and "test" in line}
    assert "BROKEN, chance <" in lines["selection-of-variants"]
    assert "not rejected" in lines["count-cell"]
    assert "refuted" in lines["selection-of-variants"]
    assert "claims are BROKEN" in out
    assert "running time" in out
    assert "seed           1\n" in out
    assert "an ε of up to 4." in out


@pytest.mark.slow
def test_nothing_rejected_is_no_proof_and_exit_code_0(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    write_log(log_of(ordinary_cases(8)), path)
    code, out, _ = run(
        capsys, "audit", path, "--method", "certified", "--variants", "threshold", "--advantage", 0.3, *QUICK
    )
    assert code == 0
    assert "That is no proof" in out
    assert "With the public facts of each log" in out
    assert "proved." not in out
    assert out.startswith("CONFIDENTIAL")


@pytest.mark.slow
def test_the_same_for_machines(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    code, out, _ = run(capsys, "audit", "--method", "oversampling", "--advantage", 0.3, "--json", *QUICK)
    found = json.loads(out)
    assert code == 1
    assert found["confidential"] is None  # made-up pairs
    assert (found["void"], found["runs"], found["seed"], found["attempt"]) == (False, 1_000, 1, 1)
    assert found["tests"] == 2 + len(found["facts_of_each_log"]) + sum(len(each["tests"]) for each in found["claims"])
    assert found["level"] * found["tests"] == pytest.approx(0.05 / 2)
    assert "one-sided-count" in found["broken"]
    assert [each["finding"] for each in found["controls"]] == ["not rejected", "broken"]
    for each in found["claims"]:
        strongest = each["strongest"]
        assert (each["finding"] == "broken") == (strongest["epsilon_low"] > strongest["claimed_epsilon"])
        event = strongest["event"]
        assert event["likely_at_least"] <= event["seen"] / event["of_runs"]
        assert event["other_at_most"] >= event["seen_on_other"] / event["of_runs"]
    assert any("running time" in sentence for sentence in found["unprotected"])


def test_a_seed_repeats_an_audit(capsys: pytest.CaptureFixture[str]) -> None:
    def audited() -> dict[str, object]:
        _, out, _ = run(capsys, "audit", "--method", "sampling", "--advantage", 0.2, "--json", *QUICK)
        found: dict[str, object] = json.loads(out)
        found.pop("seconds")
        return found

    assert audited() == audited()


@pytest.mark.slow
def test_no_value_of_the_log_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cases = [*ordinary_cases(8), [(SECRET, 1_577_836_800_000), ("a", 1_577_836_900_000)]]
    path = tmp_path / "log.csv"
    write_log(log_of(cases), path)
    for how in ((), ("--json",)):
        _, out, err = run(capsys, "audit", path, "--method", "sampling", "--advantage", 0.3, *QUICK, *how)
        assert SECRET not in out + err


def test_a_page_is_written_for_its_owner_only(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    run(capsys, "audit", "--method", "sampling", "--advantage", 0.3, "--html", page, *QUICK)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert page.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["audit.html"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--runs", 10), "at least 1,000"),
        (("--confidence", 1.5), "confidence"),
        (("--attempt", 0), "Attempts are counted from 1"),
        (("--workers", 0), "at least one process"),
        (("--seed", 1, "--system-noise"), "cannot be repeated"),
        (("--html", "no/such/folder/page.html"), "there is no folder"),
        (("--html", "."), "is a folder"),
        (("--individual", "person"), "with a LOG only"),
        (("--drop-incomplete",), "with a LOG only"),
        (("--budget-seconds", 0.01), "Give it more with --budget-seconds"),
        (("--method", "unheard-of"), "Unknown method"),
        (("--seed", -1), "not negative"),
    ],
)
def test_wrong_use_is_refused_before_anything_runs(
    flags: tuple[object, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, "audit", "--method", "sampling", "--advantage", 0.3, "--workers", 1, *flags)


def test_a_broken_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    path.write_text("<log><trace>", encoding="utf-8")
    refused(capsys, "audit", path, "--method", "sampling", "--advantage", 0.3)


def test_protecting_individuals_needs_a_log_that_names_them(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    flags = ("--method", "certified", "--scope", "individual", "--max-cases-per-individual", 3, "--advantage", 0.3)
    assert "--individual" in refused(capsys, "audit", example, *flags)


def test_runs_and_seconds_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(capsys, "audit", "--method", "sampling", "--advantage", 0.3, "--runs", 5_000, "--budget-seconds", 5)
    assert ended.value.code == 2


@pytest.mark.slow
def test_a_budget_of_seconds_is_about_kept(capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.process_time()
    _, out, _ = run(
        capsys, "audit", "--method", "sampling", "--advantage", 0.3, "--budget-seconds", 20, "--workers", 1, "--json"
    )
    taken = time.process_time() - begin  # by the clock, a machine that gets busy after the first runs decides
    found = json.loads(out)
    assert found["runs"] >= FEWEST_RUNS
    assert found["runs"] % 100 == 0
    assert taken < 120


@pytest.mark.slow
def test_an_interrupted_audit_ends_at_once_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "log.xes.gz"
    write_log(hospital_log(), path)
    page = tmp_path / "page.html"
    arguments = ["audit", path, "--method", "sampling", "--advantage", "0.3", "--runs", "200000", "--workers", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "amun_dp.cli", *map(str, arguments), "--html", str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _until_two_children(running.pid)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal sends it: to all of them
        out, err = running.communicate(timeout=120)
    finally:
        running.kill()
    assert running.returncode == 130
    assert out == b""
    assert b"interrupted" in err
    assert b"Traceback" not in err
    assert not page.exists()
    _until_nobody_is_left(running.pid)


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_audit_with_a_sentence(tmp_path: Path) -> None:
    arguments = ["audit", "--method", "sampling", "--advantage", "0.3", "--runs", "500000", "--workers", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "amun_dp.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        os.kill(_until_two_children(running.pid), signal.SIGKILL)
        out, err = running.communicate(timeout=120)
    finally:
        running.kill()
    assert running.returncode == 2
    assert out == b""
    assert b"ended from outside" in err
    assert b"Traceback" not in err
    _until_nobody_is_left(running.pid)


def _until_nobody_is_left(group: int) -> None:
    """The helper process that Python starts beside the workers ends a moment after them; a minute at most."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("some process is still there")


def _until_two_children(process: int) -> int:
    """Until both workers are there, a minute at most; they are found by their parent's number in /proc. One of them."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        if len(listed) >= 3:  # with the helper process that Python starts beside them
            time.sleep(1)
            return int(listed[-1])
        time.sleep(0.05)
    pytest.fail("the workers did not start")
