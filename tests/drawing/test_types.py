"""The types keep the two reports apart: a figure of the original log in the public page does not type-check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mypy import api

SNIPPET = """\
from accounting.confidential import Confidential
from amun_dp.internals.comparison import Comparison
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.eventlog.figures import LogFigures, PublicFigures, added_figures, figures_of
from amun_dp.internals.figures import Internals
from amun_dp.internals.page import internal_page
from amun_dp.report.page import public_page
from amun_dp.article.plan import Plan
from amun_dp.release.made import Release
from amun_dp.report.public_report import PublicReport


def allowed(
    report: PublicReport, released: PublicLog, part: PublicFigures, comparison: Confidential[Comparison]
) -> str:
    figures_of(released)
    public_page(report, added_figures([part, part], 1))
    internal_page(comparison).reveal()
    return public_page(report, released)


def forbidden(
    report: PublicReport,
    original: EventLog,
    figures: Confidential[LogFigures],
    part: PublicFigures,
    plan: Plan,
    release: Release,
    comparison: Confidential[Comparison],
    internals: Confidential[Internals],
) -> None:
    public_page(report, original)  # wrong
    public_page(report, figures)  # wrong
    public_page(report, figures.reveal())  # wrong
    public_page(report, added_figures([part, figures.reveal()], 1))  # wrong
    public_page(report, plan.annotated.log)  # wrong
    public_page(report, internals)  # wrong
    public_page(internals, release.event_log)  # wrong
    public_page(release, release.event_log)  # wrong
    text: str = internal_page(comparison)  # wrong
    internal_page(comparison.reveal())  # wrong
    PublicReport(**{}).released = figures  # wrong
"""


@pytest.mark.slow
def test_only_the_public_report_and_the_released_log_type_check(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET, encoding="utf-8")
    found, said, code = api.run(["--strict", "--output", "json", str(snippet)])
    assert code == 1, said  # 2 is mypy that could not do its work
    errors = [each for each in map(json.loads, found.splitlines()) if each["severity"] == "error"]
    lines = {each["line"] for each in errors if Path(each["file"]).name == snippet.name}
    wrong = {number for number, line in enumerate(SNIPPET.splitlines(), 1) if line.endswith("# wrong")}
    # Exactly those lines: the control function above them is accepted.
    assert lines == wrong, found
