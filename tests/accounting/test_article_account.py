"""What is guaranteed of a release as the article makes it, inside and in public."""

from __future__ import annotations

import pytest

from accounting.accountant import account, strictest
from accounting.events import CaseMoves, DataDependentSelection, LaplaceCount, NonPrivate, OneSidedCount, Sequential
from accounting.guarantee import Reading, Scope, Verdict
from tests.accounting.accounts import ADD_REMOVE, PROVED, REPLACE, article_tree, inside, public


def test_the_strict_reading_of_a_sampling_release_shows_what_each_part_costs() -> None:
    tree = article_tree()
    assert inside(tree, "count-cell", ADD_REMOVE).epsilon.stated() == pytest.approx(0.8109, abs=5e-5)
    assert inside(tree, "count-table-composed", ADD_REMOVE).epsilon.stated() == pytest.approx(185 * 0.810930, rel=1e-5)
    assert inside(tree, "count-table-composed", REPLACE).epsilon.stated() == pytest.approx(370 * 0.810930, rel=1e-5)
    assert inside(tree, "released-counts", ADD_REMOVE).verdict is Verdict.REFUTED
    whole = strictest(account(tree).confidential.reveal(), Scope.CASE, REPLACE)
    assert not whole.epsilon.bounded
    assert whole.verdict is Verdict.REFUTED
    assert "selection-of-variants" in whole.why


def test_the_public_account_says_the_same_without_figures_of_the_log() -> None:
    short, long = article_tree(longest=3), article_tree(longest=185)
    assert account(short).public == account(long).public
    composed = public(long)["count-table-composed"]
    assert not composed.epsilon.bounded
    assert composed.verdict is Verdict.NOT_PROVED
    assert "not declared public" in composed.why


def test_the_list_holds_all_claims_that_do_not_stand() -> None:
    found = public(article_tree(filters=True))
    refuted = {name for name, line in found.items() if line.verdict is Verdict.REFUTED}
    assert refuted >= {
        "count-table",
        "selection-of-variants",
        "selection-of-cases",
        "event-time",
        "case-times",
        "relation",
        "event-time-any-prior",
        "personalised-dp",
        "released-counts",
        "selection-of-groups",
    }
    assert public(OneSidedCount(2.0))["one-sided-count"].verdict is Verdict.REFUTED


def test_declaring_variants_public_leaves_the_moves_as_the_obstacle() -> None:
    selections = (
        DataDependentSelection("variants", declared_public=True),
        DataDependentSelection("groups", None, True),
    )
    tree = Sequential((*selections, LaplaceCount(2.0, cells_per_case=9), CaseMoves()))
    whole = strictest(account(tree).public, Scope.CASE, REPLACE)
    assert whole.verdict is Verdict.REFUTED
    assert whole.why.startswith("released-counts")


def test_filtering_takes_the_bound_of_a_cell_away() -> None:
    cell = public(article_tree(filters=True))["count-cell"]
    assert not cell.epsilon.bounded
    assert cell.verdict is Verdict.REFUTED
    assert "selection-of-cases" in cell.why


def test_predictable_noise_takes_every_bound_away() -> None:
    tree = Sequential((LaplaceCount(2.0, cells_per_case=1), NonPrivate("a seed")))
    for line in (*account(tree).public, *account(tree).confidential.reveal()):
        assert line.verdict not in PROVED
        assert line.reading is Reading.PUBLISHED or not line.epsilon.bounded
