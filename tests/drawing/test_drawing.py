"""Axes, layouts and escaping: the pieces that charts are drawn with."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.units import DAY, HOUR, MINUTE
from amun_dp.drawing.layout import Edge, arrange
from amun_dp.drawing.numbers import date, duration, number, share
from amun_dp.drawing.scales import count_ticks, nice_step, time_ticks
from amun_dp.drawing.svg import element


@given(st.integers(1, 10**15), st.integers(2, 10))
def test_steps_are_one_two_or_five_and_few_enough(span: int, most: int) -> None:
    step = nice_step(span, most)
    assert span / step <= most * (1 + 1e-9)
    assert f"{step:.6e}"[0] in "125"
    assert f"{step:.6e}"[2:8] == "000000"


@given(st.integers(0, 10**15))
def test_marks_for_counts_start_at_zero_and_reach_the_largest(largest: int) -> None:
    ticks = count_ticks(largest)
    assert ticks[0] == 0
    assert ticks[-1] >= largest
    assert len(ticks) <= 7
    assert len({after - before for before, after in pairwise(ticks)}) == 1


@given(st.integers(-(10**14), 10**14), st.integers(0, 10**14))
def test_marks_for_times_lie_inside_and_are_few(first: int, span: int) -> None:
    ticks = time_ticks(first, first + span)
    assert 1 <= len(ticks) <= 6
    assert all(first <= tick.at <= first + span for tick in ticks)
    assert all(before.at < after.at and before.text != after.text for before, after in pairwise(ticks))


@pytest.mark.parametrize(
    ("span", "texts"),
    [
        (400 * DAY, ["1970-04", "1970-07", "1970-10", "1971-01"]),
        (30 * DAY, ["1970-01-05", "1970-01-12", "1970-01-19", "1970-01-26"]),  # Mondays
        (3 * HOUR, ["1970-01-01 00:00", "01:00", "02:00", "03:00"]),
    ],
)
def test_marks_for_times_are_whole_dates(span: int, texts: list[str]) -> None:
    assert [tick.text for tick in time_ticks(0, span)] == texts


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0 ms"), (1, "1 ms"), (90 * MINUTE, "1.5 h"), (3 * DAY, "3 d"), (365 * DAY, "1 y"), (1_500, "1.5 s")],
)
def test_durations_are_in_units_that_people_use(milliseconds: int, words: str) -> None:
    assert duration(milliseconds) == words


def test_dates_have_a_time_of_day_only_where_it_matters() -> None:
    assert date(0) == "1970-01-01"
    assert date(0, width=HOUR) == "1970-01-01 00:00"
    assert date(10**18).startswith("31690708")


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 10, "0 %"), (10, 10, "100 %"), (1, 10**6, "< 0.1 %"), (10**6 - 1, 10**6, "> 99.9 %"), (1, 3, "33.3 %")],
)
def test_shares_say_neither_none_of_something_nor_all_of_less(part: int, whole: int, words: str) -> None:
    assert share(part, whole) == words


def test_numbers_are_short_and_an_unbounded_one_is_called_so() -> None:
    assert [number(value) for value in (0.0, 0.5, 1234.5, 1e-9, float("inf"))] == [
        "0",
        "0.5",
        "1,230",
        "1e-09",
        "unbounded",
    ]


def test_what_is_drawn_is_escaped() -> None:
    assert element("text", "<b>", css='"x"') == '<text class="&#34;x&#34;">&lt;b&gt;</text>'


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Edge]]:
    n = draw(st.integers(3, 14))
    node = st.integers(1, n - 2)
    pairs = draw(st.sets(st.tuples(node, node), max_size=24))
    ends = {(0, draw(node)), (draw(node), n - 1)}
    return n, [Edge(a, b, draw(st.integers(1, 100))) for a, b in sorted(pairs | ends)]


@given(graphs())
def test_boxes_of_a_layer_never_overlap_and_edges_run_from_layer_to_layer(graph: tuple[int, list[Edge]]) -> None:
    n, edges = graph
    widths = [100.0 + 10 * (node % 3) for node in range(n)]
    placed = arrange(widths, edges, 0, n - 1)
    for one in range(n):
        assert widths[one] / 2 - 1e-6 <= placed.x[one] <= placed.width - widths[one] / 2 + 1e-6
        for other in range(one):
            if placed.layer[one] == placed.layer[other]:
                assert abs(placed.x[one] - placed.x[other]) >= (widths[one] + widths[other]) / 2
    assert placed.layer[n - 1] == max(placed.layer)
    assert placed.layer.count(placed.layer[n - 1]) == 1
    for edge, route in zip(edges, placed.routes, strict=True):
        assert route[0] == (placed.layer[edge.source], placed.x[edge.source])
        assert route[-1] == (placed.layer[edge.target], placed.x[edge.target])
        if edge.source != edge.target:
            assert {abs(after[0] - before[0]) for before, after in pairwise(route)} == {1}
    assert arrange(widths, edges, 0, n - 1) == placed


def test_a_chain_is_drawn_straight_down() -> None:
    placed = arrange([100.0] * 5, [Edge(node, node + 1, 1) for node in range(4)], 0, 4)
    assert placed.layer == [0, 1, 2, 3, 4]
    assert len(set(placed.x)) == 1


def test_edges_that_go_backward_carry_as_little_weight_as_possible() -> None:
    """A cycle of strong steps with one weak step back, given in an order that misleads."""
    strong = [Edge(0, 4, 50), Edge(4, 2, 50), Edge(2, 3, 50), Edge(3, 1, 50), Edge(1, 5, 50)]
    placed = arrange([100.0] * 6, [*strong, Edge(1, 4, 3), Edge(3, 4, 2)], 0, 5)
    assert all(placed.layer[edge.source] < placed.layer[edge.target] for edge in strong)
