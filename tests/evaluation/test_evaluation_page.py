"""The page of an evaluation: confidential, complete, self-contained, and whole in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import amun_dp
from accounting.confidential import Confidential
from amun_dp.drawing.render import LARGEST_PAGE
from amun_dp.evaluation import charts
from amun_dp.evaluation.models import Fit, ModelQuality
from amun_dp.evaluation.page import evaluation_page
from amun_dp.eventlog.log import EventLog
from amun_dp.folder.names import BANNER
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.browser import Browser, browser
from tests.drawing.html import Element, read
from tests.logs import words_log
from tests.report.test_labels import hostile_log
from tests.report.test_public_page import check_charts, check_policy, check_skeleton

WIDTHS = (1200, 768, 390, 320)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def text_of(before: EventLog, after: EventLog, **names: str) -> str:
    return evaluation_page(amun_dp.evaluate(before, after), **names).reveal()


def hospital_pages() -> str:
    return text_of(hospital_log(), amun_dp.anonymize(hospital_log(), 0.2, "sampling", seed=1).event_log)


def test_the_page_is_confidential_and_made_of_confidential_figures_only() -> None:
    found = amun_dp.evaluate(hospital_log(cases=20), hospital_log(cases=20))
    page = evaluation_page(found)
    assert isinstance(page, Confidential)
    with pytest.raises(TypeError, match="stays confidential"):
        evaluation_page(cast(Any, found.reveal()))


def test_the_banner_comes_first_and_is_repeated_in_the_title_and_on_every_printed_page() -> None:
    page = read(hospital_pages())
    body = [each for each in page.one("body").children if isinstance(each, Element)]
    assert [each.attributes.get("class") for each in body[:2]] == ["skip", "banner"]
    assert BANNER in body[1].text
    assert page.one("head").one("title").text.startswith("CONFIDENTIAL")
    assert "internal" in page.one("body").attributes["class"].split()


def test_every_chart_is_there_with_text_alternatives_and_a_table_and_nothing_is_loaded() -> None:
    text = hospital_pages()
    page = read(text)
    check_charts(page)
    check_skeleton(page)
    check_policy(text)
    charts = [each.attributes["id"] for each in page.all("figure")]
    assert charts == ["activities", "durations", "active", "follows", "variants", "edges", "steps"]
    assert len(text.encode()) < LARGEST_PAGE / 4


def test_the_same_evaluation_gives_the_same_bytes() -> None:
    assert hospital_pages() == hospital_pages()


def test_the_numbers_are_those_of_the_logs() -> None:
    before, after = hospital_log(cases=100), hospital_log(cases=80, seed=3)
    page = read(text_of(before, after))
    rows = {row.one("th").text: [cell.text for cell in row.all("td")] for row in page.by_id("totals").all("tr")[1:]}
    assert rows["Cases"] == ["100", "80", "−20"]
    assert rows["Events"][:2] == [f"{before.n_events:,}", f"{after.n_events:,}"]
    edges = [[cell.text for cell in row.all("td")] for row in page.by_id("edges").one("table").all("tr")[1:]]
    assert sum(int(row[1].replace(",", "")) for row in edges) == before.n_events - before.n_cases
    # One dot a place at least, and no more dots than edges.
    assert 1 < len(page.by_id("edges").all("circle")) <= len(edges)


def test_an_edge_of_one_log_only_is_a_hollow_dot_on_an_axis() -> None:
    page = read(text_of(words_log(["ab", "cd"]), words_log(["ab", "xy"])))
    dots = [each.attributes["class"] for each in page.by_id("edges").all("circle")]
    assert sorted(dots) == ["point", "point-hollow", "point-hollow"]


def test_models_have_rows_where_they_were_measured_and_a_note_where_not() -> None:
    log = hospital_log(cases=20)
    assert "Fitness" not in text_of(log, log)
    found = amun_dp.evaluate(log, log).reveal()
    quality = ModelQuality(released=Fit(0.5, 0.875, 0.25), original=Fit(1.0, 1.0, 0.75))
    page = read(evaluation_page(Confidential(replace(found, model=quality, notes=("a note",)))).reveal())
    rows = {row.all("th")[0].text: row.text for row in page.by_id("measures").all("tr")}
    assert "0.875 (own model 1)" in rows["Fitness on the original"]
    assert "0.25 (own model 0.75)" in rows["Precision on the original"]
    assert "50 % (own model 100 %)" in rows["Events that it knows"]
    assert "A note." in page.one("main").text


def test_names_of_files_are_escaped_and_shortened() -> None:
    log = hospital_log(cases=20)
    page = text_of(log, log, original="<script>alert(1)</script>" + "x" * 500)
    assert "<script" not in page
    check_policy(page)


def test_logs_without_a_single_step_have_a_page() -> None:
    page = read(text_of(words_log(["a", "b"]), words_log(["a"])))
    check_skeleton(page)
    assert not page.by_id("steps").all("circle")


@pytest.mark.slow
def test_a_log_with_thousands_of_edges_has_a_page_of_limited_size_that_says_what_it_leaves_out() -> None:
    logs = [generate_log(LogShape(cases=3000, variants=2500, activities=300, mean_length=12, seed=s)) for s in (1, 2)]
    text = text_of(*logs)
    assert len(text.encode()) < LARGEST_PAGE
    page = read(text)
    dots = page.by_id("edges").all("circle")
    told = sum(1 + int(words[1]) if (words := re.search(r"; and ([\d,]+) more", dot.text)) else 1 for dot in dots)
    found = amun_dp.evaluate(*logs).reveal()
    assert len(dots) < 500 < told == found.steps.edges


def test_dots_that_are_too_many_are_counted_below_the_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MOST_DOTS", 2)
    page = read(text_of(words_log(["ab", "bc", "bc", "cd", "cd", "cd"]), words_log(["ab", "bc", "cd"])))
    assert len(page.by_id("edges").all("circle")) == 2
    assert "Not drawn: 1 more edge, the rarest." in page.by_id("edges").text


# --- in a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hospital", "hostile"])
def test_the_page_asks_for_nothing_and_is_never_wider_than_the_screen(
    chromium: Browser, tmp_path: Path, name: str
) -> None:
    text = hospital_pages() if name == "hospital" else text_of(hostile_log(), hospital_log(cases=40))
    page = tmp_path / f"{name}.html"
    page.write_text(text, encoding="utf-8")
    for dark in (False, True):
        visit = chromium.open(page, dark=dark)
        assert visit.requests == [page.as_uri()]
        assert visit.wrong == []
    for width in WIDTHS:
        assert chromium.open(page, width=width, evaluate=OVERFLOW).value <= 0, width
