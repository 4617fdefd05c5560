"""The public page: its order, its text alternatives, its policy, and that the same input gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from accounting.claims import CLAIMS
from accounting.confidential import Confidential
from accounting.events import (
    DataDependentSelection,
    LaplaceCount,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
)
from amun_dp.drawing.render import LARGEST_PAGE
from amun_dp.eventlog.figures import figures_of
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.report.page import public_page
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log
from tests.drawing.html import Element, read
from tests.report.reports import hospital_release, report_of

METHODS: tuple[Any, ...] = ("filtering", "sampling", "oversampling")


def page_of(method: Any = "filtering") -> Element:
    release = hospital_release(method)
    return read(public_page(release.report, release.event_log))


def check_charts(page: Element) -> None:
    """Every chart has a name, a description, a sentence that says how to read it, and a table with figures."""
    figures = page.all("figure")
    for figure in figures:
        svg = figure.one("svg")
        assert svg.attributes["role"] == "img"
        named = [figure.by_id(identifier) for identifier in svg.attributes["aria-labelledby"].split()]
        assert [each.tag for each in named] == ["title", "desc"]
        assert all(each.text.strip() for each in named)
        assert figure.one("p", "reading").text.strip().endswith(".")
        details = figure.one("details")
        assert details.one("summary").text.startswith("Table")
        assert details.all("table")[0].one("caption").text
        assert len(details.all("tr")) > 1
        assert all(header.attributes.get("scope") in ("row", "col") for header in details.all("th"))
    assert len({figure.attributes["id"] for figure in figures}) == len(figures)


def test_the_sections_come_in_the_order_in_which_a_reader_needs_them() -> None:
    sections = [each.attributes["id"] for each in page_of().all("section")]
    assert sections == ["label", "claims", "unprotected", "made", "charts", "reproduce", "proofs"]


@pytest.mark.parametrize("method", METHODS)
def test_every_chart_has_text_alternatives_a_table_and_a_sentence_on_how_to_read_it(method: Any) -> None:
    page = page_of(method)
    check_charts(page)
    assert [each.attributes["id"] for each in page.all("figure")] == [
        "advantage",
        "activities",
        "durations",
        "active",
        "follows",
    ]


def check_skeleton(page: Element) -> None:
    assert page.one("html").attributes["lang"] == "en"
    assert len(page.all("h1")) == 1
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    assert page.all("a")[0].attributes["href"] == "#content"
    identifiers = [each.attributes["id"] for each in page.all() if "id" in each.attributes]
    assert len(set(identifiers)) == len(identifiers)
    for link in page.all("a"):
        assert link.attributes["href"].removeprefix("#") in identifiers, link.attributes["href"]
    for table in page.all("table"):
        assert table.one("caption").text
        assert all("scope" in header.attributes for header in table.all("th"))
    levels = [int(each.tag[1]) for each in page.all() if re.fullmatch("h[1-6]", each.tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("method", METHODS)
def test_the_page_has_one_heading_landmarks_a_skip_link_captions_and_no_dead_link(method: Any) -> None:
    check_skeleton(page_of(method))


def check_policy(text: str) -> None:
    page = read(text)
    (policy,) = [each for each in page.all("meta") if each.attributes.get("http-equiv") == "Content-Security-Policy"]
    style = page.one("style").text
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy.attributes["content"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == f"'sha256-{digest}'"
    assert not page.all("script")
    for element in page.all():
        assert "style" not in element.attributes
        assert not any(name.startswith("on") for name in element.attributes)
        for name in ("src", "href", "action", "xlink:href"):
            assert element.attributes.get(name, "#").startswith(("#", "data:,"))
    assert "@import" not in style
    assert "url(" not in style


def test_the_policy_admits_the_one_style_by_its_hash_and_nothing_else() -> None:
    release = hospital_release()
    check_policy(public_page(release.report, release.event_log))


def test_every_claim_of_the_report_links_to_an_entry_with_its_verdict_and_a_way_to_check_it() -> None:
    release = hospital_release("sampling")
    page = page_of("sampling")
    for name in {line.claim for line in release.report.guarantees}:
        entry = page.by_id(f"proof-{name}")
        assert CLAIMS[name].verdict.value in entry.text
        assert f"amun-dp prove --only {name}" in entry.text or "By argument only" in entry.text
        assert any(link.attributes["href"] == f"#proof-{name}" for link in page.by_id("claims").all("a"))


def test_no_claim_is_left_out_of_the_table_though_equal_ones_share_a_row() -> None:
    for method in METHODS:
        report = hospital_release(method).report
        rows = [row.text for row in page_of(method).by_id("claims").all("tr")]
        for line in report.guarantees:
            statement = "The whole release" if line.claim == "whole-release" else line.statement.rstrip(".")
            relation = "replaced" if line.relation.value == "replace" else "added or removed"
            epsilon = "withheld" if line.withheld else str(line.epsilon)
            wanted = (statement, relation, epsilon, line.verdict.value)
            assert any(all(part in row for part in wanted) for row in rows), wanted


def test_everything_that_is_not_protected_is_on_the_page() -> None:
    report = hospital_release().report
    listed = page_of().by_id("unprotected").text
    for sentence in report.unprotected:
        assert sentence.rpartition(": ")[2][1:] in listed


def test_the_hashes_of_the_released_files_are_on_the_page_but_not_its_own() -> None:
    release = hospital_release()
    files = {"log.xes.gz": "ab" * 32, "report.html": "cd" * 32}
    page = public_page(replace(release.report, files=files), release.event_log)
    assert "ab" * 32 in page
    assert "cd" * 32 not in page


@pytest.mark.slow
def test_the_same_report_and_log_give_the_same_bytes_also_in_another_process(tmp_path: Path) -> None:
    release = hospital_release()
    release.save(tmp_path / "out")
    written = (tmp_path / "out" / "report.html").read_bytes()
    again = (
        "import amun_dp.release.load as l, sys; from amun_dp.report.page import public_page\n"
        "found = l.load_release(sys.argv[1])\n"
        "sys.stdout.buffer.write(public_page(found.report, found.event_log).encode())"
    )
    command = [sys.executable, "-c", again, str(tmp_path / "out")]
    other = subprocess.run(command, check=True, capture_output=True, env={"PYTHONHASHSEED": "17"})
    assert other.stdout == written


def test_the_page_of_an_ordinary_release_is_far_below_the_limit() -> None:
    release = hospital_release()
    assert len(public_page(release.report, release.event_log).encode()) < LARGEST_PAGE / 5


def test_the_original_log_is_refused_at_run_time_too() -> None:
    release, log = hospital_release(), hospital_log()
    confidential: Any = Confidential(figures_of(log))
    for wrong in (log, cast(Any, log.to_pandas()), confidential):
        with pytest.raises(TypeError, match="nothing else"):
            public_page(release.report, cast(PublicLog, wrong))
    with pytest.raises(TypeError, match="nothing else"):
        public_page(cast(PublicReport, release.internals), release.event_log)
    assert isinstance(log, EventLog)


def test_a_figure_of_the_page_is_a_figure_of_the_released_log() -> None:
    release = hospital_release()
    figures = figures_of(release.event_log)
    activities = page_of().by_id("activities").one("table").all("tr")[1:]
    shown = {row.one("th").text: int(row.all("td")[0].text.replace(",", "")) for row in activities}
    assert shown == dict(zip(figures.activities, figures.activity_events.tolist(), strict=True))


def test_a_release_with_a_bound_has_its_point_on_the_curve_and_one_without_a_hollow_one() -> None:
    def points(report: PublicReport) -> list[str]:
        chart = read(public_page(report, hospital_release().event_log)).by_id("advantage")
        return [each.attributes["class"] for each in chart.all("circle")]

    assert points(hospital_release().report) == ["point-hollow"]
    for mechanism in (LaplaceCount(10.0, 1, 3), ThresholdedHistogram(2.0, 30)):
        assert points(report_of(mechanism)) == ["point"]  # of a case; nothing is declared about individuals
        assert points(report_of(SharedByIndividual(mechanism, 2))) == ["point", "point"]
    assert points(hospital_release("sampling", seed=3).report) == ["point-hollow"]


def test_recorded_steps_are_shown_in_words_and_withheld_ones_say_so() -> None:
    made = page_of().by_id("made").text
    assert "The log decides which cases are kept" in made
    assert "cells per case withheld" in made
    deep = Sequential((DataDependentSelection("variants", made_by=ThresholdedHistogram(2.0, 30)),))
    steps = read(public_page(report_of(deep), hospital_release().event_log)).by_id("made").text
    assert "Noisy counts, released only where they reach a threshold" in steps
    assert "threshold 30" in steps


def test_the_page_holds_nothing_of_the_report_that_the_report_for_machines_lacks() -> None:
    report = hospital_release().report
    page, machine = page_of().text, json.dumps(report.as_dict(), ensure_ascii=False)
    for cell in page_of().by_id("claims").all("td"):
        for digits in re.findall(r"\d\.\d{4,}", cell.text):
            assert digits in machine
    assert report.release_id in page
