"""A registry as its user meets it: which log it is, what is left, what is on the disk."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.registry import (
    Amount,
    BudgetExceeded,
    Cost,
    Declared,
    NoRegistry,
    NotANewLog,
    PublishedBudget,
    Registry,
    RegistryError,
    StrictBudget,
    UndecidedLog,
    UnknownLog,
    key_file,
    open_registry,
)
from accounting.registry.fingerprints import loaded
from accounting.registry.views import UNCONFIRMED, export, log_as_dict
from tests.accounting.registry.helpers import article, certified, prints
from tests.properties import examples

CASES = [f"case{number:04}-content-{number:04}" for number in range(50)]
OTHERS = [f"e{number:03}-another-{number:03}e" for number in range(50)]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(tmp_path / "registry.sqlite")


def spend(registry: Registry, cost: Cost, name: str, cases: list[str] = CASES, declared: Declared | None = None) -> str:
    """Reserve, and give the first log that was charged."""
    reservation = registry.reserve(prints(registry.hasher, cases), cost, name, {}, declared or Declared())
    return reservation.charges[0].log


# --- spending -------------------------------------------------------------------------------------------------------


def test_the_first_release_registers_the_log_and_the_last_share_is_the_last(registry: Registry) -> None:
    log = spend(registry, article("0.2", 3), "one")
    assert spend(registry, article("0.2", 3), "two") == log
    assert spend(registry, article("0.1", 3), "three") == log
    with pytest.raises(BudgetExceeded) as refusal:
        spend(registry, article("0.2", 1000), "four")
    shortage = refusal.value.shortage
    assert (shortage.log, shortage.left, shortage.asked) == (log, Amount(Fraction(0)), Amount(Fraction(1, 1000)))
    (found,) = registry.logs()
    assert found.budget == PublishedBudget(Fraction(1, 5))
    assert found.spent == Amount(Fraction(1))
    assert [release.release for release in found.releases] == ["one", "two", "three"]


def test_a_strict_budget_admits_no_release_without_a_strict_bound(registry: Registry) -> None:
    log = spend(registry, certified("0.5", "1e-7", releases=2), "one")
    assert registry.log(log).budget == StrictBudget(Fraction(1), Fraction("2e-7"))
    with pytest.raises(BudgetExceeded) as refusal:
        spend(registry, article("0.01", 1000), "two")
    assert refusal.value.shortage.asked is None
    spend(registry, certified("0.5", "1e-7"), "three")
    with pytest.raises(BudgetExceeded):
        spend(registry, certified("0.0001"), "four")


def test_nothing_is_written_by_a_refusal(registry: Registry) -> None:
    spend(registry, article("0.2"), "one")
    before = registry.path.read_bytes()
    with pytest.raises(BudgetExceeded):
        spend(registry, article("0.2"), "two")
    with pytest.raises(UndecidedLog):
        spend(registry, article("0.2"), "three", [*CASES, "new"])
    with pytest.raises(UnknownLog):
        spend(registry, article("0.2"), "three", OTHERS, Declared(same_as=("L-none",)))
    assert registry.path.read_bytes() == before


def test_what_is_reserved_is_spent_and_stays_so_until_it_is_confirmed_and_after(registry: Registry) -> None:
    log = spend(registry, article("0.2", 2), "one")
    assert log_as_dict(registry.log(log))["releases"][0]["state"] == UNCONFIRMED
    left = registry.log(log).left
    registry.confirm("one", [{"reading": "published", "scope": "cell", "epsilon": 0.8}])
    registry.confirm("one", [])  # twice is once
    shown = log_as_dict(registry.log(log))["releases"][0]
    assert shown["state"] == "published"
    assert shown["at_each_scope"] == [{"reading": "published", "scope": "cell", "epsilon": 0.8}]
    assert registry.log(log).left == left == Amount(Fraction(1, 2))
    with pytest.raises(RegistryError, match="not in the registry"):
        registry.confirm("two", [])
    with pytest.raises(RegistryError, match="already"):
        spend(registry, article("0.2", 2), "one")


def test_what_would_be_reserved_is_known_without_reserving_it(registry: Registry) -> None:
    spend(registry, article("0.2", 2), "one")
    before = registry.path.read_bytes()
    preview = registry.would_reserve(prints(registry.hasher, CASES), article("0.2", 4))
    assert preview.charges[0].after == Amount(Fraction(1, 4))
    with pytest.raises(BudgetExceeded):
        registry.would_reserve(prints(registry.hasher, CASES), article("0.2"))
    assert registry.path.read_bytes() == before


def test_a_budget_is_set_before_the_first_release_or_after_it_but_never_below_what_is_spent(registry: Registry) -> None:
    known = prints(registry.hasher, CASES)
    log = registry.set_budget(known, PublishedBudget(Fraction(1, 2)))
    assert registry.log(log).left == Amount(Fraction(1))
    assert spend(registry, article("0.4", 2), "one") == log
    assert registry.log(log).budget_set_by == "steward"
    assert registry.set_budget(log[:5], PublishedBudget(Fraction(2, 5))) == log
    with pytest.raises(BudgetExceeded) as refusal:
        registry.set_budget(log, PublishedBudget(Fraction(39, 100)))
    assert refusal.value.shortage.asked is None
    with pytest.raises(BudgetExceeded):
        registry.set_budget(log, StrictBudget(Fraction(10**6)))
    # More advantage gives nothing back of what calibrated releases took.
    registry.set_budget(log, PublishedBudget(Fraction(9, 10)))
    assert registry.log(log).left == Amount(Fraction(1, 2))


def test_a_strict_budget_is_raised_and_what_was_spent_counts(registry: Registry) -> None:
    log = spend(registry, certified("1"), "one")
    registry.set_budget(log, StrictBudget(Fraction(3, 2)))
    assert registry.log(log).left == Amount(Fraction(1, 2))
    with pytest.raises(BudgetExceeded) as refusal:
        registry.set_budget(log, StrictBudget(Fraction(1, 2)))
    assert refusal.value.shortage.asked == Amount(Fraction(1))
    registry.set_budget(log, PublishedBudget(Fraction(1, 2)))  # a proved cost counts in either reading
    left = registry.log(log).left
    assert left is not None
    assert 0.54 < left.value < 0.55  # 1 - 1/(4·artanh 0.5) = 0.5449


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 6), st.integers(1, 5)), min_size=1, max_size=12), st.integers(0, 1)
)
def test_no_sequence_of_releases_overspends(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[bool, int, int]], first: int
) -> None:
    registry = open_registry(tmp_path_factory.mktemp("registry") / "r")
    budget = (StrictBudget(Fraction(1)), PublishedBudget(Fraction(1, 2)))[first]
    registry.set_budget(prints(registry.hasher, CASES), budget)
    spent = 0
    for number, (strict, releases, tenths) in enumerate(asked):
        cost = certified(f"{tenths}/10") if strict else article(f"{tenths}/10", releases)
        try:
            spend(registry, cost, str(number))
            spent += 1
        except BudgetExceeded:
            pass
        (log,) = registry.logs()
        assert log.left is not None
        assert log.left.value >= 0
        assert len(log.releases) == spent


# --- which log it is ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda cases: [*cases, "a new case"],
        lambda cases: cases[:-1],
        lambda cases: cases[-1:],
        lambda cases: [f"{case} grown" for case in cases],
        lambda cases: [f"cut {case}" for case in cases],
    ],
    ids=["more", "fewer", "one", "grown", "cut"],
)
def test_a_log_with_one_case_in_common_asks_whose_it_is(
    registry: Registry, change: Callable[[list[str]], list[str]]
) -> None:
    log = spend(registry, article("0.2", 5), "one")
    changed = change(CASES)
    with pytest.raises(UndecidedLog) as question:
        spend(registry, article("0.2", 5), "two", changed)
    (overlap,) = question.value.overlaps
    assert (overlap.log, overlap.cases) == (log, len(changed))
    assert overlap.common == (len(CASES) if len(changed) > len(CASES) else len(changed))
    assert spend(registry, article("0.2", 5), "two", changed, Declared(same_as=(log,))) == log
    # Known from now on, case for case, and so is what grows out of it.
    assert spend(registry, article("0.2", 5), "three", changed) == log
    assert spend(registry, article("0.2", 5), "four") == log
    assert registry.log(log).left == Amount(Fraction(1, 5))


def test_cases_in_another_order_are_the_same_log_and_other_cases_another(registry: Registry) -> None:
    log = spend(registry, article("0.2", 2), "one")
    assert spend(registry, article("0.2", 2), "two", CASES[::-1]) == log
    assert spend(registry, article("0.2", 2), "three", OTHERS) != log


def test_a_union_of_two_logs_spends_on_both_or_on_none(registry: Registry) -> None:
    one, two = spend(registry, article("0.2", 2), "one"), spend(registry, article("0.2", 3), "two", OTHERS)
    union = [*CASES, *OTHERS]
    with pytest.raises(UndecidedLog) as question:
        spend(registry, article("0.2", 3), "three", union, Declared(same_as=(one,)))
    assert [overlap.log for overlap in question.value.overlaps] == [two]
    both = Declared(same_as=(one, two))
    with pytest.raises(BudgetExceeded) as refusal:
        spend(registry, article("0.2", 1), "three", union, both)
    assert refusal.value.shortage.log == one
    spend(registry, article("0.2", 2), "three", union, both)
    assert registry.log(one).left == Amount(Fraction(0))
    assert registry.log(two).left == Amount(Fraction(1, 6))
    with pytest.raises(BudgetExceeded):  # known as both from now on
        spend(registry, article("0.2", 100), "four", union)
    with pytest.raises(RegistryError, match="each by its name"):
        registry.set_budget(prints(registry.hasher, union), PublishedBudget(Fraction(1, 2)))


def test_other_people_in_spite_of_common_cases_are_a_declaration_that_is_recorded(registry: Registry) -> None:
    one = spend(registry, article("0.2"), "one")
    two = spend(registry, article("0.2", 2), "two", [*CASES, "x"], Declared(new_log=True))
    assert two != one
    seen = [entry.secret for entry in registry.entries() if entry.kind == "seen"]
    assert [dict(secret.figures) for secret in seen if secret is not None] == [
        {"cases": 50, "other_people": {}},
        {"cases": 51, "other_people": {one: 50}},
    ]
    (other,) = registry.log(two).others
    assert (other.log, other.common, other.cases) == (one, 50, 51)
    assert registry.log(one).others == ()
    assert spend(registry, article("0.2", 2), "three", [*CASES, "x"]) == two
    three = spend(registry, article("0.2"), "four", [*CASES, "y"], Declared(different_from=(one, two)))
    assert three not in (one, two)


def test_a_known_log_is_not_made_new_by_saying_so(registry: Registry) -> None:
    spend(registry, article("0.2"), "one")
    with pytest.raises(NotANewLog, match="case for case") as refused:
        spend(registry, article("0.2"), "two", CASES, Declared(new_log=True))
    assert not refused.value.part


def test_part_of_a_log_is_not_made_new_by_saying_so(registry: Registry) -> None:
    one = spend(registry, article("0.2", 3), "one")
    for said in (Declared(new_log=True), Declared(different_from=(one,))):
        with pytest.raises(NotANewLog, match=f"in {one}: part of a log") as refused:
            spend(registry, article("0.2", 3), "two", CASES[:10], said)
        assert refused.value.logs == (one,)
        assert refused.value.part
    two = spend(registry, article("0.2", 3), "two", [*CASES[:10], *OTHERS], Declared(new_log=True))
    with pytest.raises(NotANewLog) as refused:  # part of both, and only one was named
        spend(registry, article("0.2", 3), "three", CASES[:5], Declared(same_as=(one,), new_log=True))
    assert refused.value.logs == (two,)
    assert spend(registry, article("0.2", 3), "three", CASES[:5], Declared(same_as=(one, two))) == one
    assert spend(registry, article("0.2", 3), "four") == one  # known case for case: everything was said


def test_what_a_log_shares_is_counted_of_both(registry: Registry) -> None:
    spend(registry, article("0.2", 3), "one")
    (overlap,) = registry.recognise(prints(registry.hasher, [*CASES[:7], *OTHERS])).overlapping
    assert (overlap.common, overlap.cases, overlap.registered, overlap.certain) == (7, 57, 50, 7)


def test_a_log_can_be_declared_the_same_without_a_common_case(registry: Registry) -> None:
    log = spend(registry, article("0.2", 2), "one")
    assert spend(registry, article("0.2", 2), "two", OTHERS, Declared(same_as=(log,))) == log


def test_identifiers_are_found_by_their_beginning_if_that_is_unambiguous(registry: Registry) -> None:
    logs = [spend(registry, article("0.2"), str(number), [f"{number:04}{number:04}"]) for number in range(20)]
    for log in logs:
        assert registry.log(log).log == registry.log(log.lower()).log == registry.log(log[2:]).log == log
    for wrong in ("", "L-", "L-zz", "*"):
        with pytest.raises(UnknownLog):
            registry.log(wrong)
    for digit in "0123456789abcdef":
        found = [log for log in logs if log[2] == digit]
        if len(found) == 1:
            assert registry.log(f"L-{digit}").log == found[0]
        else:
            with pytest.raises(UnknownLog, match=f"{len(found)} logs" if found else "No log"):
                registry.log(f"L-{digit}")


# --- what is on the disk --------------------------------------------------------------------------------------------


def test_files_and_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        registry = open_registry(tmp_path / "new" / "folder" / "registry.sqlite")
        spend(registry, article("0.2"), "one")
    finally:
        os.umask(umask)
    for path in (registry.path, key_file(registry.path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (tmp_path / "new", tmp_path / "new" / "folder"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(path.name for path in registry.path.parent.iterdir()) == ["registry.sqlite", "registry.sqlite.key"]


def test_nothing_of_a_log_is_in_the_file_and_two_registries_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = open_registry(tmp_path / "first"), open_registry(tmp_path / "second")
    for registry in (first, second):
        spend(registry, article("0.2"), "one")
        content = registry.path.read_bytes()
        for case in CASES:
            assert case.encode() not in content
    one, two = prints(first.hasher, CASES), prints(second.hasher, CASES)
    assert one.whole != two.whole
    assert not set(one.tokens.flatten().tolist()) & set(two.tokens.flatten().tolist())
    assert first.hasher.key.hex().encode() not in first.path.read_bytes()
    assert "secret" in repr(first.hasher)
    assert first.hasher.key.hex() not in repr(first)


def sealed(registry: Registry) -> list[bytes]:
    with closing(sqlite3.connect(registry.path)) as database:
        return [content for (content,) in database.execute("SELECT sealed FROM entries WHERE sealed IS NOT NULL")]


def test_without_the_key_equal_cases_in_two_entries_have_nothing_in_common(registry: Registry) -> None:
    """A union holds the tokens of both logs; counting the common ones would tell exact numbers of cases."""
    one, two = spend(registry, article("0.2", 4), "one"), spend(registry, article("0.2", 4), "two", OTHERS)
    spend(registry, article("0.2", 4), "three", [*CASES, *OTHERS], Declared(same_as=(one, two)))
    spend(registry, article("0.2", 4), "four", [*CASES, "new"], Declared(new_log=True))
    words = [set(np.frombuffer(content, dtype="<u8").tolist()) for content in sealed(registry)]
    assert len(words) == 4
    assert not any(one & other for one, other in combinations(words, 2))
    # With the key they have.
    tokens = [set(loaded(one.secret.tokens).tolist()) for one in registry.entries() if one.secret is not None]
    assert len(tokens[0] & tokens[2]) == len({*prints(registry.hasher, CASES).tokens.flatten().tolist()})


def test_no_number_of_cases_is_in_the_file_and_no_length_tells_one(registry: Registry) -> None:
    one = spend(registry, article("0.2", 9), "one")
    for number in range(3):
        cases = [*CASES[: number + 1], *(f"{number}{case:03}{case:03}{number}" for case in range(70))]
        spend(registry, article("0.2", 9), f"more {number}", cases, Declared(new_log=True))
    assert len({len(content) for content in sealed(registry)}) == 1
    content = registry.path.read_bytes()
    for word in (b"other_people", b'"cases"'):
        assert word not in content
    assert registry.log(one).cases == 50


def test_the_size_of_the_file_tells_no_number_of_cases(tmp_path: Path) -> None:
    sizes = []
    for number in (1, 2, 300):
        registry = open_registry(tmp_path / str(number))
        spend(registry, article("0.2"), "one", [f"{case:08}" for case in range(number)])
        sizes.append(registry.path.stat().st_size)
    assert len(set(sizes)) == 1


def test_reading_writes_nothing_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoRegistry):
        open_registry(tmp_path / "none" / "registry.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []
    log = spend(open_registry(tmp_path / "r"), article("0.2"), "one")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    registry = open_registry(tmp_path / "r", create=False)
    registry.logs()
    registry.log(log)
    export(registry.entries(), registry.logs())
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()} == before


def test_a_registry_can_be_read_where_it_cannot_be_written(tmp_path: Path) -> None:
    log = spend(open_registry(tmp_path / "r"), article("0.2"), "one")
    for path in tmp_path.iterdir():
        path.chmod(0o400)
    assert open_registry(tmp_path / "r", create=False).log(log).log == log


def test_a_link_to_a_registry_is_that_registry(tmp_path: Path) -> None:
    log = spend(open_registry(tmp_path / "r"), article("0.2"), "one")
    (tmp_path / "link").symlink_to(tmp_path / "r")
    with pytest.raises(BudgetExceeded):
        spend(open_registry(tmp_path / "link"), article("0.2"), "two")
    assert open_registry(tmp_path / "link").log(log).log == log


def test_an_export_holds_every_entry_and_no_hash(registry: Registry) -> None:
    spend(registry, article("0.2", 2), "one")
    registry.confirm("one", [])
    data = export(registry.entries(), registry.logs())
    assert [entry["kind"] for entry in data["entries"]] == ["created", "log", "seen", "budget", "reserved", "published"]
    assert prints(registry.hasher, CASES).whole.hex() not in str(data)
    assert data["logs"][0]["releases"][0]["spent"] == {"share": 0.5, "exactly": "1/2"}
