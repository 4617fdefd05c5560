"""A whole evaluation: as a Python user asks for it, and every figure against plain Python and scipy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import wasserstein_distance

import amun_dp
from amun_dp.errors import InputError
from amun_dp.evaluation import Evaluation
from amun_dp.evaluation.run import NO_COMMON_ACTIVITY
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic import hospital_log
from tests.evaluation import twin
from tests.logs import log_of, logs, words_log


def measured(before: EventLog, after: EventLog) -> Evaluation:
    return amun_dp.evaluate(before, after).reveal()


def check_against_the_twin(before: EventLog, after: EventLog) -> None:
    found = measured(before, after)
    for figures, log in ((found.before, before), (found.after, after)):
        cases = twin.cases_of(log)
        assert (figures.cases, figures.events) == (len(cases), sum(map(len, cases)))
        assert figures.variants == len(twin.words_of(log))
    old, new = twin.gaps_of(before), twin.gaps_of(after)
    edges = {
        (found.steps.activities[a], found.steps.activities[b]): number
        for number, (a, b) in enumerate(zip(found.steps.source, found.steps.target, strict=True))
    }
    assert edges.keys() == {*old, *new}
    for edge, number in edges.items():
        assert [side[number] for side in found.edges.count] == [len(old.get(edge, [])), len(new.get(edge, []))]
        if edge in old and edge in new:
            wanted = wasserstein_distance(old[edge], new[edge]) / twin.HOUR
            assert found.durations.distance[number] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        else:
            assert np.isnan(found.durations.distance[number])
    totals = [[sum(log.get(edge, [])) / twin.HOUR for edge in edges] for log in (old, new)]
    differences = [abs(a - b) for a, b in zip(*totals, strict=True)]
    assert found.distances.time_by_edge == pytest.approx(np.mean(differences) / 720)
    assert found.distances.time_error == pytest.approx(sum(differences) / sum(totals[0]))
    whole_hours = [[sum(gap // twin.HOUR for gap in log.get(edge, [])) for edge in edges] for log in (old, new)]
    assert found.distances.time_emd == pytest.approx(wasserstein_distance(*whole_hours) / 720)
    counts = [[len(log.get(edge, [])) for edge in edges] for log in (old, new)]
    assert found.distances.frequency_emd == pytest.approx(wasserstein_distance(*counts))
    spans = [[(end - start) / twin.HOUR for start, end in twin.spans_of(log)] for log in (before, after)]
    assert found.cycle_times.distance == pytest.approx(wasserstein_distance(*spans))
    assert found.active.difference == pytest.approx(twin.active_difference(before, after))
    assert found.active.most == (twin.most_active(before), twin.most_active(after))


def test_every_figure_of_a_release_is_that_of_plain_python() -> None:
    log = hospital_log(cases=120)
    check_against_the_twin(log, amun_dp.anonymize(log, 0.3, "sampling", seed=2).event_log)
    found = measured(log, hospital_log(cases=90, seed=5))
    words = twin.words_of(log), twin.words_of(hospital_log(cases=90, seed=5))
    assert found.language.high == pytest.approx(twin.language_distance(*words), abs=1e-7)


@pytest.mark.real_logs
def test_every_figure_of_a_release_of_a_real_log_is_that_of_plain_python(real_logs: Path) -> None:
    log = amun_dp.read_log(real_logs / "Sepsis.xes.gz")
    released = amun_dp.anonymize(log, 0.3, "sampling").event_log
    check_against_the_twin(log, released)
    # The linear program with all pairs of 846 variants takes minutes; the cheapest plan proves itself by its prices.
    found = measured(log, released)
    assert found.language.exact
    assert 0 < found.language.high < found.language.moved
    assert found.variants.new == 0


def test_identical_logs_differ_in_nothing() -> None:
    log = hospital_log()
    found = measured(log, log)
    assert set(asdict(found.distances).values()) == {0.0}
    assert found.language.high == found.language.moved == 0
    assert found.durations.overall == found.cycle_times.distance == found.active.difference == 0
    assert (found.variants.lost, found.variants.new) == (0, 0)
    assert found.notes == ()


def test_permuted_edges_are_seen_edge_by_edge_and_not_by_the_article() -> None:
    before, after = words_log(["ab", "ab", "ab", "cd"]), words_log(["cd", "cd", "cd", "ab"])
    found = measured(before, after)
    assert found.distances.frequency_emd == found.distances.time_emd == 0
    assert found.distances.frequency_error == 1
    # Half of the cases must go from ab to cd, where nothing is common.
    assert found.language.high == found.language.moved == 0.5


@given(logs())
def test_any_log_is_at_0_from_itself(log: EventLog) -> None:
    found = measured(log, log)
    assert found.distances.frequency_error == found.distances.time_error == found.language.high == 0


@given(logs(), logs())
def test_symmetric_measures_are_symmetric(before: EventLog, after: EventLog) -> None:
    one, other = measured(before, after), measured(after, before)
    assert one.distances.frequency_emd == pytest.approx(other.distances.frequency_emd)
    assert one.distances.time_by_edge == pytest.approx(other.distances.time_by_edge)
    assert one.cycle_times.distance == pytest.approx(other.cycle_times.distance)
    assert (one.variants.lost, one.variants.new) == (other.variants.new, other.variants.lost)
    # Sorting can only bring the values of edges closer to each other.
    assert one.distances.frequency_emd <= one.distances.frequency_by_edge + 1e-9


def test_logs_without_a_common_label_are_said_to_be_read_differently_perhaps() -> None:
    assert measured(words_log(["ab"]), words_log(["xy"])).notes == (NO_COMMON_ACTIVITY,)


def test_the_result_is_confidential_and_data_frames_will_do() -> None:
    log = hospital_log(cases=20)
    found = amun_dp.evaluate(log.to_pandas(), log.to_pandas())
    assert isinstance(found, amun_dp.Confidential)
    with pytest.raises(TypeError):
        str(found)
    assert found.reveal().before.cases == 20


def test_a_log_without_events_is_refused() -> None:
    with pytest.raises(InputError, match="no events"):
        amun_dp.evaluate(hospital_log(cases=5), log_of([]))
