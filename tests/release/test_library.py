"""The library as a Python user meets it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import amun_dp
import amun_dp.article.methods
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.synthetic import hospital_log
from tests.article import worked_example
from tests.logs import log_of, worked_example_log


def test_the_input_is_not_changed() -> None:
    frame = worked_example.dataframe()
    before = frame.copy(deep=True)
    amun_dp.anonymize(frame, 0.3, allow_too_small=True)
    pd.testing.assert_frame_equal(frame, before)


def test_pm4py_takes_the_released_log_as_it_is() -> None:
    import pm4py

    release = amun_dp.anonymize(hospital_log(), 0.2)
    edges, starts, _ = pm4py.discover_dfg(release.log)
    assert sum(edges.values()) == release.report.released.events - release.report.released.cases
    assert sum(starts.values()) == release.report.released.cases


def test_the_plan_lists_its_events_only_when_asked_to_reveal_them() -> None:
    plan = amun_dp.plan(worked_example.dataframe(), advantage=0.2, method="filtering", conventions="corrected")
    with pytest.raises(TypeError):
        str(plan.events)
    columns = ["case", "activity", "source", "target", "relative_time", "prior", "epsilon", "kept"]
    assert list(plan.events.reveal().columns) == columns


def test_a_seed_repeats_the_release_and_the_report_says_that_it_is_not_private() -> None:
    first, second = (amun_dp.anonymize(hospital_log(), 0.3, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.log, second.log)
    assert first.report.release_id == second.report.release_id
    assert first.report.unpredictable is False
    assert "predictable-noise" in [guarantee.claim for guarantee in first.report.guarantees]


def test_without_a_seed_two_releases_differ_and_are_private() -> None:
    first, second = (amun_dp.anonymize(hospital_log(), 0.3) for _ in range(2))
    assert first.report.unpredictable
    assert not first.log.equals(second.log)
    assert first.report.release_id != second.report.release_id


@pytest.mark.parametrize("advantage", [0, 1, -0.2, 1.7, float("nan"), float("inf"), 1e-17, 1e-320])
def test_an_advantage_outside_its_domain_is_refused(advantage: float) -> None:
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        amun_dp.plan(worked_example_log(), advantage)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "Unknown method 'magic'.*filtering, sampling, oversampling"),
        ({"conventions": "mine"}, "Unknown conventions"),
        ({"releases": 0}, "releases must be at least 1"),
        ({"releases": 10**30}, "nothing but noise"),
        ({"releases": 1.5}, "whole number"),
        ({"max_case_length": "9"}, "whole number"),
        ({"max_individual_loss": "a lot"}, "is a number"),
        ({"max_cases_per_individual": 10**23}, "nothing but noise"),
        ({"max_cases_per_individual": 0}, "at least 1"),
    ],
)
def test_wrong_parameters_are_refused_with_a_way_out(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        amun_dp.plan(worked_example_log(), 0.3, **arguments)


def test_filtering_everything_is_refused_with_a_way_out() -> None:
    log = log_of([[("a", 0)], [("a", 1_000)]])
    with pytest.raises(ReleaseError, match=r"Every case would be filtered.*method='sampling'"):
        amun_dp.anonymize(log, 0.3, "filtering")
