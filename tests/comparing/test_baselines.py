"""Baselines in an environment of their own, played by a script: the protocol, and how their runs end."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from amun_dp.baselines import parent
from amun_dp.comparing.cells import PHIS, PRUNINGS, Cell
from amun_dp.comparing.measuring import BaselineLimits, baseline_runs
from tests.commandline import refused, run
from tests.comparing.made_up import journal
from tests.logs import words_log

PLAYED = """#!{python}
import json, os, resource, sys, time
assert "amun_dp" not in sys.modules
seen = {{"arguments": sys.argv[1:4], "path": os.environ.get("PYTHONPATH")}}
print({ready}, flush=True)
for line in sys.stdin:
    job, runs = json.loads(line)
    print(json.dumps(dict(seen, **{{k: v for k, v in job.items() if k != "cases"}}, size=len(job["cases"]))),
          file=open({notes!r}, "a"))
    for number in range(runs):
        released = {{"cases": job["cases"], "seconds": 1.0, "processor": 0.5, "memory": 7}}
        trial = job["epsilon"] == 500.0
{body}
        print(json.dumps(released), flush=True)
"""


def played(folder: Path, body: str, ready: str = "'\"ready\"'") -> tuple[Path, Path]:
    """A program that speaks as the script for baselines does, and notes what it was asked."""
    script, notes = folder / "some-python", folder / "notes"
    indented = "\n".join(" " * 8 + line for line in body.splitlines())
    script.write_text(PLAYED.format(python=sys.executable, notes=str(notes), body=indented, ready=ready))
    script.chmod(0o755)
    return script, notes


def compare(
    capsys: pytest.CaptureFixture[str], example: Path, out: Path, *flags: object
) -> tuple[list[dict[str, Any]], str]:
    code, printed, said = run(
        capsys, "compare", example, "--out", out, "--advantages", 0.2, "--workers", 1, "--quiet", *flags
    )
    assert (code, said) == (0, "")
    return journal(out), printed


def baselines(script: Path, *methods: str, runs: int = 1) -> tuple[object, ...]:
    return ("--methods", *methods, "--baselines-python", script, "--runs", runs)


@pytest.mark.slow
def test_an_environment_of_its_own_gets_the_protocol_and_none_of_our_packages(
    capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    script, notes = played(tmp_path, "pass")
    made, printed = compare(capsys, example, tmp_path / "out", *baselines(script, "pripel", runs=2))
    asked = [json.loads(line) for line in notes.read_text().splitlines()]
    assert asked[0]["epsilon"] == 500.0, "first a trial"
    assert [(each["phi"], each["pruning"]) for each in made[::2]] == [(phi, p) for phi in PHIS for p in PRUNINGS]
    facts = json.loads((tmp_path / "out" / "runs.jsonl").read_text().splitlines()[1])["facts"]
    assert [each["epsilon"] for each in asked[1:]] == [facts["phi"]["0.2"][phi] for phi in PHIS for _ in PRUNINGS]
    # 300 cases, 1,737 events: 5 %, 1 % and 0.5 % of the cases; 5.79 events a case
    assert [(each["k"], each["p"]) for each in asked[1:]] == [(6, 15), (6, 3), (6, 2)] * 3
    assert {(each["pripel"], each["processor"], each["memory"], each["path"]) for each in asked[1:]} == {
        (True, 300.0, 4 * 2**30, None)
    }
    assert {each["size"] for each in asked[1:]} == {300}
    # It released the log itself, so every distance is 0 and every case that can be is linked.
    assert {each["figures"]["frequency_emd"] for each in made} == {0}
    assert {each["figures"]["steps_unchanged"] for each in made} == {1}
    assert "PRIPEL" in printed
    # Finished, it needs no baselines to be shown again.
    script.unlink()
    again, reprinted = compare(capsys, example, tmp_path / "out", *baselines(script, "pripel", runs=2))
    assert (again, reprinted) == (made, printed)


ENDLESS = """
if not trial and job["p"] == (15 if job["pripel"] else 3):
    resource.setrlimit(resource.RLIMIT_CPU, (1, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    while True:
        pass
"""


@pytest.mark.slow
def test_a_run_without_end_is_a_dash_and_less_pruning_is_not_tried(
    capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path
) -> None:
    """PRIPEL never ends, SaCoFa does at the strongest pruning."""
    script, _ = played(tmp_path, ENDLESS)
    flags = (*baselines(script, "pripel", "sacofa", runs=2), "--run-seconds", 1)
    made, printed = compare(capsys, example, tmp_path / "out", *flags)
    for phi in PHIS:
        assert [(each["method"], each["pruning"], each["ending"]) for each in made if each["phi"] == phi] == [
            ("pripel", 0.05, "time"),
            ("sacofa", 0.05, "released"),
            ("sacofa", 0.05, "released"),
            ("sacofa", 0.01, "time"),
        ]
    rows = [line.split() for line in printed.splitlines() if "ours" in line]
    assert [row[4:] for row in rows if len(row) > 5] == [["–", "0", "±", "0"]] * 3
    again, _ = compare(capsys, example, tmp_path / "out", *flags)
    assert again == made, "what exceeded a limit is not tried again"


@pytest.mark.parametrize(
    ("body", "endings"),
    [
        ('released = {"failed": "MemoryError in x.py, line 1"}', ["memory"]),
        ('released = {"failed": "KeyError in x.py, line 1"}', ["failed"] * 3),
        ('released["cases"] = []', ["nothing"] * 3),
        ("os.kill(os.getpid(), 9)", ["failed"] * 3),
        ("if number == 1: os.kill(os.getpid(), 9)", ["released", "failed", "released"]),
    ],
)
def test_how_a_baselines_run_ended_is_told(body: str, endings: list[str], tmp_path: Path) -> None:
    script, _ = played(tmp_path, body)
    limits = BaselineLimits(5.0, None, str(script))
    runs = baseline_runs(words_log(["ab", "ac"]), Cell("x", "sacofa", 0.2, "average", 0.05), 1.0, 3, limits)
    assert [run.ending for run in runs] == endings
    parent.process(str(script)).close()


@pytest.mark.parametrize(
    ("body", "ready", "word"),
    [
        ("pass", "json.dumps('ModuleNotFoundError in child.py, line 40')", "ModuleNotFoundError in child.py"),
        ("pass", "'Welcome!'", "it answered something else"),
        ("pass", "os._exit(1)", "it did not start"),
        (
            'released = {"failed": "ModuleNotFoundError in pripel.py, line 7"}',
            "'\"ready\"'",
            "PRIPEL does not run here",
        ),
        ("os._exit(1)", "'\"ready\"'", "no answer"),
    ],
)
def test_an_environment_without_the_baselines_is_refused_before_anything_is_run(
    body: str, ready: str, word: str, capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path
) -> None:
    script, _ = played(tmp_path, body, ready)
    flags = ("--methods", "sampling", "pripel", "--baselines-python", script, "--runs", 1)
    said = refused(capsys, "compare", example, "--out", tmp_path / "out", *flags)
    assert word in said
    assert "pip install amun-dp[baselines]" in said
    assert journal(tmp_path / "out") == []


def test_a_python_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path) -> None:
    flags = ("--methods", "sacofa", "--out", tmp_path / "out", "--baselines-python")
    assert "cannot be run" in refused(capsys, "compare", example, *flags, tmp_path / "none")
