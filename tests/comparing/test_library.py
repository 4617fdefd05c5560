"""``amun_dp.compare``: the same in Python, in one process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import amun_dp
from amun_dp.article.methods import article_method_named
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.comparing import MethodComparison
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import Figures
from amun_dp.errors import ParameterError
from amun_dp.noise.sources import NoiseSource, SeededNoise
from amun_dp.release.methods import register_method, unregister_method
from amun_dp.synthetic import hospital_log
from tests.article import worked_example
from tests.evaluation.measured import distances
from tests.logs import log_of

LOG = hospital_log()


def compare(*methods: str, seed: int | None = None, runs: int = 2) -> MethodComparison:
    return amun_dp.compare({"hospital": LOG}, methods, (0.2,), runs, seed=seed).reveal()


def figures(found: MethodComparison) -> list[Figures | None]:
    return [run.figures for runs in found.runs.values() for run in runs]


def test_seeded_runs_are_repeatable_and_differ_from_each_other_and_from_those_of_another_seed() -> None:
    first = figures(compare("sampling", "certified:threshold", seed=1))
    assert first == figures(compare("sampling", "certified:threshold", seed=1))
    assert first != figures(compare("sampling", "certified:threshold", seed=2))
    assert first[0] != first[1]


def test_unseeded_runs_differ() -> None:
    """Given everything else, the error of durations is |x + noise| for one event's noise x, of a scale above a second:
    no value has a probability above 10⁻³. Four runs are the same with probability below 10⁻¹²."""
    scale = amun_dp.plan(LOG, 0.2, "sampling").summary.reveal().median_duration_error_hours
    assert scale * 3600 > 1
    assert figures(compare("sampling", runs=4)) != figures(compare("sampling", runs=4))


def test_a_run_has_the_figures_of_the_release_it_made() -> None:
    from amun_dp.article.conventions import CORRECTED
    from amun_dp.comparing.cells import parameters_of
    from amun_dp.noise.sources import derived_seed
    from amun_dp.release.methods import carry_out, make_plan

    [run] = compare("sampling", seed=5, runs=1).runs[Cell("hospital", "sampling", 0.2)]
    source = SeededNoise(derived_seed(5, 0))
    released = carry_out(make_plan(LOG, parameters_of("sampling", 0.2, CORRECTED)), source).event_log
    expected = distances(LOG, released)
    assert run.figures is not None
    assert run.figures.frequency_emd == expected.frequency_emd
    assert run.figures.time_error == expected.time_error
    assert (run.figures.cases, run.figures.events) == (released.n_cases, released.n_events)
    assert run.seconds is not None
    assert run.writing is run.memory is None


@pytest.fixture
def unchanged() -> Iterator[str]:
    """A method of somebody's own that samples nothing away and copies nothing."""

    def sample(flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        sampled = article_method_named("sampling").sample(flow, epsilon, source)
        return replace(sampled, cases=flow.cases)

    register_method(replace(article_method_named("sampling"), name="unchanged", sample=sample))
    yield "unchanged"
    unregister_method("unchanged")


def test_a_method_of_ones_own_is_compared(unchanged: str) -> None:
    found = compare("sampling", unchanged)
    runs = found.runs[Cell("hospital", unchanged, 0.2)]
    assert [run.figures.frequency_emd for run in runs if run.figures] == [0, 0]
    assert "| unchanged |" in found.markdown()


def test_a_run_that_leaves_nothing_is_no_error() -> None:
    # Two durations that are guessed right in half of all cases: filtering removes every case at 0.6.
    log = log_of([[("a", day * 10**9), ("b", day * 10**9 + (day % 2) * 10**7)] for day in range(1, 9)])
    found = amun_dp.compare({"log": log}, ("filtering",), (0.3, 0.6), 2).reveal()
    assert [run.ending for run in found.runs[Cell("log", "filtering", 0.6)]] == ["nothing"] * 2
    assert found.runs[Cell("log", "filtering", 0.6)][0].why
    assert "| log | 0.6 | ours | nothing |" in found.markdown()


def test_a_dataframe_is_a_log() -> None:
    found = amun_dp.compare({"example": worked_example.dataframe()}, ("oversampling",), (0.3,), 1).reveal()
    assert found.facts["example"]["cases"] == len(worked_example.CASES)


def test_what_is_not_known_is_refused_before_a_log_is_looked_at() -> None:
    with pytest.raises(ParameterError, match="no log"):
        amun_dp.compare({})
    for wrong in ({"methods": ("amun",)}, {"advantages": ()}, {"advantages": (0.2, 0.2)}, {"runs": 0}):
        with pytest.raises(ParameterError):
            amun_dp.compare({"x": "not looked at"}, **wrong)  # type: ignore[dict-item]  # wrong on purpose


def test_what_comes_back_does_not_show_itself() -> None:
    assert "frequency" not in repr(amun_dp.compare({"hospital": LOG}, ("sampling",), (0.2,), 1, seed=1))
