"""A Spark session for one release."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.errors import ParameterError
from amun_dp.spark.failures import LOG_SETTING
from amun_dp.spark.interruptions import in_another_thread

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
"""All processors of this machine, without any service."""


def open_session(master: str = LOCAL) -> SparkSession:
    """A session on a cluster, or on this machine alone. What an earlier session was given stays in force."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ParameterError("Spark is not installed. Install the extra: pip install 'amun-dp[spark]'.") from error
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise ParameterError("Spark needs Java 17, and there is no java here (Debian: openjdk-17-jre-headless).")
    # Spark says so wherever Arrow is used; nothing here passes through pandas.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
    # Workers on this machine must be of the environment that runs the driver, not the first python of the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    earlier = SparkSession.getActiveSession()
    builder = (
        SparkSession.builder.appName("amun-dp")
        .master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        # Times without a zone are read as UTC, as everywhere in this package.
        .config("spark.sql.session.timeZone", "UTC")
        # Stages, wherever Hadoop writes them, are for their owner.
        .config("spark.hadoop.fs.permissions.umask-mode", f"{_OWNER_ONLY:03o}")
    )
    with _new_files_for_their_owner():
        session = builder.getOrCreate()
    if earlier is None:
        session.conf.set(LOG_SETTING, str(_own_log(session)))
    return session


_OWNER_ONLY = 0o077
"""What is taken away from everybody else."""


@contextmanager
def _new_files_for_their_owner() -> Iterator[None]:
    """Java, if it is started here, and its workers inherit the umask: Spark's scratch files hold rows of the log, and
    Spark lets everybody read them."""
    usual = os.umask(_OWNER_ONLY)
    try:
        yield
    finally:
        os.umask(usual)


def close_session(session: SparkSession) -> None:
    """Stop it, also when an interruption broke this thread's connection to Java: another thread has its own."""
    in_another_thread(session.stop)


def _own_log(session: SparkSession) -> Path:
    """Have Spark write its messages to a file for its owner only: they may quote values of rows, and a terminal may be
    recorded. The file goes with this process if nothing was written to it."""
    handle, name = tempfile.mkstemp(prefix="amun-dp-spark-", suffix=".log")
    os.close(handle)
    file = Path(name)
    atexit.register(_remove_if_empty, file)
    with tempfile.NamedTemporaryFile("w", suffix=".properties") as settings:
        settings.write(_LOGGING.format(file=name))
        settings.flush()
        java = session.sparkContext._jvm
        assert java is not None  # a session has one
        java.org.apache.logging.log4j.core.config.Configurator.reconfigure(java.java.io.File(settings.name).toURI())
    return file


def _remove_if_empty(file: Path) -> None:
    with suppress(OSError):
        if not file.stat().st_size:
            file.unlink()


_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""
