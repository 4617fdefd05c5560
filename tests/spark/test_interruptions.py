"""Interruptions end the work on Spark first: nothing it wrote comes back, and the session goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from amun_dp.article.parameters import Parameters
from amun_dp.errors import EngineError, OutputError
from amun_dp.spark import anonymize_on_spark
from amun_dp.spark.engine.interruptions import Caller, undisturbed
from amun_dp.spark.work import stages_for
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log


@contextmanager
def interrupted(error: type[BaseException]) -> Iterator[None]:
    """The error is raised in this thread whenever ``ring`` says so, wherever it is then."""

    def heard(_number: int, _frame: object) -> None:
        raise error

    usual = signal.signal(signal.SIGALRM, heard)
    try:
        with pytest.raises(error) as raised:
            yield
        notes.extend(getattr(raised.value, "__notes__", []))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


def ring(seconds: float = 1e-6) -> None:
    """Called by the work, so that it has begun."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


notes: list[str] = []


@pytest.fixture(autouse=True)
def no_notes() -> None:
    notes.clear()


def as_it_is(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def writing_without_end(session: Any, folder: Path, seconds: float) -> Callable[[Caller], None]:
    """Stages of two jobs with workers in them, one after the other, until somebody interrupts."""

    def work(caller: Caller) -> None:
        ring(seconds)
        frame = session.range(0, 20_000, 1, 4)
        with stages_for(session, frame, folder, 4) as (stages, rows):
            for number in count():
                caller.do(lambda: None)
                stages.write(f"stage-{number}", rows.repartition(4).mapInArrow(as_it_is, rows.schema))

    return work


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_no_folder_comes_back_whenever_the_work_is_interrupted_and_the_session_goes_on(
    error: type[BaseException], session: Any, tmp_path: Path
) -> None:
    """Before the first job, amid one, between two: at 12 moments of a second. A wait for tasks that run left a folder
    behind in some per cent of the moments, and the session gave answers to earlier questions."""
    for moment in range(12):
        with interrupted(error):
            undisturbed(session, writing_without_end(session, tmp_path, 0.08 * (moment + 1)))
        assert not list(tmp_path.iterdir())
        assert session.range(0, 1000 + moment, 1, 2).count() == 1000 + moment
    time.sleep(1)
    assert not list(tmp_path.iterdir()) and not notes


def test_a_job_is_cancelled_and_not_waited_for(session: Any) -> None:
    def for_ten_minutes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        time.sleep(600)
        yield from batches

    def work(_: Caller) -> None:
        ring(1)
        session.range(4).mapInArrow(for_ten_minutes, "id long").count()

    began = time.monotonic()
    with interrupted(KeyboardInterrupt):
        undisturbed(session, work)
    assert time.monotonic() - began < 300


def test_what_a_caller_passes_is_called_in_its_own_thread(session: Any) -> None:
    told: list[tuple[str, threading.Thread]] = []

    def work(caller: Caller) -> threading.Thread:
        step = caller.tell(lambda name: told.append((name, threading.current_thread())))
        step("reading")
        assert caller.do(lambda: session.range(3).count()) == 3  # a caller may call Spark, too
        step("writing")
        return threading.current_thread()

    worker, own = undisturbed(session, work), threading.current_thread()
    assert told == [("reading", own), ("writing", own)] and worker is not own


def test_what_is_raised_in_either_thread_is_raised_as_it_is(session: Any) -> None:
    def wrong(_: Caller) -> None:
        raise ValueError("in the work")

    def asking(caller: Caller) -> None:
        def refuse() -> None:
            raise KeyboardInterrupt

        caller.do(refuse)

    with pytest.raises(ValueError, match="in the work") as raised:
        undisturbed(session, wrong)
    assert raised.value.__context__ is None and raised.value.__cause__ is None
    with pytest.raises(KeyboardInterrupt):
        undisturbed(session, asking)


def left(caller: Caller) -> None:
    """Ends when the caller has heard of an interruption, and is waiting for the work."""
    while not caller._left:
        time.sleep(0.01)


def test_work_that_asks_after_an_interruption_ends(session: Any) -> None:
    asked: list[str] = []

    def work(caller: Caller) -> None:
        ring()
        left(caller)
        asked.append("once")
        caller.do(lambda: asked.append("and answered"))
        asked.append("and went on")

    with interrupted(KeyboardInterrupt):
        undisturbed(session, work)
    assert asked == ["once"] and not notes


def test_a_second_interruption_does_not_wait_and_says_what_is_left() -> None:
    ready = threading.Event()
    # No Java here: what a second interruption cuts short may be a call to it, and other tests go on with the session.
    nothing: Any = SimpleNamespace(addJobTag=lambda _: None, cancelJobsWithTag=lambda _: None)
    session: Any = SimpleNamespace(sparkContext=nothing)

    def work(caller: Caller) -> None:
        ring()
        left(caller)
        ring()
        ready.wait(600)

    with interrupted(KeyboardInterrupt):
        undisturbed(session, work)
    assert not ready.is_set() and len(notes) == 1 and "Spark was left at work" in notes[0]
    ready.set()


def test_work_within_work_is_done_in_the_same_thread_and_ends_with_it(session: Any) -> None:
    threads: list[threading.Thread] = []

    def inner(_: Caller) -> None:
        threads.append(threading.current_thread())

    def outer(_: Caller) -> None:
        threads.append(threading.current_thread())
        undisturbed(session, inner)

    undisturbed(session, outer)
    assert threads[0] is threads[1] is not threading.current_thread()


def test_an_interruption_says_which_stages_could_not_be_removed(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.spark.work._PATIENCE", 0.1)
    monkeypatch.setattr("amun_dp.spark.work.shutil.rmtree", lambda *_, **__: None)

    def work(caller: Caller) -> None:
        with stages_for(session, session.range(3), tmp_path, 2):
            ring()
            left(caller)

    with interrupted(KeyboardInterrupt):
        undisturbed(session, work)
    (stages,) = tmp_path.glob(".amun-dp-stages-*")
    assert len(notes) == 1 and f"remove {stages} by hand" in notes[0]


def test_tasks_that_do_not_end_are_told_with_the_folder_that_they_could_bring_back(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.spark.work._PATIENCE", 0.1)
    monkeypatch.setattr("amun_dp.spark.work._running_tasks", lambda _session: 1)
    seen: list[str] = []

    def work(caller: Caller) -> None:
        with stages_for(session, session.range(3), tmp_path, 2) as (stages, _):
            seen.append(stages.folder)
            ring()
            left(caller)
            caller.check()

    with interrupted(KeyboardInterrupt):
        undisturbed(session, work)
    assert len(notes) == 1 and f"should {seen[0]} come back, remove it" in notes[0]
    with (
        pytest.raises(EngineError, match="a worker failed") as failure,
        stages_for(session, session.range(3), tmp_path),
    ):
        raise EngineError("a worker failed")
    assert "come back" in failure.value.__notes__[0]
    assert not list(tmp_path.iterdir())


def test_an_interruption_after_the_release_says_that_it_was_made(session: Any, tmp_path: Path) -> None:
    def stop(_folder: Path) -> None:
        ring()
        time.sleep(1)  # the other thread has time to hear of it

    write_log(hospital_log(60), tmp_path / "log.parquet")
    log, out = str(tmp_path / "log.parquet"), tmp_path / "out"
    with interrupted(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr("amun_dp.spark.work._remove", stop)
        anonymize_on_spark(session, log, out, Parameters(0.3, "sampling"), noise="exact", partitions=2)
    assert notes == [f"the release was made and is in {out}; do not release again"]
    assert (out / "report.json").exists()


def test_stages_that_stay_after_a_release_do_not_hide_that_it_was_made(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: Path) -> None:
        raise OutputError(f"remove {folder} by hand")

    monkeypatch.setattr("amun_dp.spark.work._remove", fail)
    write_log(hospital_log(60), tmp_path / "log.parquet")
    log, out = str(tmp_path / "log.parquet"), tmp_path / "out"
    with pytest.raises(OutputError, match=r"was made and is in .*; do not release again. remove .* by hand"):
        anonymize_on_spark(session, log, out, Parameters(0.3, "sampling"), noise="exact", partitions=2)


def amid_its_draws(folder: Path) -> subprocess.Popen[str]:
    """The command, in a process group of its own, when cases are being read for their draws."""
    write_log(hospital_log(2_000), folder / "log.parquet")
    command = [sys.executable, "-m", "amun_dp.cli", "anonymize", str(folder / "log.parquet"), "--advantage", "0.3"]
    options = ["--method", "sampling", "--engine", "spark", "--master", "local[2]", "--no-registry", "--quiet"]
    running = subprocess.Popen(
        [*command, *options, "--out", str(folder / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    until = time.monotonic() + 600
    while not list(folder.glob(".amun-dp-stages-*/kept")):
        assert running.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    return running


def only_the_log_is_left(folder: Path) -> bool:
    """No stage, and nothing of Spark's own log either."""
    time.sleep(1)  # nothing comes back
    return sorted(path.name for path in folder.iterdir()) == ["log.parquet"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_no_stage_and_ends_as_it_was_told(
    number: signal.Signals, session: Any, tmp_path: Path
) -> None:
    running = amid_its_draws(tmp_path)
    running.send_signal(number)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 128 + number, said
    # Nothing of Java's, of its workers' or of Python's tracebacks, only what this program has to say.
    assert said == ("\namun-dp: interrupted; nothing was released.\n" if number == signal.SIGINT else "")
    assert only_the_log_is_left(tmp_path)


def test_a_command_that_is_ended_together_with_java_leaves_no_stage(session: Any, tmp_path: Path) -> None:
    """As ``timeout`` and service managers do it, and some twice."""
    running = amid_its_draws(tmp_path)
    os.killpg(running.pid, signal.SIGTERM)
    os.killpg(running.pid, signal.SIGTERM)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 128 + signal.SIGTERM, said
    assert "amun-dp: " not in said  # though pyspark may complain that Java is gone
    assert only_the_log_is_left(tmp_path)


def test_a_command_whose_java_dies_leaves_no_stage_and_says_so(session: Any, tmp_path: Path) -> None:
    running = amid_its_draws(tmp_path)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    (java,) = [child for child in children if "java" in Path(f"/proc/{child}/cmdline").read_text()]
    os.kill(int(java), signal.SIGKILL)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 2, said
    last = said.splitlines()[-1]  # pyspark complains, too, that Java is gone
    assert last.startswith("amun-dp: Spark failed while ") and "nothing was released" in last
    assert only_the_log_is_left(tmp_path)


def test_spark_that_cannot_start_is_told_with_where_it_says_why(session: Any, tmp_path: Path) -> None:
    write_log(hospital_log(5), tmp_path / "log.parquet")
    command = [sys.executable, "-m", "amun_dp.cli", "plan", str(tmp_path / "log.parquet")]
    done = subprocess.run(
        [*command, "--advantage", "0.3", "--engine", "spark", "--no-registry"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "JAVA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    (log,) = tmp_path.glob("amun-dp-spark-*.log")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"amun-dp: Spark did not start. Why, it says in {log}; is Java 17 installed?\n"
    assert log.read_text().strip()  # whatever words Spark has for it
