"""Small logs made up so that one case or one duration matters as much as it can."""

from __future__ import annotations

import math

from accounting.guarantee import Relation
from amun_dp._base.units import DAY, HOUR, MINUTE
from amun_dp.article.conventions import Conventions
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.eventlog.case_lists import CaseEvents, log_of_cases

_BEGIN = 18_262 * DAY
"""2020-01-01."""
_APART = 10 * DAY
"""Starts lie further from each other than any start window, so that nobody's start is easily guessed."""


def worst_case_pairs(advantage: float, conventions: Conventions) -> list[Pair]:
    """Pairs that a mechanism has to stand as well, whatever the log. The filter's depends on what is filtered; at an
    extreme advantage there is none."""
    found = [
        _two_cells(),
        _everything(),
        _same_path(),
        _own_variant(),
        _own_durations(),
        _range(),
        _copies(),
        _groups(),
        _at_the_filter(advantage, conventions),
    ]
    return [pair for pair in found if pair is not None]


def _case(path: str, number: int, gap: int | list[int] = HOUR) -> CaseEvents:
    """A case that starts so many tens of days after the first one; a letter is an activity."""
    gaps = [gap] * (len(path) - 1) if isinstance(gap, int) else gap
    at = _BEGIN + number * _APART
    events = [(path[0], at)]
    for label, since in zip(path[1:], gaps, strict=True):
        at += since
        events.append((label, at))
    return events


def _pair(
    name: str,
    says: str,
    left: list[CaseEvents],
    right: list[CaseEvents],
    victim: tuple[int | None, int | None],
    kind: Kind = Kind.CASE,
    place: int | None = None,
    everything: bool = False,
) -> Pair:
    return Pair(
        name=name,
        says=says,
        left=log_of_cases(left),
        right=log_of_cases(right),
        relation=Relation.REPLACE if len(left) == len(right) else Relation.ADD_REMOVE,
        victim=victim,
        kind=kind if place is None else Kind.TIME,
        place=place,
        everything=everything,
        worst_case=True,
    )


def _two_cells() -> Pair:
    """⟨a⟩ and ⟨b⟩: replacing one by the other moves two cells."""
    cases = [_case("ab"[number % 2], number) for number in range(16)]
    return _pair(
        "two cells", "⟨a⟩ becomes ⟨b⟩ among eight of each", cases, [*cases[:6], _case("b", 6), *cases[7:]], (6, 6)
    )


def _everything() -> Pair:
    """Another variant, at another time, as long as the log in both, so that no measurement fails to see the change."""
    cases = [_case("ab" if number % 2 else "cd", number) for number in range(16)]
    slow = [_case("ab", 0, 150 * DAY), _case("cd", 8, 30 * DAY)]
    return _pair(
        "everything at once",
        "⟨a, b⟩ from the first day to the last becomes ⟨c, d⟩ in the second half",
        [slow[0], *cases],
        [slow[1], *cases],
        (0, 0),
        everything=True,
    )


def _same_path() -> Pair:
    """All cases alike: one more moves every cell of a path of six, and each of them asks for noise of its own."""
    cases = [_case("abcdef", number, HOUR * (1 + number)) for number in range(10)]
    return _pair(
        "one path", "one of ten cases that all did the same is missing", cases, cases[:4] + cases[5:], (4, None)
    )


def _own_variant() -> Pair:
    cases = [_case("abc", number, HOUR * (1 + number % 3)) for number in range(15)]
    return _pair(
        "own variant",
        "⟨a, b, c⟩ becomes ⟨a, c, b⟩, which nobody else did",
        cases,
        [*cases[:7], _case("acb", 7), *cases[8:]],
        (7, 7),
        kind=Kind.OWN_VARIANT,
    )


def _own_durations() -> Pair:
    """A variant that one case has in both logs, so that its durations have groups with a single value."""
    cases = [_case("abc", number, HOUR * (1 + number % 3)) for number in range(14)]
    left, right = (_case("acb", 14, [gap, HOUR]) for gap in (HOUR, 5 * HOUR))
    late = _case("abc", 15)
    return _pair(
        "alone in its group",
        "the only case with such a step took five hours instead of one",
        [*cases, left, late],
        [*cases, right, late],
        (14, 14),
        place=1,
    )


def _range() -> Pair:
    """The longest duration of a group sets the noise of all of it."""
    gaps = [HOUR + 7 * MINUTE * number for number in range(15)]
    cases = [_case("ab", number, gap) for number, gap in enumerate(gaps)]
    return _pair(
        "range of a group",
        "one duration of a group of fifteen becomes a thousand times as long",
        cases,
        [*cases[:7], _case("ab", 7, 1000 * gaps[7]), *cases[8:]],
        (7, 7),
        place=1,
    )


def _copies() -> Pair:
    """A case that is known by its last event moves between two durations with the same prior in the same range."""
    apart = [HOUR * (2 + 3 * number) for number in range(14)]
    cases = [_case("abc", number, [gap, HOUR]) for number, gap in enumerate(apart)]
    left, right = (_case("abd", 20, [gap, HOUR]) for gap in (HOUR // 2, 39 * HOUR + HOUR // 2))
    return _pair(
        "known by its end",
        "a case that alone ends in d waited half an hour, or 39 and a half, among waits of 2 to 41 hours",
        [*cases, left, _case("abc", 21, [HOUR * 41, HOUR])],
        [*cases, right, _case("abc", 21, [HOUR * 41, HOUR])],
        (14, 14),
        place=1,
    )


def _groups() -> Pair:
    """⟨a, c⟩ and ⟨b, c⟩ share the group of c. One ⟨a, d⟩ tells a and b apart: the short gaps then stand alone."""
    cases = [_case("ac", number, (10 + number) * MINUTE) for number in range(8)]
    cases += [_case("bc", number, 5 * DAY + number * HOUR) for number in range(8, 16)]
    return _pair(
        "groups of others",
        "⟨b, c⟩ becomes ⟨a, d⟩, which splits the group of everybody else's second event",
        cases,
        [*cases[:12], _case("ad", 12), *cases[13:]],
        (12, 12),
        kind=Kind.GROUPS,
    )


def _at_the_filter(advantage: float, conventions: Conventions) -> Pair | None:
    """n cases of which k share a duration: P = k/n reaches 1 - A, and with one case more it does not."""
    found = _just_filtered(advantage)
    if found is None:
        return None
    near, n = found
    apart = max(20 * conventions.window, 100 * MINUTE)
    step = max(conventions.start_window // DAY, 1) * 20
    # They are not the shortest of the group: the article's rule does not see what lies at the minimum.
    gaps = [2 * apart] * near + [apart, *(apart * (4 + number) for number in range(n - near - 1))]
    cases = [_case("ab", step * number, gap) for number, gap in enumerate(gaps)]
    cases += [_case("a", step * (n + 1 + number)) for number in range(5)]
    return _pair(
        "at the filter",
        f"one case more, and {near} others are not filtered",
        cases,
        [*cases, _case("ab", step * n, apart * (n + 9))],
        (None, len(cases)),
        kind=Kind.FILTER,
    )


def _just_filtered(advantage: float) -> tuple[int, int] | None:
    """The smallest n from 8 to 200, and k, with k/n ≥ 1 - A > k/(n+1), some way clear of rounding."""
    for n in range(8, 201):
        near = math.ceil((1 - advantage) * n - 1e-9)
        if 2 <= near < n and near / (n + 1) < 1 - advantage - 1e-6:
            return near, n
    return None
