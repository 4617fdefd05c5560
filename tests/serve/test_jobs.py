"""One piece of work at a time, in a process that may be stopped and may die. The workers here are made for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from amun_dp.serve.jobs import CANCELLED, DONE, FAILED, REFUSED, Job, Jobs

ECHO = """
import json, sys, os, time, signal
for line in sys.stdin:
    asked = json.loads(line)
    def say(**message): print(json.dumps(message), flush=True)
    say(steps=[["first", 1], ["second", 3]])
    say(step="first")
    kind = asked.get("how")
    if kind == "die": os.kill(os.getpid(), signal.SIGKILL)
    if kind == "leave": sys.exit(7)
    if kind == "hang":
        say(step="second"); time.sleep(600)
    if kind == "half": print('{"answer": {', end="", flush=True); os.kill(os.getpid(), signal.SIGKILL)
    if kind == "gibberish": print("gibberish", flush=True); time.sleep(600)
    if kind == "charging": say(charging="id"); os.kill(os.getpid(), signal.SIGKILL)
    if kind == "refuse": say(columns=["a"]); say(refused="no"); continue
    if kind == "charge": say(charged=["spent"]); time.sleep(600)
    say(step="second")
    say(answer={"pid": os.getpid(), "got": asked})
"""


def worked(story: Callable[[Jobs, list[Job]], Awaitable[None]]) -> list[Job]:
    """Run a story with a queue; returns the jobs in the order in which they ended."""
    settled: list[Job] = []

    async def run() -> None:
        jobs = Jobs(settled.append, command=("-c", ECHO))
        work = asyncio.create_task(jobs.work())
        try:
            await asyncio.wait_for(story(jobs, settled), 60)
        finally:
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work

    asyncio.run(run())
    return settled


async def until(condition: Callable[[], Any]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_jobs_are_done_one_after_the_other_by_the_same_worker() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        for number in range(3):
            jobs.submit("verify", "x", {"number": number})
        await until(lambda: len(settled) == 3)

    settled = worked(story)
    assert [job.state for job in settled] == [DONE] * 3
    assert [job.answer["got"]["number"] for job in settled] == [0, 1, 2]
    assert len({job.answer["pid"] for job in settled}) == 1


def test_progress_is_what_the_worker_says() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        job = jobs.submit("verify", "x", {"how": "hang"})
        await until(lambda: job.step == "second")
        assert job.share == pytest.approx(1 / 4)
        jobs.cancel(job)
        await until(lambda: settled)

    assert worked(story)[0].state == CANCELLED


def test_a_step_that_nobody_expected_is_shown_all_the_same() -> None:
    job = Job(1, "plan", "x", {})
    for message in ({"steps": [["a", 1], ["b", 1]]}, {"step": "a"}, {"step": "new"}, {"step": "b"}):
        job.hear(message)
    assert [name for name, _ in job.steps] == ["a", "new", "b"]
    assert job.step == "b"
    assert job.share == pytest.approx(1 / 2)


@pytest.mark.parametrize(("how", "told"), [("die", "signal 9"), ("leave", "code 7")])
def test_a_worker_that_dies_fails_its_job_and_the_next_one_gets_another(how: str, told: str) -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("verify", "x", {"how": how})
        jobs.submit("verify", "x", {})
        await until(lambda: len(settled) == 2)

    died, next_one = worked(story)
    assert died.state == FAILED
    assert told in died.message
    assert next_one.state == DONE


@pytest.mark.parametrize("how", ["half", "gibberish"])
def test_an_answer_that_makes_no_sense_fails_its_job_and_not_those_after_it(how: str) -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("verify", "x", {"how": how})
        jobs.submit("verify", "x", {})
        await until(lambda: len(settled) == 2)

    assert [job.state for job in worked(story)] == [FAILED, DONE]


def test_a_worker_that_cannot_be_started_fails_its_job_and_not_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    start, tries = asyncio.create_subprocess_exec, []

    async def second_time(*arguments: Any, **options: Any) -> Any:
        tries.append(arguments)
        if len(tries) == 1:
            raise OSError(24, "Too many open files")
        return await start(*arguments, **options)

    monkeypatch.setattr("asyncio.create_subprocess_exec", second_time)

    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("verify", "x", {})
        jobs.submit("verify", "x", {})
        await until(lambda: len(settled) == 2)

    failed, done = worked(story)
    assert failed.state == FAILED
    assert "OSError" in failed.message
    assert done.state == DONE


def test_a_job_that_ends_while_it_charges_does_not_say_that_nothing_is_spent() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("release", "x", {"how": "charging"})
        await until(lambda: settled)

    (job,) = worked(story)
    assert (job.state, job.charging, job.charged) == (FAILED, True, ())


def test_whoever_wants_to_know_hears_of_every_worker_that_has_ended() -> None:
    gone: list[int] = []

    async def run() -> None:
        settled: list[Job] = []
        jobs = Jobs(settled.append, gone.append, ("-c", ECHO))
        work = asyncio.create_task(jobs.work())
        jobs.submit("verify", "x", {"how": "die"})
        await asyncio.wait_for(until(lambda: settled), 60)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(run())
    assert len(gone) == 1


def test_a_refusal_keeps_the_worker_and_says_why() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("inspect", "x", {"how": "refuse"})
        jobs.submit("inspect", "x", {})
        await until(lambda: len(settled) == 2)

    refused, done = worked(story)
    assert (refused.state, refused.message, refused.columns) == (REFUSED, "no", ("a",))
    assert done.state == DONE


def test_cancelling_a_job_that_runs_ends_it_and_one_that_waits_never_begins() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        running = jobs.submit("release", "x", {"how": "charge"})
        waiting = jobs.submit("verify", "x", {})
        await until(lambda: running.charged)
        assert jobs.ahead_of(waiting) == 1
        jobs.cancel(waiting)
        jobs.cancel(running)
        jobs.cancel(running)  # impatience does no harm
        await until(lambda: len(settled) == 2)
        after = jobs.submit("verify", "x", {})
        await until(lambda: after.finished)

    waiting, running, after = worked(story)
    assert (waiting.state, waiting.began) == (CANCELLED, 0.0)
    assert (running.state, running.charged) == (CANCELLED, ("spent",))
    assert after.state == DONE


def test_cancelling_before_the_worker_is_up_is_not_forgotten() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        job = jobs.submit("verify", "x", {"how": "hang"})
        await until(lambda: jobs.running is job)
        jobs.cancel(job)
        await until(lambda: settled)

    assert worked(story)[0].state == CANCELLED


def test_a_newer_plan_takes_the_place_of_one_that_waits() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        running = jobs.submit("verify", "x", {"how": "hang"})
        plans = [jobs.submit("plan", "x", {"number": number}) for number in range(3)]
        assert [plan.state for plan in plans] == [CANCELLED, CANCELLED, "waiting"]
        await until(lambda: running.step)
        jobs.cancel(running)
        await until(lambda: plans[2].finished)

    assert worked(story)[-1].answer["got"]["number"] == 2


def test_old_jobs_are_forgotten_so_that_a_long_day_fills_no_memory() -> None:
    async def story(jobs: Jobs, settled: list[Job]) -> None:
        for _ in range(120):
            jobs.submit("plan", "x", {})
        await until(lambda: settled and settled[-1].state == DONE)
        assert jobs.find(1) is None
        assert jobs.find(120) is not None

    worked(story)


def test_the_worker_ends_with_the_server() -> None:
    pids: list[int] = []

    async def story(jobs: Jobs, settled: list[Job]) -> None:
        jobs.submit("verify", "x", {})
        await until(lambda: settled)
        pids.append(settled[0].answer["pid"])
        os.kill(pids[0], 0)
        jobs.submit("verify", "x", {"how": "hang"})
        await until(lambda: jobs.running is not None and jobs.running.step == "second")

    worked(story)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
