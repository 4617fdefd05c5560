"""``--engine spark`` of ``amun-dp plan`` and ``anonymize``: the flags, what they exclude, and the run."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp.cli.reading_options import reading_of
from amun_dp.errors import ParameterError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from amun_dp._base.progress import Progress
    from amun_dp.budgets.preview import Preview
    from amun_dp.budgets.spending import Reserve
    from amun_dp.report.parameters import Asked
    from amun_dp.report.public_report import PublicReport
    from amun_dp.spark.engine.stages import Stages


def add_engine_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine",
        choices=["local", "spark"],
        default="local",
        help="what does the work: this process (default), or Spark, for Parquet files past one machine (extra 'spark')",
    )
    group.add_argument(
        "--master",
        metavar="URL",
        help="Spark's master (default: local[*,4], all processors of this machine alone, where a task is tried four "
        "times; with local[2], say, a run ends with the first task that fails)",
    )
    group.add_argument(
        "--work", metavar="DIR", help="with --engine spark: where stages are kept meanwhile; confidential"
    )


def check_engine(options: argparse.Namespace) -> None:
    """Refuse what the chosen engine does not have, before anything is read."""
    if options.engine == "local":
        given = [flag for flag in ("master", "work") if getattr(options, flag) is not None]
        if given:
            raise ParameterError(f"--{given[0]} needs --engine spark.")
        return
    if getattr(options, "sweep", None) is not None:
        raise ParameterError("On Spark there is no --sweep: each advantage is a run of its own. Use --advantage.")
    if getattr(options, "seed", None) is not None:
        raise ParameterError("On Spark there is no seeded noise. Leave --seed out.")
    if getattr(options, "format", None) not in (None, "parquet"):
        raise ParameterError("On Spark a release is written as Parquet. Leave --format out.")
    if getattr(options, "escape_formulas", False):
        raise ParameterError("On Spark a release is written as Parquet. Leave --escape-formulas out.")


@contextmanager
def _session(master: str | None) -> Iterator[SparkSession]:
    """A session while the block runs. Spark's own log stays only where an error has named it: tasks that are told to
    end complain there, too."""
    from amun_dp.spark.engine.failures import LOG_SETTING
    from amun_dp.spark.engine.session import LOCAL, open_session

    # Ctrl-C is raised here and ends our jobs. Spark would have its own handler call Java amid a call, which fails; what
    # is then logged, tracebacks, says no more than that.
    usual = signal.getsignal(signal.SIGINT)
    session = open_session(master or LOCAL)
    signal.signal(signal.SIGINT, usual)
    logging.disable(logging.CRITICAL)
    log, named = session.conf.get(LOG_SETTING, None), False
    try:
        yield session
    except Exception:
        named = True
        raise
    finally:
        # What there was to do is done, or is on its way out. A second Ctrl-C may have cut a call to Java short.
        with suppress(Exception, KeyboardInterrupt, SystemExit):
            session.stop()
        if log is not None and not named:
            with suppress(OSError):
                os.truncate(log, 0)  # and empty ones are removed


def preview_on_spark(
    options: argparse.Namespace, parameters: Asked, progress: Progress
) -> tuple[Any, Preview | None, str | None]:
    """The figures of a plan, what it would spend, and why it would be refused. Nothing of it stays."""
    from amun_dp.cli.reserving import previewed
    from amun_dp.reading.columns import ColumnChoice
    from amun_dp.release.methods import refusal
    from amun_dp.spark.engine.failures import naming_steps
    from amun_dp.spark.engine.interruptions import Caller, undisturbed
    from amun_dp.spark.release import FAMILIES
    from amun_dp.spark.work import stages_for

    choice = ColumnChoice(**reading_of(options))

    def planned(stages: Stages, frame: DataFrame, step: Progress) -> tuple[Any, Preview | None, str | None]:
        family = FAMILIES[parameters.family]
        plan = family.plan(stages, frame, parameters, choice, step)
        return family.summary(plan).reveal(), previewed(options, plan), refusal(plan)

    progress("starting Spark")
    with _session(options.master) as session:

        def run(caller: Caller) -> tuple[Any, Preview | None, str | None]:
            with stages_for(session, options.log, Path(options.work or tempfile.gettempdir())) as (stages, frame):
                return naming_steps(session, caller.tell(progress), lambda step: planned(stages, frame, step))

        return undisturbed(session, run)


def release_on_spark(
    options: argparse.Namespace,
    parameters: Asked,
    progress: Progress,
    reserve: Reserve | None,
    notes: Progress,
) -> PublicReport:
    from amun_dp.reading.columns import ColumnChoice
    from amun_dp.spark.release import anonymize_on_spark

    progress("starting Spark")
    with _session(options.master) as session:
        return anonymize_on_spark(
            session,
            options.log,
            Path(options.out),
            parameters,
            noise=options.noise,
            choice=ColumnChoice(**reading_of(options)),
            work=options.work,
            force=options.force,
            reserve=reserve,
            allow_too_small=options.allow_too_small,
            notes=notes,
            progress=progress,
        )
