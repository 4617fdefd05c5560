"""What a certified release is asked for: plans that draw nothing, and requests that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import amun_dp
from accounting.confidential import Confidential
from amun_dp._base.units import DAY
from amun_dp.certified import GivenFacts
from amun_dp.errors import ParameterError
from tests.certified.cases import BEGIN
from tests.certified.frequent import FORMS, GIVEN, UNIQUE, certified, frequent_log, people_log, whole
from tests.logs import log_of

# --- planning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_draws_nothing_and_shows_nothing_by_accident(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*_arguments: object) -> None:
        raise AssertionError("noise was drawn")

    for name in ("SystemNoise", "SeededNoise"):
        monkeypatch.setattr(f"amun_dp.noise.sources.{name}.__init__", drawn)
    plan = amun_dp.plan(frequent_log(), 0.2, "certified", variants=form)
    assert repr(plan) == str(plan) == f"<Plan: advantage 0.2, method certified, variants {form}>"
    assert isinstance(plan.summary, Confidential)
    with pytest.raises(TypeError):
        str(plan.summary)
    summary = plan.summary.reveal()
    assert (summary.cases, summary.variants, summary.form, summary.scope) == (2_000, 4, form, "case")
    assert summary.epsilon == pytest.approx(0.81093, rel=1e-4)
    assert sum(part.epsilon for part in summary.parts) == pytest.approx(summary.epsilon)
    assert (summary.threshold is None) == (form != "threshold") == (summary.delta == 0)
    assert 0.9 < summary.expected_kept <= 1


def test_a_plan_says_beforehand_that_a_threshold_would_keep_nothing_and_what_an_individual_costs() -> None:
    assert amun_dp.plan(log_of(UNIQUE), 0.2, "certified").summary.reveal().expected_kept < 0.01
    one = amun_dp.plan(people_log(), 0.2, "certified", variants="generated").summary.reveal()
    person = amun_dp.plan(
        people_log(), 0.2, "certified", variants="generated", scope="individual", max_cases_per_individual=3
    ).summary.reveal()
    assert (one.individual_factor, person.individual_factor) == (1, 3)
    assert one.epsilon == pytest.approx(person.epsilon)  # for the unit; each case of it has a third
    assert sum(part.epsilon for part in person.parts) == pytest.approx(one.epsilon / 3)
    assert {part.of for part in person.parts} - {part.of for part in one.parts} == {"number of cases"}


def test_the_cost_of_a_plan_is_what_the_release_comes_to() -> None:
    for form in FORMS:
        plan = amun_dp.plan(frequent_log(), 0.2, "certified", variants=form, releases=2)
        release = certified(frequent_log(), 0.2, form, releases=2)
        spent = whole(release).epsilon.value
        stated = plan.cost.case.replace.epsilon.value
        assert spent is not None
        assert stated is not None
        assert float(spent) == pytest.approx(2 * float(stated), rel=1e-5)  # what is published is rounded up


# --- what is refused ------------------------------------------------------------------------------------------------

FOREIGN_TO_CERTIFIED: list[dict[str, Any]] = [
    {"conventions": "article"},
    {"max_individual_loss": 3.0},
    {"max_case_length": 20},
    {"scope": "event"},
    {"scope": "individual"},
    {"max_cases_per_individual": 0},
    {"max_cases_per_individual": 10**7},
    {"scope": "individual", "one_case_per_individual": True},
    {"scope": "individual", "max_cases_per_individual": 1, "one_case_per_individual": True},
    {"max_cases_per_individual": 3, "one_case_per_individual": True},
    {"variants": "magic"},
    {"variants": "generated", "dp_delta": 1e-6},
    {"variants": "public", "dp_delta": 1e-6},
    {"dp_delta": 0.0},
    {"dp_delta": 0.5},
    {"dp_delta": float("nan")},
    {"releases": 0},
    {"releases": 10**30},
    {"public": "no-such-file.json"},
    {"public": "facts.txt"},
]
FOREIGN_TO_THE_ARTICLE: list[dict[str, Any]] = [
    {"public": GIVEN},
    {"public": "facts.json"},
    {"dp_delta": 1e-6},
    {"variants": "threshold"},
    {"variants": "generated"},
    {"scope": "individual"},
]


@pytest.mark.parametrize("options", FOREIGN_TO_CERTIFIED, ids=str)
def test_what_the_certified_method_does_not_have_is_refused(options: dict[str, Any]) -> None:
    for call in (amun_dp.plan, amun_dp.anonymize):
        with pytest.raises(ParameterError) as refusal:
            call(frequent_log(50), 0.2, "certified", **options)
        assert refusal.value.exit_code == 2
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
@pytest.mark.parametrize("options", FOREIGN_TO_THE_ARTICLE, ids="-".join)
def test_what_only_the_certified_method_has_is_refused_elsewhere(method: Any, options: dict[str, Any]) -> None:
    for call in (amun_dp.plan, amun_dp.anonymize):
        with pytest.raises(ParameterError):
            call(frequent_log(50), 0.2, method, **options)


def test_two_answers_to_one_question_are_refused() -> None:
    """To declare the variants public and to ask for others is no choice; neither may win in silence."""
    for form in ("threshold", "generated"):
        with pytest.raises(ParameterError):
            amun_dp.plan(frequent_log(50), 0.2, "certified", public_variants=True, variants=form)


def test_individuals_are_protected_only_where_they_are_known() -> None:
    with pytest.raises(ParameterError, match="`individual`"):
        amun_dp.plan(frequent_log(50), 0.2, "certified", scope="individual", max_cases_per_individual=3)


@pytest.mark.parametrize("advantage", [0, 1, -0.2, float("nan"), True, "0.2"])
def test_an_advantage_outside_its_domain_is_refused(advantage: Any) -> None:
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), advantage, "certified")


@pytest.mark.parametrize("label", ["", "\ud800", "\x00"], ids=["empty", "half a character", "null"])
def test_labels_that_a_released_log_could_not_hold_are_refused_before_noise_is_drawn(label: str) -> None:
    """Otherwise the budget is spent and the release cannot be written, or not be read."""
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), 0.2, "certified", public=GivenFacts(activities=(label, "b")))


def test_a_time_frame_that_no_released_log_could_hold_is_refused_before_noise_is_drawn() -> None:
    with pytest.raises(ParameterError):
        amun_dp.plan(frequent_log(50), 0.2, "certified", public=GivenFacts(first=BEGIN, last=9_000 * 366 * DAY))
