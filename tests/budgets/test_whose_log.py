"""Whose log it is, on the command line: recognised, declared, asked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from amun_dp.synthetic import hospital_log
from tests.budgets.steward import Steward
from tests.budgets.test_fingerprint import rebuilt


@pytest.fixture
def grown(steward: Steward) -> Path:
    """The log with 40 of its 60 cases and without their last events, released already; and then as it is."""
    whole = hospital_log(60)
    rows = whole.case < 40
    rows[whole.offsets[1:] - 1] = False
    early = steward.log(rebuilt(whole, rows=rows), "early.csv")
    assert steward.release(early, "--advantage", 0.3, "--releases", 3)[0] == 0
    return steward.log(whole, "whole.csv")


def test_a_log_that_grew_is_refused_until_somebody_says_whose_it_is(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    flags = ("--advantage", 0.3, "--releases", 3)
    code, out, err = steward.release(grown, *flags)
    assert (code, out) == (1, "")
    assert f"40 of the 60 cases of this log are in {known} (40 cases)" in err
    assert f"--same-log-as {known}" in err
    assert "--new-log" in err
    assert steward.release(grown, *flags, "--same-log-as", known)[0] == 0
    assert steward.only_log() == known
    assert steward.release(grown, *flags)[0] == 0  # known by now
    assert steward.release(grown, *flags)[0] == 1


def test_other_people_are_a_declaration_and_a_new_log(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    flags = ("--advantage", 0.3, "--method", "sampling", "--new-log")
    declaration = f"40 of the 60 cases of this log are in {known} (40 cases); you declare that the people are others"
    assert declaration in steward.run("plan", grown, *flags)[1]
    code, _, err = steward.release(grown, *flags, "--quiet")
    assert code == 0
    assert f"warning: {declaration}, which is recorded" in err
    logs = steward.json("registry", "list")["logs"]
    assert len(logs) == 2
    new = logs[1]["log"]
    (declared,) = logs[1]["declared_other_people"]
    assert (declared["log"], declared["common"], declared["cases"]) == (known, 40, 60)
    for command in (["list"], ["show", new]):
        assert f"others than in {known}, with which it shared 40 of 60 cases" in steward.run("registry", *command)[1]
    (entry,) = [one for one in steward.json("registry", "export")["entries"] if one.get("other_people")]
    assert entry["other_people"] == {known: 40}
    code, _, err = steward.release(grown, "--advantage", 0.3, "--new-log")
    assert code == 2
    assert "case for case" in err


def test_part_of_a_log_is_about_the_same_people_whatever_is_said(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    known = steward.only_log()
    small = ["--allow-too-small"]
    part = steward.log(rebuilt(hospital_log(60), rows=hospital_log(60).case < 20), "part.csv")
    code, _, err = steward.release(part, *small, "--advantage", 0.3)
    assert code == 1
    assert f"Every case of this log (20) is in {known} (60 cases)" in err
    assert "--new-log" not in err  # no way out, so it is not offered
    code, _, err = steward.release(part, *small, "--advantage", 0.3, "--new-log")
    assert code == 2
    assert f"Use --same-log-as {known} instead" in err
    assert steward.only_log() == known
    assert steward.release(part, *small, "--advantage", 0.3, "--releases", 3, "--same-log-as", known)[0] == 0


def test_one_common_case_is_told_in_the_singular(steward: Steward) -> None:
    whole = hospital_log(60)
    one = steward.log(rebuilt(whole, rows=whole.case == 7), "one.csv")
    assert steward.release(one, "--advantage", 0.3, "--allow-too-small")[0] == 0
    code, _, err = steward.release(steward.log(whole, "whole.csv"), "--advantage", 0.3)
    assert code == 1
    assert f"1 of the 60 cases of this log is in {steward.only_log()} (1 case)." in err


def test_another_reading_of_the_same_file_is_met_again(steward: Steward) -> None:
    """Starts instead of ends: every time is another one."""
    log = hospital_log(60)
    lines = ["case:concept:name,concept:name,lifecycle:transition,time:timestamp"]
    for row in range(log.n_events):
        for transition, later in (("start", 0), ("complete", 90_000)):
            stamp = np.datetime64(int(log.time[row]) + later, "ms")
            lines.append(f"{log.case_names[log.case[row]]},{log.activities[log.activity[row]]},{transition},{stamp}Z")
    path = steward.folder / "life.csv"
    path.write_text("\n".join(lines))
    assert steward.release(path, "--advantage", 0.3, "--lifecycle", "start")[0] == 0
    code, _, err = steward.release(path, "--advantage", 0.3, "--lifecycle", "complete")
    assert code == 1
    assert f"Every case of this log (60) is in {steward.only_log()} (60 cases), by likeness." in err


def test_a_union_spends_on_each_of_its_logs(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    whole = hospital_log(60)
    late = steward.log(rebuilt(whole, rows=whole.case >= 40), "late.csv")
    assert steward.release(late, "--advantage", 0.2, "--releases", 2)[0] == 0
    (other,) = [one["log"] for one in steward.json("registry", "list")["logs"] if one["log"] != known]
    flags = ("--advantage", 0.2, "--releases", 2, "--same-log-as", known)
    code, _, err = steward.release(grown, *flags)
    assert code == 1
    assert f"--same-log-as {other}" in err
    code, out, _ = steward.release(grown, *flags, "--same-log-as", other)
    assert code == 0
    assert f"Budget of {known}" in out
    assert f"Budget of {other}" in out
    assert {one["log"]: one["left"]["exactly"] for one in steward.json("registry", "list")["logs"]} == {
        known: "1/6",
        other: "0",
    }


def test_an_unknown_identifier_is_wrong_use(steward: Steward, grown: Path) -> None:
    code, _, err = steward.release(grown, "--advantage", 0.3, "--same-log-as", "L-zz")
    assert code == 2
    assert "registry list" in err


def answered(steward: Steward, log: Path, answer: str, out: str) -> tuple[int, str]:
    """Run ``anonymize`` on a terminal of its own and answer its question."""
    main_end, terminal = pty.openpty()
    command = [sys.executable, "-m", "amun_dp.cli", "anonymize", log, "--advantage=0.3", "--releases=3"]
    command += ["--method=sampling", f"--out={steward.folder / out}", f"--registry={steward.registry}"]
    process = subprocess.Popen(
        list(map(str, command)), stdin=terminal, stderr=terminal, stdout=subprocess.DEVNULL, close_fds=True
    )
    os.close(terminal)
    os.write(main_end, answer.encode())
    shown = b""
    while True:
        try:
            read = os.read(main_end, 10_000)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not read:
            break
        shown += read
    os.close(main_end)
    return process.wait(), shown.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "code", "logs"),
    [("s\n", 0, 1), ("o\n", 0, 2), ("q\n", 1, 1), ("n\ny\nperhaps\n\nsame\n", 0, 1), ("\x04", 1, 1)],
)
def test_on_a_terminal_the_user_is_asked(steward: Steward, grown: Path, answer: str, code: int, logs: int) -> None:
    known = steward.only_log()
    found, shown = answered(steward, grown, answer, "asked")
    question = f"40 of the 60 cases of this log are in {known} (40 cases). [s]ame log / [o]ther people / [q]uit"
    assert shown.count(question) == (5 if "perhaps" in answer else 1)
    assert ("nothing was drawn" in shown) == (code == 1)
    assert ("you declare that the people are others" in shown) == (logs == 2)
    assert found == code, shown
    assert (steward.folder / "asked").exists() == (code == 0)
    assert len(steward.json("registry", "list")["logs"]) == logs


def test_on_a_terminal_part_of_a_log_cannot_be_called_other_people(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    part = steward.log(rebuilt(hospital_log(60), rows=hospital_log(60).case < 20), "part.csv")
    found, shown = answered(steward, part, "o\nq\n", "asked")
    assert found == 1
    assert shown.count(f"Every case of this log (20) is in {steward.only_log()} (60 cases). [s]ame log / [q]uit") == 2
