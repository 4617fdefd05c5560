"""docs/promise.md says of every claim, assumption and figure what the accountant says."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amun_dp
from accounting.accountant import strictest
from accounting.claims import CLAIMS
from accounting.guarantee import Guarantee, Relation, Scope, Verdict
from amun_dp.synthetic import hospital_log

PAGE = (Path(__file__).parent.parent.parent / "docs" / "promise.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table whose head begins with this word, its head first."""
    lines = PAGE.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    end = next(number for number in range(start, len(lines)) if not lines[number].startswith("|"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]
    return [rows[0], *rows[2:]]


def test_every_claim_has_the_verdict_that_the_page_states() -> None:
    stated = {re.sub(r"\[(.+)\]\(claims\.md#\1\)", r"\1", row[0]): row[1] for row in table("claim")[1:]}
    assert len(stated) > 30
    recorded = {name: claim.verdict.value for name, claim in CLAIMS.items()}
    assert stated == {name: recorded.get(name) for name in stated}


def test_every_claim_that_is_named_stands_in_the_table_under_its_name() -> None:
    listed = {row[0] for row in table("claim")[1:]}
    named = {f"[{words}](claims.md#{name})" for words, name in re.findall(r"\[([^]]+)\]\(claims\.md#([^)]+)\)", PAGE)}
    assert named == listed


def bound(unit: Scope, apiece: int = 2, **choices: Any) -> Guarantee:
    log = hospital_log(cases=2_000)
    log = replace(log, individual=np.arange(log.n_cases) // apiece)
    release = amun_dp.anonymize(log, 0.3, "certified", **choices)
    return strictest(release.report.guarantees, unit, Relation.REPLACE)


@pytest.fixture(scope="module")
def bounds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Guarantee]:
    log = hospital_log(cases=2_000)
    facts = tmp_path_factory.mktemp("facts") / "facts.json"
    given = {"activities": log.activities, "first": "2024-01-01T00:00:00Z", "last": "2025-01-01T00:00:00Z"}
    facts.write_text(json.dumps({**given, "longest_days": 60, "cases": 2_000}), encoding="utf-8")
    return {
        **{
            f"`{form}`": bound(Scope.CASE, variants=form, variants_from_log=form == "public")
            for form in ("threshold", "public", "generated")
        },
        "facts given": bound(Scope.CASE, variants="generated", public=facts),
        "individual": bound(Scope.INDIVIDUAL, variants="generated", scope="individual", max_cases_per_individual=2),
        "one case each": bound(Scope.INDIVIDUAL, apiece=1, variants="generated", one_case_per_individual=True),
    }


def test_nothing_is_promised_about_a_person_of_whom_nothing_is_declared() -> None:
    assert "**nothing is promised about a person**" in PAGE
    for form in ("threshold", "public", "generated"):
        own = form == "public"
        assert not bound(Scope.INDIVIDUAL, variants=form, variants_from_log=own).epsilon.bounded


def test_the_promise_is_proved_under_the_assumptions_that_the_page_lists(bounds: dict[str, Guarantee]) -> None:
    head, *rows = table("assumption")
    assert head[1:] == list(bounds)
    for place, found in enumerate(bounds.values(), start=1):
        assert {row[place] for row in rows} <= {"yes", "no"}
        assert {row[0] for row in rows if row[place] == "yes"} == {each.value for each in found.assumptions}
        assert found.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
        assert found.advantage == pytest.approx(0.3, abs=1e-6)
        assert float(str(found.epsilon)) == pytest.approx(4 * math.atanh(0.3), abs=1e-4)


def test_only_the_threshold_has_a_delta_and_it_is_the_stated_one(bounds: dict[str, Guarantee]) -> None:
    assert {name for name, found in bounds.items() if found.delta} == {"`threshold`"}
    assert 0 < bounds["`threshold`"].delta <= 1 / (1_000 * 2_000) * (1 + 1e-5)
    nobody_said_how_many = bound(Scope.INDIVIDUAL, variants="threshold", scope="individual", max_cases_per_individual=2)
    assert 0 < nobody_said_how_many.delta <= 1e-9 * (1 + 1e-5)
    assert "10⁻⁹" in PAGE


def test_the_figures_of_the_advantages_are_what_bayes_makes_of_them() -> None:
    for row in table("advantage")[1:]:
        advantage = float(row[0])
        odds = ((1 + advantage) / (1 - advantage)) ** 2
        guess = 0.01 / 0.99 * odds
        assert row[1] == f"{math.log(odds):.3f}"
        assert row[2] == f"{odds:.2f} times"
        assert row[3] == f"{guess / (1 + guess):.1%}".replace("%", " %")
        assert row[4] == f"{50 * (1 - advantage):.0f} % becomes {50 * (1 + advantage):.0f} %"
        worst = (1 - advantage) / (1 + advantage) * odds  # the odds after, at the worst prior
        assert worst / (1 + worst) == pytest.approx((1 + advantage) / 2)


def test_no_method_of_the_article_has_a_bound_for_a_case_as_the_page_says() -> None:
    log = hospital_log(cases=200)
    for method in ("filtering", "sampling", "oversampling"):
        report = amun_dp.anonymize(log, 0.3, method).report
        found = strictest(report.guarantees, Scope.CASE, Relation.REPLACE)
        assert not found.epsilon.bounded
        cells = {each.verdict for each in report.guarantees if each.claim in ("count-cell", "one-sided-count")}
        proved = {Verdict.PROVED_UNDER_ASSUMPTIONS} if method == "sampling" else {Verdict.REFUTED}
        assert cells == proved
