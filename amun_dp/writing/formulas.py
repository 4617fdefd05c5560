"""Labels that a spreadsheet takes for formulas, and how a CSV file is written so that it does not.

A label that begins with = + - @, a tab or a carriage return may be carried out where somebody opens the file. The rule:
such a label gets a ' before it, and so does one that has any number of ' before such a beginning. So no two labels
become one, and to read the file back is to take one ' away from each that has some before such a beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from amun_dp._base.messages import Message
from amun_dp.errors import InputError
from amun_dp.eventlog.log import EventLog

BEGINNINGS = "=+-@\t\r"
_DANGEROUS = re.compile(f"[{re.escape(BEGINNINGS)}]")
_TO_ESCAPE = re.compile(f"'*[{re.escape(BEGINNINGS)}]")

Log = TypeVar("Log", bound=EventLog)


def formula_labels(labels: Iterable[str]) -> int:
    """How many of the labels a spreadsheet may take for formulas."""
    return sum(_DANGEROUS.match(label) is not None for label in labels)


def formula_note(number: int) -> Message:
    """For the publisher, before the log is written."""
    return Message(
        "{number:,} label{s} of the log begin{es} with = + - @, a tab or a carriage return: a spreadsheet that opens "
        "the CSV file may carry {it} out as {formulas}. {escape_formulas} writes a ' before {it}.",
        number=number,
        s="" if number == 1 else "s",
        es="s" if number == 1 else "",
        it="it" if number == 1 else "them",
        formulas="a formula" if number == 1 else "formulas",
    )


def escaped(labels: Iterable[str]) -> list[str]:
    """The labels as they are written."""
    return [f"'{label}" if _TO_ESCAPE.match(label) else label for label in labels]


def with_formulas(log: Log) -> Log:
    """The log that was written with its labels escaped. InputError if one of them is not."""
    if formula_labels(log.activities):
        raise InputError("The report says that labels which look like formulas are escaped, and some are not.")
    labels = [label[1:] if _TO_ESCAPE.match(label) else label for label in log.activities]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels))
    activity = rank[log.activity]
    activity.setflags(write=False)
    return replace(log, activity=activity, activities=tuple(labels[place] for place in order))
