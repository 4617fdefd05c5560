"""Real processes that race for a budget, and real kills: nothing is overspent, nothing published without its entry."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import pytest

from accounting.registry import Amount, PublishedBudget, StrictBudget, key_file, open_registry
from tests.accounting.registry.helpers import prints

ROOT = Path(__file__).parents[3]
CASES = [f"{number:04}{number:04}" for number in range(20)]

# --- races ----------------------------------------------------------------------------------------------------------

RUNNER = """
import sys
from accounting.registry import BudgetExceeded, open_registry
from tests.accounting.registry.helpers import article, certified, prints

name = sys.argv[1]
for number, line in enumerate(sys.stdin):
    path, cost = line.rstrip("\\n").split("\\t")
    registry = open_registry(path)
    known = prints(registry.hasher, [f"{case:04}{case:04}" for case in range(20)])
    try:
        registry.reserve(known, eval(cost), f"{name}-{number}", {})
        registry.confirm(f"{name}-{number}", [])
        print("spent", flush=True)
    except BudgetExceeded:
        print("refused", flush=True)
"""
RUNNERS = 8


class Runners:
    """Processes that wait for a registry, and then all spend from it at once."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def race(self, path: Path, cost: str) -> int:
        """How many were not refused."""
        for process in self._processes:
            _pipe(process.stdin).write(f"{path}\t{cost}\n")
        for process in self._processes:
            _pipe(process.stdin).flush()
        answers = [_pipe(process.stdout).readline().strip() for process in self._processes]
        assert set(answers) <= {"spent", "refused"}, answers
        return answers.count("spent")


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


@pytest.fixture(scope="module")
def runners() -> Iterator[Runners]:
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", RUNNER, f"runner{number}"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=ROOT,
                )
            )
            for number in range(RUNNERS)
        ]
        yield Runners(processes)
        for process in processes:
            _pipe(process.stdin).close()


@pytest.mark.parametrize("round_", range(5))
def test_of_eight_processes_that_race_for_the_last_share_one_gets_it(
    runners: Runners, tmp_path: Path, round_: int
) -> None:
    registry = open_registry(tmp_path / "r")
    log = registry.set_budget(prints(registry.hasher, CASES), PublishedBudget(Fraction(1, 2)))
    assert runners.race(registry.path, "article('0.5', 2)") == 2
    assert runners.race(registry.path, "article('0.5', 1000)") == 0
    registry.set_budget(log, PublishedBudget(Fraction(3, 5)))
    assert runners.race(registry.path, "article('0.5', 1000)") == 0
    found = registry.log(log)
    assert (found.left, len(found.releases)) == (Amount(Fraction(0)), 2)
    strict = open_registry(tmp_path / "strict")
    log = strict.set_budget(prints(strict.hasher, CASES), StrictBudget(Fraction(1)))
    assert runners.race(strict.path, "certified('3/5')") == 1
    assert strict.log(log).left == Amount(Fraction(2, 5))


@pytest.mark.parametrize("round_", range(5))
def test_eight_processes_that_make_the_same_registry_make_one_with_one_log(
    runners: Runners, tmp_path: Path, round_: int
) -> None:
    path = tmp_path / "new" / "folder" / "r"
    assert runners.race(path, "article('0.5', 3)") == 3
    (log,) = open_registry(path, create=False).logs()
    assert log.left == Amount(Fraction(0))
    assert sorted(one.name for one in path.parent.iterdir()) == ["r", "r.key"]
    assert "in use" in key_file(path).read_text()


# --- kills ----------------------------------------------------------------------------------------------------------

