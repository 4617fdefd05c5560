"""``python -m benchmarks.torture.table``: the figures of the recorded runs, put into docs/reliability.md."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

RUNS = Path(__file__).with_name("runs.jsonl")
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: python -m benchmarks.torture.table -->\n", "<!-- end of figures -->\n"


def recorded(path: Path = RUNS) -> list[dict[str, Any]]:
    """Every run that was recorded, in order."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_table(runs: list[dict[str, Any]]) -> str:
    """What was tried and held, and below it how the tries ended."""
    lines = ["| part | tried | held | seed | UTC, commit |", "|---|---|---|---|---|"]
    lines += [
        f"| {run['part']} | {run['tried']:,} | {run['held']:,} | {run['seed']} | {run['date'][:16]}, {_commit(run)} |"
        for run in runs
    ]
    machines = sorted({f"{run['machine']['cores']} cores, {run['machine']['memory_gb']} GB" for run in runs})
    lines += ["", f"Machine: {'; '.join(machines)}. How the tries ended:", ""]
    for run in runs:
        lines.append(f"- **{run['part']}**: {_counts(run['outcomes'])}.")
        if run["apart"]:
            lines.append(f"  Not counted as tries: {_counts(run['apart'])}.")
        if run["measured"]:
            lines.append(f"  Measured: {', '.join(f'{name} {value:,.4g}' for name, value in run['measured'].items())}.")
        lines += [f"  Did not hold: {_plain(failure)}" for failure in run["failures"]]
    return "\n".join(lines) + "\n"


def _plain(failure: str) -> str:
    """In one line, and without the folder for temporary files."""
    return " ".join(failure.replace(f"{tempfile.gettempdir()}/", "").split())


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in found.items())


def _commit(run: dict[str, Any]) -> str:
    return f"`{run['software'].get('commit', 'unknown')[:9]}`"


def with_table(page: str, table: str) -> str:
    """The page with this table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), as_table(recorded())), encoding="utf-8")
