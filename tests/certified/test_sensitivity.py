"""Replacing one unit, whatever by, moves everything that receives noise by no more than its record says.

Not a proof, but a proof that forgot something would fail here: weights, clamping, dropped labels, truncation.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from amun_dp._base.units import DAY, MINUTE
from amun_dp.certified import CertifiedChoices, GivenFacts, public_facts
from amun_dp.certified.choices import VariantForm
from amun_dp.mechanisms.histograms import weighted_cells
from tests.certified.cases import BEGIN, END, EXTREMES, ordinary_cases, timed, with_individuals
from tests.certified.replaying import Change, Tape, run, taped
from tests.logs import Case, log_of

FORMS: tuple[VariantForm, ...] = ("threshold", "public", "generated")


def changes_of(tape: Tape, base: list[Case], others: list[list[Case]], choices: CertifiedChoices) -> list[Change]:
    log = log_of(base)
    facts = public_facts(log, None, choices)
    run(log, facts, choices)
    for cases in others:
        tape.rewind()
        run(log_of(cases), facts, choices)
        assert tape.position == len(tape.measurements)
    return tape.changes


def replacements(base: list[Case], victims: tuple[int, ...]) -> list[list[Case]]:
    donors: list[Case] = [*EXTREMES.values(), base[-1]]
    return [[*base[:victim], donor, *base[victim + 1 :]] for victim in victims for donor in donors]


def reached(changes: list[Change], times: int = 1) -> dict[tuple[int, str], float]:
    """The largest share of its declared sensitivity by which each measurement moved."""
    result: dict[tuple[int, str], float] = defaultdict(float)
    for change in changes:
        share = change.largest / change.weight if change.kind == "choice" else change.l1 / (2 * change.weight)
        result[change.index, change.kind] = max(result[change.index, change.kind], share / times)
    return result


@pytest.mark.parametrize("form", FORMS)
def test_replacing_a_case_moves_no_measurement_by_more_than_declared(
    form: VariantForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ordinary_cases()
    # The victims are an ordinary case and, put there first, one that is as extreme as its replacement in another way.
    base[10], base[11] = timed("abcd" * 400, BEGIN, MINUTE), timed("ab", BEGIN, END - BEGIN)
    changes = changes_of(taped(monkeypatch), base, replacements(base, (10, 11, 20)), CertifiedChoices(form))
    shares = reached(changes)
    assert max(shares.values()) <= 1
    # One cell by itself moves by no more than the weight: what the accountant says of a single cell.
    assert all(change.largest <= change.weight for change in changes if change.kind != "choice")
    # The bounds are not idle: nearly all of them are reached.
    assert len(shares) >= 5
    assert np.mean([share >= 0.9 for share in shares.values()]) >= 0.75
    assert min(shares.values()) > 0.5


def test_the_same_holds_for_what_follows_two_activities(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ordinary_cases(1_000, letters="ab")
    tape = taped(monkeypatch)
    changes = changes_of(tape, base, replacements(base, (10,)), CertifiedChoices("generated"))
    shares = reached(changes)
    assert len(shares) == len(tape.measurements) >= 10  # second order is among them: 1,000 cases, 2 activities
    assert max(shares.values()) <= 1


def test_the_same_holds_for_many_pairs_and_a_grand_total(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ordinary_cases(900, letters="abcdefghijkl")
    tape = taped(monkeypatch)
    choices = CertifiedChoices("public")
    changes = changes_of(tape, base, replacements(base, (10, 20)), choices)
    shares = reached(changes)
    assert max(shares.values()) <= 1
    assert sum(1 for taken in tape.measurements if taken.kind == "counts" and len(taken.values) == 2) == 1


@pytest.mark.parametrize("form", FORMS)
def test_adding_or_removing_a_case_moves_no_measurement_by_more_than_its_weight(
    form: VariantForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ordinary_cases()
    others = [base[:20] + base[21:], *([*base, donor] for donor in EXTREMES.values())]
    for change in changes_of(taped(monkeypatch), base, others, CertifiedChoices(form)):
        assert (change.largest if change.kind == "choice" else change.l1) <= change.weight


@pytest.mark.parametrize("form", FORMS)
def test_replacing_an_individual_moves_no_measurement_by_more_than_c_cases(
    form: VariantForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 2
    cases = ordinary_cases()
    owner = [number // 3 for number in range(len(cases))]  # three cases each, of which two count
    choices = CertifiedChoices(form, individuals=most)
    log = with_individuals(cases, owner)
    facts = public_facts(log, None, choices)
    tape = taped(monkeypatch)
    run(log, facts, choices, advantage=0.9)
    donors = list(EXTREMES.values())
    for at in range(len(donors)):
        for new in ([donors[at]], [donors[at]] * 3, [donors[at], donors[at - 1], donors[at - 2], donors[at - 3]]):
            kept = [number for number in range(len(cases)) if owner[number] != 7]
            tape.rewind()
            other = with_individuals(
                [cases[number] for number in kept] + new,
                [owner[number] for number in kept] + [7] * len(new),
                kept + list(range(1_000, 1_000 + len(new))),
            )
            run(other, facts, choices, advantage=0.9)
    shares = reached(tape.changes, most)
    assert max(shares.values()) <= 1
    assert max(shares.values()) > 0.9


@pytest.mark.parametrize("form", FORMS)
def test_a_fault_in_a_weight_would_be_noticed(form: VariantForm, monkeypatch: pytest.MonkeyPatch) -> None:
    # In the sum, after each case was checked: what a tally itself does wrong stops the run (test_contributions.py).
    monkeypatch.setattr(
        "amun_dp.certified.contributions.weighted_cells",
        lambda cell, weight, cells: 3 * weighted_cells(cell, weight, cells),
    )
    base = ordinary_cases()
    changes = changes_of(taped(monkeypatch), base, replacements(base, (10,)), CertifiedChoices(form))
    assert max(reached(changes).values()) > 1


def test_given_facts_that_do_not_fit_the_log_keep_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ordinary_cases()
    given = GivenFacts(
        activities=("a", "b", "c"), first=BEGIN + 60 * DAY, last=BEGIN + 61 * DAY, longest=DAY // 2, cases=40
    )
    for form in FORMS:
        choices = CertifiedChoices(form)
        tape = taped(monkeypatch)
        log = log_of(base)
        facts = public_facts(log, given, choices)
        run(log, facts, choices, advantage=0.9)
        for cases in replacements(base, (10, 20)):
            tape.rewind()
            run(log_of(cases), facts, choices, advantage=0.9)
        assert max(reached(tape.changes).values()) <= 1


@pytest.mark.parametrize("individuals", [None, 2])
@pytest.mark.parametrize("form", FORMS)
def test_control_flow_does_not_see_times(
    form: VariantForm, individuals: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ordinary_cases()
    moved: list[Case] = [
        [(label, time + (place + 1) * DAY) for place, (label, time) in enumerate(case)] for case in base
    ]
    owner = [number // 3 for number in range(len(base))]
    choices = CertifiedChoices(form, individuals=individuals)
    log = with_individuals(base, owner)
    facts = public_facts(log, None, choices)
    tape = taped(monkeypatch)
    run(log, facts, choices, advantage=0.9)
    tape.rewind()
    run(with_individuals(moved, owner), facts, choices, advantage=0.9)
    seen = [getattr(taken.event, "of", "control flow") for taken in tape.measurements]
    assert set(seen) == {"control flow", "times"}
    assert all(change.l1 == 0 for change, of in zip(tape.changes, seen, strict=True) if of == "control flow")
    assert any(change.l1 > 0 for change in tape.changes)
