"""A Spark session for one release."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from typing import TYPE_CHECKING

from amun_dp.errors import ParameterError

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
    session = (
        SparkSession.builder.appName("amun-dp")
        .master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        # Times without a zone are read as UTC, as everywhere in this package.
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session
