"""Everything that is measured is a sum over cases, of numbers that are not negative and sum to at most the weight.

That is the premise of every stated ε, and what lets cases be cut into parts. The tallies are those that a draw really
asks for, found by recording; none is listed by hand.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.events import NoisyMax, PrivacyEvent, ThresholdedHistogram, WeightedHistogram
from amun_dp._base.arrays import IntArray, offsets_of
from amun_dp._base.units import DAY
from amun_dp.auditing.pairs import without
from amun_dp.auditing.tape import Recorder
from amun_dp.certified import CertifiedChoices, GivenFacts, cases, public_facts
from amun_dp.certified.cases import Cases, prepare
from amun_dp.certified.choices import VariantForm
from amun_dp.certified.draw import draw
from amun_dp.certified.population import AnyTally, InMemory, Part, Population, Seen
from amun_dp.eventlog.variants import Sequences
from amun_dp.noise.sources import SeededNoise
from tests.certified.cases import BEGIN, EXTREMES, ordinary_cases, timed, with_individuals
from tests.certified.in_memory import certify
from tests.logs import Case, log_of


@dataclass(frozen=True, eq=False)
class Recorded:
    """A tally as it was asked for, with the view before it."""

    view: Callable[[Cases], Any]
    tally: Any

    def __call__(self, cases: Cases) -> IntArray:
        result: IntArray = self.tally(self.view(cases)).totals()
        return result

    @property
    def name(self) -> str:
        return type(self.tally).__name__


@dataclass(frozen=True, eq=False)
class Recording(Population[Part]):
    """Measures as ``inner`` does, and keeps what it was asked for."""

    inner: Population[Part]
    view: Callable[[Cases], Part]
    asked: list[Recorded] = field(default_factory=list)
    keys: list[Callable[[Cases], Any]] = field(default_factory=list)

    def totals(self, *tallies: AnyTally[Part]) -> list[IntArray]:
        self.asked.extend(Recorded(self.view, tally) for tally in tallies)
        return self.inner.totals(*tallies)

    def histogram(self, key: Callable[[Part], Any]) -> tuple[Any, IntArray]:
        view = self.view
        self.keys.append(lambda cases: key(view(cases)))
        return self.inner.histogram(key)

    def each(self, view: Callable[[Part], Seen]) -> Recording[Seen]:
        before = self.view
        return Recording(self.inner.each(view), lambda cases: view(before(cases)), self.asked, self.keys)


@dataclass(frozen=True, eq=False)
class Draw:
    """What one draw asked for, and what it noised."""

    asked: list[Recorded]
    keys: list[Callable[[Cases], Any]]
    tape: Recorder
    mechanisms: list[PrivacyEvent]
    prepared: Callable[[list[Case]], Cases]


SCENES: dict[str, tuple[VariantForm, int | None, str, GivenFacts]] = {
    "threshold": ("threshold", None, "ab", GivenFacts()),
    "threshold, individuals": ("threshold", 2, "ab", GivenFacts()),
    "public": ("public", None, "abcdefghijkl", GivenFacts()),
    "public, length classes": ("public", None, "abcdefghijkl", GivenFacts()),
    "generated": ("generated", None, "abcdefghijkl", GivenFacts()),
    "generated, second order": ("generated", None, "ab", GivenFacts(activities=("a", "b"))),
    "generated, individuals": ("generated", 2, "ab", GivenFacts(activities=("a", "b"))),
    "facts that do not fit": (
        "generated",
        None,
        "abcd",
        GivenFacts(activities=("a", "b", "c"), first=BEGIN + 60 * DAY, last=BEGIN + 90 * DAY, longest=DAY, cases=200),
    ),
}


@cache
def recorded(scene: str) -> Draw:
    form, individuals, letters, facts_given = SCENES[scene]
    base = ordinary_cases(4_000 if scene == "public, length classes" else 1_000, letters=letters)
    log, choices = log_of(base), CertifiedChoices(form, individuals=individuals)
    facts = public_facts(log, facts_given, choices)
    prepared, tape = InMemory((prepare(log, facts, choices),)), Recorder(SeededNoise(4))
    population = Recording(prepared, lambda cases: cases)
    made = draw(population, facts, choices, 0.9, 1, tape)
    return Draw(
        population.asked,
        population.keys,
        tape,
        made.mechanisms,
        lambda cases: prepare(log_of(cases), facts, choices),
    )


def joined(one: Cases, other: Cases) -> Cases:
    flow = Sequences(
        np.concatenate((one.flow.activity, other.flow.activity)),
        offsets_of(np.concatenate((one.flow.lengths, other.flow.lengths))),
    )
    return Cases(flow, np.concatenate((one.time, other.time)), one.activities)


def nobody(activities: int) -> Cases:
    none = np.empty(0, dtype=np.int64)
    return Cases(Sequences(none, offsets_of(none)), none, activities)


@st.composite
def some_cases(draw: st.DrawFn, most: int = 5) -> list[Case]:
    """Cases of any kind: of the log's labels and of others, within the frame and far from it, extreme ones."""

    def case() -> Case:
        if draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(list(EXTREMES.values())))
        word = draw(st.text("abcdklx", min_size=1, max_size=9))
        gaps = draw(st.lists(st.integers(0, 80 * DAY), min_size=len(word) - 1, max_size=len(word) - 1))
        return timed(word, BEGIN + draw(st.integers(-400 * DAY, 400 * DAY)), gaps)

    return [case() for _ in range(draw(st.integers(1, most)))]


