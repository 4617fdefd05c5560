"""What a release discloses or loses is said before anything is reserved, wherever it is made and however quietly."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp._base.units import DAY, HOUR
from amun_dp.budgets.spending import open_registry
from amun_dp.errors import PublisherWarning
from amun_dp.eventlog.log import EventLog
from amun_dp.serve.jobs import DONE
from amun_dp.serve.paths import Listing
from amun_dp.serve.sections import render_section
from amun_dp.serve.state import ChosenLog, Desk, choices_of
from amun_dp.serve.tasks import Bench, plan_release
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, timed
from tests.certified.frequent import frequent_cases
from tests.commandline import run
from tests.logs import log_of
from tests.serve.page import desk_below


def half_alone() -> EventLog:
    """Of 300 cases 170 have a variant of their own; four variants are frequent enough."""
    alone = [timed("a" * length + "d", BEGIN + length * DAY, HOUR) for length in range(2, 172)]
    return log_of([*(timed("ab", BEGIN + number * HOUR, HOUR) for number in range(130)), *alone])


ASKED: dict[str, dict[str, Any]] = {
    "170 of 300 cases have a variant of their own": {"variants": "public", "variants_from_log": True},
    "the threshold is expected to keep 43": {"variants": "threshold"},
}
"""What is said, and of what."""
FLAGS = {"variants": "--variants", "variants_from_log": "--variants-from-log"}


@pytest.mark.parametrize(("said", "options"), ASKED.items())
def test_the_command_line_says_it_also_if_it_is_to_be_quiet(
    said: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(half_alone(), tmp_path / "log.csv")
    flags = [part for name, value in options.items() for part in (FLAGS[name], value) if part is not True]
    code, _, err = run(
        capsys,
        *("anonymize", tmp_path / "log.csv", "--method", "certified", "--advantage", 0.4, *flags),
        *("--quiet", "--out", tmp_path / "out"),
    )
    assert code == 0
    (line,) = err.splitlines()
    assert line.startswith("amun-dp: warning: ")
    assert said in line


@pytest.mark.parametrize(("said", "options"), ASKED.items())
def test_python_warns_before_anything_is_reserved(said: str, options: dict[str, Any], tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "registry.sqlite")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PublisherWarning)
        with pytest.raises(PublisherWarning, match=said):
            amun_dp.anonymize(half_alone(), 0.4, "certified", registry=registry, **options)
    assert registry.logs() == ()
    with pytest.warns(PublisherWarning, match=said) as caught:
        amun_dp.anonymize(half_alone(), 0.4, "certified", **options)
    (warning,) = caught
    assert warning.filename == __file__  # where it was asked for


@pytest.mark.parametrize(("said", "options"), ASKED.items())
def test_the_page_says_it_where_the_release_is_made(
    said: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asyncio.Event", _Bell)
    desk = desk_below(tmp_path)
    write_log(half_alone(), tmp_path / "log.csv")
    desk.log = ChosenLog("log.csv", "log.csv", tmp_path / "log.csv", {})
    desk.inspected = {"facts": {}}
    data = {"method": f"certified:{options['variants']}", "advantage": 0.4, **options}
    assert choices_of(data)["variants_from_log"] == options.get("variants_from_log", False)
    job = desk.plan(data)
    job.answer = plan_release(Bench(_nobody_listens), job.request)
    job.state = DONE
    desk.settle(job)
    shown = _release_section(desk)
    assert 'data-post="release"' in shown
    assert said in shown.replace("&#39;", "'")


def test_who_has_nothing_to_be_told_is_told_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PublisherWarning)
        amun_dp.anonymize(log_of(frequent_cases(400)), 0.4, "certified", variants="generated")


def _release_section(desk: Desk) -> str:
    return render_section("release", desk, Listing((), (), True))


def _nobody_listens(_: dict[str, Any]) -> None:
    """Progress is for the page."""


class _Bell:
    def set(self) -> None:
        """Nobody hears it."""
