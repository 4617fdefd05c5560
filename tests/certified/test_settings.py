"""What is refused before anything is drawn, because it could only end in a full memory."""

from __future__ import annotations

import pytest

import amun_dp
from amun_dp.certified.settings import MOST_ACTIVITIES
from amun_dp.errors import ReleaseError
from amun_dp.eventlog import EventLog
from tests.logs import log_of


def log_with(activities: int) -> EventLog:
    return log_of([[(f"a{number:05}", number * 1_000) for number in range(activities)]] * 3)


def test_more_activities_than_a_table_of_all_pairs_can_have_are_refused_with_a_way_out() -> None:
    with pytest.raises(ReleaseError, match=r"4,001 activities.*--variants threshold or public"):
        amun_dp.plan(log_with(MOST_ACTIVITIES + 1), 0.3, "certified", variants="generated")


@pytest.mark.parametrize("variants", ["threshold", "public"])
def test_forms_without_such_a_table_have_no_such_limit(variants: str) -> None:
    amun_dp.plan(log_with(MOST_ACTIVITIES + 1), 0.3, "certified", variants=variants)


def test_as_many_as_fit_are_planned() -> None:
    amun_dp.plan(log_with(MOST_ACTIVITIES), 0.3, "certified", variants="generated")