@pytest.mark.parametrize("scene", SCENES)
@given(one=some_cases(), other=some_cases())
def test_two_sets_of_cases_add_up(scene: str, one: list[Case], other: list[Case]) -> None:
    made = recorded(scene)
    first, second = made.prepared(one), made.prepared(other)
    both = joined(first, second)
    for tally in made.asked:
        np.testing.assert_array_equal(tally(both), tally(first) + tally(second), err_msg=tally.name)
        assert not tally(nobody(both.activities)).any()
        assert len(tally(nobody(both.activities))) == len(tally(both))
    for key in made.keys:
        assert key(both).to_pylist() == key(first).to_pylist() + key(second).to_pylist()


@pytest.mark.parametrize("scene", SCENES)
@given(cases=some_cases(most=1))
def test_one_case_adds_numbers_that_are_not_negative_and_sum_to_the_weight_at_most(
    scene: str, cases: list[Case]
) -> None:
    made = recorded(scene)
    alone = made.prepared(cases)
    for tally in made.asked:
        added = tally(alone)
        assert added.dtype == np.int64
        assert (added >= 0).all(), tally.name
        assert int(added.sum()) <= tally.tally.weight, tally.name
    for key in made.keys:
        assert len(key(alone)) == alone.count <= 1


@pytest.mark.parametrize("scene", SCENES)
def test_every_weight_is_reached_by_some_case(scene: str) -> None:
    """Or nearly, where units are rounded down: the stated weights are not idle, so neither are the tests above."""
    made = recorded(scene)
    extremes = [*EXTREMES.values(), *ordinary_cases(40, letters="abcdefghijkl"), timed("ab" * 6, BEGIN, 20 * DAY)]
    alone = [made.prepared([case]) for case in extremes]
    for tally in made.asked:
        most = max(int(tally(case).sum()) for case in alone)
        assert most >= 0.99 * tally.tally.weight, tally.name


@pytest.mark.parametrize("scene", SCENES)
def test_what_is_noised_was_asked_for_as_a_sum_with_its_weight(scene: str) -> None:
    """Nothing else meets noise, and what is on record has the weight of its tally; tallies can be sent to cases."""
    made = recorded(scene)
    assert len(made.tape.measurements) == len(made.asked) + len(made.keys) == len(made.mechanisms)
    weights = []
    for event in made.mechanisms:
        match event:
            case WeightedHistogram():
                weights.append(event.weight)
            case NoisyMax():
                weights.append(event.sensitivity)
            case _:
                assert isinstance(event, ThresholdedHistogram) and made.keys
    assert weights == [tally.tally.weight for tally in made.asked]
    for tally in made.asked:
        assert pickle.loads(pickle.dumps(tally.tally)).weight == tally.tally.weight


@pytest.mark.parametrize("scene", SCENES)
def test_a_release_does_not_depend_on_how_its_cases_are_cut(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    form, individuals, letters, facts_given = SCENES[scene]
    # Three cases of each individual, far apart: which of them count is decided before the log is cut.
    log = with_individuals(ordinary_cases(1_000, letters=letters), [case % 334 for case in range(1_000)])
    choices = CertifiedChoices(form, individuals=individuals)
    facts = public_facts(log, facts_given, choices)
    whole = certify(log, facts, choices, 0.9, 1, SeededNoise(4)).log
    monkeypatch.setattr(cases, "_PART", 200)
    parts = cases.prepare_parts(log, facts, choices)
    assert len(parts) > 2
    assert sum(part.count for part in parts) == prepare(log, facts, choices).count
    cut = certify(log, facts, choices, 0.9, 1, SeededNoise(4)).log
    for column in ("case", "activity", "time", "case_names"):
        np.testing.assert_array_equal(getattr(cut, column), getattr(whole, column))


@pytest.mark.parametrize("form", ["generated", "public"])
def test_nobody_is_one_part_without_a_case(form: VariantForm) -> None:
    """Readers refuse a log without events; who makes one by hand gets a release of nothing but noise."""
    nothing, choices = without(log_of([timed("ab", BEGIN, [DAY])]), 0), CertifiedChoices(form)
    facts = public_facts(nothing, GivenFacts(activities=("a", "b")), choices)
    (part,) = cases.prepare_parts(nothing, facts, choices)
    assert part.count == prepare(nothing, facts, choices).count == 0
    assert certify(nothing, facts, choices, 0.5, 1, SeededNoise(1)).log.n_cases == 1


def test_all_kinds_of_measurements_are_recorded() -> None:
    found = {tally.name for scene in SCENES for tally in recorded(scene).asked}
    assert len(found) == 13 and sum(len(recorded(scene).keys) for scene in SCENES) == 2
    classes = [tally for tally in recorded("public, length classes").asked if tally.name == "_CasesOf"]
    assert len(classes) == 2
