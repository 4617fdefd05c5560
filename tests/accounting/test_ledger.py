"""A ledger gives back the tree of events bit for bit, or refuses."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting import events
from accounting.confidential import WITHHELD, Confidential, Withheld
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    DataDependentSelection,
    LaplaceCount,
    PerEventNoise,
    PrivacyEvent,
    Sequential,
    kinds,
    register_event,
)
from accounting.ledger import (
    Ledger,
    LedgerError,
    append,
    check_seal,
    ledger_of,
    read_ledger,
    seal,
    tree_of,
    write_ledger,
)
from accounting.ledger.files import _checksum, _page
from accounting.ledger.records import Numbers, Record, chained
from tests.properties import examples

KEY = bytes(range(32))
Tamper = Callable[[dict[str, Any]], object]


@dataclass(frozen=True, slots=True, eq=False)
class Outsider(PrivacyEvent):
    """An event of someone else's, with columns of its own and of different lengths."""

    weights: tuple[float, ...]
    raw: Confidential[tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]]
    part: PrivacyEvent | None = None
    flag: bool = False
    note: Any = None


@pytest.fixture(autouse=True, scope="module")
def outsider_is_registered() -> Iterator[None]:
    """Only here: other tests go through all registered kinds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kinds, "_KINDS", dict(kinds._KINDS))
        register_event("test-outsider")(Outsider)
        yield


def same(one: object, other: object) -> bool:
    """Equal to the bit, independently of how a ledger writes it."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Withheld):
        return one == other
    if isinstance(one, Confidential) and isinstance(other, Confidential):
        return same(one.reveal(), other.reveal())
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        return all(same(getattr(one, item.name), getattr(other, item.name)) for item in fields(one))
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    return one == other


def per_event(rows: int = 3, seed: int = 7) -> BoundedLaplace:
    random = np.random.default_rng(seed)
    case = random.permutation(rows)
    value_range, copies, individual = (random.integers(1, 9, rows) for _ in range(3))
    scale = random.random(rows)
    scale[0] = 5e-324
    return BoundedLaplace(0.2, Confidential(PerEventNoise(case, value_range, scale, copies, case, individual)))


def release() -> Sequential:
    return Sequential((LaplaceCount(2.5, 1, Confidential(185)), per_event(), DataDependentSelection("variants")))


positive = st.floats(min_value=1e-9, max_value=1e299)
whole = st.integers(1, 2**62)
fact = st.one_of(st.none(), whole, whole.map(Confidential), st.just(WITHHELD))
text = st.text(max_size=8)
variances = st.one_of(st.integers(5, 2**62), st.fractions(5, 10**30), st.just(WITHHELD))
LEAVES: dict[str, st.SearchStrategy[PrivacyEvent]] = {
    "laplace-count": st.builds(LaplaceCount, positive, whole, fact),
    "one-sided-count": st.builds(events.OneSidedCount, positive, whole, fact),
    "thresholded-histogram": st.builds(events.ThresholdedHistogram, positive, st.integers(2, 99)),
    "bounded-laplace": st.builds(per_event, st.integers(1, 5), st.integers(0, 99)),
    "noisy-max": st.builds(events.NoisyMax, positive, whole, st.sampled_from(["control flow", "times"])),
    "weighted-histogram": st.builds(
        events.WeightedHistogram, positive, whole, st.sampled_from(["control flow", "times"])
    ),
    "gaussian-histogram": st.builds(
        events.GaussianHistogram,
        variances,
        whole,
        st.sampled_from(["control flow", "times"]),
        whole,
        st.booleans(),
    ),
    "thresholded-gaussian": st.builds(events.ThresholdedGaussian, variances, st.integers(1, 9), st.integers(10, 99)),
    "taken-as-public": st.builds(
        events.TakenAsPublic, st.sampled_from(["labels", "time frame", "number of cases"]), st.booleans()
    ),
    "case-moves": st.builds(events.CaseMoves),
    "post-processing": st.builds(events.PostProcessing, text, text),
    "non-private": st.builds(events.NonPrivate, text),
    "undisclosed": st.builds(events.Undisclosed, text),
    "test-outsider": st.builds(
        lambda weights, rows: Outsider(
            tuple(weights), Confidential((np.ones(rows, np.float32), np.arange(2, dtype="u1")))
        ),
        st.lists(st.floats(allow_nan=False), max_size=3),
        st.integers(0, 3),
    ),
}


