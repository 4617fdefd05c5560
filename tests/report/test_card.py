"""The label card: the good sentence only where it is proved, and as plain a one where it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import amun_dp
from accounting.accountant import strictest
from accounting.events import (
    LaplaceCount,
    NonPrivate,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
)
from accounting.guarantee import Relation, Scope
from amun_dp.drawing.numbers import points
from amun_dp.report.card import card_of
from amun_dp.report.fragments import label_card
from amun_dp.report.page import public_page
from amun_dp.report.parameters import ArticleParameters
from amun_dp.synthetic import hospital_log
from tests.drawing.html import read
from tests.report.reports import hospital_release, report_of

SENTENCE = "After this release nobody can guess anything about one case"


def words_of(tree: PrivacyEvent) -> str:
    return read(label_card(report_of(tree).card)).text


def test_a_proved_bound_is_stated_in_points_with_every_assumption() -> None:
    report = report_of(LaplaceCount(10.0, 1, 3))
    line = strictest(report.guarantees, Scope.CASE, Relation.REPLACE)
    assert line.advantage is not None
    card = card_of(report)
    assert card.tone == "good"
    # tanh(0.6/4) = 0.14888…, a tenth of a point up.
    assert card.sentence == f"{SENTENCE} with a success probability more than 14.9 points higher than before"
    words = read(label_card(report.card)).text
    for assumption in line.assumptions:
        assert assumption.explanation in words


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
def test_the_article_s_methods_get_a_plain_no(method: Any) -> None:
    report = hospital_release(method).report
    card = card_of(report)
    assert card.tone == "none"
    words = read(label_card(report.card)).text
    assert SENTENCE not in words
    assert "does not guarantee anything about one whole case" in words
    assert "gains more than 20 points. This claim is refuted." in words
    assert "unbounded" in words


def test_what_does_hold_is_said_beside_what_does_not() -> None:
    held = dict(card_of(hospital_release("sampling").report).remarks)["What does hold"]
    assert "One cell of the noisy transition table" in held
    assert "ε = 0.810931" in held
    filtered = dict(card_of(hospital_release("filtering").report).remarks)["What does hold"]
    assert filtered == "No bound of any part is proved for this release."


def test_a_threshold_s_delta_is_in_the_sentence() -> None:
    card = card_of(report_of(ThresholdedHistogram(2.0, 30)))
    assert card.tone == "good"
    # tanh(1/4) = 0.24491…; q²⁹/(1+q) = 3.139…e-7 for q = exp(-1/2): both rounded up.
    assert "(1-δ)·(P + 24.5 points) + δ, where P is their chance before it and δ = 3.14e-07" in card.sentence
    assert card_of(report_of(ThresholdedHistogram(2.0, 3))).tone == "partial"


@pytest.mark.parametrize("tree", [LaplaceCount(10.0, 1, 3), SharedByIndividual(LaplaceCount(10.0, 1, 3), None)])
def test_an_individual_without_a_declared_bound_is_named_as_not_guaranteed(tree: PrivacyEvent) -> None:
    card = card_of(report_of(tree))
    assert card.sentence.startswith(SENTENCE)
    why = dict(card.remarks)["Not guaranteed: one individual with all their cases"]
    assert "somebody may have any number" in why
    assert "One individual with all their cases" not in dict(card.remarks)
    assert [line.epsilon for line in card.lines if "individual" in line.unit] == ["unbounded"]


@pytest.mark.parametrize(("cases", "words"), [(1, "more than one case"), (4, "more than 4 cases")])
def test_what_the_publisher_declares_about_individuals_stands_on_the_label(cases: int, words: str) -> None:
    log = hospital_log(cases=300)
    certified = amun_dp.anonymize(log, 0.1, "certified", variants="generated", max_cases_per_individual=cases)
    for release in (certified, amun_dp.anonymize(log, 0.2, "sampling", max_cases_per_individual=cases)):
        assert dict(card_of(release.report).remarks)["Declared"] == f"The publisher declares that nobody has {words}."
    assert words in public_page(certified.report, certified.event_log)
    undeclared = amun_dp.anonymize(log, 0.1, "certified", variants="generated").report
    assert "Declared" not in dict(card_of(undeclared).remarks)


def test_a_second_bound_that_rules_nothing_out_says_so() -> None:
    remarks = dict(card_of(report_of(SharedByIndividual(LaplaceCount(10.0, 1, 3), 100))).remarks)
    assert "rules nothing out" in remarks["One individual with all their cases"]


def test_an_individual_s_bound_comes_with_what_it_assumes_beyond_a_case_s() -> None:
    remarks = dict(card_of(report_of(SharedByIndividual(LaplaceCount(20.0, 1, 3), 2))).remarks)
    said = remarks["One individual with all their cases"]
    assert "14.9 points" in said
    assert "no individual counts with more cases than were declared" in said
    assert "the number was not taken from the log" in said


def test_a_bound_that_rules_nothing_out_is_not_sold_as_a_guarantee() -> None:
    card = card_of(report_of(LaplaceCount(0.1, 1, 30)))
    assert card.tone == "none"
    assert SENTENCE not in card.sentence
    assert "protects nobody" in card.heading


def test_a_seeded_release_says_loudly_that_it_must_not_be_published() -> None:
    release = hospital_release("sampling", seed=3)
    card = card_of(release.report)
    assert (card.tone, card.heading) == ("void", "Not private: do not publish")
    page = public_page(release.report, release.event_log)
    assert read(page).one("div", "banner").text.startswith("NOT PRIVATE")


def test_predictable_noise_takes_the_guarantee_away_whatever_the_report_says_of_itself() -> None:
    tree = Sequential((LaplaceCount(10.0, 1, 3), NonPrivate("a seed")))
    assert card_of(report_of(tree)).tone == "none"


def test_the_card_alone_has_the_words_of_the_card_on_the_page() -> None:
    release = hospital_release("sampling")
    fragment = read(label_card(release.report.card))
    on_page = read(public_page(release.report, release.event_log)).by_id("label")
    fragment.all("style")[0].children.clear()
    assert fragment.text.split() == on_page.text.split()
    for element in fragment.all():
        for name in element.attributes.get("class", "").split():
            assert name.startswith("amun") or name in ("proved", "proved-under-assumptions", "refuted", "not-proved")
        assert element.tag not in ("script", "link", "h1", "h2")


@pytest.mark.parametrize(("advantage", "shown"), [(0.2, "20"), (0.148886, "14.9"), (0.3001, "30.1"), (1.0, "100")])
def test_points_are_rounded_up_but_not_beyond_what_is_meant(advantage: float, shown: str) -> None:
    assert points(advantage) == shown


def test_a_log_s_own_variants_declared_public_take_the_green_from_any_method_s_label() -> None:
    report = report_of(LaplaceCount(10.0, 1, 3))
    assert isinstance(report.parameters, ArticleParameters)
    assert card_of(report).tone == "good"
    declared = card_of(replace(report, parameters=replace(report.parameters, public_variants=True)))
    assert declared.tone == "partial"
    assert "a variant that one case alone has is disclosed by that choice" in dict(declared.remarks)["Not covered"]
