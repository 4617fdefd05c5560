"""A Spark cluster of separate processes on this machine: a master, and workers that are hosts of their own.

Every address of 127.0.0.0/8 is this machine. To Spark, workers at two of them are two hosts, so it does what it does on
several machines only: it puts the second copy of a slow task on the other host.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOSTS = ("127.0.0.2", "127.0.0.3")
PATIENCE = 300.0
"""Seconds that everything has: a busy machine must not decide what a test finds."""


@contextmanager
def cluster(folder: Path, hosts: tuple[str, ...] = HOSTS) -> Iterator[str]:
    """The address of a running master with one worker of two tasks at a time a host; all of it ends with the block."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, *command: str) -> tuple[subprocess.Popen[bytes], Path]:
        output = folder / f"{name}.txt"
        processes.append(_started(["org.apache.spark.deploy." + command[0], *command[1:]], output))
        return processes[-1], output

    try:
        # Port 0 is any that is free: one that was looked for before might be taken meanwhile.
        head = start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = _wait_for(r"spark://127\.0\.0\.1:[1-9]\d*(?=\s)", *head)
        workers = [
            start(
                *(host, "worker.Worker", "--host", host, "--webui-port", "0", "--cores", "2", "--memory", "1g"),
                *("--work-dir", str(folder / host), address),
            )
            for host in hosts
        ]
        for worker in workers:
            _wait_for("Successfully registered with master", *worker)
        yield address
    finally:
        for process in reversed(processes):  # workers first: they end their executors
            process.terminate()
            process.wait()


def _started(command: list[str], output: Path) -> subprocess.Popen[bytes]:
    import pyspark

    home = os.environ.get("SPARK_HOME", str(Path(pyspark.__file__).parent))
    own = {"SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1"}
    with output.open("wb") as file:
        return subprocess.Popen(
            [f"{home}/bin/spark-class", *command], stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **own}
        )


def _wait_for(words: str, process: subprocess.Popen[bytes], output: Path) -> str:
    """What a process says first that looks like this."""
    until = time.monotonic() + PATIENCE
    while (found := re.search(words, output.read_text(errors="replace"))) is None:
        assert process.poll() is None and time.monotonic() < until, output.read_text(errors="replace")
        time.sleep(0.1)
    return found[0]
