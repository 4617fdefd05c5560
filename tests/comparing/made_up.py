"""Comparisons with figures that are chosen, not measured, and the real command in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from amun_dp.article.conventions import CORRECTED
from amun_dp.comparing import MethodComparison
from amun_dp.comparing.cells import PHIS, Cell
from amun_dp.comparing.measuring import Figures, Run

MEGABYTE = 2**20


def figures(frequency: float, **others: float | None) -> Figures:
    chosen: dict[str, Any] = {
        "cases": 10,
        "events": 30,
        "variants_kept": 3,
        "variants_lost": 1,
        "variants_new": 0,
        "frequency_emd": frequency,
        "frequency_by_edge": 2 * frequency,
        "frequency_error": frequency / 100,
        "time_emd": 3 * frequency,
        "time_by_edge": 4 * frequency,
        "time_error": frequency / 50,
        "steps_unchanged": 0.25,
        "cases_linked": 0.125,
    }
    return Figures(**{**chosen, **others})


def released(frequency: float, **others: float | None) -> Run:
    return Run("released", figures(frequency, **others), 2.0, 1.5, 100 * MEGABYTE)


def comparison(
    runs: Mapping[Cell, Sequence[Run]],
    methods: Sequence[str],
    *,
    logs: Sequence[str] = ("log",),
    advantages: Sequence[float] = (0.2,),
    size: Mapping[str, int] | None = None,
) -> MethodComparison:
    facts = {
        log: {
            **(size or {"cases": 10, "events": 30, "activities": 3, "variants": 4}),
            "phi": {f"{a:g}": {phi: 1.5 + place for place, phi in enumerate(PHIS)} for a in advantages},
        }
        for log in logs
    }
    return MethodComparison(facts, tuple(methods), tuple(advantages), CORRECTED, runs)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "amun_dp.cli", "compare", *map(str, arguments)]


def started(*arguments: object) -> subprocess.Popen[str]:
    """The real command, in a process group of its own, as a terminal starts it."""
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def journal(folder: Path) -> list[dict[str, Any]]:
    """Runs in the journal, with all that their cells say."""
    lines = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    return [{**line["cell"], **line["run"]} for line in lines if "run" in line]
