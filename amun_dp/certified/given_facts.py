"""Reading public facts from a file: JSON, or an event log (a past release, the runs of a reference model)."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from amun_dp._base.strict_json import strict_json
from amun_dp._base.units import DAY, SECOND
from amun_dp.certified.public_facts import LARGEST_TIME, GivenFacts
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.reading import read_log

KEYS = ("activities", "first", "last", "longest_days", "cases", "individuals", "variants")
_LOG_ENDINGS = (".xes", ".xes.gz", ".csv", ".csv.gz", ".parquet")


def read_given_facts(path: str | Path) -> GivenFacts:
    """The facts that a file gives. A log gives its variants and their activities, nothing of its times and cases."""
    path = Path(path)
    name = path.name.lower()
    if name.endswith(_LOG_ENDINGS):
        return facts_of_log(read_log(path, multiline_values=True))  # nobody in it is to be protected from anybody else
    if not name.endswith(".json"):
        endings = ", ".join((".json", *_LOG_ENDINGS))
        raise ParameterError(f"{path.name}: public facts are read from a file that ends in one of {endings}.")
    try:
        stated = strict_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(f"{path.name}: the public facts cannot be read ({reason}).") from None
    except (ValueError, RecursionError):
        raise ParameterError(f"{path.name}: the public facts are not valid JSON.") from None
    return facts_of_json(stated)


def facts_of_log(log: EventLog) -> GivenFacts:
    variants = find_variants(log)
    labels = np.array(log.activities, dtype=object)[variants.activity]
    bounds = variants.offsets.tolist()
    return GivenFacts(
        activities=log.activities,
        variants=tuple(tuple(labels[start:stop]) for start, stop in pairwise(bounds)),
        log=log,
    )


def facts_of_json(stated: object) -> GivenFacts:
    """An object with some of the known keys; an unknown one is refused, because it would silently not be public."""
    if not isinstance(stated, dict):
        raise ParameterError("Public facts are a JSON object.")
    unknown = sorted(str(key) for key in stated if key not in KEYS)
    if unknown:
        raise ParameterError(f"Unknown public facts: {', '.join(unknown)}. Known are {', '.join(KEYS)}.")

    def read(key: str, how: Callable[[str, Any], Any]) -> Any:
        return how(key, stated[key]) if stated.get(key) is not None else None

    return GivenFacts(
        activities=read("activities", _labels),
        first=read("first", lambda key, value: _instant(key, value, time.min)),
        last=read("last", lambda key, value: _instant(key, value, time.max)),
        longest=read("longest_days", _days),
        cases=read("cases", _number),
        individuals=read("individuals", _number),
        variants=read("variants", _variants),
    )


def _labels(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        raise ParameterError(f"Public facts: '{key}' is a list of labels.")
    return tuple(value)


def _variants(key: str, value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise ParameterError(f"Public facts: '{key}' is a list of lists of labels.")
    return tuple(_labels(key, variant) for variant in value)


def _number(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParameterError(f"Public facts: '{key}' is a whole number.")
    return value


def _days(key: str, value: Any) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value * DAY < LARGEST_TIME:
        raise ParameterError(f"Public facts: '{key}' is a positive number of days.")
    return math.ceil(value * DAY)


def _instant(key: str, value: Any, of_day: time) -> int:
    """Milliseconds since 1970; a date alone is its first or its last moment, a time without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ParameterError(f"Public facts: '{key}' is a date or a time in ISO 8601.") from None
    if len(value) <= len("2014-01-01"):
        moment = datetime.combine(moment.date(), of_day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * DAY + since.seconds * SECOND + since.microseconds // 1_000
