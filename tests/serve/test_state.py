"""What the page shows is what would be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from amun_dp.errors import AmunError
from amun_dp.serve.jobs import DONE, REFUSED, Job
from amun_dp.serve.paths import Listing
from amun_dp.serve.sections import render_section
from amun_dp.serve.state import ChosenLog, Desk, choices_of
from tests.serve.page import desk_below

EMPTY = Listing((), (), True)
SUMMARY = {
    "cases": 10,
    "kept_cases": 8,
    "variants": 3,
    "kept_variants": 2,
    "control_flow_epsilon": 0.5,
    "median_start_error_days": 1.0,
    "median_duration_error_hours": 1.0,
    "event_epsilon_minimum": 0.1,
    "event_epsilon_maximum": 0.2,
}


class _Bell:
    def set(self) -> None:
        """Nobody hears it."""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk with a plan for sampling; nobody works off its queue."""
    monkeypatch.setattr("asyncio.Event", _Bell)
    desk = desk_below(tmp_path)
    desk.log = ChosenLog("log.csv", "log.csv", tmp_path / "log.csv", {})
    desk.inspected = {"facts": {}}
    plan = desk.plan({"method": "sampling", "advantage": 0.2})
    finish(desk, plan)
    return desk


def finish(desk: Desk, job: Job) -> None:
    job.answer = {
        "read": "x",
        "kind": "article",
        "summary": SUMMARY,
        "refused": None,
        "told": [],
        "formulas": None,
        "budget": None,
    }
    job.state = DONE
    desk.settle(job)


def shown(desk: Desk) -> str:
    return render_section("outcome", desk, EMPTY) + render_section("release", desk, EMPTY)


def test_a_plan_is_shown_with_its_own_method_and_can_be_released(desk: Desk) -> None:
    assert "Sampling (Amun_s)" in shown(desk)
    assert 'data-post="release"' in shown(desk)


@pytest.mark.parametrize("task", ["plan", "release"])
def test_a_message_names_the_log_and_not_where_it_lies(desk: Desk, tmp_path: Path, task: str) -> None:
    desk.log = ChosenLog("upload:1", "my.csv", tmp_path / "private" / "upload.csv", {})
    job = desk.plan({"method": "sampling", "advantage": 0.2})
    job.task, job.state, job.message = task, REFUSED, f"{desk.log.path} is empty."
    job.request |= {"log_name": "my.csv"}
    desk.settle(job)
    assert job.message == "my.csv is empty."


def test_while_another_method_is_planned_neither_is_offered(desk: Desk) -> None:
    newer = desk.plan({"method": "certified:generated", "advantage": 0.2})
    assert "No guarantee" not in shown(desk)
    assert "Proved" not in shown(desk)
    assert 'data-post="release"' not in shown(desk)
    desk.jobs.cancel(newer)
    assert 'data-post="release"' not in shown(desk)


def test_a_plan_that_ends_after_its_choices_were_changed_is_not_shown(desk: Desk) -> None:
    older = desk.plan({"method": "filtering", "advantage": 0.2})
    desk.plan({"method": "filtering", "advantage": 0.3})
    finish(desk, older)
    assert 'data-post="release"' not in shown(desk)


def test_a_plan_is_released_once(desk: Desk) -> None:
    plan = desk.planned
    assert plan is not None
    released = desk.release({"plan": plan.id, "format": ""})
    assert released.request["choices"] == choices_of({"method": "sampling", "advantage": 0.2})
    with pytest.raises(AmunError, match="Look at it again"):
        desk.release({"plan": plan.id, "format": ""})


@pytest.mark.parametrize("said", [True, False, None, "on"])
def test_formulas_are_escaped_where_the_box_is_ticked(desk: Desk, said: object) -> None:
    plan = desk.planned
    assert plan is not None
    assert 'name="escape_formulas"' in shown(desk)
    form = {"plan": plan.id, "format": "csv"} | ({} if said is None else {"escape_formulas": said})
    assert desk.release(form).request["escape_formulas"] is (said is True)


def test_a_release_that_ends_takes_the_plan_with_it_because_its_budget_is_old(desk: Desk) -> None:
    plan = desk.planned
    assert plan is not None
    release = desk.release({"plan": plan.id, "format": ""})
    finish(desk, desk.plan({"method": "filtering", "advantage": 0.2}))
    release.state = "refused"
    desk.settle(release)
    assert desk.planned is None


def test_a_release_is_told_of_even_if_another_log_is_open_by_then(desk: Desk, tmp_path: Path) -> None:
    plan = desk.planned
    assert plan is not None
    release = desk.release({"plan": plan.id, "format": ""})
    (desk.places.folder / "other.csv").touch()
    desk.choose_log({"log": "other.csv"})
    release.state, release.charged = "cancelled", ("ε 1 is spent",)
    desk.settle(release)
    text = render_section("release", desk, EMPTY)
    assert "log.csv" in text
    assert "stays spent" in text
    assert "ε 1 is spent" in text


@pytest.mark.parametrize(
    ("charging", "charged", "state", "said"),
    [
        (False, (), "cancelled", "Nothing was spent"),
        (True, (), "cancelled", "may have happened or not"),
        (True, (), "failed", "may have happened or not"),
        (True, (), "refused", "Nothing was spent"),
        (True, ("x",), "cancelled", "stays spent"),
    ],
)
def test_what_is_said_of_the_budget_is_what_can_be_known(
    desk: Desk, charging: bool, charged: tuple[str, ...], state: str, said: str
) -> None:
    plan = desk.planned
    assert plan is not None
    release = desk.release({"plan": plan.id, "format": ""})
    release.state, release.charging, release.charged = state, charging, charged
    desk.settle(release)
    text = render_section("release", desk, EMPTY)
    assert [one for one in ("Nothing was spent", "may have happened or not", "stays spent") if one in text] == [said]
