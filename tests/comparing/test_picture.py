"""The picture of privacy against utility."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from accounting.confidential import Confidential
from amun_dp.comparing import MethodComparison
from amun_dp.comparing.article_figures import named
from amun_dp.comparing.cells import BASELINES, OWN_METHODS, Cell
from amun_dp.comparing.measuring import Run
from amun_dp.comparing.picture import privacy_utility
from tests.comparing.made_up import comparison, released

SVG = "{http://www.w3.org/2000/svg}"
Points = dict[str, list[tuple[float, float]]]


def drawn(found: MethodComparison) -> ElementTree.Element:
    return ElementTree.fromstring(privacy_utility(Confidential(found)).reveal())


def dots(page: ElementTree.Element) -> Points:
    """Places of the dots that have a tooltip, by what it says of the method."""
    places: Points = {}
    for circle in page.iter(f"{SVG}circle"):
        tip = circle.find(f"{SVG}title")
        if tip is not None and tip.text is not None:
            place = float(circle.attrib["cx"]), float(circle.attrib["cy"])
            places.setdefault(tip.text.partition(" at ")[0], []).append(place)
    return places


def words(page: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in page.iter(f"{SVG}text")]


def heights(page: ElementTree.Element) -> dict[str, float]:
    """Where the marks of the vertical axis are; the line is four above the foot of its number."""
    marks = [text for text in page.iter(f"{SVG}text") if text.attrib.get("text-anchor") == "end"]
    return {str(text.text): float(text.attrib["y"]) - 4 for text in marks}


def test_every_method_is_in_the_legend_and_every_log_has_a_panel() -> None:
    methods, logs = (*OWN_METHODS, *BASELINES), ("first", "second", "third", "fourth")
    page = drawn(comparison({}, methods, logs=logs))
    said = words(page)
    for method in methods:
        assert named(method) + (", average ε" if method in BASELINES else "") in said
    for log in logs:
        assert log in said


def test_an_error_is_as_high_as_the_scale_says() -> None:
    errors = {0.2: 0.5, 0.3: 0.1, 0.4: 0.002}
    runs = {Cell("log", "sampling", a): [released(100 * error)] for a, error in errors.items()}
    page = drawn(comparison(runs, ("sampling",), advantages=tuple(errors)))
    marks, [points] = heights(page), dots(page).values()
    assert set(marks) >= {"0.001", "0.01", "0.1", "1"}
    a_decade = marks["0.1"] - marks["1"]
    for (_, y), error in zip(points, errors.values(), strict=True):
        assert y == pytest.approx(marks["1"] - math.log10(error) * a_decade, abs=0.02)
    places = [x for x, _ in points]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.02)


@pytest.mark.parametrize(("error", "mark"), [(0.0, "0.001"), (1e-9, "0.001"), (1000.0, "1000")])
def test_no_error_and_a_huge_one_are_drawn(error: float, mark: str) -> None:
    page = drawn(comparison({Cell("log", "sampling", 0.2): [released(100 * error)]}, ("sampling",)))
    [[(_, y)]] = dots(page).values()
    assert y == pytest.approx(heights(page)[mark], abs=0.02)


def test_bars_are_one_standard_deviation() -> None:
    runs = {Cell("log", "sampling", 0.2): [released(10), released(30)]}  # 0.2 ± 0.1414
    page = drawn(comparison(runs, ("sampling",)))
    [bar] = [each for each in page.iter(f"{SVG}line") if "bar" in each.attrib["class"]]
    marks = heights(page)
    for end, error in (("y1", 0.2 - 0.02**0.5), ("y2", 0.2 + 0.02**0.5)):
        expected = marks["1"] - math.log10(error) * (marks["0.1"] - marks["1"])
        assert float(bar.attrib[end]) == pytest.approx(expected, abs=0.02)


def test_what_has_no_figure_is_not_drawn() -> None:
    runs = {
        Cell("log", "sampling", 0.2): [Run("time")],
        Cell("log", "filtering", 0.2): [Run("nothing")],
        Cell("log", "oversampling", 0.2): [released(1, frequency_error=None)],
    }
    assert dots(drawn(comparison(runs, ("sampling", "filtering", "oversampling")))) == {}
    assert "an empty log" in words(drawn(comparison({}, ("sampling",))))


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a & b", "]]>", '"quoted"', "bell\x07", "x" * 300])
def test_names_are_escaped_and_shortened(name: str) -> None:
    page = drawn(comparison({Cell(name, "sampling", 0.2): [released(1)]}, ("sampling",), logs=(name,)))
    assert not list(page.iter(f"{SVG}script"))
    [shown] = [each for each in page.iter(f"{SVG}text") if each.attrib["class"] == "panel"]
    assert len(shown[-1].tail or "" if len(shown) else shown.text or "") <= 34


def test_the_file_says_that_it_is_confidential() -> None:
    page = privacy_utility(Confidential(comparison({}, ("sampling",)))).reveal()
    assert page.startswith("<!-- CONFIDENTIAL")
    assert not re.search(r"https?://(?!www\.w3\.org)", page), "it needs nothing from elsewhere"
