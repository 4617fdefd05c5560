"""When Spark fails, its message may quote values of rows. It stays in Spark's own log; what is raised says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from amun_dp.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from amun_dp._base.progress import Progress

T = TypeVar("T")

LOG_SETTING = "spark.amundp.log"
"""Where ``open_session`` has Spark write its own messages, among the settings of the session."""


def spark_errors() -> tuple[type[Exception], ...]:
    """What a failure of Spark is raised as: some it translates for Python, others arrive as Java's own, and where Java
    has ended, nobody answers."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, ConnectionRefusedError


def quoting_nothing(session: SparkSession, doing: Callable[[], str], work: Callable[[], T]) -> T:
    """Do the work. Whatever Spark raises becomes an EngineError that names what was being done and has nothing of
    Spark's text."""
    try:
        return work()
    except spark_errors():
        pass  # raised below, where it is not even the context of what is raised
    raise EngineError(
        f"Spark failed while {doing()}; nothing was released. The reason is in {_where(session)}. It may quote values "
        "of rows, so it is not repeated here; treat that log as confidential."
    )


def naming_steps(session: SparkSession, progress: Progress, work: Callable[[Progress], T]) -> T:
    """Do the work, which says its steps; if Spark fails, the error names the step."""
    steps = ["starting"]

    def step(name: str) -> None:
        steps.append(name)
        progress(name)

    return quoting_nothing(session, lambda: steps[-1], lambda: work(step))


def _where(session: SparkSession) -> str:
    try:
        file = session.conf.get(LOG_SETTING, None)
    except spark_errors():  # Java itself has ended
        file = None
    own = "Spark's own log" if file is None else f"Spark's own log, {file}"
    return f"{own} (on a cluster also in those of its workers)"
