"""What a case adds is held against what its tally states, in every run: a case that exceeds it stops the release before
the measurement meets noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import amun_dp
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.auditing.tape import Recorder
from amun_dp.certified import CertifiedChoices, public_facts
from amun_dp.certified.cases import Cases, prepare, variant_of
from amun_dp.certified.contributions import LARGEST_NORM, Added, Rows, kept_rows, within_norm, within_weight
from amun_dp.certified.draw import draw
from amun_dp.certified.errors import SensitivityExceededError
from amun_dp.certified.population import InMemory
from amun_dp.cli import main
from amun_dp.noise.sources import SeededNoise
from amun_dp.synthetic import hospital_log
from tests.certified.cases import ordinary_cases
from tests.certified.test_additivity import SCENES, recorded
from tests.logs import log_of

AMOUNTS = (0, 1, 2, 3, 5, 7, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, 1 << 62, (1 << 63) - 1)


def ints(numbers: list[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True)
class Written:
    """Contributions, and the same as Python's own numbers: (cell, amount) of each case."""

    added: Added
    cases: list[list[tuple[int, int]]]

    @property
    def vectors(self) -> list[dict[int, int]]:
        vectors: list[dict[int, int]] = [{} for _ in self.cases]
        for vector, rows in zip(vectors, self.cases, strict=True):
            for cell, amount in rows:
                vector[cell] = vector.get(cell, 0) + amount
        return vectors


@st.composite
def contributions(draw: st.DrawFn, signed: bool = False) -> Written:
    """One to three columns of rows; some with as many rows per case as it likes, some without amounts."""
    cells, number = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    amounts = st.sampled_from(AMOUNTS) | st.integers(-3 if signed else -1, 9)
    columns, cases = [], [[] for _ in range(number)]  # type: ignore[var-annotated]
    for _ in range(draw(st.integers(1, 3))):
        each = draw(st.booleans())
        lengths = [1] * number if each else [draw(st.integers(0, 3)) for _ in range(number)]
        cell = [draw(st.integers(0, cells - 1)) for _ in range(sum(lengths))]
        amount = [draw(amounts) for _ in cell] if draw(st.booleans()) else [1] * len(cell)
        rows = iter(zip(cell, amount, strict=True))
        for case, length in enumerate(lengths):
            cases[case] += [next(rows) for _ in range(length)]
        plain = all(one == 1 for one in amount) and draw(st.booleans())
        offsets = None if each else ints([0, *np.cumsum(lengths).tolist()])
        columns.append(Rows(ints(cell), None if plain else ints(amount), offsets))
    return Written(Added(cells, tuple(columns)), cases)


@given(written=contributions(), weight=st.sampled_from((1, 2, 3, 9, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1)))
@example(  # a sum of three columns that does not fit 64 bits
    written=Written(Added(1, (Rows(ints([0]), ints([1 << 62])),) * 3), [[(0, 1 << 62)] * 3]), weight=1 << 62
)
def test_a_weight_is_enforced_as_pythons_integers_have_it(written: Written, weight: int) -> None:
    amounts = [[amount for _, amount in case] for case in written.cases]
    fits = all(min(case, default=0) >= 0 and sum(case) <= weight for case in amounts)
    assert within_weight(written.added, weight) == fits


@given(
    written=contributions(signed=True),
    norm=st.sampled_from((1, 2, 3, 5, 9, (1 << 31) - 1, 1 << 31)),
    centred=st.booleans(),
)
@example(  # 3² + 4² = 5², in two rows of the same cell and one of another
    written=Written(Added(2, (Rows(ints([0, 0, 1]), ints([1, 2, 4]), ints([0, 3])),)), [[(0, 1), (0, 2), (1, 4)]]),
    norm=5,
    centred=False,
)
@example(  # the squares alone would be 1 + 4 + 16 = 21, the sum has 3² + 4²
    written=Written(Added(2, (Rows(ints([0, 0, 1]), ints([1, 2, 4]), ints([0, 3])),)), [[(0, 1), (0, 2), (1, 4)]]),
    norm=4,
    centred=False,
)
@example(
    written=Written(Added(2, (Rows(ints([0, 1]), ints([1 << 31, 1]), ints([0, 2])),)), [[(0, 1 << 31), (1, 1)]]),
    norm=1 << 31,
    centred=False,
)
def test_a_norm_is_enforced_as_pythons_integers_have_it(written: Written, norm: int, centred: bool) -> None:
    """No single amount may exceed it, either: amounts of a centred cell must not need each other to cancel."""
    fits = all(sum(entry**2 for entry in vector.values()) <= norm**2 for vector in written.vectors)
    rows = [amount for case in written.cases for _, amount in case]
    fits &= all((-norm if centred else 0) <= amount <= norm for amount in rows)
    assert within_norm(written.added, norm, centred) == fits


