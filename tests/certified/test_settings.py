"""What is refused before anything is drawn, because it could only end in a full memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp.certified.plan import MOST_ACTIVITIES
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog
from tests.logs import log_of


def log_with(activities: int) -> EventLog:
    return log_of([[(f"a{number:05}", number * 1_000) for number in range(activities)]] * 3)


def test_more_activities_than_a_table_of_all_pairs_can_have_are_refused_with_a_way_out() -> None:
    with pytest.raises(ReleaseError, match=r"4,001 activities.*variants='threshold' or variants='public'"):
        amun_dp.plan(log_with(MOST_ACTIVITIES + 1), 0.3, "certified", variants="generated")


@pytest.mark.parametrize("variants", ["threshold", "public"])
def test_forms_without_such_a_table_have_no_such_limit(variants: Any) -> None:
    amun_dp.plan(log_with(MOST_ACTIVITIES + 1), 0.3, "certified", variants=variants)


@pytest.mark.parametrize(
    ("variants", "given"),
    [
        ("public", GivenFacts(cases=60_000_000, variants=(("a00000", "a00001"), ("a00000", "a00001", "a00002")))),
        ("generated", GivenFacts(cases=90_000_000)),
    ],
)
def test_more_events_than_fit_whatever_is_drawn_are_refused_before_anything_is_charged(
    variants: Any, given: GivenFacts, tmp_path: Path
) -> None:
    registry = amun_dp.open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ReleaseError, match="events, whatever is drawn"):
        amun_dp.anonymize(log_with(3), 0.3, "certified", variants=variants, public=given, registry=registry)
    assert registry.logs() == ()
    amun_dp.plan(log_with(3), 0.3, "certified", public=replace(given, variants=None))  # a threshold may leave few


def test_as_many_as_fit_are_planned() -> None:
    amun_dp.plan(log_with(MOST_ACTIVITIES), 0.3, "certified", variants="generated")
