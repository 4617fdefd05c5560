"""Units of time: as Python's datetime has them, and written down once."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from amun_dp._base.units import DAY, EARLIEST, HOUR, LATEST, MINUTE, SECOND, YEAR

ROOT = Path(__file__).parents[2]
MILLISECOND = timedelta(milliseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
AN_HOUR_OR_A_DAY = r"(?<![\d_])(3_?600_?000|86_?400_?000)(?![\d_])"
END_OF_THE_CALENDAR = r"62_?135_?596_?800_?000|253_?402_?300_?\d\d\d_?\d\d\d"


def test_units_are_those_of_datetime() -> None:
    lengths = [timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(days=365)]
    assert [length // MILLISECOND for length in lengths] == [SECOND, MINUTE, HOUR, DAY, YEAR]


def test_the_years_that_can_be_written_are_those_of_datetime() -> None:
    assert (datetime.min.replace(tzinfo=UTC) - EPOCH) // MILLISECOND == EARLIEST
    assert (datetime.max.replace(tzinfo=UTC) - EPOCH) // MILLISECOND == LATEST


def spelling(pattern: str, *folders: str) -> list[Path]:
    modules = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert modules
    return [path for path in modules if re.search(pattern, path.read_text(encoding="utf-8"))]


def test_no_other_module_spells_them_out() -> None:
    product = ("amun_dp", "accounting", "proofs", "benchmarks", "docs", "examples")
    units = ROOT / "amun_dp" / "_base" / "units.py"
    assert not spelling(AN_HOUR_OR_A_DAY, *product, "tests"), "Import HOUR and DAY from amun_dp._base.units."
    assert spelling(END_OF_THE_CALENDAR, *product) == [units]
