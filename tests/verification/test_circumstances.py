"""What cannot be checked is said, and never counted as passed."""

from __future__ import annotations

import gzip
import io
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.guarantee import Verdict
from amun_dp.article.methods import article_method_named
from amun_dp.release.methods import register_method, unregister_method
from amun_dp.report import formats
from amun_dp.verification import Judgement, Name, Outcome, Part, verify
from amun_dp.verification.blind_spots import undetectable
from amun_dp.verification.log import log_checks
from amun_dp.verification.report import claim_verdicts
from amun_dp.writing.packing import packed
from proofs import registry, smt
from proofs.queries import queries
from proofs.subject import SHIPPED
from tests.verification import forging
from tests.verification.broken_logs import hidden_in_parquet
from tests.verification.releases import Shelf, checked, failed_in, failing, made, outcome


@pytest.fixture(autouse=True)
def made_before(shelf: Shelf) -> None:
    """Releases are made before the circumstances change."""
    shelf.kept()
    shelf.kept(method="certified")


@pytest.fixture(params=["page", "drawing"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The software at hand has another format than the one that made the release."""
    name = str(request.param)
    monkeypatch.setattr(formats, name.upper(), 99)
    return name


OF_FORMAT = {"page": {Name.TEXTS, Name.PAGE}, "drawing": set[Name]()}
"""What is then not checked. A log of another format is compared all the same, and this one is as it would be here."""


def test_of_a_release_of_another_format_it_is_said_which_bytes_were_not_checked(elsewhere: str, shelf: Shelf) -> None:
    found = checked(shelf.kept(), with_original=True)
    assert not found.failed
    assert found.outcome is (Judgement.NOT_JUDGED if OF_FORMAT[elsewhere] else Judgement.PASSED)
    unchecked = {check.name for check in found.checks if check.outcome is Outcome.NOT_CHECKED}
    assert unchecked == {Name.CLAIMS} | OF_FORMAT[elsewhere]
    assert any(f"{elsewhere} 1, and here it is {elsewhere} 99" in note for note in found.notes)


def test_of_another_format_the_figures_are_checked_all_the_same(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    data = forging.report_in(folder)
    data["guarantees"][0]["why"] = "because"
    forging.reseal(folder, data)
    assert failing(folder) == {Name.GUARANTEES}
    monkeypatch.setattr(formats, "PAGE", 99)
    assert failing(folder) == set()
    data["guarantees"][0]["epsilon"] = 1e-3
    forging.reseal(folder, data)
    assert failing(folder) == {Name.GUARANTEES}


def test_a_log_of_another_drawing_that_is_not_written_as_here_is_not_checked(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    forging.edit_file(folder, lambda xml: xml.replace(b"\t</trace>", b"  </trace>"))
    assert failing(folder) == {Name.BYTES}
    monkeypatch.setattr(formats, "DRAWING", 99)
    found = checked(folder)
    assert not found.failed and outcome(found, Name.BYTES) is Outcome.NOT_CHECKED


def test_of_another_page_no_demand_is_met_and_none_is_refused(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anything may stand on a page that cannot be drawn here; that it does is not known."""
    monkeypatch.setattr(formats, "PAGE", 99)
    found = verify(shelf.kept(method="certified"), require=["case:0.5"])
    assert not found.failed and not found.passed
    assert found.outcome is Judgement.NOT_JUDGED
    assert outcome(found, Name.REQUIRED) is Outcome.NOT_CHECKED
    too_little = verify(shelf.kept(method="certified"), require=["case:0.3"])
    assert too_little.outcome is Judgement.FAILED and too_little.only_demands_failed


def test_of_another_drawing_that_is_as_here_a_demand_is_met(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "DRAWING", 99)
    assert verify(shelf.kept(method="certified"), require=["case:0.5"]).outcome is Judgement.PASSED


def test_versions_are_information(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "csv", "certified", internal=False)
    data = forging.report_in(folder)
    data["software"] |= {"amun-dp": "0.9.1", "numpy": "1.26.0", "zlib": "1.3.1.zlib-ng"}
    data["software"].pop("commit", None)  # not known everywhere
    forging.reseal(folder, data)
    assert verify(folder, require=["case:0.5"]).outcome is Judgement.PASSED


def test_a_report_of_a_later_schema_could_not_be_judged(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    data = forging.report_in(folder) | {"schema": "amun-dp/report/9"}
    data["software"]["amun-dp"] = "9.9.9"
    forging.write_report(folder, data)
    for demands in ([], ["case:0.5"]):
        found = checked(folder, require=demands)
        assert found.outcome is Judgement.NOT_JUDGED
        assert "amun-dp/report/9" in next(check.detail for check in found.checks if check.name is Name.REPORT)
    forging.write_report(folder, forging.report_in(folder) | {"schema": "somebody/else/9"})
    assert checked(folder).outcome is Judgement.FAILED


def another_zlib(folder: Path) -> None:
    """Packed as no zlib here does it, and said to be of another one; hardly larger."""
    data = forging.report_in(folder)
    data["formats"]["packing"] = "0123abcd"
    path = folder / "log.xes.gz"
    packed = forging.zipped(gzip.decompress(path.read_bytes()), 5)
    assert packed != path.read_bytes()
    path.write_bytes(packed)
    forging.reseal(folder, data)


def test_of_another_zlib_the_packing_is_not_checked_and_neither_folder_nor_demand_are_judged(
    shelf: Shelf, tmp_path: Path
) -> None:
    folder = shelf.copy(tmp_path / "release", method="certified", internal=False)
    another_zlib(folder)
    for demands in ([], ["case:0.5"]):
        found = verify(folder, require=demands)
        assert not found.failed and found.outcome is Judgement.NOT_JUDGED
        assert outcome(found, Name.PACKING) is Outcome.NOT_CHECKED
        assert outcome(found, Name.BYTES) is Outcome.PASSED
        assert any("is compressed" in sentence for sentence in found.undetectable)
    assert not any("is compressed" in sentence for sentence in verify(shelf.kept(method="certified")).undetectable)


def test_the_same_zlib_may_be_called_otherwise_where_the_bytes_are_the_same(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    data = forging.report_in(folder)
    data["formats"]["packing"] = "0123abcd"
    forging.reseal(folder, data)
    assert outcome(checked(folder), Name.PACKING) is Outcome.PASSED


@given(cuts=st.lists(st.integers(1, 60_000), max_size=20), seed=st.integers(0, 5))
def test_bytes_do_not_depend_on_the_pieces_in_which_they_are_written(cuts: list[int], seed: int) -> None:
    """So that what is unpacked piece by piece can be packed again and compared."""
    content = b"".join(b"%d:%d\n" % (number, number * (seed + 7) % 101) for number in range(20_000))
    written = io.BytesIO()
    with packed(written) as stream:
        at = 0
        for cut in cuts:
            stream.write(content[at : at + cut])
            at += cut
        stream.write(content[at:])
    assert written.getvalue() == forging.zipped(content)


@pytest.mark.parametrize(
    ("missing", "judged"),
    [(("z3", "cvc5"), Judgement.PASSED), (("sympy",), Judgement.NOT_JUDGED)],
    ids=["SMT solvers", "sympy"],
)
def test_a_missing_solver_says_nothing_against_a_release(
    missing: tuple[str, ...], judged: Judgement, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A demand rests on the checkers that are there; where there are none it could not be judged, and did not fail."""
    claim_verdicts._outcomes.cache_clear()
    for module in (claim_verdicts, registry):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name in missing else find_spec(name))
    try:
        found = verify(shelf.kept(method="certified"), require=["case:0.5"])
    finally:
        claim_verdicts._outcomes.cache_clear()
    assert found.outcome is judged and not found.failed
    left_open = {check.name for check in found.unchecked}
    assert left_open == (set() if judged is Judgement.PASSED else {Name.CLAIMS})


def test_a_solver_that_comes_to_no_answer_says_nothing_against_a_release(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(name: str) -> tuple[object, ...]:
        return tuple(replace(each, verdict=None, undecided=True) for each in genuine(name))

    genuine = claim_verdicts._outcomes
    monkeypatch.setattr(claim_verdicts, "_outcomes", idle)
    assert outcome(verify(shelf.kept()), Name.CLAIMS) is Outcome.NOT_CHECKED


@pytest.mark.parametrize(("answer", "undecided"), [("unknown (timeout)", True), ("sat", False)])
def test_an_answer_of_unknown_is_no_verdict(answer: str, undecided: bool) -> None:
    one = registry.Checker("count-cell", "exact", Verdict.PROVED, smt._check(smt_claim(), lambda _: answer))
    assert registry.run(one).undecided is undecided and not registry.run(one).agrees


def smt_claim() -> str:
    return next(query.claim for query in queries(SHIPPED))


def test_without_the_tools_of_proof_claims_are_not_checked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_verdicts, "find_spec", lambda name: None)
    assert outcome(verify(shelf.kept()), Name.CLAIMS) is Outcome.NOT_CHECKED


def test_a_proof_that_finds_another_verdict_fails_every_release(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = claim_verdicts._outcomes

    def doubted(name: str) -> tuple[object, ...]:
        found = genuine(name)
        return tuple(replace(each, verdict=Verdict.PROVED) for each in found) if name == "event-time" else found

    monkeypatch.setattr(claim_verdicts, "_outcomes", doubted)
    found = verify(shelf.kept())
    assert failed_in(found) == {Name.CLAIMS}
    assert "event-time" in found.failed[0].detail


def test_a_claim_that_no_solver_here_can_check_is_not_checked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = claim_verdicts._outcomes

    def idle(name: str) -> tuple[object, ...]:
        return tuple(replace(each, skipped=name == "event-time") for each in genuine(name))

    monkeypatch.setattr(claim_verdicts, "_outcomes", idle)
    assert outcome(verify(shelf.kept()), Name.CLAIMS) is Outcome.NOT_CHECKED


def test_an_outside_method_is_held_to_its_own_records_only(tmp_path: Path) -> None:
    register_method(replace(article_method_named("sampling"), name="outside"))
    try:
        made("outside").save(tmp_path / "release")
    finally:
        unregister_method("outside")
    found = checked(tmp_path / "release", with_original=True)
    assert found.failed == () and found.outcome is Judgement.NOT_JUDGED
    assert outcome(found, Name.MECHANISMS) is Outcome.NOT_CHECKED
    assert any("recorded mechanisms say" in sentence for sentence in found.undetectable)
    assert outcome(found, Name.PLAN) is Outcome.NOT_CHECKED
    assert outcome(found, Name.R1) is Outcome.PASSED
    assert outcome(found, Name.EQUAL_TIMES) is Outcome.TOLD


def test_new_variants_are_told_of_a_method_that_does_not_exclude_them(shelf: Shelf) -> None:
    found = checked(shelf.kept(method="certified"), with_original=True)
    assert found.failed == ()
    assert outcome(found, Name.R1) is Outcome.TOLD


def test_of_another_arrow_that_packs_otherwise_the_bytes_are_not_checked(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    packed_otherwise(folder)
    assert failing(folder) == {Name.PACKING}
    hidden_in_parquet(folder, b"")
    found = checked(folder)
    assert found.failed == () and found.outcome is Judgement.NOT_JUDGED
    assert outcome(found, Name.BYTES) is Outcome.PASSED
    assert outcome(found, Name.PACKING) is Outcome.NOT_CHECKED
    assert "install that pyarrow" in next(check.detail for check in found.checks if check.name is Name.PACKING)


def packed_otherwise(folder: Path) -> None:
    """The same rows, compressed as a version of Arrow might do it."""
    path = folder / "log.parquet"
    pq.write_table(pq.read_table(path), path, compression="zstd")
    forging.reseal(folder)


@pytest.mark.parametrize("version", [b"7.0.0", b"105.10.12"])
def test_of_another_arrow_that_packs_as_the_one_here_every_byte_is_checked(
    version: bytes, shelf: Shelf, tmp_path: Path
) -> None:
    """Most versions differ in nothing but the name that they write. It is longer or shorter, and so is the footer."""
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    path = folder / "log.parquet"
    data = path.read_bytes()
    name = re.search(rb"parquet-cpp-arrow version [0-9.]+", data)
    assert name is not None
    other = b"parquet-cpp-arrow version " + version
    footer = int.from_bytes(data[-8:-4], "little") + len(other) - len(name[0])
    content = data[: name.start() - 1] + bytes((len(other),)) + other + data[name.end() : -8]
    path.write_bytes(content + footer.to_bytes(4, "little") + data[-4:])
    assert pq.ParquetFile(path).metadata.created_by == other.decode()
    forging.reseal(folder)
    found = checked(folder)
    assert found.outcome is Judgement.PASSED and outcome(found, Name.PACKING) is Outcome.PASSED


def test_a_check_that_breaks_off_has_failed(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("patient-0001")

    monkeypatch.setattr(log_checks, "find_variants", broken)
    found = checked(shelf.kept())
    assert failed_in(found) == {Name.FIGURES}
    assert "ZeroDivisionError" in found.failed[0].detail
    assert "patient" not in found.failed[0].detail
    monkeypatch.setenv("AMUN_DP_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        checked(shelf.kept())


def test_the_list_of_what_is_not_seen_shrinks_with_what_is_at_hand(shelf: Shelf, tmp_path: Path) -> None:
    alone, with_original, with_both = undetectable(False, False), undetectable(True, False), undetectable(True, True)
    assert len(alone) > len(with_original) > len(with_both) > 4
    assert any("drawn at the recorded scales" in sentence for sentence in alone)
    assert not any("drawn at the recorded scales" in sentence for sentence in with_both)
    assert any("seeded generator" in sentence for sentence in with_both)
    assert any("counts got all of their noise" in sentence for sentence in with_both)
    assert any("owners" in sentence for sentence in with_both)
    assert any("hardly moved" in sentence for sentence in with_original)
    folder = shelf.copy(tmp_path / "release", internal=False)
    assert checked(folder).undetectable == alone
    assert checked(folder, with_original=True).undetectable == with_original
    inside, *seen = checked(shelf.kept(), with_original=True).undetectable
    assert tuple(seen) == with_both and "internal report" in inside
    unplanned = checked(shelf.kept(method="certified"), with_original=True).undetectable
    assert any("noise drawn at their scales" in sentence for sentence in unplanned)


def test_every_check_belongs_to_a_part_and_is_named_once() -> None:
    assert [name.part for name in Name] == sorted((name.part for name in Name), key=list(Part).index)
    assert len({name.value for name in Name}) == len(Name)
