"""Pages of certified releases: the same promises as for any other, the public facts in words, no chart of what is not
there."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import amun_dp
from amun_dp.drawing.render import LARGEST_PAGE
from amun_dp.internals.page import internal_page
from amun_dp.release.made import Release
from amun_dp.report.page import public_page
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.report.publisher_choices import choices
from amun_dp.synthetic import hospital_log
from tests.certified.frequent import GIVEN, certified, frequent_log, people_log
from tests.drawing.html import read
from tests.report.test_public_page import check_charts, check_policy, check_skeleton

FORMS: tuple[Any, ...] = ("threshold", "public", "generated")


@cache
def released(form: Any) -> Release:
    return amun_dp.anonymize(
        hospital_log(cases=2_000), 0.2, "certified", variants=form, variants_from_log=form == "public"
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_public_page_has_all_its_sections_charts_and_its_policy(form: Any) -> None:
    release = released(form)
    text = public_page(release.report, release.event_log)
    check_policy(text)
    assert len(text.encode()) < LARGEST_PAGE / 2
    page = read(text)
    check_charts(page)
    check_skeleton(page)
    sections = [each.attributes["id"] for each in page.all("section")]
    assert sections == ["label", "claims", "unprotected", "made", "charts", "reproduce", "proofs"]
    promised = "(P + 20 points) + δ" if form == "threshold" else "20 points higher than before"
    assert promised in page.by_id("label").text
    for sentence in release.report.unprotected:
        assert sentence.split(": ")[-1][1:] in page.by_id("unprotected").text  # but for the capital letter


@pytest.mark.parametrize("form", FORMS)
def test_the_internal_page_has_no_charts_of_single_events_and_no_link_to_them(form: Any) -> None:
    text = internal_page(released(form).comparison).reveal()
    check_policy(text)
    page = read(text)
    check_charts(page)
    check_skeleton(page)
    charts = [each.attributes["id"] for each in page.all("figure")]
    assert charts == ["activities", "durations", "active", "follows", "variants"]
    assert not [each for each in page.all("section") if each.attributes["id"] == "privacy"]
    assert "#privacy" not in text
    assert "none of them is an original case" in page.by_id("loss").text
    assert (" and 0 new ones" in page.by_id("variants").text) == (form != "generated")


def shown(report: PublicReport) -> dict[str, tuple[str, str]]:
    found = choices(report)
    assert len({choice.name for choice in found}) == len(found)
    assert all(choice.value and choice.means for choice in found)
    return {choice.name: (choice.value, choice.means) for choice in found}


@pytest.mark.parametrize("form", FORMS)
def test_what_was_chosen_is_on_the_page_in_words_with_its_source(form: Any) -> None:
    log = frequent_log()
    own = shown(certified(log, 0.2, form).report)
    given = shown(amun_dp.anonymize(log, 0.2, "certified", variants=form, public=GIVEN).report)
    assert own["Method"][0] == "certified"
    assert "outside this package" not in own["Method"][1]
    assert own["Unit"][0] == "case"
    assert own["Control flow"][0] == form
    assert ("δ" in own) == (form == "threshold")
    assert own["Time frame"] == ("2020-01-01 to 2020-12-31", "every event lies in it; read off the log")
    assert own["Cases"] == ("2,000", "taken as public; read off the log")
    assert given["Time frame"][1].endswith("given from outside the log")
    assert given["Cases"][1].endswith("given from outside the log")
    assert ("Activities" in own) == (form == "generated")
    assert ("Variants" in own) == (form == "public")
    for name in {"Activities", "Variants"} & own.keys():
        assert own[name] == ("4", own[name][1])
        assert own[name][1].endswith("read off the log")
        assert given[name][1].endswith("given from outside the log")
    for article in ("Conventions", "Prior", "Compression", "Events of a case"):
        assert article not in own


def test_a_number_of_cases_that_was_measured_is_not_called_public() -> None:
    options: dict[str, Any] = {"variants": "generated", "scope": "individual", "max_cases_per_individual": 3}
    found = shown(amun_dp.anonymize(people_log(), 0.2, "certified", **options).report)
    assert found["Cases"] == ("measured with noise", "their number is not taken as public")
    assert found["Unit"][0] == "individual"
    assert found["Cases of an individual"][0] == "at most 3"


def test_a_threshold_for_individuals_does_not_claim_to_have_measured_the_number_of_cases() -> None:
    """It does without: neither public nor measured."""
    options: dict[str, Any] = {"variants": "threshold", "scope": "individual", "max_cases_per_individual": 3}
    release = amun_dp.anonymize(people_log(), 0.5, "certified", **options)
    assert "measured" not in shown(release.report)["Cases"][0]


def test_times_that_no_calendar_has_are_shown_in_milliseconds() -> None:
    report = released("generated").report
    assert isinstance(report.parameters, CertifiedParameters)
    far = replace(report, parameters=replace(report.parameters, first_ms=-(1 << 52), last_ms=1 << 52))
    assert shown(far)["Time frame"][0] == f"{-(1 << 52)} ms to {1 << 52} ms"
