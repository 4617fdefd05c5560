"""What the worker answers when a job ends for lack of memory: what was being done, and whether anything was spent."""

from __future__ import annotations

from typing import Any

import pytest

from amun_dp.errors import InputError
from amun_dp.serve import worker_process
from amun_dp.serve.tasks import TASKS, Bench


def answered(task: str, charging: bool, error: Exception, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    def fails(bench: Bench, _question: dict[str, Any]) -> dict[str, Any]:
        bench.progress("drawing time noise")
        bench.charging = charging
        raise error

    monkeypatch.setitem(TASKS, task, fails)
    return worker_process._answer(Bench(lambda _message: None), {"task": task})


@pytest.mark.parametrize(
    ("task", "charging", "meaning"),
    [
        ("inspect", False, "Nothing was released. Nothing was spent."),
        ("release", False, "No release was made. Nothing was spent."),
        ("release", True, "No release was made. Close"),
        ("verify", False, "The release was not judged, and that says nothing about it."),
    ],
)
def test_lack_of_memory_is_answered_with_step_and_spending(
    task: str, charging: bool, meaning: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (message,) = answered(task, charging, MemoryError(), monkeypatch).values()
    assert message.startswith(f"Out of memory while drawing time noise. {meaning}")


def test_lack_of_memory_behind_a_refusal_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = InputError("The file is damaged.")
    refusal.__context__ = MemoryError()
    assert set(answered("inspect", False, refusal, monkeypatch)) == {"failed"}
    assert set(answered("inspect", False, InputError("The file is damaged."), monkeypatch)) == {"refused"}


def test_what_one_job_charged_is_not_said_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(lambda _message: None, step="writing the release", charging=True)

    def fails(_bench: Bench, _question: dict[str, Any]) -> dict[str, Any]:
        raise MemoryError

    monkeypatch.setitem(TASKS, "release", fails)
    (message,) = worker_process._answer(bench, {"task": "release"}).values()
    assert message.startswith("Out of memory. No release was made. Nothing was spent.")
