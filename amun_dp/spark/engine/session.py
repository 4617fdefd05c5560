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

from amun_dp.errors import EngineError, ParameterError
from amun_dp.spark.engine.failures import LOG_SETTING, spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*, 4]"
"""All processors of this machine, without any service. A task may fail three times, as on a cluster: with ``local[*]``
one Python worker that the system kills ends the run, after its budget was charged."""


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
    if SparkSession.getActiveSession() is not None:
        return builder.getOrCreate()
    file = _own_log()
    try:
        with _new_files_for_their_owner(), _errors_in(file):
            session = builder.getOrCreate()
    except spark_errors() as error:
        raise EngineError(f"Spark did not start. Why, it says in {file}; is Java 17 installed?") from error
    _send_messages(session, file)
    os.truncate(file, 0)  # what it says whenever it starts
    session.conf.set(LOG_SETTING, str(file))
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


@contextmanager
def _errors_in(file: Path) -> Iterator[None]:
    """Java, if it is started here, and its workers inherit where errors go: what a worker says when it dies may quote
    rows, and is nothing for a terminal either when it is only told to end."""
    sys.stderr.flush()
    usual = os.dup(_ERRORS)
    try:
        with file.open("ab") as own:
            os.dup2(own.fileno(), _ERRORS)
        yield
    finally:
        os.dup2(usual, _ERRORS)
        os.close(usual)


_ERRORS = 2
"""Standard error, as the operating system numbers it."""


def _own_log() -> Path:
    """A file for its owner only, for Spark's messages: they may quote values of rows, and a terminal may be recorded.
    It goes with this process if nothing was written to it."""
    handle, name = tempfile.mkstemp(prefix="amun-dp-spark-", suffix=".log")
    os.close(handle)
    file = Path(name)
    atexit.register(_remove_if_empty, file)
    return file


def _send_messages(session: SparkSession, file: Path) -> None:
    """Have Spark write errors to the file, and nothing but errors."""
    with tempfile.NamedTemporaryFile("w", suffix=".properties") as settings:
        settings.write(_LOGGING.format(file=file))
        settings.flush()
        java = session.sparkContext._jvm
        assert java is not None  # a session has one
        java.org.apache.logging.log4j.core.config.Configurator.reconfigure(java.java.io.File(settings.name).toURI())


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
