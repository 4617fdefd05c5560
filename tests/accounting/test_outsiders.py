"""Records from outside the package: what their own loss rule is worth, and where they can go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from accounting.accountant import account, on_average, public_account, strictest
from accounting.assumptions import Assumption
from accounting.claims import Claim, register_claim, unregister_claim
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    GaussianHistogram,
    LaplaceCount,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    Undisclosed,
    event_class,
    kind_of,
    kinds,
    register_event,
    unregister_event,
)
from accounting.guarantee import Kind, Reading, Relation, Scope, Verdict
from accounting.ledger import LedgerError, ledger_of, tree_of
from accounting.loss import FREE, NO_BOUND, Loss, gaussian
from accounting.losses import View, strict_loss
from accounting.publication import public_tree, tree_from_records
from accounting.quantities import Epsilon

CLAIM = Claim(
    id="test-halves",
    statement="It loses what it says.",
    formula="",
    verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
    why="it was made for this test",
    reference="",
    assumptions=(Assumption.EXACT_SAMPLER,),
)


@dataclass(frozen=True, slots=True)
class Halves(PrivacyEvent):
    """Loses ``half`` where the case comes, goes or contributes nothing, and twice that where it is replaced."""

    half: Fraction
    patients: Confidential[int]
    claim: ClassVar[str] = CLAIM.id
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PUBLIC_LABELS,)

    def loss(self, scope: Scope, relation: Relation, view: View) -> Loss:
        if scope is Scope.EVENT:
            return FREE
        return Loss(Epsilon(self.half * (2 if relation is Relation.REPLACE else 1)))


@dataclass(frozen=True, slots=True)
class Blur(PrivacyEvent):
    """Gaussian noise of somebody's own."""

    mu_squared: Fraction
    claim: ClassVar[str] = CLAIM.id
    assumptions: ClassVar[tuple[Assumption, ...]] = ()

    def loss(self, scope: Scope, relation: Relation, view: View) -> Loss:
        return gaussian(self.mu_squared * (2 if relation is Relation.REPLACE else 1), 1)


@pytest.fixture
def registered() -> Iterator[None]:
    register_event("test-halves")(Halves)
    register_event("test-blur")(Blur)
    yield
    for kind in ("test-halves", "test-blur"):
        unregister_event(kind)
    unregister_claim(CLAIM.id)


def halves(half: Fraction = Fraction(1, 2)) -> Halves:
    return Halves(half, Confidential(417))


def strict(tree: PrivacyEvent, scope: Scope = Scope.CASE, relation: Relation = Relation.REPLACE) -> Loss:
    return strict_loss(tree, scope, relation, View.PUBLIC)


def test_without_a_name_a_record_says_nothing() -> None:
    assert strict(halves()) == NO_BOUND
    assert public_tree(halves()).tree == Undisclosed("Halves")


@pytest.mark.usefixtures("registered")
def test_without_a_claim_or_its_check_a_rule_is_its_author_s_word_and_no_bound() -> None:
    for prepare in (lambda: None, lambda: register_claim(CLAIM)):
        prepare()
        assert strict(halves()) == NO_BOUND
        lines = account(Sequential((halves(), LaplaceCount(2.0, 1, 7)))).public
        whole = strictest(lines, Scope.CASE, Relation.REPLACE)
        assert whole.verdict is Verdict.NOT_PROVED
        assert not whole.epsilon.bounded
        assert on_average(lines, Scope.CASE) is None
        claimed = [line for line in lines if line.reading is Reading.PUBLISHED and line.epsilon.value == 1]
        assert [line.verdict for line in claimed if line.claim in ("unknown-step", CLAIM.id)] == [Verdict.NOT_PROVED]


@pytest.mark.usefixtures("registered")
def test_with_a_checked_claim_a_rule_counts_and_composes() -> None:
    register_claim(CLAIM, lambda: "nothing to check")
    assert strict(halves()).epsilon.value == 1
    assert strict(halves(), relation=Relation.LEAVE_OUT).epsilon.value == Fraction(1, 2)
    tree = Sequential((RepeatedRelease(halves(), 3), LaplaceCount(2.0, 1, 1)))
    assert strict(tree).epsilon.value == 3 + 1
    assert strict(halves(), Scope.EVENT) == FREE
    assert strict(SharedByIndividual(halves(), 4), Scope.INDIVIDUAL).epsilon.value == 4
    assert strict(halves(), Scope.INDIVIDUAL) == NO_BOUND
    lines = account(tree).public
    whole = strictest(lines, Scope.CASE, Relation.REPLACE)
    assert whole.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert {Assumption.PUBLIC_LABELS, Assumption.EXACT_SAMPLER} <= set(whole.assumptions)
    own = [line for line in lines if line.claim == CLAIM.id and line.relation is Relation.REPLACE]
    assert [line.epsilon.value for line in own] == [3]
    assert own[0].reading is Reading.STRICT


