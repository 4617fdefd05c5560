"""The pictures of an audit: one for every test, the event marked where it lies, whatever the names and the size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amun_dp._base.units import DAY, HOUR, MINUTE
from amun_dp.auditing import Audit, Goal
from amun_dp.auditing.page import MOST_CLAIMS, audit_page
from amun_dp.auditing.results import Histogram, TestResult
from amun_dp.drawing.render import LARGEST_PAGE
from tests.auditing.audits import (
    attacked,
    claim_rows,
    figure_in,
    figures,
    from_the_log,
    nothing_rejected,
    page_of,
    spaced,
)
from tests.browser import Browser, browser
from tests.drawing.html import Element, read
from tests.drawing.test_in_a_browser import OVERFLOW, WIDTHS
from tests.report.test_labels import HOSTILE
from tests.report.test_public_page import check_skeleton

ONES = np.ones(24, dtype=np.int64)


# --- pictures -------------------------------------------------------------------------------------------------------


def test_every_test_has_a_picture_with_its_counts_and_the_link_of_its_claim_leads_there() -> None:
    found = attacked()
    page = page_of(found)
    drawn = figures(page)
    assert set(drawn) == {"control-1", "control-2", *(f"test-{number + 1}" for number in range(len(found.results)))}
    for number, result in enumerate(found.results):
        figure = drawn[f"test-{number + 1}"]
        assert result.goal.value.lower() in figure.one("h3").text.lower()
        assert result.pair in figure.one("h3").text
        reading = spaced(figure.one("p", "reading"))
        tested = result.tested
        one, other = ("left", "right") if tested.event.favours == 0 else ("right", "left")
        seen = f"Seen in {tested.seen} of 500 runs on the {one} log and {tested.seen_on_other} on the {other} log"
        assert seen in reading
        likely = figure_in(reading, r"at least ([\d.]+) % likely") / 100
        unlikely = figure_in(reading, r"at most ([\d.]+) %, so") / 100
        assert likely <= tested.likely * (1 + 1e-9)
        assert unlikely >= tested.unlikely * (1 - 1e-9)
        assert likely == pytest.approx(tested.likely, rel=0.01)
        assert unlikely == pytest.approx(tested.unlikely, rel=0.01)
        low = figure_in(reading, r"ε ≥ ([\d.]+);")
        assert low == pytest.approx(tested.epsilon_low, rel=0.01)
        # What is shown is coherent by itself: the bound is the logarithm of the ratio.
        assert low == pytest.approx(max(0.0, math.log(max(likely, 1e-300) / unlikely)), abs=0.02)
        columns = [[cell.text for cell in row.all("td")] for row in figure.one("table").all("tr")[1:]]
        assert [int(left) for left, _ in columns] == result.histogram.left.tolist()
        assert [int(right) for _, right in columns] == result.histogram.right.tolist()
    for claim in found.claims:
        link = claim_rows(page)[claim.strongest.claimed.claim].one("a")
        target = link.attributes["href"].removeprefix("#")
        assert found.results[int(target.removeprefix("test-")) - 1] is claim.strongest


def test_the_strongest_tests_are_in_sight_and_all_others_on_demand() -> None:
    found = attacked()
    page = page_of(found)

    def in_sight(figure: Element) -> bool:
        around = figure.parent
        while around is not None:
            if around.tag == "details":
                return False
            around = around.parent
        return True

    shown = [int(name.removeprefix("test-")) - 1 for name, each in figures(page).items() if in_sight(each)]
    assert {found.results[number] for number in shown} == {each.strongest for each in found.claims}
    for details in page.by_id("tests").all("details", "more"):
        name, rest = spaced(details.all("summary")[0]).split(": ")
        assert int(rest.split()[0]) == len(details.all("figure"))
        assert name in {each.strongest.claimed.claim for each in found.claims}


def shaded(figure: Element) -> tuple[float, float]:
    """From where to where the event is marked, as shares of the axis, which is 424 wide from 46 on."""
    event = figure.one("rect", "event")
    start, width = float(event.attributes["x"]), float(event.attributes["width"])
    return (start - 46) / 424, (start + width - 46) / 424


def drawn_alone(result: TestResult, **changes: Any) -> Element:
    found = replace(attacked(), results=(replace(result, **changes),))
    return figures(page_of(found))["test-1"]


def event_of(result: TestResult, low: float, high: float) -> Any:
    return replace(result.tested, event=replace(result.tested.event, low=low, high=high))


def exact(*values: float) -> Histogram:
    ones = np.ones(len(values), dtype=np.int64)
    return Histogram(np.array(values), ones, 2 * ones, exact=True)


def ranges(low: float, high: float) -> Histogram:
    return Histogram(np.linspace(low, high, 25), ONES, 2 * ONES, exact=False)


@pytest.mark.parametrize(
    ("drawn", "low", "high", "start", "end", "words"),
    [
        (exact(-2, 0, 5, 9), 5.0, math.inf, 0.5, 1.0, "5 or more"),
        (exact(-2, 0, 5, 9), -math.inf, -2.0, 0.0, 0.25, "−2 or less"),
        (exact(-2, 0, 5, 9), 0.0, 0.0, 0.25, 0.5, "exactly 0"),
        (exact(-2, 0, 5, 9), 3.0, 3.0, 0.5, 0.5, "exactly 3"),
        (exact(-2, 0, 5, 9), 20.0, math.inf, 1.0, 1.0, "20 or more"),
        (ranges(0, 24), 6.0, math.inf, 0.25, 1.0, "6 or more"),
        (ranges(0, 24), -math.inf, 6.5, 0.0, 6.5 / 24, "6.5 or less"),
        (ranges(0, 24), 30.0, math.inf, 1.0, 1.0, "30 or more"),
        (ranges(0, 24), -math.inf, math.inf, 0.0, 1.0, "any score"),
        (ranges(-1.2, 1.2), -math.inf, -0.0001234, 0.0, 0.5, "−0.000123 or less"),
        (ranges(-1e200, 1e200), -math.inf, 1e199, 0.0, 0.55, "1e+199 or less"),
        (ranges(1e18, 1e18 + 4800), 1e18, math.inf, 0.0, 1.0, "1e+18 or more"),
        (exact(-math.inf, 0.5, math.inf), 0.5, math.inf, 1 / 3, 1.0, "0.5 or more"),
    ],
)
def test_the_event_is_shaded_where_it_lies_and_named(
    drawn: Histogram, low: float, high: float, start: float, end: float, words: str
) -> None:
    result = next(each for each in attacked().results if each.goal is Goal.LEARNT)
    figure = drawn_alone(result, histogram=drawn, tested=event_of(result, low, high))
    assert shaded(figure) == pytest.approx((start, end), abs=0.002)
    assert f"event: {words}" in [each.text for each in figure.all("text", "note")]
    # An end inside the picture has a line, and an event without width has one, too.
    inside = {x for x in (start, end) if 0 < x < 1} or ({start} if start == end else set())
    lines = sorted((float(each.attributes["x1"]) - 46) / 424 for each in figure.all("line", "event-edge"))
    assert lines == pytest.approx(sorted(inside), abs=0.002)


def test_durations_have_units_and_a_release_without_such_a_case_is_called_none() -> None:
    result = next(each for each in attacked().results if each.goal is Goal.DURATION)
    figure = drawn_alone(result, histogram=ranges(0, 48 * HOUR), tested=event_of(result, 90 * MINUTE, math.inf))
    rows = [each.one("th").text for each in figure.one("table").all("tr")[1:]]
    assert rows[0] == "below 0.083 d"
    assert rows[12] == "1 d to 1.083 d"
    assert rows[-1] == "from 1.917 d on, or none"
    assert "1.5 h or more, or none" in figure.text
    far = drawn_alone(result, histogram=exact(HOUR, 3 * HOUR, math.inf), tested=event_of(result, math.inf, math.inf))
    assert [each.one("th").text for each in far.one("table").all("tr")[1:]] == ["1 h", "3 h", "none"]
    assert "event: none" in [each.text for each in far.all("text", "note")]
    mean = next(each for each in attacked().results if each.goal is Goal.LINKAGE)
    none_first = drawn_alone(mean, histogram=exact(-1.0, 0.0, DAY), tested=event_of(mean, -math.inf, -1.0))
    assert [each.one("th").text for each in none_first.one("table").all("tr")[1:]] == ["none", "0 h", "24 h"]
    assert "event: none" in [each.text for each in none_first.all("text", "note")]
    anything = drawn_alone(mean, histogram=ranges(-1.0, DAY), tested=event_of(mean, -1.0, math.inf))
    assert "event: any score" in [each.text for each in anything.all("text", "note")]


def test_every_goal_has_a_picture_whatever_its_scores() -> None:
    result = attacked().results[0]
    for goal in Goal:
        for drawn in (exact(0.0), exact(math.inf), exact(-1.0, 3.5), ranges(-7.3, 11.9), ranges(0.0, 1e12)):
            figure = drawn_alone(result, goal=goal, histogram=drawn)
            assert "nan" not in figure.text.lower()
            assert all("inf" not in value for each in figure.all() for value in each.attributes.values())


# --- anybody's names, any size --------------------------------------------------------------------------------------


def renamed(result: TestResult, number: int) -> TestResult:
    pair, claim, says, statement = (HOSTILE[(number + shift) % len(HOSTILE)] for shift in (0, 3, 5, 8))
    return replace(
        result, pair=f"{pair}{number}", says=says, claimed=replace(result.claimed, claim=claim, statement=statement)
    )


def hostile() -> Audit:
    found = attacked()
    results = tuple(renamed(each, number) for number, each in enumerate(found.results))
    return replace(found, results=results, subject={HOSTILE[0]: HOSTILE[1], "releases": HOSTILE[8]})


def test_names_of_pairs_and_claims_are_text_and_never_markup() -> None:
    text = audit_page(hostile())
    page = read(text)
    clean = page_of(attacked())
    assert {each.tag for each in page.all()} <= {each.tag for each in clean.all()} | {"bdi"}
    assert all(not name.startswith("on") for each in page.all() for name in each.attributes)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert not set(text) & set("\x00\x01\x1b\r\u202e\u202c\u2067\u2069")
    assert len(text.encode()) < LARGEST_PAGE
    check_skeleton(page)


@pytest.mark.slow
def test_an_audit_of_a_hundred_and_twenty_tests_has_every_picture_and_stays_below_a_megabyte() -> None:
    found = wide(120)
    text = audit_page(found)
    assert len(text.encode()) < LARGEST_PAGE
    assert len(figures(read(text))) == 122
    assert "to keep the page small" not in text


def wide(tests: int) -> Audit:
    """Every picture with all its columns, and counts of seven digits."""
    results = attacked().results
    many = 1_234_567 * ONES
    drawn = Histogram(np.linspace(-123.4, 567.8, 25), many, many, exact=False)
    return replace(
        attacked(),
        results=tuple(
            replace(
                results[number % len(results)], pair=f"{results[number % len(results)].pair} {number}", histogram=drawn
            )
            for number in range(tests)
        ),
    )


def test_an_audit_of_any_size_with_the_longest_names_stays_below_a_megabyte_and_counts_what_it_leaves_out() -> None:
    found = wide(600)
    nasty = '"' * 5_000
    results = tuple(
        replace(each, pair=f"{number}{nasty}", says=nasty, claimed=replace(each.claimed, claim=f"{number % 40}{nasty}"))
        for number, each in enumerate(found.results)
    )
    found = replace(found, results=results)
    text = audit_page(found)
    assert len(text.encode()) < LARGEST_PAGE
    page = read(text)
    shown = len(figures(page)) - 2
    assert 50 < shown < 600
    assert f"to keep the page small: {600 - shown} more." in page.by_id("tests").text
    assert len(claim_rows(page)) == MOST_CLAIMS
    assert f"And {len(found.claims) - MOST_CLAIMS} more" in page.by_id("claims").text
    check_skeleton(page)


# --- in a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("which", [from_the_log, nothing_rejected, lambda _: hostile()], ids=["log", "none", "hostile"])
def test_a_browser_asks_for_nothing_complains_of_nothing_and_has_room(
    chromium: Browser, tmp_path: Path, which: Any
) -> None:
    page = tmp_path / "audit.html"
    page.write_text(audit_page(which(attacked())), encoding="utf-8")
    for dark in (False, True):
        visit = chromium.open(page, dark=dark)
        assert visit.requests == [page.as_uri()]
        assert visit.wrong == []
    opened = "document.querySelectorAll('details').forEach(each => each.open = true), " + OVERFLOW
    for width in WIDTHS:
        assert chromium.open(page, width=width, evaluate=opened).value <= 0, width
