"""What several advantages would cost, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp.cli.text.sweep import bar
from amun_dp.release.methods import requested
from amun_dp.release.sweep import ADVANTAGES, sweep
from amun_dp.synthetic import hospital_log
from tests.commandline import refused, run
from tests.logs import log_of


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
def test_a_row_is_what_the_plan_of_that_advantage_says(method: Any) -> None:
    log = hospital_log()
    rows = sweep(log, lambda advantage: requested(advantage, method), (0.2, 0.5)).reveal()
    for row in rows:
        planned = amun_dp.plan(log, row.advantage, method).summary.reveal()
        assert row.epsilon == planned.control_flow_epsilon
        assert (row.kept_cases, row.cases) == (planned.kept_cases, 300)
        assert (row.kept_variants, row.variants) == (planned.kept_variants, 21)
        assert row.duration_error_hours == planned.median_duration_error_hours
        assert row.start_error_days == planned.median_start_error_days


def test_a_certified_row_is_what_its_plan_says() -> None:
    log = hospital_log()
    [row] = sweep(log, lambda advantage: requested(advantage, "certified"), (0.3,)).reveal()
    planned = amun_dp.plan(log, 0.3, "certified").summary.reveal()
    assert row.epsilon == pytest.approx(1.2381, abs=1e-4)
    assert row.kept_cases == pytest.approx(300 * planned.expected_kept)
    assert row.count_noise == pytest.approx(2 / (0.45 * 1.2381), rel=1e-3)  # 45 % of ε, two cells a replaced case
    assert row.duration_error_hours is None


def test_an_advantage_that_leaves_nothing_has_a_row_too() -> None:
    # Two durations that are guessed right in half of all cases: P + A ≥ 1 from A = 0.5 on.
    log = log_of([[("a", day * 10**9), ("b", day * 10**9 + (day % 2) * 10**7)] for day in range(1, 9)])
    rows = sweep(log, lambda advantage: requested(advantage, "filtering"), (0.3, 0.6)).reveal()
    assert [row.kept_cases for row in rows] == [8, 0]
    assert rows[1].epsilon is None
    assert rows[1].variants == 1


def test_the_command_shows_a_line_and_bars_for_each(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    code, out, err = run(capsys, "plan", example, "--sweep")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines() if line.startswith("  0.")]
    assert [float(line[0]) for line in lines] == list(ADVANTAGES)
    assert "█" in out
    assert "keep them inside" in out
    code, out, _ = run(capsys, "plan", example, "--sweep", 0.4, 0.2, 0.4, "--method", "certified")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  0.")] == ["0.2", "0.4"]


def test_the_same_for_machines(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    _, out, _ = run(capsys, "plan", example, "--sweep", 0.2, "--json")
    found = json.loads(out)
    assert found["confidential"].startswith("CONFIDENTIAL")
    [row] = found["sweep"]
    assert row["advantage"] == 0.2
    assert row["epsilon"] == pytest.approx(0.8109, abs=1e-4)


def test_one_of_advantage_and_sweep_is_needed(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    for flags in ((), ("--advantage", 0.2, "--sweep")):
        with pytest.raises(SystemExit) as stop:
            run(capsys, "plan", example, *flags)
        assert stop.value.code == 2
        assert "--sweep" in capsys.readouterr().err
    assert "strictly between 0 and 1" in refused(capsys, "plan", example, "--sweep", 0.2, 1.5)


def test_a_bar_shows_anything_above_nothing() -> None:
    assert bar(0, 10).strip() == ""
    assert bar(1e-9, 10).strip() == "▏"
    assert bar(5, 10).strip() == "█" * 8
    assert bar(10, 10) == "█" * 16
    assert len(bar(3.3, 10)) == 16
