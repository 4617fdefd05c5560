"""JSON that every reader reads alike. Python's own takes NaN and infinity, and of a key that occurs twice the last."""

from __future__ import annotations

import json
import math
from typing import Any


def strict_json(page: bytes) -> Any:
    """The data, or ValueError: no key twice, every number finite, and no deeper than can be read."""
    try:
        return json.loads(page, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key twice")
    return result


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value
