"""Breakages by what a report says of its format: a number that is not known here, so that nobody looks."""

from __future__ import annotations

import base64
from pathlib import Path
from random import Random

from amun_dp.verification import Name
from tests.verification import forging
from tests.verification.breakages import breaks
from tests.verification.releases import original

LATER = "9.9.9"
"""A version that may have any later number."""


def page_with_the_original(folder: Path, times: int = 1) -> None:
    """In place of the page: the original, readable by whoever knows that it is there."""
    events = "".join(f"{case},{time}\n" for case, time in zip(original().case, original().time, strict=True))
    hidden = base64.b64encode(events.encode() * times).decode()
    (folder / "report.html").write_text(f"<script>x='{hidden}'</script>", encoding="utf-8")
    forging.reseal(folder, page=False)


def blanks_at_line_ends(folder: Path, most: int = 3) -> None:
    """Blanks and tabs, in an order that spells something."""
    chance = Random(17)
    forging.edit_file(
        folder,
        lambda text: b"".join(
            line + bytes(chance.choices(b" \t", k=chance.randrange(most))) + b"\n" for line in text.splitlines()
        ),
    )


def words_in_the_report(folder: Path, words: str) -> None:
    data = forging.report_in(folder)
    data["unprotected"].append(words)
    forging.reseal(folder, data)


@breaks(Name.FORMATS)
def the_original_on_a_page_of_a_number_that_the_version_never_had(folder: Path) -> None:
    forging.of_another_format(folder, page=2)
    page_with_the_original(folder)


@breaks(Name.FORMATS, format="csv", method="certified")
def the_original_on_a_page_that_an_older_version_is_said_to_have_drawn(folder: Path) -> None:
    forging.of_another_format(folder, "0.0.9", page=2)
    page_with_the_original(folder)


@breaks(Name.FORMATS)
def a_version_of_before_the_format(folder: Path) -> None:
    forging.of_another_format(folder, "0.0.9")


@breaks(Name.FORMATS)
def words_of_one_s_own_in_a_report_of_a_number_that_the_version_never_had(folder: Path) -> None:
    forging.of_another_format(folder, page=2)
    words_in_the_report(folder, "p17 was here")


@breaks(Name.FORMATS)
def blanks_in_a_drawing_of_a_number_that_the_version_never_had(folder: Path) -> None:
    forging.of_another_format(folder, drawing=2)
    blanks_at_line_ends(folder)


@breaks(Name.REPORT)
def a_page_of_number_0(folder: Path) -> None:
    forging.of_another_format(folder, page=0)


@breaks(Name.REPORT)
def a_number_that_is_written_as_a_fraction(folder: Path) -> None:
    """1.0 is the same number, and not the same text."""
    data = forging.of_another_format(folder)
    data["formats"]["page"] = 1.0
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_message_in_the_total_with_earlier_releases(folder: Path) -> None:
    """Where nobody can say what the figure should be; a whole number has room for any message."""
    data = forging.report_in(folder)
    lines = [
        {"unit": unit, "relation": "replace", "epsilon": int.from_bytes(b"p17 was here" * 8, "big")}
        | {"delta": 0.0, "advantage": None, "bounded": True}
        for unit in ("case", "individual")
    ]
    data["earlier_releases"] = {"looked_at": True, "others": 1, "total": lines}
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_message_in_the_number_of_earlier_releases(folder: Path) -> None:
    data = forging.report_in(folder)
    lines = [
        {"unit": unit, "relation": "replace", "epsilon": None, "delta": 0.0, "advantage": None, "bounded": False}
        for unit in ("case", "individual")
    ]
    others = int.from_bytes(b"p17 was here" * 100, "big")
    data["earlier_releases"] = {"looked_at": True, "others": others, "total": lines}
    forging.write_report(folder, data)


@breaks(Name.REPORT)
def a_later_schema_of_a_version_that_has_none(folder: Path) -> None:
    forging.write_report(folder, forging.report_in(folder) | {"schema": "amun-dp/report/9"})


@breaks(Name.REPORT)
def a_version_that_is_none(folder: Path) -> None:
    """A line end at the end of a text is seen by no pattern that ends in a dollar sign."""
    forging.of_another_format(folder, "0.1.0\n")


@breaks(Name.PAGE)
def a_page_of_a_later_version_that_is_much_too_large(folder: Path) -> None:
    forging.of_another_format(folder, LATER, page=2)
    page_with_the_original(folder, times=20)


@breaks(Name.TEXTS)
def a_report_of_a_later_version_that_is_much_too_long(folder: Path) -> None:
    forging.of_another_format(folder, LATER, page=2)
    words_in_the_report(folder, "p17 was here. " * 5_000)


@breaks(Name.BYTES)
def a_log_of_a_later_version_that_is_much_too_large(folder: Path) -> None:
    forging.of_another_format(folder, LATER, drawing=2)
    blanks_at_line_ends(folder, most=80)
