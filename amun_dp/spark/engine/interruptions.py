"""Work on Spark in a thread that nothing interrupts.

An interruption (Ctrl-C) is raised in the main thread, wherever that is. Amid a call to Java it would leave Java at
work: about to start a job, perhaps, that brings back a folder which is being removed; and it would leave the connection
with an answer that the next call takes for its own. So Spark is called by a thread of its own. Who asked for the work
waits and, when interrupted, has its jobs cancelled until that thread has ended by itself, and tidied up. The two speak
through queues only: an interruption amid Python's own locks and joins can leave them locked, or a thread for ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread, local
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from amun_dp.errors import OutputError
from amun_dp.spark.engine.failures import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from amun_dp._base.progress import Progress

T = TypeVar("T")
_PAUSE = 0.1
"""Seconds between two looks whether the work has ended."""
_numbers = count()
"""Of the works of this process, by which Spark knows their jobs."""
_LEFT = "Spark was left at work: rows of the log may still be in a folder .amun-dp-stages-…, which is to be removed"


class Caller:
    """Who asked for the work, and answers for it meanwhile."""

    def __init__(self) -> None:
        self._questions: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._left = False

    def do(self, call: Callable[[], T]) -> T:
        """Have the call made in the caller's thread: what a user passes is called where they are, may ask them, and is
        interrupted as they expect. Ends the work if the caller was interrupted."""
        answers: SimpleQueue[_Outcome[T]] = SimpleQueue()
        self._questions.put(lambda: answers.put(_outcome(call)))
        while (outcome := _next(answers)) is None:
            self.check()
        return outcome.get()

    def check(self) -> None:
        """Ends the work if the caller was interrupted."""
        if self._left:
            raise _Interrupted

    def tell(self, progress: Progress) -> Progress:
        """A progress callback that has ``progress`` called in the caller's thread. Ends the work if the caller was
        interrupted."""
        return lambda step: self.do(lambda: progress(step))

    def listen(self) -> None:
        """Do what is asked for until the work has ended."""
        while (question := self._questions.get()) is not None:
            question()

    def leave(self) -> None:
        """Nothing more is done."""
        self._left = True

    def dismiss(self) -> None:
        """The work has ended."""
        self._questions.put(None)


class _Interrupted(BaseException):
    """Ends the work; nobody outside sees it."""


def undisturbed(session: SparkSession, work: Callable[[Caller], T]) -> T:
    """Do the work, which calls Spark, in a thread of its own. An interruption ends it first, and is then raised; a
    second one does not wait. What such a thread asks for is done in it."""
    own: Caller | None = getattr(_here, "caller", None)
    if own is not None:
        return work(own)
    caller, tag = Caller(), f"amun-dp-{next(_numbers)}"
    outcomes: list[_Outcome[T]] = []

    def tagged() -> T:
        caller.check()
        _here.caller = caller
        session.sparkContext.addJobTag(tag)
        return work(caller)

    def run() -> None:
        outcomes.append(_outcome(tagged))
        caller.dismiss()

    # Not one of Spark's, which would take this thread's properties along: it would call Java for them, here.
    thread = Thread(target=run, daemon=True)
    try:
        thread.start()
        caller.listen()
    except BaseException as interruption:
        if not _ended(session, caller, tag, outcomes, thread):
            interruption.add_note(_LEFT)
        elif outcomes:
            _pass_on(outcomes[0].error, interruption)
        raise
    return outcomes[0].get()


def _pass_on(error: BaseException | None, interruption: BaseException) -> None:
    """What the work said of its stages as it ended."""
    if isinstance(error, OutputError):
        interruption.add_note(error.message)
    for note in getattr(error, "__notes__", ()):
        interruption.add_note(note)


_here = local()
"""In a thread that does such work: who asked for it."""


def _ended(session: SparkSession, caller: Caller, tag: str, outcomes: Sequence[object], thread: Thread) -> bool:
    """Cancel jobs until the work has ended: one that is being planned can be cancelled only later."""
    with suppress(KeyboardInterrupt, SystemExit):
        caller.leave()
        while thread.ident is not None and not outcomes:  # one that has not begun yet ends when it does
            with suppress(*spark_errors()):
                session.sparkContext.cancelJobsWithTag(tag)
            time.sleep(_PAUSE)
    return thread.ident is None or bool(outcomes)


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[T]):
    """What a call returned, or raised."""

    result: T | None
    error: BaseException | None

    def get(self) -> T:
        if self.error is not None:
            raise self.error
        return cast(T, self.result)


def _outcome(call: Callable[[], T]) -> _Outcome[T]:
    try:
        return _Outcome(call(), None)
    except BaseException as error:  # noqa: BLE001 — raised again by whoever waits for it
        return _Outcome(None, error)


def _next(answers: SimpleQueue[T]) -> T | None:
    try:
        return answers.get(timeout=_PAUSE)
    except Empty:
        return None
