"""When Spark fails, its message may quote values of rows. It stays in Spark's own log; what is raised says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from amun_dp.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

LOG_SETTING = "spark.amundp.log"
"""Where ``open_session`` has Spark write its own messages, among the settings of the session."""


def quoting_nothing(session: SparkSession, doing: Callable[[], str], work: Callable[[], T]) -> T:
    """Do the work. Whatever Spark raises becomes an EngineError that names what was being done and has nothing of
    Spark's text."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return work()
    except (PySparkException, Py4JError):
        pass  # raised below, where it is not even the context of what is raised
    raise EngineError(
        f"Spark failed while {doing()}; nothing was released. The reason is in {_where(session)}. It may quote values "
        "of rows, so it is not repeated here; treat that log as confidential."
    )


def _where(session: SparkSession) -> str:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        file = session.conf.get(LOG_SETTING, None)
    except (PySparkException, Py4JError):  # Java itself has ended
        file = None
    own = "Spark's own log" if file is None else f"Spark's own log, {file}"
    return f"{own} (on a cluster also in those of its workers)"