def compositions(trees: st.SearchStrategy[PrivacyEvent]) -> dict[str, st.SearchStrategy[PrivacyEvent]]:
    parts = st.lists(trees, max_size=3).map(tuple)
    return {
        "sequential": st.builds(Sequential, parts),
        "parallel": st.builds(events.Parallel, parts, st.sampled_from(["public", "value-dependent"])),
        "replicated": st.builds(events.Replicated, trees, whole),
        "repeated-release": st.builds(events.RepeatedRelease, trees, whole),
        "shared-by-individual": st.builds(events.SharedByIndividual, trees, fact),
        "data-dependent-selection": st.builds(
            DataDependentSelection, st.sampled_from(["variants", "groups", "cases"]), trees
        ),
    }


trees = st.recursive(st.one_of(*LEAVES.values()), lambda parts: st.one_of(*compositions(parts).values()), max_leaves=6)


def test_every_registered_kind_is_generated() -> None:
    built_in = {kind for kind, cls in kinds._KINDS.items() if cls.__module__.startswith("accounting.events.")}
    assert built_in <= LEAVES.keys() | compositions(st.nothing()).keys()


@settings(max_examples=examples(150), deadline=None)
@given(trees)
def test_the_tree_comes_back_bit_for_bit_from_memory_and_from_files(tree: PrivacyEvent) -> None:
    ledger = ledger_of(tree)
    assert same(tree_of(ledger), tree)
    with tempfile.TemporaryDirectory() as name:
        write_ledger(ledger, Path(name))
        read = read_ledger(Path(name))
    assert read.head == ledger.head
    assert same(tree_of(read), tree)


@pytest.mark.parametrize("value", [5e-324, -0.0, 0.1, 1e308, float("inf"), -float("inf"), 2.0**-1074 * 3])
def test_floats_keep_every_bit(value: float, tmp_path: Path) -> None:
    tree = Outsider((value,), Confidential((np.array([value]), np.zeros(1, np.uint8))))
    write_ledger(ledger_of(tree), tmp_path)
    assert same(tree_of(read_ledger(tmp_path)), tree)


@pytest.mark.parametrize(
    "value",
    [float("nan"), [1], {"a": 1}, 1j, "\ud83d", 2**5000, np.zeros((2, 2)), per_event],
    ids=lambda v: type(v).__name__,
)
def test_what_a_ledger_cannot_carry_is_refused_by_name(value: object) -> None:
    columns = Confidential((np.zeros(1, np.float32), np.zeros(1, np.uint8)))
    with pytest.raises(AccountingError, match=r"Outsider\.note"):
        ledger_of(Outsider((), columns, note=value))


def test_an_unregistered_event_and_one_that_is_no_dataclass_are_refused() -> None:
    class Unknown(PrivacyEvent):
        pass

    with pytest.raises(AccountingError, match="Unknown"):
        ledger_of(Sequential((Unknown(),)))
    with pytest.raises(AccountingError, match="Stateful is not a dataclass"):
        ledger_of(register_event("test-stateful")(type("Stateful", (PrivacyEvent,), {}))())


def numbers(record: Record, name: str) -> Numbers:
    column = record.columns[name]
    assert isinstance(column, np.ndarray)
    return column


def test_a_ledger_goes_on_and_its_records_stay() -> None:
    first = ledger_of(release())
    both = append(first, per_event())
    assert both.records[: len(first.records)] == first.records
    assert same(tree_of(both), Sequential((release(), per_event())))
    assert same(tree_of(first), release())
    column = numbers(both.records[1], "columns.scale")
    before = column.copy()
    with pytest.raises(ValueError):  # numpy's words; what counts is that nothing was written
        column[0] = before[0] + 1
    assert np.array_equal(column, before)


