"""``python -m amun_dp.synthetic``: write a generated log to a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from amun_dp.errors import AmunError
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.writing import write_log


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m amun_dp.synthetic", description="Write a synthetic event log.")
    parser.add_argument("--hospital", action="store_true", help="the emergency department (only --cases, --seed)")
    for field in fields(LogShape):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=type(field.default), default=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, required=True, help="file ending in .xes, .xes.gz, .csv, .parquet, …")
    given = vars(parser.parse_args(arguments))
    out, hospital = given.pop("out"), given.pop("hospital")
    if hospital and not given.keys() <= {"cases", "seed"}:
        parser.error("--hospital has a shape of its own; only --cases and --seed go with it")
    try:
        write_log(hospital_log(**given) if hospital else generate_log(LogShape(**given)), out)
    except AmunError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
