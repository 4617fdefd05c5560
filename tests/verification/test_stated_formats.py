"""Whatever format a report says it has: nothing passes of which page, texts or bytes were not seen."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.software import age_of, software_versions
from amun_dp.report import formats
from amun_dp.report.formats import FIRST_WRITTEN_BY
from amun_dp.verification import Judgement, Name, Outcome, verify
from amun_dp.verification.checks import Fault
from amun_dp.verification.report.stated_formats import require_written_by
from tests.verification import forging
from tests.verification.broken_formats import (
    LATER,
    blanks_at_line_ends,
    page_with_the_original,
    words_in_the_report,
)
from tests.verification.broken_logs import hidden_in_padding
from tests.verification.releases import Shelf, checked, failing, outcome

UNKNOWN = "unknown"
VERSIONS = st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){1,3}((a|b|rc|\.dev|\.post)[0-9])?", fullmatch=True)


def detail(folder: Path, name: Name) -> str:
    return next(check.detail for check in checked(folder).checks if check.name is name)


def words(folder: Path) -> None:
    words_in_the_report(folder, "p17 was here")


@pytest.mark.parametrize("version", [LATER, UNKNOWN])
@pytest.mark.parametrize(
    ("number", "hide", "unseen", "named"),
    [
        ("page", page_with_the_original, {Name.PAGE, Name.TEXTS}, "report.html"),
        ("page", words, {Name.PAGE, Name.TEXTS}, "report.json"),
        ("drawing", blanks_at_line_ends, {Name.BYTES}, "drawn up"),
    ],
    ids=["page", "texts", "blanks"],
)
def test_what_hides_behind_a_format_of_a_later_version_could_not_be_judged(
    version: str,
    number: str,
    hide: Callable[[Path], None],
    unseen: set[Name],
    named: str,
    shelf: Shelf,
    tmp_path: Path,
) -> None:
    """Nobody here can say that such a number is a lie; nor is it said that what was not seen is in order."""
    folder = shelf.copy(tmp_path / "release", method="certified", internal=False)
    forging.of_another_format(folder, version, **{number: 2})
    hide(folder)
    for demands in ([], ["case:0.5"]):
        found = verify(folder, require=demands)
        assert found.failed == () and found.outcome is Judgement.NOT_JUDGED
        assert {check.name for check in found.unchecked} - {Name.FORMATS} == unseen
        assert outcome(found, Name.FORMATS) is (Outcome.PASSED if version == LATER else Outcome.NOT_CHECKED)
        assert any(named in sentence for sentence in found.undetectable)


@pytest.mark.parametrize("hidden", [0, 200])
def test_a_packing_that_nobody_here_has_could_not_be_judged(hidden: int, shelf: Shelf, tmp_path: Path) -> None:
    """Packed better than a release is, so that there is room for a message before the file is as large as one."""
    folder = shelf.copy(tmp_path / "release", method="certified", internal=False)
    path = folder / "log.xes.gz"
    before = path.stat().st_size
    path.write_bytes(hidden_in_padding(forging.zipped(gzip.decompress(path.read_bytes()), 9), b"x" * hidden))
    header = bytearray(path.read_bytes())
    header[8:10] = b"\x00\xff"  # of level 9 there it would say so
    path.write_bytes(bytes(header))
    assert path.stat().st_size < before + before // 16 + 1_024
    forging.reseal(folder)
    assert failing(folder) == {Name.PACKING}
    data = forging.report_in(folder)
    data["formats"]["packing"] = "deadbeef"
    forging.reseal(folder, data)
    for demands in ([], ["case:0.5"]):
        found = verify(folder, require=demands)
        assert found.failed == () and found.outcome is Judgement.NOT_JUDGED
        assert {check.name for check in found.unchecked} == {Name.PACKING}
    smallest = min(len(forging.zipped(gzip.decompress(path.read_bytes()), level)) for level in range(1, 10))
    assert f"{smallest:,} at the best level" in detail(folder, Name.PACKING)


def test_only_another_version_is_said_to_be_able_to_compare(shelf: Shelf, tmp_path: Path) -> None:
    here = software_versions()["amun-dp"]
    for version in (here, UNKNOWN, LATER):
        folder = shelf.copy(tmp_path / version, internal=False)
        forging.of_another_format(folder, version, page=2)
        said = [detail(folder, Name.PAGE), *checked(folder).notes]
        assert [f"names amun-dp {LATER} as its maker" in each for each in said] == [version == LATER] * 2
        assert all("can compare" in each for each in said) is (version == LATER)


@pytest.mark.parametrize("format", ["csv", "xes", "parquet"])
def test_a_release_of_a_version_that_is_not_known_is_judged_where_all_bytes_are_those_written_here(
    format: str, shelf: Shelf, tmp_path: Path
) -> None:
    """From a copy of the source code that was never installed, for instance; or by a later version."""
    folder = shelf.copy(tmp_path / "release", format, internal=False)
    for version in (UNKNOWN, LATER):
        forging.of_another_format(folder, version)
        assert checked(folder).outcome is Judgement.PASSED


# --- which version can have written which number --------------------------------------------------------------------


def test_every_number_that_is_written_here_is_listed_with_the_version_that_wrote_it_first() -> None:
    """Add a line to FIRST_WRITTEN_BY with every number that is raised: the version in which it is published."""
    assert {kind: max(first) for kind, first in FIRST_WRITTEN_BY.items()} == {
        "schema": formats.SCHEMA,
        "page": formats.PAGE,
        "drawing": formats.DRAWING,
    }
    here = age_of(software_versions()["amun-dp"])
    for first in FIRST_WRITTEN_BY.values():
        assert list(first) == list(range(min(first), max(first) + 1))
        ages = [age for version in first.values() if (age := age_of(version)) is not None]
        assert len(ages) == len(first) and ages == sorted(ages)
        assert here is None or ages[-1] <= here


def written(kind: str, number: int, version: str) -> bool:
    try:
        require_written_by(kind, number, version)
    except Fault:
        return False
    return True


HISTORY = {1: "0.1.0", 2: "0.3.0", 3: "0.3.0", 4: "1.0.0"}
"""Of a format, made up. Version 0.3.0 had two numbers while it was made."""
HERE = "1.2.0"


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amun_dp.verification.report.stated_formats.FIRST_WRITTEN_BY", {"page": HISTORY})
    monkeypatch.setattr("amun_dp.verification.report.stated_formats.software_versions", lambda: {"amun-dp": HERE})


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("0.0.9", set()),
        ("0.1.0.dev3", set()),
        ("0.1.0", {1}),
        ("0.2.9", {1}),
        ("0.3.0rc1", {1}),
        ("0.3.0", {1, 2, 3}),
        ("0.3.0.post1", {3}),
        ("0.10", {3}),
        ("1.0.0", {3, 4}),
        ("1.1", {4}),
        ("1.2.0", {4}),
        ("1.2.0.0", {4}),
        ("1.2.0.post1", {4, 5, 9_999}),
        ("1.3.0.dev1", {4, 5, 9_999}),
        ("77.0", {4, 5, 9_999}),
        (UNKNOWN, {1, 2, 3, 4, 5, 9_999}),
        ("1.2.0\n", set()),
        ("trust me", set()),
    ],
)
def test_a_version_has_written_the_numbers_of_its_time_and_no_others(version: str, numbers: set[int]) -> None:
    assert {number for number in (-1, 0, 1, 2, 3, 4, 5, 9_999) if written("page", number, version)} == numbers


@given(one=VERSIONS, other=VERSIONS)
def test_versions_sort_as_packaging_sorts_them(one: str, other: str) -> None:
    packaging = pytest.importorskip("packaging.version")
    first, second = age_of(one), age_of(other)
    assert first is not None and second is not None
    assert (first < second) is (packaging.Version(one) < packaging.Version(other))


@given(number=st.integers(1, 9_999), version=VERSIONS)
def test_no_version_up_to_this_one_has_a_number_that_is_not_known_here(number: int, version: str) -> None:
    newest, age = max(FIRST_WRITTEN_BY["page"]), age_of(version)
    assert age is not None
    if number > newest and age <= (age_of(software_versions()["amun-dp"]) or (0,)):
        assert not written("page", number, version)


def test_where_this_version_is_not_known_the_newest_listed_one_has_no_number_beyond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where the package runs from a copy of its source code."""
    monkeypatch.setattr("amun_dp.verification.report.stated_formats.software_versions", lambda: {"amun-dp": UNKNOWN})
    assert not written("page", formats.PAGE + 1, FIRST_WRITTEN_BY["page"][formats.PAGE])
    assert written("page", formats.PAGE + 1, LATER)
