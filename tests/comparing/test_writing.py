"""Markdown, LaTeX and CSV, also with names that mean something in them."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp.comparing.cell_summary import MEASURES
from amun_dp.comparing.cells import PHIS, Cell
from amun_dp.comparing.measuring import Run
from amun_dp.comparing.result_tables import grids
from tests.comparing.made_up import comparison, figures, released
from tests.properties import examples

AWKWARD = ["a_b", "50 % & more", "back\\slash", "{x}", "a|b", "two\nlines", "Übung 日本", "*bold* `code` <b>", "~^#$"]


def cells_of(line: str) -> list[str]:
    """Of a line of a Markdown table: split at pipes that are not escaped, then unescaped."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in re.findall(r"(?:\\.|[^|\\])+", line[1:-1])]


@pytest.mark.parametrize("name", AWKWARD)
def test_markdown_tables_stay_tables(name: str) -> None:
    found = comparison({Cell(name, "sampling", 0.2): [released(3)]}, ("sampling", "filtering"), logs=(name,))
    tables = [part for part in found.markdown().split("\n\n") if part.startswith("|")]
    assert len(tables) == len(grids(found))
    for table in tables:
        head, rule, *rows = table.splitlines()
        assert len({line.count("|") - line.count("\\|") for line in (head, rule, *rows)}) == 1
        for row in rows:
            assert row.startswith("| ")
    assert cells_of(tables[0].splitlines()[2])[0] == name.replace("\n", "⟨U+000A⟩")
    assert "**3**" in tables[0]


def test_markdown_says_what_each_table_is() -> None:
    found = comparison({Cell("log", "sampling", 0.2): [released(3)]}, ("sampling",))
    page = found.markdown()
    for grid in grids(found):
        assert f"## {grid.title}\n\n{grid.notes[0]}\n\n| " in page


@settings(max_examples=examples(30))  # each writes a page of tables
@given(st.lists(st.text(min_size=1, max_size=12) | st.sampled_from(AWKWARD), min_size=1, max_size=3, unique=True))
def test_latex_is_balanced_and_every_row_has_all_columns_whatever_a_log_is_called(names: list[str]) -> None:
    runs = {Cell(name, "sampling", 0.2): [released(3), released(4)] for name in names}
    runs |= {Cell(name, "sacofa", 0.2, phi, 0.05): [Run("time")] for name in names for phi in PHIS}
    page = comparison(runs, ("sampling", "sacofa"), logs=names).latex()
    bare = re.sub(r"\\[\\{}&%$#_]", "", page.replace("{%\n", "{\n"))
    assert "%" not in bare, "the rest of the line would be a comment"
    assert not set(bare) & set("#_^~`|<>")
    assert bare.count("$") % 2 == 0
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert "\n\n" not in page.replace("\\end{table}\n\n\\begin{table}", " "), "an empty line ends a paragraph"
    for table in page.split("\n\n"):
        [columns] = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", table)
        rows = [line for line in table.splitlines() if line.endswith(r" \\")]
        assert len(rows) > 1
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1


def test_latex_escapes_to_what_was_meant() -> None:
    name = "50%_&_{\\}|"
    page = comparison({Cell(name, "sampling", 0.2): [released(3), released(5)]}, ("sampling",), logs=(name,)).latex()
    assert r"50\%\_\&\_\{\textbackslash{}\}\textbar{} & 0.2 & ours & \textbf{4 $\pm$ 1.4} \\" in page
    assert r"Amun\_s" in page


def test_csv_read_back_has_every_measure_and_the_same_means() -> None:
    name = 'a "name", with\nall; of it'
    own = [
        Run("released", figures(0.1), 1.0, 0.5, 7, 2.0, 3.0),
        Run("released", figures(0.2, time_error=None), 2.0, 0.5, 9),
    ]
    runs = {
        Cell(name, "sampling", 0.2): [*own, Run("nothing"), Run("failed")],
        Cell(name, "sacofa", 0.2, "minimum", 0.01): [released(4, time_emd=None, cases_linked=None)],
        Cell(name, "sacofa", 0.2, "average", 0.05): [Run("time")],
    }
    page = comparison(runs, ("sampling", "sacofa", "filtering"), logs=(name,)).csv()
    rows = list(csv.DictReader(io.StringIO(page)))
    assert [(row["log"], row["method"], row["phi"]) for row in rows] == [
        (name, "sampling", ""),
        (name, "sacofa", "average"),
        (name, "sacofa", "minimum"),
    ]
    sampling, exceeded, sacofa = rows
    for measure in MEASURES:
        assert {f"{measure}_mean", f"{measure}_sd"} <= set(sampling)
    assert float(sampling["frequency_emd_mean"]) == pytest.approx(0.15)
    assert float(sampling["frequency_emd_sd"]) == pytest.approx(0.1 / 2**0.5)
    assert float(sampling["time_error_mean"]) == pytest.approx(0.1 / 50)
    assert sampling["time_error_sd"] == "", "of one value"
    assert [sampling[of] for of in ("runs", "released", "nothing", "failed", "exceeded")] == ["4", "2", "1", "1", ""]
    assert float(sampling["read_to_written_seconds"]) == 2 + 1.5 + 3
    assert sampling["peak_bytes"] == "9"
    assert (exceeded["exceeded"], exceeded["frequency_emd_mean"]) == ("time", "")
    assert (sacofa["epsilon"], sacofa["pruning"], sacofa["time_emd_mean"]) == ("2.5", "0.01", "")
    assert float(sacofa["frequency_emd_mean"]) == 4