DRIVER = """
import itertools, json, os, random, signal, sys, time
from fractions import Fraction
from pathlib import Path

from accounting.registry import BudgetExceeded, PublishedBudget, open_registry
from tests.accounting.registry.helpers import article, prints

CASES = [f"{number:04}{number:04}" for number in range(20)]
folder, scenario = Path(sys.argv[1]), sys.argv[2]
figures = {"kills": 0, "interrupted_commits": 0, "only_reserved": 0, "published": 0, "finished": 0}


def die_at_step(left):
    # Every call into and out of the registry's own functions and of what they call is a step.
    def count(frame, event, argument):
        nonlocal left
        if "registry" in frame.f_code.co_filename:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def release(path, name, cost):
    registry = open_registry(path)
    registry.reserve(prints(registry.hasher, CASES), cost, name, {})
    (path.parent / f"{name}.published").touch()
    registry.confirm(name, [])


def in_a_child(work, kill_after=None):
    # True if it ended by itself.
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BudgetExceeded:
            os._exit(0)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    figures["kills"] += status != 0
    return status == 0


def check(path):
    # The invariants, read without and with leave to write.
    names = {one.stem for one in path.parent.glob("*.published")}
    journal = path.with_name(path.name + "-journal")
    figures["interrupted_commits"] += journal.exists()
    key = path.with_name(path.name + ".key")
    if not path.exists():
        assert not names and (not key.exists() or "in use" not in key.read_text())
    for create in (False, True):
        if not path.exists() and not create:
            continue
        logs = open_registry(path, create=create).logs()
        assert len(logs) <= 1
        for log in logs:
            assert log.left is None or log.left.value >= 0
            entered = {one.release for one in log.releases}
            assert names <= entered, (names, entered)
            confirmed = {one.release for one in log.releases if one.published_at}
            assert confirmed <= names
        assert logs or not names
    assert path.stat().st_mode & 0o777 == key.stat().st_mode & 0o777 == 0o600
    return logs


def steps(start, stride, make):
    for number in itertools.count():
        path, cost, before = make(number)

        def work():
            die_at_step(start + number * stride)
            release(path, "one", cost)

        finished = in_a_child(work)
        logs = check(path)
        own = [one for log in logs for one in log.releases if one.release == "one"]
        figures["published"] += bool(own and own[0].published_at)
        figures["only_reserved"] += bool(own and not own[0].published_at)
        # What was reserved stays spent: a second try gets what is left, and no more.
        shares = sum(Fraction(1, one.cost.releases) for log in logs for one in log.releases)
        try:
            release(path, "two", cost)
            assert shares + Fraction(1, cost.releases) <= 1
        except BudgetExceeded:
            assert shares + Fraction(1, cost.releases) > 1
        check(path)
        if finished:
            figures["finished"] += 1
            return


def fresh(number):
    place = folder / str(number)
    place.mkdir()
    return place / "r", article("0.5"), 0


def half_spent(number):
    path, _, _ = fresh(number)
    release(path, "zero", article("0.5", 2))
    return path, article("0.5", 2), 1


def at_any_time():
    path = folder / "r"
    registry = open_registry(path)
    registry.set_budget(prints(registry.hasher, CASES), PublishedBudget(Fraction(1, 2)))
    rng = random.Random(7)
    # How long a release takes depends on the machine and on what else it does: kills are spread over a few of them.
    takes = float("inf")
    for number in range(5):
        began = time.monotonic()
        release(path, f"uninterrupted-{number}", article("0.5", 100_000))
        takes = min(takes, time.monotonic() - began)
    for number in range(150):
        def work():
            for again in itertools.count():
                release(path, f"{number}-{again}", article("0.5", 100_000))

        in_a_child(work, kill_after=rng.uniform(0.1, 4) * takes)
        (log,) = check(path)
        figures["only_reserved"] = sum(one.published_at is None for one in log.releases)
        figures["published"] = sum(one.published_at is not None for one in log.releases)
        assert log.spent.value == Fraction(len(log.releases), 100_000)
    assert figures["only_reserved"] <= figures["kills"]


if scenario == "fresh":
    steps(int(sys.argv[3]), int(sys.argv[4]), fresh)
elif scenario == "half-spent":
    steps(int(sys.argv[3]), int(sys.argv[4]), half_spent)
else:
    at_any_time()
print(json.dumps(figures))
"""


def drive(*arguments: object) -> dict[str, Any]:
    """Run a process that starts, kills and checks others; returns what it counted."""
    command = [sys.executable, "-c", DRIVER, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["fresh", "half-spent"])
def test_a_process_killed_at_any_step_leaves_a_registry_that_opens_and_is_not_overspent(
    scenario: str, tmp_path: Path
) -> None:
    figures = drive(tmp_path, scenario, 1, 13)
    assert figures["finished"] == 1
    assert figures["kills"] > 50
    # The kills fell before, between and after the two commits.
    assert 5 < figures["only_reserved"] + figures["published"] < figures["kills"]
    assert figures["only_reserved"] > 1


@pytest.mark.slow
def test_a_process_killed_at_any_moment_even_within_a_commit_leaves_what_was_committed(tmp_path: Path) -> None:
    figures = drive(tmp_path, "at any time")
    # What must hold after each kill the process checks itself. How many kills fell within a commit is up to the
    # machine (dozens on an idle one), so no number of them is demanded.
    assert figures["kills"] == 150
    assert figures["published"] >= 1
