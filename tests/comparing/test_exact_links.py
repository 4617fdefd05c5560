"""What is linked by its times: hand-made logs with known shares, and plain Python as a second opinion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.evaluation.distances import steps_of
from amun_dp.evaluation.exact_links import ExactLinks, exact_links
from amun_dp.eventlog.log import EventLog
from tests.logs import Case, log_of


def links(original: Sequence[Case], released: Sequence[Case]) -> ExactLinks:
    before, after = log_of(original), log_of(released)
    return exact_links(before, after, steps_of(before, after))


def case(path: str, *gaps: int, start: int = 0) -> Case:
    times = np.cumsum([start, *gaps]).tolist()
    return list(zip(path, times, strict=True))


DISTINCT = [case("abc", 10, 20), case("abc", 10, 21), case("ab", 30), case("acb", 5, 5)]


def test_of_the_log_itself_everything_is_linked() -> None:
    assert links(DISTINCT, DISTINCT) == ExactLinks(1.0, 1.0)


def test_the_start_of_a_case_and_the_order_of_cases_do_not_matter() -> None:
    moved = [[(label, at + 10**9 * number) for label, at in each] for number, each in enumerate(reversed(DISTINCT))]
    assert links(DISTINCT, moved) == ExactLinks(1.0, 1.0)


def test_a_case_that_another_equals_is_not_linked_though_its_steps_are_unchanged() -> None:
    twins = [case("abc", 10, 20), case("abc", 10, 20, start=99), case("ab", 30)]
    assert links(twins, twins) == ExactLinks(1.0, 1 / 3)


def test_a_copied_case_is_linked_each_time() -> None:
    assert links(DISTINCT, [DISTINCT[0]] * 3) == ExactLinks(1.0, 1.0)


def test_a_millisecond_breaks_the_link_and_leaves_the_other_step() -> None:
    assert links([case("abc", 10, 20)], [case("abc", 10, 21)]) == ExactLinks(0.5, 0.0)


def test_the_same_time_between_other_activities_is_another_step() -> None:
    assert links([case("ab", 10)], [case("ac", 10)]) == ExactLinks(0.0, 0.0)


def test_the_same_steps_in_another_order_are_another_case() -> None:
    assert links([case("aaa", 1, 2)], [case("aaa", 2, 1)]) == ExactLinks(1.0, 0.0)


def test_a_part_of_a_case_is_another_case() -> None:
    assert links([case("abc", 1, 2)], [case("ab", 1), case("bc", 2)]) == ExactLinks(1.0, 0.0)


def test_activities_are_known_by_their_labels_whatever_their_codes() -> None:
    # b and c have the codes 0 and 1 in the released log, 1 and 2 in the original.
    assert links([case("abc", 1, 2), case("bc", 7)], [case("bc", 7)]) == ExactLinks(1.0, 1.0)


@pytest.mark.parametrize("released", [[case("a"), case("b")], [case("abc", 0, 0)]])
def test_where_no_time_passes_there_is_nothing_to_attack(released: list[Case]) -> None:
    assert links(DISTINCT, released) == ExactLinks(None, None)
    assert links(released, released) == ExactLinks(None, None)


def test_an_original_without_times_links_nothing() -> None:
    assert links([case("a"), case("abc", 0, 0)], DISTINCT) == ExactLinks(0.0, 0.0)


def test_steps_without_time_do_not_count_but_tell_cases_apart() -> None:
    assert links([case("abc", 0, 9), case("ac", 9)], [case("abc", 0, 9)]) == ExactLinks(1.0, 1.0)
    assert links([case("abc", 0, 9)], [case("abc", 9, 0)]) == ExactLinks(0.0, 0.0)


gapped = st.lists(
    st.text("abc", min_size=1, max_size=4).flatmap(
        lambda path: st.lists(st.integers(0, 2), min_size=len(path) - 1, max_size=len(path) - 1).map(
            lambda gaps: case(path, *gaps)
        )
    ),
    min_size=1,
    max_size=12,
)


@given(gapped, gapped)
def test_plain_python_finds_the_same(original: list[Case], released: list[Case]) -> None:
    found = links(original, released)
    expected = plainly(log_of(original), log_of(released))
    assert (found.steps_unchanged, found.cases_linked) == pytest.approx(expected)


def plainly(original: EventLog, released: EventLog) -> tuple[float | None, float | None]:
    def cases(log: EventLog) -> list[tuple[tuple[str, str, int], ...]]:
        found = []
        for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True):
            labels = [log.activities[code] for code in log.activity[start:stop]]
            times = log.time[start:stop].tolist()
            found.append(tuple((labels[i], labels[i + 1], times[i + 1] - times[i]) for i in range(len(labels) - 1)))
        return found

    def share(hits: list[bool]) -> float | None:
        return sum(hits) / len(hits) if hits else None

    before, after = cases(original), cases(released)
    known = {step for each in before for step in each}
    times = Counter(before)
    return (
        share([step in known for each in after for step in each if step[2] > 0]),
        share([times[each] == 1 for each in after if any(gap for _, _, gap in each)]),
    )
