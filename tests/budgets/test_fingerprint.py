"""How a log is known again: what may change, and what may not."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.registry import Declared, Hasher, Recognised, Registry, UndecidedLog, open_registry
from amun_dp._base.units import DAY, HOUR, MINUTE
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.refusals import SameLogQuestion
from amun_dp.eventlog.log import EventLog, build_event_log
from amun_dp.reading import read_log
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.accounting.registry.helpers import article
from tests.logs import log_of, logs

HASHER = Hasher(bytes(range(32)))


def rebuilt(
    log: EventLog,
    *,
    rows: Sequence[bool] | np.ndarray | None = None,
    names: np.ndarray | None = None,
    labels: Sequence[str] | None = None,
    later: int = 0,
) -> EventLog:
    """The log with some of its events, or other names, labels or times."""
    chosen = np.ones(log.n_events, dtype=np.bool_) if rows is None else np.asarray(rows)
    return build_event_log(
        case=log.case[chosen],
        case_names=log.case_names if names is None else names,
        activity=log.activity[chosen],
        labels=np.array(log.activities if labels is None else labels, dtype=object),
        time=log.time[chosen] + later,
        sequence=log.sequence[chosen],
    )


def joined(one: EventLog, other: EventLog) -> EventLog:
    """The cases of both; those of the second under other names."""
    labels = sorted({*one.activities, *other.activities})
    codes = [np.array([labels.index(label) for label in log.activities])[log.activity] for log in (one, other)]
    return build_event_log(
        case=np.concatenate((one.case, other.case + one.n_cases)),
        case_names=np.concatenate((one.case_names, [f"other {name}" for name in other.case_names])).astype(object),
        activity=np.concatenate(codes),
        labels=np.array(labels, dtype=object),
        time=np.concatenate((one.time, other.time)),
        sequence=np.arange(one.n_events + other.n_events),
    )


def renamed(log: EventLog) -> np.ndarray:
    return np.array([f"x{number}" for number in range(log.n_cases)], dtype=object)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(tmp_path / "registry.sqlite")


def recognised(registry: Registry, first: EventLog, second: EventLog) -> Recognised:
    """What a registry that knows the first makes of the second."""
    registry.reserve(fingerprint(first, registry.hasher), article("0.2", 2), "first", {})
    return registry.recognise(fingerprint(second, registry.hasher))


def common(registry: Registry, first: EventLog, second: EventLog) -> int:
    found = recognised(registry, first, second)
    assert found.identical == ()
    return found.overlapping[0].common if found.overlapping else 0


# --- the same log ---------------------------------------------------------------------------------------------------


def test_the_same_log_in_another_file_format_is_the_same(registry: Registry, tmp_path: Path) -> None:
    log = hospital_log()
    for name in ("log.xes.gz", "log.csv", "log.parquet"):
        write_log(log, tmp_path / name)
    read = [read_log(tmp_path / name) for name in ("log.xes.gz", "log.csv", "log.parquet")]
    prints = [fingerprint(one, HASHER) for one in (log, *read)]
    assert len({one.whole for one in prints}) == 1
    assert len({tuple(np.sort(one.tokens, axis=0).flatten().tolist()) for one in prints}) == 1


def test_order_and_names_of_the_cases_do_not_matter_to_the_whole(registry: Registry) -> None:
    log = hospital_log()
    shuffled = np.random.default_rng(1).permutation(log.n_cases)
    renamed = build_event_log(
        case=shuffled[log.case],
        case_names=np.array([f"patient {number}" for number in range(log.n_cases)], dtype=object),
        activity=log.activity,
        labels=np.array(log.activities, dtype=object),
        time=log.time,
        sequence=log.sequence,
    )
    assert recognised(registry, log, renamed).identical != ()


def test_labels_enter_by_their_text_and_not_by_their_code() -> None:
    """A log with one more label that sorts first has other codes for all the others."""
    small = log_of([[("b", 0), ("c", 5)]])
    large = log_of([[("b", 0), ("c", 5)], [("a", 9)]])
    assert small.activity.tolist() != large.activity[:2].tolist()
    assert fingerprint(small, HASHER).tokens[0].tolist() == fingerprint(large, HASHER).tokens[0].tolist()


@given(logs(), logs())
def test_logs_have_one_hash_if_and_only_if_they_have_the_same_cases(one: EventLog, other: EventLog) -> None:
    def cases(log: EventLog) -> list[list[tuple[str, int]]]:
        return sorted(
            [(log.activities[log.activity[row]], int(log.time[row])) for row in range(start, stop)]
            for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True)
        )

    same = fingerprint(one, HASHER).whole == fingerprint(other, HASHER).whole
    assert same == (cases(one) == cases(other))


@given(st.text(max_size=5), st.text(max_size=5))
def test_names_of_any_text_are_taken_as_they_are(one: str, other: str) -> None:
    tokens = [
        fingerprint(rebuilt(log_of([[("a", 0)]]), names=np.array([name], dtype=object)), HASHER).tokens[0]
        for name in (one, other)
    ]
    assert (tokens[0][0] == tokens[1][0]) == (one == other)
    assert tokens[0][2] == tokens[1][2]


# --- a log that changed ---------------------------------------------------------------------------------------------


def test_a_log_that_grew_by_events_and_cases_is_met_again(registry: Registry) -> None:
    log = hospital_log()
    last = np.zeros(log.n_events, dtype=np.bool_)
    last[log.offsets[1:] - 1] = True
    earlier = rebuilt(log, rows=~last & (log.case < 200))  # no case is complete yet, and the last hundred not there
    assert common(registry, earlier, log) == 200


def test_a_log_that_lost_its_early_events_is_met_again(registry: Registry) -> None:
    log = hospital_log()
    assert common(registry, log, rebuilt(log, rows=~log.first_of_case)) == log.n_cases


def test_a_log_of_other_labels_is_met_again(registry: Registry) -> None:
    log = hospital_log()
    assert common(registry, log, rebuilt(log, labels=[f"step {label}" for label in log.activities])) == log.n_cases


def test_some_renumbered_cases_are_met_again(registry: Registry) -> None:
    log = hospital_log()
    names = np.array([f"x{number}" for number in range(log.n_cases)], dtype=object)
    assert common(registry, log, rebuilt(log, names=names, rows=log.case < 10)) == 10


def test_one_common_case_is_enough(registry: Registry) -> None:
    log = hospital_log()
    other = rebuilt(hospital_log(seed=8), names=np.array([f"o{number}" for number in range(300)], dtype=object))
    both = log_of(
        [
            [(source.activities[source.activity[row]], int(source.time[row])) for row in range(start, stop)]
            for source, cases in ((other, range(100)), (log, [17]))
            for start, stop in ((source.offsets[case], source.offsets[case + 1]) for case in cases)
        ]
    )
    assert common(registry, log, both) == 1


# --- another log ----------------------------------------------------------------------------------------------------


def test_an_unrelated_log_with_the_same_case_numbers_and_labels_is_another(registry: Registry) -> None:
    one, other = hospital_log(seed=1), hospital_log(seed=2)
    assert one.case_names.tolist() == other.case_names.tolist()
    assert one.activities == other.activities
    assert common(registry, one, other) == 0


def test_a_log_with_all_names_and_times_changed_is_not_known_again_as_documented(registry: Registry) -> None:
    log = hospital_log()
    assert common(registry, log, rebuilt(log, names=renamed(log), later=1)) == 0


def test_a_log_with_all_names_and_labels_changed_is_not_known_again_as_documented(registry: Registry) -> None:
    log = hospital_log()
    assert common(registry, log, rebuilt(log, names=renamed(log), labels=[f"z{one}" for one in log.activities])) == 0


# --- likeness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("later", [1, -1, 1000, 2 * HOUR, 40 * DAY + 1])
def test_a_log_whose_times_all_moved_is_met_again(registry: Registry, later: int) -> None:
    """A hair, a time zone, or so far that only the names and labels are left."""
    log = hospital_log()
    found = recognised(registry, log, rebuilt(log, later=later))
    (overlap,) = found.overlapping
    assert overlap.common > 0.9 * log.n_cases
    assert (overlap.certain, overlap.contained) == (0, False)  # the people may be others


@pytest.mark.parametrize("dropped", ["second", "first", "last", "all but the first and the last"])
def test_a_renumbered_log_that_lost_events_is_met_again(registry: Registry, dropped: str) -> None:
    log = hospital_log()
    place = np.arange(log.n_events) - log.offsets[log.case]
    from_end = log.offsets[log.case + 1] - 1 - np.arange(log.n_events)
    kept = {
        "second": place != 1,
        "first": place != 0,
        "last": from_end != 0,
        "all but the first and the last": (place == 0) | (from_end == 0),
    }[dropped]
    assert common(registry, log, rebuilt(log, names=renamed(log), rows=kept)) > 0.95 * log.n_cases


def test_likeness_is_found_in_a_small_part_of_a_large_log(registry: Registry) -> None:
    """The share is of the smaller log, so that nothing can be hidden among strangers."""
    log = hospital_log(40)
    large = joined(rebuilt(log, later=1), hospital_log(3000, seed=2))
    found = recognised(registry, log, large)
    assert found.overlapping[0].common >= 38
    assert found.overlapping[0].registered == 40


def test_a_tiny_log_is_alike_if_all_of_its_cases_are(registry: Registry) -> None:
    log = rebuilt(hospital_log(), rows=hospital_log().case < 2)
    assert common(registry, log, rebuilt(log, later=1)) == 2


def test_single_likenesses_do_not_count(registry: Registry) -> None:
    """Two of 300 cases have the name and the days of a registered one: chance does that."""
    log = hospital_log()
    few = rebuilt(log, rows=log.case < 2, later=1)
    assert common(registry, log, joined(few, hospital_log(300, seed=2))) == 0


def test_numbered_cases_of_the_same_days_are_alike_by_mistake_as_documented(registry: Registry) -> None:
    """One case a day in both logs, of different length and labels; somebody has to say that these are others."""
    one = log_of([[("a", number * DAY), ("b", number * DAY + MINUTE)] for number in range(30)])
    other = log_of([[("c", number * DAY + 7_000)] for number in range(30)])
    assert common(registry, one, other) == 30
    declared = Declared(new_log=True)
    registry.reserve(fingerprint(other, registry.hasher), article("0.2", 2), "second", {}, declared)
    assert len(registry.logs()) == 2


# --- what a registry gives away -------------------------------------------------------------------------------------


def test_no_label_name_or_time_of_a_log_is_in_the_registry(registry: Registry) -> None:
    log = rebuilt(hospital_log(), names=np.array([f"Jane Doe {number}" for number in range(300)], dtype=object))
    registry.reserve(fingerprint(log, registry.hasher), article("0.2"), "first", {})
    content = registry.path.read_bytes()
    for text in (*log.activities, *log.case_names.tolist()):
        assert text.encode() not in content
    for stamp in log.time[:200]:
        assert stamp.astype("<i8").tobytes() not in content


def test_without_the_key_no_hash_can_be_compared() -> None:
    one, other = (fingerprint(hospital_log(), Hasher(os.urandom(32))) for _ in range(2))
    assert one.whole != other.whole
    assert not np.isin(one.tokens, other.tokens).any()
    assert "tokens" not in repr(one)


# --- cost -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_cost_grows_with_the_cases_and_no_python_loop_runs_over_events() -> None:
    """Ten times the events of as many cases cost much less than ten times the time."""
    rng = np.random.default_rng(3)

    def seconds(events_a_case: int) -> float:
        cases = 20_000
        case = np.repeat(np.arange(cases), events_a_case)
        log = build_event_log(
            case=case,
            case_names=np.array([str(number) for number in range(cases)], dtype=object),
            activity=rng.integers(0, 5, len(case)),
            labels=np.array(list("abcde"), dtype=object),
            time=np.arange(len(case)),
            sequence=np.arange(len(case)),
        )
        began = time.process_time()
        fingerprint(log, HASHER)
        return time.process_time() - began

    seconds(1)
    assert seconds(40) < 10 * seconds(4)


@pytest.mark.real_logs
def test_a_real_log_that_grew_is_met_again(real_logs: Path, registry: Registry) -> None:
    log = read_log(real_logs / "Sepsis.xes.gz")
    half = rebuilt(log, rows=log.time < np.median(log.time))
    registry.reserve(fingerprint(half, registry.hasher), article("0.2", 2), "first", {})
    with pytest.raises(UndecidedLog) as question:
        registry.reserve(fingerprint(log, registry.hasher), article("0.2", 2), "second", {})
    (overlap,) = question.value.overlaps
    assert overlap.common == half.n_cases
    declared = Declared(same_as=(overlap.log,))
    registry.reserve(fingerprint(log, registry.hasher), article("0.2", 2), "second", {}, declared)


def test_the_same_people_with_other_cases_are_recognised_where_a_column_names_them(tmp_path: Path) -> None:
    def year(first: int, start: str) -> Path:
        days = pd.date_range(start, periods=40, freq="D", tz="UTC")
        frame = pd.DataFrame(
            {
                "case:concept:name": [f"{first + number}" for number in range(40)],
                "concept:name": ["visit"] * 40,
                "time:timestamp": days,
                "patient": [f"patient {number}" for number in range(40)],
            }
        )
        path = tmp_path / f"{first}.csv"
        frame.to_csv(path, index=False)
        return path

    registry = open_registry(tmp_path / "registry.sqlite")
    one, other = year(1, "2020-01-01"), year(1000, "2021-03-01")
    amun_dp.anonymize(amun_dp.read_log(one, individual="patient"), 0.3, "sampling", registry=registry)
    with pytest.raises(SameLogQuestion):
        amun_dp.anonymize(amun_dp.read_log(other, individual="patient"), 0.3, "sampling", registry=registry)
    # Without the column nobody can tell.
    amun_dp.anonymize(amun_dp.read_log(other), 0.3, "sampling", registry=registry)
