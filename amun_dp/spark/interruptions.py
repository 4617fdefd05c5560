"""Work on Spark in a thread that nothing interrupts.

An interruption (Ctrl-C) is raised in the main thread, wherever that is. Amid a call to Java it would leave Java at
work: about to start a job, perhaps, that brings back a folder which is being removed; and it would leave the connection
with an answer that the next call takes for its own. So Spark is called by a thread of its own. Who asked for the work
waits and, when interrupted, has its jobs cancelled until that thread has ended by itself, and tidied up.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from threading import Thread, local
from typing import TYPE_CHECKING, TypeVar

from amun_dp.errors import OutputError
from amun_dp.spark.failures import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from amun_dp.planning import Progress

T = TypeVar("T")
_PAUSE = 0.1
"""Seconds between two looks whether the work has ended."""
_numbers = count()
"""Of the works of this process, by which Spark knows their jobs."""
_LEFT = "Spark was left at work: rows of the log are in a folder .amun-dp-stages-…, which is to be removed"


class Caller:
    """Who asked for the work, and answers for it meanwhile."""

    def __init__(self) -> None:
        self._questions: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._left = False

    def do(self, call: Callable[[], T]) -> T:
        """Have the call made in the caller's thread: what a user passes is called where they are, may ask them, and is
        interrupted as they expect. Ends the work if the caller was interrupted."""
        answer: Future[T] = Future()
        self._questions.put(lambda: _answer(answer, call))
        while not wait((answer,), _PAUSE).done:
            self.check()
        return answer.result()

    def check(self) -> None:
        """Ends the work if the caller was interrupted."""
        if self._left:
            raise _Interrupted

    def tell(self, progress: Progress) -> Progress:
        """The same, for the steps of the work."""
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
    caller, outcome, tag = Caller(), Future[T](), f"amun-dp-{next(_numbers)}"

    def tagged() -> T:
        caller.check()
        _here.caller = caller
        session.sparkContext.addJobTag(tag)
        return work(caller)

    def run() -> None:
        _answer(outcome, tagged)
        caller.dismiss()

    # Not one of Spark's, which would take this thread's properties along: it would call Java for them, here.
    thread = Thread(target=run, daemon=True)
    try:
        thread.start()
        caller.listen()
    except BaseException as interruption:
        caller.leave()
        if thread.ident is not None and not _ended(session, tag, outcome):  # without: if it starts, it ends at once
            interruption.add_note(_LEFT)
        elif outcome.done() and isinstance(error := outcome.exception(), OutputError):
            interruption.add_note(str(error))
        raise
    return outcome.result()


_here = local()
"""In a thread that does such work: who asked for it."""


def _ended(session: SparkSession, tag: str, outcome: Future[T]) -> bool:
    """Cancel jobs until the work has ended: one that is being planned can be cancelled only later."""
    # The thread itself is not asked: Python 3.11 takes one for ended whose join was interrupted.
    with suppress(KeyboardInterrupt, SystemExit):
        while not outcome.done():
            with suppress(*spark_errors()):
                session.sparkContext.cancelJobsWithTag(tag)
            wait((outcome,), _PAUSE)
    return outcome.done()


def _answer(answer: Future[T], call: Callable[[], T]) -> None:
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 — raised again by whoever waits for the answer
        answer.set_exception(error)
    else:
        answer.set_result(result)
