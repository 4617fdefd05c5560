"""When Spark fails, its message may quote values of rows. It stays in Spark's own log; what is raised says where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from amun_dp.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG_SETTING = "spark.amundp.log"
"""Where ``open_session`` has Spark write its own messages, among the settings of the session."""


@contextmanager
def spark_failures(session: SparkSession, doing: Callable[[], str]) -> Iterator[None]:
    """Whatever Spark raises becomes an EngineError that names what was being done and has nothing of Spark's text."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    failed = False
    try:
        yield
    except (PySparkException, Py4JError):
        failed = True  # raised below, so that not even its context has the text
    if failed:
        raise EngineError(
            f"Spark failed while {doing()}; nothing was released. Why, is in {_where(session)}. It may quote values of "
            "rows, so it is not repeated here; treat that log as confidential."
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
