"""A table of words and figures, and how it is written as Markdown, LaTeX (booktabs) and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from amun_dp.comparing.cell_summary import MEASURES, summarise
from amun_dp.comparing.cells import BASELINES, PHIS
from amun_dp.comparing.runs import AllRuns
from amun_dp.drawing.numbers import printable

_LATEX = {
    "\\": r"\textbackslash{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
    "Σ": r"$\Sigma$",
    "ε": r"$\varepsilon$",
    "Φ": r"$\Phi$",
    "`": "",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
}
_MARKS = re.compile(r"[\\`*<>&|\[\]~#]|(?<![^\W_])_|_(?![^\W_])")
"""Markdown's; an underscore between letters is none."""


@dataclass(frozen=True, slots=True)
class Entry:
    text: str
    best: bool = False
    """Whether it is the best of its row."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the first columns say what a row is about, the others are methods."""

    title: str
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    words: int
    """So many columns at the left are words."""
    rows: tuple[tuple[Entry, ...], ...]


def as_markdown(grids: Sequence[Grid], level: int = 2) -> str:
    return "\n\n".join(_markdown(grid, level) for grid in grids) + "\n"


def _markdown(grid: Grid, level: int) -> str:
    lines = [f"{'#' * level} {grid.title}", "", *_paragraphs(grid), _line([*map(_plain, grid.columns)])]
    lines.append(_line(["---" if at < grid.words else "---:" for at in range(len(grid.columns))]))
    lines += [_line([_marked(entry) for entry in row]) for row in grid.rows]
    return "\n".join(lines)


def _paragraphs(grid: Grid) -> list[str]:
    return [line for note in grid.notes for line in (note, "")]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(entry: Entry) -> str:
    return f"**{_plain(entry.text)}**" if entry.best else _plain(entry.text)


def _plain(text: str) -> str:
    """So that Markdown shows the name of a log or method as it is, in one line."""
    return _MARKS.sub(r"\\\g<0>", printable(text))


def as_latex(grids: Sequence[Grid]) -> str:
    """For \\input; the packages booktabs and graphicx are needed."""
    return "\n\n".join(_latex(grid) for grid in grids) + "\n"


def _latex(grid: Grid) -> str:
    rows = [" & ".join(_latex_entry(entry) for entry in row) + r" \\" for row in grid.rows]
    return "\n".join(
        (
            r"\begin{table}",
            rf"\caption{{{_escaped(grid.title)}. {_escaped(' '.join(grid.notes))}}}",
            r"\resizebox{\textwidth}{!}{%",
            rf"\begin{{tabular}}{{{'l' * grid.words}{'r' * (len(grid.columns) - grid.words)}}}",
            r"\toprule",
            " & ".join(map(_escaped, grid.columns)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        )
    )


def _latex_entry(entry: Entry) -> str:
    text = _escaped(entry.text)
    return rf"\textbf{{{text}}}" if entry.best else text


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in printable(text))


def as_csv(found: AllRuns) -> str:
    """One line for each method, advantage and ε on each log."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["log", "method", "advantage", "phi", "epsilon", "pruning", "runs", "released", "nothing", "failed", "exceeded"]
        + [f"{measure}_{of}" for measure in (*MEASURES, "seconds", "processor") for of in ("mean", "sd")]
        + ["read_to_written_seconds", "peak_bytes"]
    )
    for log, facts in found.facts.items():
        for advantage in found.advantages:
            for method in found.methods:
                for phi in PHIS if method in BASELINES else (None,):
                    one = summarise(found.runs, log, method, advantage, phi)
                    if one is None:
                        continue
                    spreads = [*(one.measures.get(measure) for measure in MEASURES), one.seconds, one.processor]
                    writer.writerow(
                        [
                            *(log, method, advantage, phi or ""),
                            "" if phi is None else facts["phi"][f"{advantage:g}"][phi],
                            "" if one.pruning is None else one.pruning,
                            *(one.runs, one.released, one.nothing, one.failed, one.exceeded),
                            *(
                                "" if value is None else value
                                for each in spreads
                                for value in ((None, None) if each is None else (each.mean, each.deviation))
                            ),
                            "" if one.whole_seconds is None else one.whole_seconds,
                            "" if one.memory is None else one.memory,
                        ]
                    )
    return stream.getvalue()
