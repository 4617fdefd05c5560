"""Runs in a few figures, against sums done by hand."""

from __future__ import annotations

import math

import pytest

from amun_dp.comparing.cell_summary import MEASURES, Spread, summarise
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import Run
from tests.comparing.made_up import released

OWN = Cell("log", "sampling", 0.2)
PRUNED = {share: Cell("log", "sacofa", 0.2, "average", share) for share in (0.05, 0.01, 0.005)}


def test_mean_and_deviation_of_the_released_runs() -> None:
    one = summarise({OWN: [released(2), released(4), released(9), Run("nothing")]}, "log", "sampling", 0.2, None)
    assert one is not None
    assert (one.runs, one.released, one.nothing, one.failed, one.exceeded) == (4, 3, 1, 0, "")
    # (2 + 4 + 9) / 3 = 5, and (9 + 1 + 16) / 2 = 13
    assert one.measures["frequency_emd"] == Spread(5.0, pytest.approx(math.sqrt(13)))  # type: ignore[arg-type]  # a number
    assert one.mean("time_emd") == 15
    assert set(one.measures) == set(MEASURES)
    assert one.pruning is None


def test_one_run_has_no_deviation_and_a_measure_without_values_is_not_there() -> None:
    one = summarise({OWN: [released(2, time_emd=None)]}, "log", "sampling", 0.2, None)
    assert one is not None
    assert one.measures["frequency_emd"] == Spread(2.0, None)
    assert one.mean("time_emd") is None


def test_endings_are_counted() -> None:
    runs = [Run("failed"), released(1), Run("nothing"), Run("failed"), Run("memory")]
    one = summarise({OWN: runs}, "log", "sampling", 0.2, None)
    assert one is not None
    assert (one.runs, one.released, one.nothing, one.failed, one.exceeded) == (5, 1, 1, 2, "memory")


def test_what_was_not_run_has_no_summary() -> None:
    assert summarise({OWN: []}, "log", "sampling", 0.2, None) is None
    assert summarise({OWN: [released(1)]}, "log", "sampling", 0.3, None) is None
    assert summarise({OWN: [released(1)]}, "log", "sacofa", 0.2, "average") is None


def test_the_pruning_with_the_least_mean_frequency_distance_is_chosen() -> None:
    # Means 5, 4 and 6. The first has the least single value, the third the least time.
    runs = {
        PRUNED[0.05]: [released(1), released(9)],
        PRUNED[0.01]: [released(4), released(4)],
        PRUNED[0.005]: [released(6, time_emd=0.0), released(6, time_emd=0.0)],
    }
    one = summarise(runs, "log", "sacofa", 0.2, "average")
    assert one is not None
    assert (one.pruning, one.mean("frequency_emd")) == (0.01, 4)
    assert summarise(runs, "log", "sacofa", 0.2, "minimum") is None


def test_a_pruning_that_exceeded_a_limit_or_released_nothing_is_not_chosen() -> None:
    runs = {
        PRUNED[0.05]: [released(5), released(5)],
        PRUNED[0.01]: [Run("nothing"), Run("nothing")],
        PRUNED[0.005]: [released(1), Run("time")],
    }
    one = summarise(runs, "log", "sacofa", 0.2, "average")
    assert one is not None
    assert (one.pruning, one.exceeded) == (0.05, "")


def test_where_no_pruning_is_of_use_the_strongest_speaks_for_all() -> None:
    exceeded = summarise({PRUNED[0.05]: [Run("time")]}, "log", "sacofa", 0.2, "average")
    assert exceeded is not None
    assert (exceeded.pruning, exceeded.exceeded) == (0.05, "time")
    failed = summarise({cell: [Run("failed")] for cell in PRUNED.values()}, "log", "sacofa", 0.2, "average")
    assert failed is not None
    assert (failed.failed, failed.runs) == (1, 1)


def test_times_are_means_memory_is_the_most_and_the_whole_way_needs_both_ends() -> None:
    def run(seconds: float, memory: int, reading: float | None = None, writing: float | None = None) -> Run:
        return Run("released", released(1).figures, seconds, seconds / 2, memory, reading, writing)

    one = summarise({OWN: [run(2, 7, 10, 1), run(4, 9), run(6, 8)]}, "log", "sampling", 0.2, None)
    assert one is not None
    assert one.seconds == Spread(4.0, 2.0)
    assert one.processor == Spread(2.0, 1.0)
    assert one.memory == 9
    assert one.whole_seconds == 10 + 4 + 1
    unwritten = summarise({OWN: [run(2, 7, 10)]}, "log", "sampling", 0.2, None)
    assert unwritten is not None
    assert unwritten.whole_seconds is None
