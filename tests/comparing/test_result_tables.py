"""The tables: what is bold, what a dash, an empty cell and a word mean, and the article's rows beside ours."""

from __future__ import annotations

import pytest

from amun_dp.comparing import MethodComparison
from amun_dp.comparing.cells import PHIS, PRUNINGS, Cell
from amun_dp.comparing.measuring import Run
from amun_dp.comparing.result_tables import grids
from amun_dp.comparing.table_formats import Grid
from tests.comparing.made_up import comparison, released

SEPSIS = {"cases": 1050, "events": 15214, "activities": 16, "variants": 846}


def own(method: str, *runs: Run, advantage: float = 0.2) -> dict[Cell, list[Run]]:
    return {Cell("log", method, advantage): list(runs)}


def table(found: MethodComparison, title: str) -> Grid:
    [grid] = [grid for grid in grids(found) if grid.title == title]
    return grid


def texts(grid: Grid) -> list[list[str]]:
    return [[f"*{entry.text}*" if entry.best else entry.text for entry in row] for row in grid.rows]


def test_the_least_mean_of_a_row_is_bold_and_ties_are() -> None:
    runs = own("sampling", released(4), released(6)) | own("filtering", released(5)) | own("oversampling", released(7))
    found = comparison(runs, ("sampling", "filtering", "oversampling"))
    assert texts(table(found, "Frequency EMD")) == [["log", "0.2", "ours", "*5 ± 1.4*", "*5*", "7"]]


def test_a_dash_is_a_limit_a_word_is_no_release_and_nothing_at_all_was_not_run() -> None:
    runs = own("sampling", released(1), Run("time")) | own("filtering", Run("nothing")) | own("mine", Run("failed"))
    runs |= own("certified:public", Run("memory")) | own("certified:threshold", released(9))
    methods = ("sampling", "filtering", "mine", "certified:public", "oversampling", "certified:threshold")
    for title in ("Frequency EMD", "Time EMD", "Error of edge counts", "Times that came through unchanged"):
        [row] = texts(table(comparison(runs, methods), title))
        assert [text.strip("*") for text in row[-6:-1]] == ["–", "nothing", "failed", "–", ""]
    [row] = texts(table(comparison(runs, methods), "Frequency EMD"))
    assert row[-1] == "*9*", "the best of those that are shown"


def test_runs_that_failed_are_not_told_as_runs_that_found_nothing() -> None:
    runs = own("sampling", Run("nothing"), Run("failed"), Run("nothing")) | own("filtering", released(8))
    found = comparison(runs, ("sampling", "filtering"))
    assert texts(table(found, "Frequency EMD")) == [["log", "0.2", "ours", "nothing (1 of 3 failed)", "*8*"]]


def test_a_row_of_dashes_is_a_row() -> None:
    found = comparison(own("sampling", Run("time")), ("sampling",))
    assert texts(table(found, "Error of edge counts")) == [["log", "0.2", "–"]]
    assert texts(table(found, "Variants: kept / lost / new")) == [["log", "0.2", "–"]]


def test_a_mean_of_some_runs_says_of_how_many_and_is_never_the_best() -> None:
    runs = own("sampling", released(1), Run("nothing"), Run("failed")) | own("filtering", *[released(8)] * 3)
    found = comparison(runs, ("sampling", "filtering"))
    assert texts(table(found, "Frequency EMD")) == [["log", "0.2", "ours", "1 (1 of 3)", "*8 ± 0*"]]


def test_what_cannot_be_said_is_empty_also_where_some_runs_released_nothing() -> None:
    runs = own("sampling", released(1, cases_linked=None), Run("nothing")) | own("filtering", released(1), released(1))
    found = comparison(runs, ("sampling", "filtering"))
    assert texts(table(found, "Cases that are linked by their times")) == [["log", "0.2", "", "12.50%"]]


def test_a_little_is_not_nothing() -> None:
    few = own("sampling", released(1, cases_linked=0.00004, variants_new=1), released(1, cases_linked=0.0))
    found = comparison(few | own("filtering", released(1, cases_linked=0.0)), ("sampling", "filtering"))
    assert texts(table(found, "Cases that are linked by their times")) == [["log", "0.2", "<0.01%", "0.00%"]]
    assert texts(table(found, "Variants: kept / lost / new")) == [["log", "0.2", "3 / 1 / 0.5", "3 / 1 / 0"]]


