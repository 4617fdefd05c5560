"""The internal page: unmissably confidential, and before beside after in every chart."""

from __future__ import annotations

from typing import Any, cast

import pytest

from accounting.confidential import Confidential
from amun_dp._base.units import DAY, MINUTE
from amun_dp.drawing.render import LARGEST_PAGE
from amun_dp.internals.page import internal_page
from amun_dp.synthetic import hospital_log
from tests.drawing.html import Element, read
from tests.logs import log_of
from tests.report.reports import compared, comparison_of
from tests.report.test_public_page import check_charts, check_policy, check_skeleton

METHODS: tuple[Any, ...] = ("filtering", "sampling", "oversampling")


def page_of(advantage: float = 0.2, method: Any = "filtering") -> Element:
    planned, release, _ = compared(hospital_log(), advantage, method)
    return read(internal_page(comparison_of(planned, release)).reveal())


def test_the_page_is_confidential_and_only_an_explicit_reveal_gives_its_text() -> None:
    planned, release, _ = compared(hospital_log())
    page = internal_page(comparison_of(planned, release))
    assert isinstance(page, Confidential)
    with pytest.raises(TypeError):
        str(page)


def test_figures_that_are_not_confidential_are_refused() -> None:
    _, _, found = compared(hospital_log())
    with pytest.raises(TypeError, match="stays confidential"):
        internal_page(cast(Any, found))


def test_the_banner_comes_first_and_is_repeated_in_the_title_and_on_every_printed_page() -> None:
    page = page_of()
    body = [each for each in page.one("body").children if isinstance(each, Element)]
    assert [each.attributes.get("class") for each in body[:2]] == ["skip", "banner"]
    assert "CONFIDENTIAL: computed from the original log" in body[1].text
    assert page.one("head").one("title").text.startswith("CONFIDENTIAL")
    assert "internal" in page.one("body").attributes["class"].split()
    assert '@top-center { content: "CONFIDENTIAL' in page.one("style").text


@pytest.mark.parametrize("method", METHODS)
def test_every_chart_is_there_with_text_alternatives_and_a_table(method: Any) -> None:
    page = page_of(method=method)
    check_charts(page)
    check_skeleton(page)
    charts = [each.attributes["id"] for each in page.all("figure")]
    assert charts[:4] == ["activities", "durations", "active", "follows"]
    assert charts[4:8] == ["losses", "guessing", "posterior", "variants"]


def test_the_policy_admits_the_one_style_by_its_hash_and_nothing_else() -> None:
    planned, release, _ = compared(hospital_log())
    text = internal_page(comparison_of(planned, release)).reveal()
    check_policy(text)
    assert len(text.encode()) < LARGEST_PAGE / 4


def test_the_same_comparison_gives_the_same_bytes() -> None:
    planned, release, _ = compared(hospital_log())
    one, other = (internal_page(comparison_of(planned, release)).reveal() for _ in range(2))
    assert one == other


def test_what_filtering_removed_is_a_chart_where_it_removed_something_and_a_sentence_where_not() -> None:
    # Ten equal durations leave no room for an advantage of 0.3: the prior of each is 1 but for the last two.
    cases = [[("a", 10 * DAY * number), ("b", 10 * DAY * number + 60 * MINUTE)] for number in range(18)]
    cases += [[("a", 400 * DAY), ("b", 400 * DAY + 600 * MINUTE)], [("z", 500 * DAY)], [("z", 600 * DAY)]]
    planned, release, found = compared(log_of(cases), 0.3)
    assert found.removed is not None
    assert found.removed.cases == 18
    page = read(internal_page(comparison_of(planned, release)).reveal())
    assert "18 cases" in page.by_id("removed").text
    none = read(internal_page(comparison_of(*compared(log_of(cases), 0.3, "sampling")[:2])).reveal())
    assert not [each for each in none.all("figure") if each.attributes["id"] == "removed"]
    assert "filters no case" in none.by_id("loss").text


def test_the_numbers_before_are_those_of_the_original_log() -> None:
    log = hospital_log()
    rows = {row.one("th").text: row.all("td")[0].text for row in page_of().by_id("totals").all("tr")[1:]}
    assert rows["Cases"] == f"{log.n_cases:,}"
    assert rows["Events"] == f"{log.n_events:,}"
