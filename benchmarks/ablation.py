"""What each convention costs or saves: from the article's to the corrected ones, one switch at a time.

Part of ``make results``. The article's conventions are the reference; each row changes one of them to the corrected
choice and leaves the others as they are; the last row changes all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.comparing.article_figures import ARTICLE_NAMES, article_emd, article_log
from amun_dp.comparing.cell_summary import Spread, summarise
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import Run, facts_of, own_runs
from amun_dp.eventlog.log import EventLog

LOGS = ("Sepsis", "Unrineweginfectie", "CCC19")
METHODS = ("sampling", "filtering")
SWITCHES = {
    "window": "a guess counts as right within ± 10 seconds, not 10 minutes",
    "prior": "priors are shares of a closed window; the table's miss the mass at the minimum",
    "value_range": "noise for [0, maximum], not for maximum − minimum, which is none in a group with one value",
    "filtering": "filtering until no case violates, not once",
    "compression": "starts are folded into the window; the article multiplies all times by a factor of about ¼",
}


def settings() -> dict[str, Conventions]:
    """The article's conventions with none, one, and all of them corrected."""
    one_each = {name: _switched(name) for name in SWITCHES}
    return {"article": ARTICLE, **one_each, "corrected": CORRECTED}


def _switched(name: str) -> Conventions:
    corrected: Any = {name: getattr(CORRECTED, name)}
    return replace(ARTICLE, name="custom", **corrected)


def measured(name: str, log: EventLog, advantage: float, runs: int) -> dict[tuple[str, str], list[Run]]:
    """Runs by setting and method. ``sampling`` filters nothing, so that switch says nothing about it."""
    found = {}
    for setting, conventions in settings().items():
        for method in METHODS:
            if not (setting == "filtering" and method == "sampling"):
                cell = Cell(name, method, advantage)
                found[setting, method] = list(own_runs(log, cell, conventions, runs))
    return found


def table(name: str, log: EventLog, advantage: float, runs: Mapping[tuple[str, str], Sequence[Run]]) -> str:
    known_as = article_log(facts_of(log, (), ARTICLE))
    lines = [f"### {name}, advantage {advantage:g}", ""]
    lines += ["| | " + " | ".join(f"{ARTICLE_NAMES[m]}: frequency | change | time | change" for m in METHODS) + " |"]
    lines += ["|---" * (1 + 4 * len(METHODS)) + "|"]
    theirs = [article_emd(known_as, advantage, of, m, "average") for m in METHODS for of in ("frequency", "time")]
    lines.append(_line("article's table", [(_plain(value), "") for value in theirs]))
    for setting in settings():
        entries = []
        for method in METHODS:
            for measure in ("frequency_emd", "time_emd"):
                entries.append(_entry(runs, name, advantage, setting, method, measure))
        label = {"article": "our `article`", "corrected": "all: `corrected`"}.get(setting, f"`{setting}`")
        lines.append(_line(label, entries))
    return "\n".join(lines)


def _entry(
    runs: Mapping[tuple[str, str], Sequence[Run]], name: str, advantage: float, setting: str, method: str, measure: str
) -> tuple[str, str]:
    """Mean ± standard deviation, and the change against the article's conventions with its standard error."""
    if (setting, method) not in runs:
        return "–", ""
    here, reference = (_spread(runs[each, method], name, advantage, method, measure) for each in (setting, "article"))
    if here is None:
        return "nothing", ""
    shown = f"{here.mean:.3g} ± {here.deviation or 0:.2g}"
    if setting == "article" or reference is None:
        return shown, ""
    n, m = (len([run for run in runs[each, method] if run.figures]) for each in (setting, "article"))
    error = sqrt((here.deviation or 0) ** 2 / n + (reference.deviation or 0) ** 2 / m)
    change = here.mean - reference.mean
    text = f"{change:+.2g} ± {error:.1g}"
    return shown, f"**{text}**" if abs(change) > 3 * error else text


def _spread(runs: Sequence[Run], name: str, advantage: float, method: str, measure: str) -> Spread | None:
    found = summarise({Cell(name, method, advantage): runs}, name, method, advantage, None)
    return None if found is None else found.measures.get(measure)


def _line(label: str, entries: Sequence[tuple[str, str]]) -> str:
    return f"| {label} | " + " | ".join(f"{value} | {change}" for value, change in entries) + " |"


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
