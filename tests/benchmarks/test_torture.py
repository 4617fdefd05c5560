"""The programs of ``make torture`` see the faults that they look for, and each of them still runs."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from amun_dp.budgets.spending import open_registry
from amun_dp.synthetic import hospital_log
from benchmarks.torture.aftermath import fault_in_place, known_to, release_identifier
from benchmarks.torture.commands import Ended, forked, in_a_process
from benchmarks.torture.forging import FORGERIES, NOT_SEEN
from benchmarks.torture.kills import Counted, counted_in
from benchmarks.torture.logs import fault_in_reading
from benchmarks.torture.material import small_log
from benchmarks.torture.mutations import MUTATIONS, OF_TEXT, mutated
from benchmarks.torture.table import PAGE, as_table, recorded, with_table
from benchmarks.torture.tally import Tally

ROOT = Path(__file__).parents[2]
TRACE = """\
7 openat(AT_FDCWD, "log.csv", O_RDONLY) = 3
7 mkdir("/x/.amun-dp-7-a", 0700) = 0
9 mkdir("/x/other-thread", 0700) = 0
7 unlink("/x/.amun-dp-b-journal") = 0
7 unlink("/x/registry.sqlite-journal") = 0
7 mkdir("/x/.amun-dp-7-c", 0700) = 0
7 unlink("/x/registry.sqlite-journal") = 0
7 rename("/x/.amun-dp-7-c", "/x/out") = 0
"""


def test_calls_are_counted_by_the_main_thread_and_the_reservation_is_the_first_journal_of_the_registry_to_go() -> None:
    counted = counted_in(TRACE.splitlines(), 1.0)
    assert counted.calls == {"openat": 1, "mkdir": 2, "unlink": 3, "rename": 1}
    assert counted.before == {"openat": 1, "mkdir": 1, "unlink": 2}


@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(1, 50), st.integers(0, 50))), st.integers())
def test_a_kill_is_drawn_within_the_count(numbers: dict[str, tuple[int, int]], seed: int) -> None:
    calls = Counter({call: whole for call, (whole, _) in numbers.items()}) + Counter(end=1)
    before = Counter({call: min(part, calls[call]) for call, (_, part) in numbers.items()})
    choose = random.Random(seed)
    for _ in range(20):
        call, number = Counted(calls, before, 1.0).draw(choose)
        assert 1 <= number <= calls[call]


def test_half_of_the_kills_are_drawn_after_the_reservation() -> None:
    """Of 100 calls 99 are before it. P(fewer than 300 of 1,000 at one half) < 10⁻³⁴ (Hoeffding)."""
    counted, choose = Counted(Counter(write=100), Counter(write=99), 1.0), random.Random(5)
    assert sum(counted.draw(choose)[1] == 100 for _ in range(1_000)) > 300


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release ``out`` that is in a registry, and one beside it that is in none."""
    place = tmp_path_factory.mktemp("released")
    registry = open_registry(place / "registry.sqlite")
    log = hospital_log(60)
    amun_dp.anonymize(log, 0.3, method="sampling", noise="exact", registry=registry).save(place / "out", format="csv")
    amun_dp.anonymize(log, 0.3, method="sampling", noise="exact").save(place / "unknown", format="csv")
    return place


def test_a_release_that_is_whole_and_registered_is_no_fault_nor_is_none(released: Path, tmp_path: Path) -> None:
    known = known_to(released / "registry.sqlite")
    assert fault_in_place(released / "out", known) is None
    assert fault_in_place(tmp_path / "absent", known) is None
    assert fault_in_place(tmp_path, known) is None


def test_what_must_not_stand_at_a_target_is_seen(released: Path, tmp_path: Path) -> None:
    known = known_to(released / "registry.sqlite")
    assert fault_in_place(released / "unknown", known) == "a release that the registry does not know"
    assert fault_in_place(released / "unknown", known, release_identifier(released / "unknown")) is None
    half = tmp_path / "half"
    shutil.copytree(released / "out", half)
    (half / "log.csv").write_bytes((half / "log.csv").read_bytes()[:-9])
    assert fault_in_place(half, known) == "the release in place does not verify"
    (half / "report.json").unlink()
    assert fault_in_place(half, known) == "half a release"


def test_a_registry_that_was_changed_is_seen(released: Path, tmp_path: Path) -> None:
    for name in ("registry.sqlite", "registry.sqlite.key"):
        shutil.copy(released / name, tmp_path)
    damaged = tmp_path / "registry.sqlite"
    damaged.write_bytes(damaged.read_bytes()[:-5_000])
    problem = known_to(damaged).problem
    assert problem is not None
    assert "cannot be read" in problem


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        (Ended(0, "", ""), None),
        (Ended(2, "", "amun-dp: no."), None),
        (Ended(-11, "", ""), "ended by signal 11"),
        (Ended(134, "", ""), "ended by signal 6"),
        (Ended(1, "", "Traceback (most recent call last):\n  x\nValueError: y"), "a traceback: ValueError: y"),
        (Ended(3, "", "bug"), "an internal error: bug"),
    ],
)
def test_what_no_command_may_do_is_seen(ended: Ended, fault: str | None) -> None:
    assert ended.broke_off == fault


