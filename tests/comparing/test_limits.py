"""Runs of own methods with an end. Methods that do not end, or end badly, are made known to workers as an installed
package makes its own known: by an entry point."""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from amun_dp._base.worker import LineProcess
from amun_dp.baselines import parent
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.limited import Limits
from amun_dp.comparing.measuring import NO_ANSWER, BaselineLimits, baseline_runs
from amun_dp.release.methods import unregister_method
from tests.auditing.test_baselines import needs_pm4py
from tests.commandline import SECRET, refused, run
from tests.comparing.made_up import journal, started
from tests.comparing.test_command import children, lines, until
from tests.logs import words_log

METHODS = f"""
import os
from dataclasses import replace
import numpy as np
from amun_dp.article.methods import article_method_named

def endless(*_):
    while True:
        pass

def hungry(*_):
    return np.ones(2**29)

def broken(*_):
    raise KeyError({SECRET!r})

def dying(*_):
    os.kill(os.getpid(), 9)

def named(rule):
    return replace(article_method_named("sampling"), name=rule.__name__, sample=rule)

endless, hungry, broken, dying = map(named, (endless, hungry, broken, dying))
"""
NAMES = ("endless", "hungry", "broken", "dying")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "site"
    about = folder / "awkward_methods-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "awkward_methods.py").write_text(METHODS)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: awkward-methods\nVersion: 1.0\n")
    points = "".join(f"{name} = awkward_methods:{name}\n" for name in NAMES)
    (about / "entry_points.txt").write_text(f"[amun_dp.methods]\n{points}")
    monkeypatch.syspath_prepend(str(folder))
    yield
    for name in NAMES:
        unregister_method(name)
    sys.modules.pop("awkward_methods", None)


@pytest.mark.slow
def test_each_way_to_end_is_told_and_what_comes_later_is_run(
    installed: None, capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path
) -> None:
    flags = ("--methods", *NAMES, "sampling", "--advantages", 0.2, "--runs", 2, "--workers", 1, "--quiet")
    limits = ("--run-seconds", 1, "--run-gigabytes", 2)
    code, printed, said = run(capsys, "compare", example, "--out", tmp_path / "out", *flags, *limits)
    assert (code, said) == (0, "")
    made = [(each["method"], each["ending"], each["why"]) for each in journal(tmp_path / "out")]
    where = "KeyError in awkward_methods.py, line 15"
    assert made == [
        ("endless", "time", ""),
        ("hungry", "memory", ""),
        *[("broken", "failed", where)] * 2,
        *[("dying", "failed", NO_ANSWER)] * 2,
        *[("sampling", "released", "")] * 2,
    ]
    [row, *_] = [line.split() for line in printed.splitlines() if "ours" in line]
    assert row[3:7] == ["–", "–", "failed", "failed"]
    assert all(SECRET not in path.read_text() for path in (tmp_path / "out").iterdir())


@pytest.mark.slow
def test_a_worker_that_is_killed_from_outside_fails_one_run_and_another_makes_the_rest(
    example: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    flags = ("--methods", "sampling", "--advantages", 0.2, "--runs", 60, "--workers", 1)
    with started(example, "--out", out, *flags) as running:
        until(lambda: lines(out) >= 5, "it did not begin")
        [worker] = children(running.pid)
        os.kill(worker, signal.SIGKILL)
        _, said = running.communicate(timeout=300)
    assert (running.returncode, "Traceback" in said) == (0, False)
    endings = [each["ending"] for each in journal(out)]
    assert len(endings) == 60
    assert endings.count("failed") == 1
    assert endings.count("released") == 59


def test_memory_that_ends_while_reading_is_a_limit_too(
    capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = '{"cases": 1, "events": 1, "activities": 1, "variants": 1, "phi": {"0.2": {"average": 1.0}}}'
    played = f"""
import json
if json.loads(input())["cell"] is None:
    print('{{"ready": true}}'); print('{{"facts": {facts}}}')
else:
    print(json.dumps({{"run": {{"ending": "memory", "figures": None}}}}))
"""
    monkeypatch.setattr("amun_dp.comparing.limited._SERVE", played)
    flags = ("--methods", "sampling", "--advantages", 0.2, "--runs", 3, "--quiet")
    assert run(capsys, "compare", example, "--out", tmp_path / "out", *flags)[0] == 0
    assert [each["ending"] for each in journal(tmp_path / "out")] == ["memory"]


def test_a_log_that_is_too_much_to_look_at_is_told(
    capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.comparing.limited._SERVE", "import os; input(); os.kill(os.getpid(), 9)")
    assert "log could not be looked at" in refused(capsys, "compare", example, "--out", tmp_path / "out")


def test_a_process_that_sleeps_is_late_and_one_that_dies_is_not() -> None:
    sleeping = LineProcess([sys.executable, "-c", "import time; time.sleep(600)"])
    assert sleeping.line(0.2) is None
    assert (sleeping.was_late, sleeping.lives) == (True, False)
    dying = LineProcess([sys.executable, "-c", "print('half a line', end='')"])
    assert dying.line(60) is None
    assert (dying.was_late, dying.lives) == (False, False)
    working = LineProcess(
        [sys.executable, "-c", "import resource as r; r.setrlimit(r.RLIMIT_CPU, (1, 9))\nwhile True: pass"]
    )
    assert working.line(120) is None
    assert working.was_late


def test_where_no_system_limits_processor_time_a_process_that_ends_well_is_not_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(signal, "SIGXCPU")
    without = runpy.run_path(str(Path(sys.modules[LineProcess.__module__].__file__ or "")))
    ending = without["LineProcess"]([sys.executable, "-c", "pass"])
    ending._process.wait()  # so that it has ended by itself when it is closed
    assert ending.line(60) is None
    assert not ending.was_late


def test_the_longest_limit_is_one_that_a_timer_can_wait_for() -> None:
    from amun_dp.comparing.measuring import SLOWEST

    assert SLOWEST * 1e8 < threading.TIMEOUT_MAX
    Limits(9.9e7)


def test_a_limit_of_processor_time_stays_below_one_that_was_set_already() -> None:
    code = """
import resource
from amun_dp.baselines.child import limit_processor
resource.setrlimit(resource.RLIMIT_CPU, (50, 50))
limit_processor(1000)
print(resource.getrlimit(resource.RLIMIT_CPU))
limit_processor(5)
print(resource.getrlimit(resource.RLIMIT_CPU)[0] < 50)
"""
    limited = LineProcess([sys.executable, "-c", code])
    assert limited.line(60) == "(50, 50)\n"
    assert limited.line(60) == "True\n"
    limited.close()


@pytest.mark.slow
@needs_pm4py
def test_sacofa_itself_is_ended_by_its_processor_time() -> None:
    """Why it does not end is told in tests/auditing/test_baselines.py."""
    log = words_log(["abcdef", "fedcba", "abcabc", "defdef", "ffeeaa", "acebdf"] * 100 + ["abcdef" * 40] * 100)
    cell = Cell("x", "sacofa", 0.2, "average", 1e-9)
    [run] = baseline_runs(log, cell, 0.05, 3, BaselineLimits(1.0))
    assert run.ending == "time"
    # The next question gets its own answer, from a process that was started for it.
    log = words_log(["abc"] * 20)
    [again] = baseline_runs(log, Cell("x", "sacofa", 0.2, "average", 0.05), 500.0, 1, BaselineLimits(60.0))
    assert again.figures is not None
    assert (again.figures.frequency_emd, again.figures.cases, again.figures.time_emd) == (0, 20, None)
    assert again.memory is not None
    assert again.processor is not None
    parent.process().close()
