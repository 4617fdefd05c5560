"""Models of pm4py, in their own process."""

from __future__ import annotations

import contextlib
import io

import pytest

from amun_dp.errors import ParameterError
from amun_dp.evaluation import evaluate, models
from amun_dp.evaluation.models import ModelError, model_quality
from amun_dp.synthetic import hospital_log
from tests.logs import words_log

pytestmark = pytest.mark.slow  # pm4py in processes of its own


def test_a_model_of_the_log_itself_fits_as_its_own_does() -> None:
    log = words_log(["abcd", "acbd", "abcd"] * 4)
    found = model_quality(log, log)
    assert found.released == found.original
    assert found.original.fitness == pytest.approx(1)


def test_a_model_with_other_steps_does_not_fit_and_one_with_too_many_is_not_precise() -> None:
    original = words_log(["abcd"] * 10)
    other = model_quality(original, words_log(["adcb"] * 10))
    assert other.original.fitness == other.original.precision == pytest.approx(1)
    assert other.released.fitness < 1
    loose = model_quality(original, words_log(["abcd", "acbd", "bacd", "dcba", "cdab", "bdac"] * 5))
    assert loose.released.precision < 1


def test_events_of_an_activity_that_the_model_lacks_are_told_because_fitness_passes_over_them() -> None:
    found = model_quality(words_log(["abcd"] * 10), words_log(["abd"] * 10))
    assert found.released.fitness == pytest.approx(1)
    assert (found.released.known, found.original.known) == (0.75, 1)


def test_the_figures_are_those_that_pm4py_gives_for_the_whole_logs(capfd: pytest.CaptureFixture[str]) -> None:
    import pm4py

    original, released = hospital_log(cases=80), hospital_log(cases=60, seed=4)
    found = model_quality(original, released)
    assert capfd.readouterr() == ("", "")  # not a word of pm4py's gets through
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        net = pm4py.discover_petri_net_inductive(released.to_pandas(), noise_threshold=0.2)
        fitness = pm4py.fitness_token_based_replay(original.to_pandas(), *net)["log_fitness"]
        precision = pm4py.precision_token_based_replay(original.to_pandas(), *net)
    assert found.released.fitness == pytest.approx(fitness)
    assert found.released.precision == pytest.approx(precision)


def test_models_that_take_too_long_are_given_up_and_all_else_is_measured() -> None:
    log = hospital_log(cases=30)
    with pytest.raises(ModelError, match=r"after 0\.01 seconds"):
        model_quality(log, log, seconds=0.01)
    found = evaluate(log, log, model=True, model_seconds=0.01).reveal()
    assert found.model is None
    assert any("not done with the models" in note for note in found.notes)
    assert found.language.high == 0


def test_a_failure_of_pm4py_is_told_with_nothing_of_what_it_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amun_dp.evaluation.models.pickle.dumps", lambda _: b"no log")
    with pytest.raises(ModelError, match=r"pm4py failed \(exit code 1\)"):
        model_quality(hospital_log(cases=5), hospital_log(cases=5))


def test_without_pm4py_a_model_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    log = hospital_log(cases=5)
    with pytest.raises(ParameterError, match=r"pip install 'amun-dp\[pm4py\]'"):
        evaluate(log, log, model=True)
    assert evaluate(log, log).reveal().model is None
