"""One piece of work at a time, in a process of its own: it can be cancelled, and its crash is not the server's."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from amun_dp._base.worker import own_environment

GRACE = 20.0
"""Seconds that a cancelled job has to take away what it has half written."""
LONGEST_LINE = 1 << 26
KEPT = 50
"""Finished jobs that can still be asked about."""

WAITING, RUNNING, DONE, REFUSED, FAILED, CANCELLED = "waiting", "running", "done", "refused", "failed", "cancelled"
FINISHED = frozenset({DONE, REFUSED, FAILED, CANCELLED})


@dataclass(slots=True, eq=False)
class Job:
    """What was asked for, how far it is, and what came of it."""

    id: int
    task: str
    title: str
    request: dict[str, Any]
    state: str = WAITING
    cancelling: bool = False
    steps: list[tuple[str, float]] = field(default_factory=list)
    """All steps that are expected, with their shares of the time."""
    current: int = -1
    began: float = 0.0
    ended: float = 0.0
    message: str = ""
    columns: tuple[str, ...] = ()
    """Of a log that could not be read as it is: what its columns are called."""
    charging: bool = False
    """From here on the budget may have been charged, also if the job ended before anybody could say so."""
    charged: tuple[str, ...] = ()
    """What was spent of a budget, once that has happened."""
    answer: dict[str, Any] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        return self.state in FINISHED

    @property
    def share(self) -> float:
        """How much is done: the steps before the current one, by their usual shares of the time."""
        if self.state == DONE:
            return 1.0
        whole = sum(weight for _, weight in self.steps)
        return sum(weight for _, weight in self.steps[: max(self.current, 0)]) / whole if whole else 0.0

    @property
    def step(self) -> str:
        return self.steps[self.current][0] if 0 <= self.current < len(self.steps) else ""

    @property
    def seconds(self) -> float:
        if not self.began:
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    def hear(self, message: dict[str, Any]) -> str | None:
        """What the worker says, on the way or at the end; how the job ended, if it did."""
        if "answer" in message:
            self.answer = message["answer"]
            return DONE
        if "refused" in message:
            self.message = message["refused"]
            return REFUSED
        if "failed" in message:
            self.message = message["failed"]
            return FAILED
        if "steps" in message:
            self.steps = [(name, float(weight)) for name, weight in message["steps"]]
        elif "step" in message:
            names = [name for name, _ in self.steps]
            if message["step"] not in names[self.current + 1 :]:
                self.steps.insert(self.current + 1, (message["step"], 0.0))
                self.current += 1
            else:
                self.current = names.index(message["step"], self.current + 1)
        elif "columns" in message:
            self.columns = tuple(message["columns"])
        elif "charging" in message:
            self.charging = True
        elif "charged" in message:
            self.charged = tuple(message["charged"])
        return None


class Jobs:
    """A queue with one worker. ``settle`` hears of every job that ends, ``buried`` of every worker that has."""

    def __init__(
        self,
        settle: Callable[[Job], None],
        buried: Callable[[int], None] = lambda _process: None,
        command: tuple[str, ...] = ("-m", "amun_dp.serve.worker_process"),
    ) -> None:
        self._settle, self._buried, self._command = settle, buried, command
        self._numbers = count(1)
        self._waiting: deque[Job] = deque()
        self._known: dict[int, Job] = {}
        self._asked = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._stopping: set[asyncio.Task[None]] = set()
        self.running: Job | None = None

    def submit(self, task: str, title: str, request: dict[str, Any]) -> Job:
        """Put it into the queue. A newer plan takes the place of one that waits: nobody wants the older any more."""
        if task == "plan":
            for old in [job for job in self._waiting if job.task == "plan"]:
                self._waiting.remove(old)
                self._end(old, CANCELLED)
        job = Job(next(self._numbers), task, title, {"task": task, **request})
        self._known[job.id] = job
        for number in [one.id for one in self._known.values() if one.finished][:-KEPT]:
            del self._known[number]
        self._waiting.append(job)
        self._asked.set()
        return job

    def find(self, number: int) -> Job | None:
        return self._known.get(number)

    def ahead_of(self, job: Job) -> int:
        """How many must end before it begins."""
        if job not in self._waiting:
            return 0
        return list(self._waiting).index(job) + (self.running is not None)

    def cancel(self, job: Job) -> None:
        if job in self._waiting:
            self._waiting.remove(job)
            self._end(job, CANCELLED)
        elif job is self.running and not job.cancelling:
            job.cancelling = True
            if self._process is not None:
                self._stop(self._process)

    def _stop(self, process: asyncio.subprocess.Process) -> None:
        task = asyncio.create_task(_stop(process))
        self._stopping.add(task)  # or nobody would hold it
        task.add_done_callback(self._stopping.discard)

    async def work(self) -> None:
        """Take one job after the other; runs until it is cancelled, and takes the worker along."""
        try:
            while True:
                while not self._waiting:
                    self._asked.clear()
                    await self._asked.wait()
                self.running = job = self._waiting.popleft()
                job.state, job.began = RUNNING, time.monotonic()
                try:
                    state = await self._carried_out(job)
                except Exception as error:  # noqa: BLE001 — whatever it was, the next job shall have its turn
                    state, job.message = FAILED, f"Its process broke off ({type(error).__name__}). The page goes on."
                    await self._forget()
                self.running = None
                self._end(job, state)
        finally:
            await self._forget()

    async def _forget(self) -> None:
        """End the worker, if there is one; the next job gets another."""
        process, self._process = self._process, None
        if process is not None:
            await _stop(process)
            self._buried(process.pid)

    async def _carried_out(self, job: Job) -> str:
        process = await self._worker()
        if job.cancelling:  # while the process was being started
            self._stop(process)
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # a worker that has died does not answer, which is told
            process.stdin.write(json.dumps(job.request).encode() + b"\n")
            await process.stdin.drain()
        # A line that does not end is of a process that died while it wrote.
        while (line := await process.stdout.readline()).endswith(b"\n"):
            if (state := job.hear(json.loads(line))) is not None:
                if job.cancelling:  # too late for this one, but the process is ending
                    await self._forget()
                return state
        await process.wait()
        await self._forget()
        code = process.returncode or 0
        if job.cancelling:
            return CANCELLED
        ended = f"by signal {-code}" if code < 0 else f"with code {code}"
        when = f" while {job.step}" if job.step else ""
        job.message = (
            f"The process that did the work ended {ended}{when}, perhaps for lack of memory. The page goes on."
        )
        return FAILED

    async def _worker(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=LONGEST_LINE,
                env=own_environment(),
                start_new_session=True,  # Ctrl-C is for the server, which then ends it
            )
        return self._process

    def _end(self, job: Job, state: str) -> None:
        job.state, job.ended = state, time.monotonic()
        self._settle(job)


async def _stop(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), GRACE)
        except TimeoutError:
            process.kill()
            await process.wait()