@pytest.mark.parametrize(
    ("ended", "name", "text", "fault"),
    [
        (Ended(2, "", "amun-dp: Row 3 has no time."), "log.csv", b"a,b", None),
        (Ended(2, "", "amun-dp: Zv3work1 is odd."), "log.csv", b"a,b\nZv3work1", "a value of a row in the message"),
        (Ended(2, "", "amun-dp: Column 'Zv3work1'."), "log.csv", b"Zv3work1\nx", None),
        (Ended(2, "", "amun-dp: 2024-01-02T03:04:05."), "log.xes", b"<log/>", "a value of a row in the message"),
        (Ended(2, "", ""), "log.xes", b"<log/>", "refused without a reason"),
        (Ended(1, "", "amun-dp: no."), "log.xes", b"<log/>", "exit code 1"),
    ],
)
def test_a_message_with_a_value_of_a_row_and_an_exit_code_without_a_reason_are_seen(
    ended: Ended, name: str, text: bytes, fault: str | None
) -> None:
    outcome = {0: "read", 2: "refused"}.get(ended.code, f"exit code {ended.code}")
    found = fault_in_reading(ended, outcome, name, text, {"2024-01-02T03:04:05"}, Tally("logs"))
    assert found is None if fault is None else found is not None and found.startswith(fault)


@given(st.binary(min_size=1, max_size=500), st.integers())
def test_a_mutation_changes_something_and_its_seed_repeats_it(data: bytes, seed: int) -> None:
    for kinds in (MUTATIONS, OF_TEXT[:-3]):
        changed = mutated(data, random.Random(seed), kinds)
        assert changed != data
        assert changed == mutated(data, random.Random(seed), kinds)


def test_values_of_rows_can_be_told_from_all_other_words() -> None:
    log = small_log()
    assert all(name.startswith("Xq7case") for name in log.case_names)
    assert all(label.startswith("Zv3work") for label in log.activities)


def test_every_forgery_has_a_name_and_what_is_not_seen_is_what_verify_says() -> None:
    from amun_dp.verification.blind_spots import undetectable

    assert len({forgery.__name__ for forgery in FORGERIES}) == len(FORGERIES)
    assert set(NOT_SEEN.values()) <= set(undetectable(original=False, ledger=False))


@pytest.mark.slow
def test_a_fork_and_a_process_that_take_too_much_are_ended() -> None:
    def takes_memory() -> int:
        return len(bytearray(1 << 30)) and 0

    def takes_time() -> int:
        while True:
            pass

    assert "MemoryError" in str(forked(takes_memory, memory=1 << 28).wait().broke_off)
    assert forked(takes_time, seconds=0.1).wait().broke_off is not None
    assert in_a_process("inspect", "absent.csv").code == 2


def test_a_tally_counts_tries_failures_and_what_is_apart() -> None:
    tally = Tally("kills")
    tally.note("killed")
    tally.note("killed", "half a release")
    tally.apart["ended before the kill"] += 1
    assert (tally.tried, tally.held) == (2, 1)
    record = json.loads(tally.record("kills", seed=5, count=2))
    assert (record["tried"], record["held"], record["seed"], record["apart"]) == (2, 1, 5, {"ended before the kill": 1})
    assert tally.line() == "| kills | 2 | 1 | killed 2; not counted: ended before the kill 1 |"


def test_the_page_has_the_figures_of_the_recorded_runs() -> None:
    """python -m benchmarks.torture.table puts them there."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, as_table(recorded())) == page


def test_a_try_that_did_not_hold_stands_in_the_table() -> None:
    tally = Tally("kills")
    tally.note("killed", "half a release")
    table = as_table([json.loads(tally.record("kills", seed=5, count=1))])
    assert "| kills | 1 | 0 | 5 |" in table
    assert "Did not hold: half a release" in table


@pytest.mark.slow
@pytest.mark.parametrize("part", ["kills", "races", "logs", "forgeries", "floods", "memory", "streams"])
def test_a_part_of_the_torture_runs_and_holds(part: str, tmp_path: Path) -> None:
    """A few tries each, so that the programs do not fall behind what they torture."""
    if part == "kills" and shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    record = tmp_path / "runs.jsonl"
    command = [
        sys.executable,
        "-m",
        "benchmarks.torture",
        part,
        "--count",
        "10",
        "--seed",
        "7",
        "--record",
        str(record),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=900, check=False)
    (line,) = record.read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert found["tried"] >= 10
    assert found["failures"] == [], done.stderr
    assert done.returncode == 0
