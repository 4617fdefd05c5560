"""A command that is killed publishes nothing that is not in the registry."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from amun_dp.synthetic import hospital_log

pytestmark = pytest.mark.slow  # processes that are killed again and again

ROOT = Path(__file__).parents[2]
DRIVER = """
import json, os, signal, sys
from pathlib import Path

from amun_dp.cli import main
from accounting.registry import NotVoidable, open_registry

log, folder, stride = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
COMMAND = ["anonymize", log, "--advantage", "0.3", "--method", "sampling", "--allow-too-small"]
WATCHED = (
    "accounting/registry",
    "amun_dp/budgets/spending",
    "amun_dp/release/anonymize",
    "amun_dp/release/save",
    "amun_dp/folder/placing",
)
figures = {"kills": 0, "published": 0, "only_reserved": 0, "untouched": 0, "voided": 0, "left_over": 0}


def die_at_step(left):
    def count(frame, event, argument):
        nonlocal left
        if any(part in frame.f_code.co_filename for part in WATCHED):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def run(number):
    place = folder / str(number)
    place.mkdir()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        die_at_step(number * stride)
        os._exit(main([*COMMAND, "--registry", f"{place}/r", "--out", f"{place}/out"]))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    logs = open_registry(place / "r").logs()
    (state,) = [one for found in logs for one in found.releases] or [None]
    report = place / "out" / "report.json"
    if report.exists():
        # Whole, and the very release that is in the registry.
        assert json.loads(report.read_text())["release"]["id"] == state.release
        assert {"log.csv", "internal"} <= {one.name for one in (place / "out").iterdir()}
    else:
        assert not (place / "out").exists()
        assert state is None or state.published_at is None
    for found in logs:
        assert found.left is None or found.left.value >= 0
    if state is not None:
        hidden = [one for one in place.iterdir() if one.name.startswith(".amun-dp-")]
        figures["left_over"] += bool(hidden)
        try:
            open_registry(place / "r").void(state.release, "killed")
            figures["voided"] += 1
            # Nobody can have seen anything: neither a release nor the beginning of one is there.
            assert not report.exists() and not hidden, (number, hidden)
            assert open_registry(place / "r").logs()[0].budget is None  # as if it had never been
        except NotVoidable:
            pass
    if status:
        figures["kills"] += 1
        figures["published" if report.exists() else "untouched" if state is None else "only_reserved"] += 1
    return status == 0


# Once in this process, so that its children have everything imported.
sys.stdout, shown = open(os.devnull, "w"), sys.stdout
main([*COMMAND, "--no-registry", "--out", f"{folder}/first"])
sys.stdout = shown
number = 1
while not run(number):
    number += 1
print(json.dumps(figures))
"""


def test_the_command_killed_at_any_step_never_publishes_what_is_not_in_the_registry(tmp_path: Path) -> None:
    from amun_dp.writing import write_log

    write_log(hospital_log(30), tmp_path / "log.csv")
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "log.csv"), str(tmp_path), "37"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["kills"] > 15
    assert min(figures["untouched"], figures["only_reserved"], figures["published"]) > 0
    assert min(figures["voided"], figures["left_over"]) > 0


RACE = """
import json, os, random, signal, sys, time
from pathlib import Path

from accounting.registry import NotVoidable, UnknownRelease, open_registry
from amun_dp.cli import main

log, folder = sys.argv[1], Path(sys.argv[2])
COMMAND = ["anonymize", log, "--advantage", "0.3", "--method", "sampling", "--allow-too-small"]
figures = {"voided": 0, "in_place": 0}
sys.stdout, shown = open(os.devnull, "w"), sys.stdout
begun = time.monotonic()
main([*COMMAND, "--no-registry", "--out", f"{folder}/first"])
lasts = time.monotonic() - begun
for number in range(int(sys.argv[3])):
    place = folder / f"race-{number}"
    place.mkdir()
    registry = open_registry(place / "r")
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        os._exit(main([*COMMAND, "--registry", f"{place}/r", "--out", f"{place}/out"]))
    # As soon as it is reserved, or a while later.
    while not [one for found in registry.logs() for one in found.releases]:
        time.sleep(0.001)
    time.sleep(random.random() * lasts if number % 2 else 0)
    ((name,),) = [[one.release for one in found.releases] for found in registry.logs()]
    try:
        registry.void(name, "a race")
        voided = True
    except NotVoidable:
        voided = False
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    in_place = (place / "out").exists()
    # Exactly one of the two won, and the process knows it.
    assert voided != in_place, (number, voided, in_place, status)
    assert status == (1 if voided else 0), status
    assert not [one for one in place.iterdir() if one.name.startswith(".amun-dp-")]
    figures["voided" if voided else "in_place"] += 1
print(json.dumps(figures), file=shown)
"""


def test_of_a_command_and_a_void_that_race_exactly_one_wins(tmp_path: Path) -> None:
    """Whichever it is: a release that is in place was never voided, and one that was voided is nowhere."""
    from amun_dp.writing import write_log

    write_log(hospital_log(30), tmp_path / "log.csv")
    command = [sys.executable, "-c", RACE, str(tmp_path / "log.csv"), str(tmp_path), "20"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert sum(json.loads(done.stdout).values()) == 20