@given(st.lists(st.integers(0, LARGEST_NORM), min_size=1, max_size=40))
@example([LARGEST_NORM // 2] * 4)
@example([1 << 16] * (1 << 12))
def test_the_bound_of_a_norm_is_exact_to_the_last_unit(entries: list[int]) -> None:
    """The smallest norm that is enough, and one less."""
    square = sum(entry**2 for entry in entries)
    least = math.isqrt(square - 1) + 1 if square else 1
    added = Added(len(entries), (Rows(np.arange(len(entries)), ints(entries), ints([0, len(entries)])),))
    assert within_norm(added, least, centred=False) == (least <= LARGEST_NORM)
    assert not within_norm(added, least - 1, centred=False) or square == 0


@pytest.mark.parametrize(
    "rows",
    [
        Rows(ints([0, 0]), ints([1, 1]), ints([0, 1])),  # a row that is nobody's
        Rows(ints([0, 0]), ints([1, 1]), ints([1, 2])),
        Rows(ints([0, 0, 0]), ints([1, 1, 1]), ints([0, 3, 1, 3])),  # rows that go back
        Rows(ints([0, 0]), ints([1])),
    ],
)
def test_rows_that_belong_to_no_case_are_refused(rows: Rows) -> None:
    assert not within_weight(Added(1, (rows,)), 100)
    assert not within_norm(Added(1, (rows,)), 100, centred=True)


def test_cells_that_are_none_are_refused_where_they_would_be_taken_for_others() -> None:
    for cell in (-1, 2):
        assert not within_norm(Added(2, (Rows(ints([cell])),)), 1, centred=False)


@given(st.lists(st.lists(st.booleans(), max_size=4), max_size=5))
def test_rows_that_are_kept_stay_with_their_case(kept: list[list[bool]]) -> None:
    flat = np.array([one for case in kept for one in case], dtype=np.bool_)
    offsets = ints([0, *np.cumsum([len(case) for case in kept]).astype(np.int64).tolist()])
    assert np.diff(kept_rows(flat, offsets)).tolist() == [sum(case) for case in kept]
    assert np.diff(kept_rows(flat)).tolist() == flat.astype(int).tolist()


# --- a tally that is wrong ------------------------------------------------------------------------------------------


def with_one_unit_too_many(call: Callable[..., Added]) -> Callable[..., Added]:
    """What a tally adds, and what the case that adds most lacks of the weight and one more."""

    def planted(tally: Any, part: Any) -> Added:
        added = call(tally, part)
        number = len(added.rows[0].bounds) - 1
        if not number:
            return added
        sums = np.zeros(number, dtype=np.int64)
        for rows in added.rows:
            sums += rows.of_cases(np.int64)
        more = np.zeros(number, dtype=np.int64)
        worst = int(np.argmax(sums))
        more[worst] = tally.weight + 1 - sums[worst]
        return Added(added.cells, (*added.rows, Rows(np.zeros(number, dtype=np.int64), more)))

    return planted


@pytest.mark.parametrize("scene", SCENES)
def test_every_tally_that_exceeds_its_weight_by_one_stops_the_run_before_its_noise(
    scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, individuals, letters, facts_given = SCENES[scene]
    log = log_of(ordinary_cases(4_000 if scene == "public, length classes" else 1_000, letters=letters))
    choices = CertifiedChoices(form, individuals=individuals)
    facts = public_facts(log, facts_given, choices)
    cases = prepare(log, facts, choices)
    made = recorded(scene)
    for number, tally in enumerate(made.asked):
        tape = Recorder(SeededNoise(4))
        with monkeypatch.context() as patch:
            patch.setattr(type(tally.tally), "__call__", with_one_unit_too_many(type(tally.tally).__call__))
            with pytest.raises(SensitivityExceededError, match=f"{tally.name.strip('_')}.*stays spent"):
                draw(InMemory((cases,)), facts, choices, 0.9, 1, tape)
        assert len(tape.measurements) <= len(made.keys) + number, tally.name
    assert len(made.asked) > 4


def test_the_first_measurement_that_is_wrong_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from amun_dp.certified.flow.generated import _Lengths

    class Silent(SeededNoise):
        def discrete_laplace(self, scales: FloatArray) -> IntArray:
            raise AssertionError(f"noise was drawn: {len(scales)}")

        def bits(self, n: int) -> Any:
            raise AssertionError(f"bits were drawn: {n}")

    log, choices = log_of(ordinary_cases()), CertifiedChoices("generated")
    facts = public_facts(log, None, choices)
    monkeypatch.setattr(_Lengths, "__call__", with_one_unit_too_many(_Lengths.__call__))
    with pytest.raises(SensitivityExceededError, match="Lengths"):
        draw(InMemory((prepare(log, facts, choices),)), facts, choices, 0.9, 1, Silent(1))


@dataclass(frozen=True)
class Normed:
    """One cell per activity; the L2 norm of a case's counts is stated."""

    norm: int
    centred: bool = False

    def __call__(self, cases: Cases) -> Added:
        return Added(cases.activities, (Rows(cases.flow.activity, offsets=cases.flow.offsets),))


def test_a_stated_norm_is_enforced_where_sums_are_made() -> None:
    log, choices = log_of(ordinary_cases(20, letters="ab")), CertifiedChoices("generated")
    facts = public_facts(log, None, choices)
    cases = InMemory((prepare(log, facts, choices),))
    flow = cases.parts[0].flow
    squares = [int((np.bincount(flow.activity[begin:end]) ** 2).sum()) for begin, end in pairwise(flow.offsets)]
    enough = math.isqrt(max(squares) - 1) + 1
    (sums,) = cases.totals(Normed(enough))
    assert sums.sum() == len(flow.activity)
    with pytest.raises(SensitivityExceededError, match="Normed"):
        cases.totals(Normed(enough - 1))


def test_a_case_with_two_keys_stops_the_run() -> None:
    def twice(cases: Cases) -> Any:
        keys = variant_of(cases)
        return pa.concat_arrays([keys, keys.slice(0, 1)])

    log, choices = log_of(ordinary_cases()), CertifiedChoices("threshold")
    cases = InMemory((prepare(log, public_facts(log, None, choices), choices),))
    assert cases.histogram(variant_of)[1].sum() == log.n_cases
    with pytest.raises(SensitivityExceededError, match="cases of each key"):
        cases.histogram(twice)


def test_a_release_that_stops_says_that_its_budget_is_spent_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from amun_dp.certified.flow.generated import _Steps

    path, registry = tmp_path / "log.csv", tmp_path / "registry.sqlite"
    hospital_log(60).to_pandas().to_csv(path, index=False)
    monkeypatch.setattr(_Steps, "__call__", with_one_unit_too_many(_Steps.__call__))
    flags = ["--advantage", "0.5", "--method", "certified", "--variants", "generated", "--allow-too-small"]
    out = ["--out", str(tmp_path / "out"), "--registry", str(registry)]
    assert main(["anonymize", str(path), *flags, *out]) == 3
    said = capsys.readouterr().err
    assert "A case adds more to a measurement (Steps) than its stated sensitivity." in said
    assert "stays spent" in said and "bug in amun-dp" in said
    assert not (tmp_path / "out").exists()
    (log,) = amun_dp.open_registry(registry, create=False).logs()
    assert [release.published_at for release in log.releases] == [None]
