"""``amun-dp anonymize --engine spark``: the flags, what they exclude, and the run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.cli.reading_options import reading_of
from amun_dp.errors import ParameterError

if TYPE_CHECKING:
    from amun_dp.planning import Progress
    from amun_dp.report import PublicReport
    from amun_dp.requests import AnyParameters
    from amun_dp.spending import Reserve


def add_engine_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine",
        choices=["local", "spark"],
        default="local",
        help="what does the work: this process (default), or Spark, for Parquet files past one machine (extra 'spark')",
    )
    group.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine alone)")
    group.add_argument(
        "--sequence",
        metavar="COLUMN",
        help="with --engine spark: column of whole numbers that orders events of a case at the same time (default: the "
        "order of the files' names and of the rows in them)",
    )
    group.add_argument(
        "--work", metavar="DIR", help="with --engine spark: where stages are kept meanwhile; confidential"
    )


def check_engine(options: argparse.Namespace) -> None:
    """Refuse what the chosen engine does not have, before anything is read."""
    if options.engine == "local":
        given = [flag for flag in ("master", "sequence", "work") if getattr(options, flag) is not None]
        if given:
            raise ParameterError(f"--{given[0]} needs --engine spark.")
        return
    if options.seed is not None:
        raise ParameterError("On Spark there is no seeded noise. Leave --seed out.")
    if options.format not in (None, "parquet"):
        raise ParameterError("On Spark a release is written as Parquet. Leave --format out.")
    if options.method == "certified":
        raise ParameterError("On Spark the method 'certified' is not known yet. Use --engine local.")


def release_on_spark(
    options: argparse.Namespace, parameters: AnyParameters, progress: Progress, reserve: Reserve | None
) -> PublicReport:
    from amun_dp.columns import ColumnChoice
    from amun_dp.parameters import Parameters
    from amun_dp.spark.release import anonymize_on_spark
    from amun_dp.spark.session import LOCAL, open_session

    assert isinstance(parameters, Parameters)  # check_engine refused the other kind
    progress("starting Spark")
    session = open_session(options.master or LOCAL)
    try:
        return anonymize_on_spark(
            session,
            options.log,
            Path(options.out),
            parameters,
            noise=options.noise,
            choice=ColumnChoice(**reading_of(options)),
            sequence=options.sequence,
            work=options.work,
            force=options.force,
            reserve=reserve,
            progress=progress,
        )
    finally:
        session.stop()
