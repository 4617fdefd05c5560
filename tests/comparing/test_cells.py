"""What is run, in which order, and what is refused before anything is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amun_dp.article.conventions import ARTICLE, CORRECTED
from amun_dp.baselines import parent
from amun_dp.comparing.cells import PRUNINGS, Cell, check_methods, parameters_of, tasks_of
from amun_dp.comparing.measuring import BaselineLimits, Run, baseline_runs, phi_of
from amun_dp.errors import ParameterError
from amun_dp.noise.sources import SeededNoise
from amun_dp.synthetic import hospital_log
from tests.commandline import refused
from tests.logs import words_log


def test_own_methods_come_first_then_baselines_at_the_average_then_at_the_other_two() -> None:
    tasks = tasks_of(["x", "y"], ["sacofa", "sampling", "pripel"], [0.2, 0.3])
    own, pruned = tasks[:4], tasks[4:]
    assert own == [(Cell(log, "sampling", a),) for log in "xy" for a in (0.2, 0.3)]
    assert [task[0].phi for task in pruned] == ["average"] * 8 + ["minimum"] * 8 + ["maximum"] * 8
    assert {(task[0].log, task[0].method, task[0].advantage) for task in pruned[:8]} == {
        (log, method, a) for log in "xy" for method in ("sacofa", "pripel") for a in (0.2, 0.3)
    }
    assert all([cell.pruning for cell in task] == [0.05, 0.01, 0.005] for task in pruned)
    assert len({cell for task in tasks for cell in task}) == 4 + 3 * 24


@pytest.mark.parametrize(
    ("words", "pruning", "k", "p"),
    [
        (["abcd"] * 150 + ["abcde"] * 50, 0.05, 4, 10),  # 4.25 events a case; 5 % of 200 cases
        (["abcd"] * 50 + ["abcde"] * 150, 0.01, 5, 2),  # 4.75; 1 %
        (["abcd"] * 200, 0.005, 4, 1),  # 0.5 %
        (["ab"] * 70, 0.05, 2, 4),  # 3.5 is rounded, not cut
        (["a"] * 10, 0.005, 1, 1),  # 0.05: there is no count below one
    ],
)
def test_baselines_get_the_articles_parameters(
    words: list[str], pruning: float, k: int, p: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[parent.Job] = []

    def outcomes(job: parent.Job, runs: int, limit: float, python: str) -> list[parent.Outcome]:
        assert (runs, limit, python) == (3, 140.0, "some-python")
        jobs.append(job)
        return []

    monkeypatch.setattr("amun_dp.comparing.measuring.outcomes", outcomes)
    limits = BaselineLimits(7.0, 2**30, "some-python")
    for method in ("sacofa", "pripel"):
        list(baseline_runs(words_log(words), Cell("x", method, 0.2, "average", pruning), 1.25, 3, limits))
    for job, pripel in zip(jobs, (False, True), strict=True):
        assert (job["epsilon"], job["k"], job["p"], job["pripel"]) == (1.25, k, p, pripel)
        assert (job["processor"], job["memory"]) == (7.0, 2**30)
        assert ["".join(label for label, _ in case) for case in job["cases"]] == words


def test_the_first_run_beyond_a_limit_ends_a_cell_and_a_failed_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [
        parent.Outcome([], failed="KeyError in x.py, line 1"),
        parent.Outcome([]),
        parent.Outcome([], stopped=True),  # killed by somebody else: that is not its time
        parent.Outcome([], stopped=True, late=True),
        parent.Outcome([]),
    ]
    monkeypatch.setattr("amun_dp.comparing.measuring.outcomes", lambda *_: iter(made))
    cell = Cell("x", "sacofa", 0.2, "average", 0.05)

    def endings() -> list[str]:
        return [run.ending for run in baseline_runs(words_log(["ab"]), cell, 1.0, 5, BaselineLimits(1.0))]

    assert endings() == ["failed", "nothing", "failed", "time"]
    made[0] = parent.Outcome([], failed="MemoryError in x.py, line 1")
    assert endings() == ["memory"]


def test_a_log_without_times_has_no_figures_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    made = parent.Outcome([[("a", 0), ("b", 0)]], seconds=2.0, processor=1.0, memory=5)
    monkeypatch.setattr("amun_dp.comparing.measuring.outcomes", lambda *_: iter([made]))
    found: dict[str, Run] = {}
    for method in ("sacofa", "pripel"):
        cell = Cell("x", method, 0.2, "average", 0.05)
        [found[method]] = baseline_runs(words_log(["ab"]), cell, 1.0, 1, BaselineLimits(1.0))
    assert found["sacofa"].figures is not None
    assert found["sacofa"].figures.time_emd is found["sacofa"].figures.cases_linked is None
    assert found["pripel"].figures is not None
    assert found["pripel"].figures.time_error == 1
    assert (found["sacofa"].seconds, found["sacofa"].processor, found["sacofa"].memory) == (2.0, 1.0, 5)


def test_phi_is_of_the_released_events_after_division_by_copies() -> None:
    """Every event of a release by sampling, one by one, in plain Python."""
    from amun_dp.article.plan import plan_article
    from amun_dp.release.article import draw
    from amun_dp.release.methods import requested

    log = hospital_log()
    plan = plan_article(log, requested(0.2, "sampling", ARTICLE))  # type: ignore[arg-type]  # of an article's method
    drawn = draw(plan, SeededNoise(0))
    copies = np.bincount(drawn.cases.origin, minlength=log.n_cases)
    shares = [
        plan.losses[row] / copies[origin]
        for origin in drawn.cases.origin
        for row in range(log.offsets[origin], log.offsets[origin + 1])
    ]
    found = phi_of(log, 0.2, ARTICLE)
    assert found["minimum"] == min(shares)
    assert found["maximum"] == max(shares)
    assert found["average"] == pytest.approx(sum(shares) / len(shares))
    assert phi_of(log, 0.2, ARTICLE) == found
    assert copies.max() > 1


def test_certified_is_named_with_its_form_and_has_no_conventions() -> None:
    assert parameters_of("certified:public", 0.2, ARTICLE) == parameters_of("certified:public", 0.2, CORRECTED)
    assert parameters_of("certified:public", 0.2, ARTICLE) != parameters_of("certified:threshold", 0.2, ARTICLE)
    assert parameters_of("sampling", 0.2, ARTICLE) != parameters_of("sampling", 0.2, CORRECTED)


@pytest.mark.parametrize(
    ("methods", "word"),
    [
        ([], "no method"),
        (["sampling", "sampling"], "twice: sampling"),
        (["certified"], "certified:threshold"),
        (["certified:else"], "certified:generated"),
        (["sampling:public"], "Unknown method"),
        (["amun"], "Unknown method 'amun'"),
    ],
)
def test_methods_that_are_not_known_or_named_twice_are_refused(methods: list[str], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        check_methods(methods)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--methods", "amun"), "Unknown method 'amun'"),
        (("--methods", "certified"), "certified:threshold"),
        (("--methods", "sampling", "sampling"), "Named twice"),
        (("--advantages", 0.2, 1.5), "strictly between 0 and 1"),
        (("--advantages", 0.2, 0.2), "each once"),
        (("--advantages", 0.2, 0.20000001), "each once"),
        (("--runs", 0), "one run at least"),
        (("--workers", 0), "one worker at least"),
        (("--workers", -1), "one worker at least"),
        (("--run-seconds", 0), "positive number of seconds"),
        (("--run-seconds", "nan"), "positive number of seconds"),
        (("--run-seconds", 1e9), "three years at most"),
        (("--run-gigabytes", 0.1), "quarter of a gigabyte"),
        (("--run-gigabytes", "nan"), "positive number of gigabytes"),
        (("--run-gigabytes", "inf"), "positive number of gigabytes"),
        (("--individual", "person"), "of no use here"),
        (("--baselines-python", "python3"), "with --baselines only"),
        (("--conventions", "mine"), "mine"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_read(
    flags: tuple[object, ...], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "log.xes").write_text("not a log, and nobody looks")
    assert words in refused(capsys, "compare", tmp_path / "log.xes", "--out", tmp_path / "out", *flags)
    assert not (tmp_path / "out").exists()


def test_places_that_cannot_be_read_or_written_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log, other = tmp_path / "log.xes", tmp_path / "log.csv"
    log.touch()
    other.touch()
    out = tmp_path / "out"
    assert "Two logs are called log" in refused(capsys, "compare", log, other, "--out", out)
    assert "is not a file" in refused(capsys, "compare", tmp_path / "none.xes", "--out", out)
    assert "is a file" in refused(capsys, "compare", log, "--out", other)
    out.mkdir()
    (out / "thesis.tex").touch()
    assert "something else in it" in refused(capsys, "compare", log, "--out", out)
    assert [each.name for each in out.iterdir()] == ["thesis.tex"]


def test_the_prunings_are_the_articles_the_fastest_first() -> None:
    assert PRUNINGS == (0.05, 0.01, 0.005)
