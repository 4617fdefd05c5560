"""The article's own figures (its Tables 2 and 3, B.1 to B.3), for the logs that it used.

A log is recognised by its size, not by its name: cases, events, activities and variants are those of Table B.1. The
article's text and its tables differ in one cell (BPIC18, 0.4, Amun_s); the main table's is taken.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from amun_dp.comparing.cells import BASELINES, Phi

ARTICLE_NAMES = {
    "sampling": "Amun_s",
    "filtering": "Amun_f",
    "oversampling": "Amun_o",
    "pripel": "PRIPEL",
    "sacofa": "SaCoFa",
}
_SIZE = ("cases", "events", "activities", "variants")


@cache
def _tables() -> dict[str, dict[str, Any]]:
    page = files("amun_dp.comparing").joinpath("article_figures.json").read_text(encoding="utf-8")
    tables: dict[str, dict[str, Any]] = json.loads(page)
    return tables


def article_log(facts: dict[str, Any]) -> str | None:
    """The name of the log in the article's tables, or None if it did not use it."""
    for name, table in _tables().items():
        if all(table["size"][of] == facts[of] for of in _SIZE):
            return name
    return None


def article_emd(log: str | None, advantage: float, measure: str, method: str, phi: Phi) -> float | None:
    """The article's EMD (``frequency`` or ``time``); None for its "-" and for what it does not have."""
    table = _tables()[log]["advantages"].get(f"{advantage:g}") if log is not None else None
    value = None if table is None else table[measure].get(method)
    found: float | None = value[phi] if isinstance(value, dict) else value
    return found


def article_phi(log: str | None, advantage: float, phi: Phi) -> float | None:
    table = _tables()[log]["advantages"].get(f"{advantage:g}") if log is not None else None
    return None if table is None else float(table["phi"][phi])


def article_minutes(log: str | None, advantage: float, method: str) -> float | None:
    """From reading to writing. It measured times at advantage 0.2 alone; None for its "-" and for all else."""
    if log is None or advantage != 0.2:
        return None
    minutes: float | None = _tables()[log]["minutes"].get(method)
    return minutes


def named(method: str) -> str:
    """With the article's name, where it has one."""
    if method in BASELINES:
        return ARTICLE_NAMES[method]
    return f"{method} ({ARTICLE_NAMES[method]})" if method in ARTICLE_NAMES else method