@pytest.mark.usefixtures("registered")
def test_a_gaussian_rule_from_outside_bounds_the_average_and_no_output() -> None:
    register_claim(CLAIM, lambda: "nothing to check")
    lines = account(Sequential((Blur(Fraction(1, 8)), GaussianHistogram(8, 1, "times", 3)))).public
    line = on_average(lines, Scope.CASE)
    assert line is not None
    assert line.kind is Kind.ON_AVERAGE
    assert line.curve is not None
    assert (line.curve.mu_squared, line.curve.cells) == (Fraction(1, 8) + Fraction(1, 4), 4)
    assert not strictest(lines, Scope.CASE, Relation.REPLACE).epsilon.bounded


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.NOT_PROVED])
def test_a_claim_that_does_not_hold_takes_the_bound_away(verdict: Verdict) -> None:
    register_claim(replace(CLAIM, verdict=verdict), lambda: "checked all the same")
    assert strict(halves()) == NO_BOUND
    assert strictest(account(halves()).public, Scope.CASE, Relation.REPLACE).verdict is verdict


@pytest.mark.usefixtures("registered")
def test_a_claim_of_the_package_proves_nothing_of_a_step_from_outside() -> None:
    @dataclass(frozen=True, slots=True)
    class Borrowed(Halves):
        claim: ClassVar[str] = "weighted-histogram"

    register_event("test-borrowed")(Borrowed)
    try:
        assert strict(Borrowed(Fraction(1), Confidential(1))) == NO_BOUND
    finally:
        unregister_event("test-borrowed")


@pytest.mark.usefixtures("registered")
def test_public_parameters_are_published_and_accounted_for_again_and_confidential_ones_are_withheld() -> None:
    register_claim(CLAIM, lambda: "nothing to check")
    tree = Sequential((halves(), LaplaceCount(2.0, 1, 7)))
    published = public_tree(tree)
    text = json.dumps(published.records())
    assert "417" not in text
    assert '{"fraction": "1/2"}' in text
    assert public_account(tree_from_records(json.loads(text))) == account(tree).public
    again = tree_of(ledger_of(tree))
    assert isinstance(again, Sequential)
    assert isinstance(again.parts[0], Halves)
    assert again.parts[0].patients.reveal() == 417


@pytest.mark.usefixtures("registered")
def test_inside_a_confidential_number_of_cases_no_parameter_of_it_is_published() -> None:
    register_claim(CLAIM, lambda: "nothing to check")
    published = public_tree(SharedByIndividual(halves(), Confidential(3)))
    assert published.records()[0] == {"kind": "undisclosed", "parameters": {"of_kind": "test-halves"}}


def test_a_report_that_names_a_kind_nobody_has_here_is_refused_with_advice() -> None:
    with pytest.raises(LedgerError, match="install"):
        tree_from_records([{"kind": "somebody-elses", "parameters": {}}])


@pytest.mark.usefixtures("registered")
def test_what_is_no_loss_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Wrong(Halves):
        def loss(self, scope: Scope, relation: Relation, view: View) -> Loss:
            return 0.5  # type: ignore[return-value]  # wrong on purpose

    register_event("test-wrong")(Wrong)
    try:
        with pytest.raises(AccountingError, match="no Loss"):
            account(Wrong(Fraction(1), Confidential(1)))
    finally:
        unregister_event("test-wrong")


def test_an_installed_package_brings_its_records_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        EntryPoint("test-installed", f"{__name__}:Halves", kinds.GROUP),
        EntryPoint("test-broken", f"{__name__}:CLAIM", kinds.GROUP),
    )
    monkeypatch.setattr(kinds, "_entry_points", lambda: found)
    try:
        assert kind_of(halves()) == "test-installed"
        assert event_class("test-installed") is Halves
        with pytest.raises(AccountingError, match="names no class"):
            event_class("test-broken")
    finally:
        unregister_event("test-installed")


def test_kinds_and_claims_of_the_package_stay_and_none_is_taken_twice() -> None:
    with pytest.raises(AccountingError, match="stays"):
        unregister_event("laplace-count")
    with pytest.raises(AccountingError, match="stays"):
        unregister_claim("whole-release")
    register_claim(CLAIM)
    try:
        with pytest.raises(AccountingError, match="already"):
            register_claim(CLAIM)
    finally:
        unregister_claim(CLAIM.id)