def test_annotations_are_kept_hashed_and_without_meaning(tmp_path: Path) -> None:
    names = pa.array(["c1", "c1", "ünï"]).dictionary_encode()
    annotations = {"case": names, "activity": np.array(["a", "", "b"]), "prior": np.array([0.5, np.nan, 1])}
    ledger = ledger_of(release(), annotations)
    write_ledger(ledger, tmp_path)
    read = read_ledger(tmp_path)
    assert read.records[1].columns["annotation:case"].tolist() == ["c1", "c1", "ünï"]
    assert read.records[1].columns["annotation:activity"].tolist() == ["a", "", "b"]
    assert same(tree_of(read), release())
    assert ledger.head != ledger_of(release()).head
    # Texts that only read the same on end are different texts.
    assert ledger.head != ledger_of(release(), annotations | {"activity": np.array(["", "a", "b"])}).head


@pytest.mark.parametrize("wrong", [np.zeros(2), pa.array(["a", None, "b"]), np.array([1, "a", "b"], object), [1, 2, 3]])
def test_annotations_that_do_not_fit_are_refused(wrong: Any) -> None:
    with pytest.raises(AccountingError, match="annotation"):
        ledger_of(release(), {"x": wrong})


def test_ledgers_do_not_print_what_they_hold() -> None:
    ledger = ledger_of(release())
    assert "185" not in f"{ledger!r}{ledger.records[0]!r}"


# --- tampering ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("file", ["ledger.json", "ledger.parquet"])
def test_any_changed_byte_of_either_file_is_refused(tmp_path: Path, file: str) -> None:
    write_ledger(ledger_of(release()), tmp_path, KEY)
    original = (tmp_path / file).read_bytes()
    for place in range(len(original)):
        changed = bytearray(original)
        changed[place] ^= 1 << place % 8
        (tmp_path / file).write_bytes(changed)
        with pytest.raises(LedgerError):
            read_ledger(tmp_path)
    for other in (original[:-1], original + b"\n", b"", b"null\n", b"[" * 100_000):
        (tmp_path / file).write_bytes(other)
        with pytest.raises(LedgerError):
            read_ledger(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(LedgerError, match=file):
        read_ledger(tmp_path)


def rehash_second(document: dict[str, Any]) -> None:
    """Change a scale and recompute that record's hash, but not what follows."""
    record = document["records"][0]
    record["parameters"]["scale"] = {"float": (9.0).hex()}
    record["hash"] = chained(record["previous"], record["kind"], record["parameters"], {}).hash


@pytest.mark.parametrize(
    ("tamper", "says"),
    [
        (lambda d: d["records"].insert(0, d["records"].pop(2)), "does not follow"),
        (lambda d: d["records"].pop(2), "does not follow"),
        (lambda d: d["records"].pop(), "head"),
        (lambda d: d["records"][0]["parameters"].update(sensitivity=2), r"record 0 \(laplace-count\)"),
        (lambda d: d["records"][1]["columns"][0].update(sha256="0" * 64), "column 'columns.case'"),
        (lambda d: d["records"][1]["columns"].pop(), "columns or rows"),
        (lambda d: d["records"][1]["columns"][0].update(type="object"), "no columns of type"),
        (lambda d: d["records"][0].update(extra=1), "fields of its schema"),
        (rehash_second, "record 1 .* does not follow"),
        (lambda d: d.update(schema="amun-dp/ledger/2"), "schema"),
        (lambda d: d.update(parquet_sha256="0" * 64), "parquet"),
        (lambda d: d.update(head=7), "wrong type"),
    ],
)
def test_changes_with_a_mended_checksum_are_refused_by_the_chain(tmp_path: Path, tamper: Tamper, says: str) -> None:
    write_ledger(ledger_of(release()), tmp_path)
    document = json.loads((tmp_path / "ledger.json").read_bytes())
    tamper(document)
    (tmp_path / "ledger.json").write_bytes(_page(document | {"checksum": _checksum(document)}))
    with pytest.raises(LedgerError, match=says):
        read_ledger(tmp_path)


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        ("no-such-kind", {}, "no-such-kind"),
        ("laplace-count", {"scale": {"float": "nan"}}, "not one of a ledger's"),
        ("laplace-count", {"scale": {"float": "-0x1.0000000000000p+0"}}, "positive"),
        ("laplace-count", {"scale": {"float": "1.5"}}, "not one of a ledger's"),
        ("laplace-count", {"scale": 1.5}, "not one of a ledger's|plain JSON"),
        ("laplace-count", {"scale": "1.5"}, "declared type"),
        ("laplace-count", {"sensitivity": True}, "declared type"),
        ("laplace-count", {"more": 1}, "unknown"),
        ("laplace-count", {"cells_per_case": {"event": 0}}, "refers to what is not there"),
        ("one-sided-count", {"cells_per_case": {"confidential": 0}}, "at least one cell"),
        ("case-moves", {}, "unknown"),
    ],
)
def test_a_whole_chain_of_nonsense_is_refused_too(kind: str, change: dict[str, Any], says: str) -> None:
    parameters = dict(ledger_of(LaplaceCount(2.5)).records[0].parameters) | change
    with pytest.raises(LedgerError, match=says):
        tree_of(Ledger((chained("0" * 64, kind, parameters, {}),)))