def test_without_baselines_there_is_no_phi() -> None:
    found = comparison(own("sampling", released(1)), ("sampling",))
    titles = [grid.title for grid in grids(found)]
    assert titles[:2] == ["Frequency EMD", "Time EMD"]
    assert not any("ε" in title for title in titles)
    assert not any("Φ" in column for grid in grids(found) for column in grid.columns)


def test_with_baselines_each_phi_has_its_tables_and_sacofa_has_no_times() -> None:
    runs = own("sampling", released(5))
    for place, phi in enumerate(PHIS):
        runs |= {Cell("log", "sacofa", 0.2, phi, PRUNINGS[1]): [released(10 + place)]}
    found = comparison(runs, ("sampling", "sacofa"))
    for place, phi in enumerate(PHIS):
        frequency = table(found, f"Frequency EMD at the {phi} ε")
        assert frequency.columns == ("log", "advantage", f"{phi} Φ", "", "sampling (Amun_s)", "SaCoFa")
        assert texts(frequency) == [["log", "0.2", f"{1.5 + place:g}", "ours", "*5*", f"{10 + place}"]]
        assert table(found, f"Time EMD at the {phi} ε").columns[-1] == "sampling (Amun_s)"
        assert "SaCoFa" not in table(found, "Error of edge durations").columns


def test_the_articles_row_is_below_ours_with_its_own_best_and_its_dashes() -> None:
    runs = {Cell("mine", method, 0.2): [released(1)] for method in ("sampling", "certified:public")}
    runs[Cell("mine", "pripel", 0.2, "minimum", 0.05)] = [released(2)]
    methods = ("sampling", "filtering", "certified:public", "pripel", "sacofa")
    found = comparison(runs, methods, logs=("mine",), size=SEPSIS)
    assert texts(table(found, "Frequency EMD at the minimum ε")) == [
        ["mine", "0.2", "2.5", "ours", "*1*", "", "*1*", "2", ""],
        ["mine", "0.2", "0.07", "article", "56.84", "*32.2*", "", "–", "118.91"],
    ]


def test_no_article_row_for_another_advantage_or_a_log_of_another_size() -> None:
    sepsis = comparison(own("sampling", released(1), advantage=0.25), ("sampling",), advantages=(0.25,), size=SEPSIS)
    other = comparison(own("sampling", released(1)), ("sampling",))
    for found in (sepsis, other):
        assert all(entry.text != "article" for grid in grids(found) for row in grid.rows for entry in row)


def test_times_are_of_the_smallest_advantage_with_the_articles_only_where_it_measured_them() -> None:
    def run(seconds: float) -> Run:
        return Run("released", released(1).figures, seconds, seconds / 4, None, 10.0, 5.0)

    methods = ("sampling", "pripel", "sacofa")
    bpic15 = {"cases": 1199, "events": 52217, "activities": 398, "variants": 1170}
    runs = {Cell("x", "sampling", 0.2): [run(8)], Cell("x", "sampling", 0.3): [run(9)]}
    found = comparison(runs, methods, logs=("x",), advantages=(0.3, 0.2), size=bpic15)
    assert texts(table(found, "Seconds at advantage 0.2")) == [
        ["x", "release alone", "8", "", ""],
        ["x", "processor time", "2", "", ""],
        ["x", "read to written", "23", "", ""],
        ["x", "article", "267", "–", ""],  # 4.45 minutes; PRIPEL "-"; SaCoFa's were not measured
    ]
    later = comparison(runs, methods, logs=("x",), advantages=(0.3,), size=bpic15)
    assert [row[1] for row in texts(table(later, "Seconds at advantage 0.3"))][-1] == "read to written"


def test_memory_is_in_megabytes() -> None:
    found = comparison(own("sampling", released(1)), ("sampling", "filtering"))
    assert texts(table(found, "Peak memory at advantage 0.2, MB")) == [["log", "100", ""]]


@pytest.mark.parametrize("methods", [("sampling",), ("sampling", "pripel"), ("sacofa",)])
def test_every_row_has_as_many_entries_as_there_are_columns(methods: tuple[str, ...]) -> None:
    runs = own("sampling", released(1)) | {Cell("log", "pripel", 0.2, "average", 0.05): [released(1)]}
    runs |= {Cell("log", "sacofa", 0.2, "average", 0.05): [released(1, time_emd=None)]}
    for grid in grids(comparison(runs, methods, size=SEPSIS)):
        assert grid.rows
        assert {len(row) for row in grid.rows} == {len(grid.columns)}
        assert 0 < grid.words < len(grid.columns)