def test_records_changed_in_memory_are_refused() -> None:
    ledger = ledger_of(release())
    a, b, *rest = ledger.records
    louder = dict(b.columns) | {"columns.scale": numbers(b, "columns.scale") * 2}
    for records in ((b, a, *rest), (a, *rest), (a, replace(b, columns=louder), *rest), ()):
        with pytest.raises(LedgerError):
            tree_of(Ledger(records))


def test_a_seal_holds_for_one_ledger_and_one_key(tmp_path: Path) -> None:
    ledger = ledger_of(release())
    assert check_seal(ledger, KEY, seal(ledger, KEY))
    assert not check_seal(ledger, KEY[::-1], seal(ledger, KEY))
    assert not check_seal(append(ledger, per_event()), KEY, seal(ledger, KEY))
    with pytest.raises(AccountingError, match="16 bytes"):
        seal(ledger, b"short")
    write_ledger(ledger, tmp_path / "sealed", KEY)
    write_ledger(ledger, tmp_path / "plain")
    assert read_ledger(tmp_path / "sealed", KEY).sealed == "checked"
    assert read_ledger(tmp_path / "sealed").sealed == "unchecked"
    assert read_ledger(tmp_path / "plain").sealed == "no"
    with pytest.raises(LedgerError, match="under this key"):
        read_ledger(tmp_path / "sealed", KEY[::-1])
    with pytest.raises(LedgerError, match="not sealed"):
        read_ledger(tmp_path / "plain", KEY)


# --- files ----------------------------------------------------------------------------------------------------------


def test_files_are_private_never_overwritten_and_never_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ledger(ledger_of(release()), tmp_path / "a")
    assert {(path.name, path.stat().st_mode & 0o777) for path in (tmp_path / "a").iterdir()} == {
        ("ledger.json", 0o600),
        ("ledger.parquet", 0o600),
    }
    with pytest.raises(LedgerError, match="never overwritten"):
        write_ledger(ledger_of(per_event()), tmp_path / "a")
    assert same(tree_of(read_ledger(tmp_path / "a")), release())
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == "ledger.json":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="No space"):
        write_ledger(ledger_of(release()), tmp_path / "b")
    assert not list((tmp_path / "b").iterdir())


def test_a_million_rows_are_hashed_without_copies() -> None:
    tree = per_event(1_000_000)
    tracemalloc.start()
    ledger = ledger_of(tree)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * 8_000_000  # the tree's own six columns are twice this
    assert same(tree_of(ledger), tree)


def test_importing_the_ledger_imports_numpy_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import accounting, accounting.ledger, accounting.composition_pld\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "sys.exit(str(extra) if (extra := new - set(sys.stdlib_module_names) - {'numpy', 'accounting'}) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
