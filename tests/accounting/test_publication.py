"""What of a release's mechanisms is published, and that it says as much as the public account."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.accountant import account, public_account, strictest
from accounting.confidential import WITHHELD, Confidential, Withheld
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    LaplaceCount,
    OneSidedCount,
    Parallel,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
    Undisclosed,
)
from accounting.guarantee import Relation, Scope
from accounting.ledger import LedgerError
from accounting.publication import public_tree, tree_from_records
from tests.accounting.trees import any_trees, noise_columns
from tests.properties import examples


@dataclass(frozen=True, slots=True)
class OutsidersStep(PrivacyEvent):
    patients: int


def confidential_values(value: Any) -> list[Any]:
    """Everything confidential in a tree that is not withheld, found without the code under test."""
    if isinstance(value, Confidential):
        return [] if isinstance(value, Withheld) else [value]
    if isinstance(value, tuple):
        return [found for part in value for found in confidential_values(part)]
    if is_dataclass(value):
        return [found for item in fields(value) for found in confidential_values(getattr(value, item.name))]
    return []


@pytest.mark.slow
@settings(max_examples=examples(200), deadline=None)
@given(any_trees)
def test_anybody_finds_the_public_account_from_the_published_mechanisms(tree: PrivacyEvent) -> None:
    published = public_tree(tree)
    assert not confidential_values(published.tree)
    travelled = tree_from_records(json.loads(json.dumps(published.records())))
    assert travelled.records() == published.records()
    assert public_account(travelled) == account(tree).public


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(any_trees, st.integers(1, 9), st.integers(10, 99))
def test_a_number_of_cases_taken_from_the_log_shows_nowhere_in_what_is_published(
    tree: PrivacyEvent, one: int, other: int
) -> None:
    def released(cases: int) -> PrivacyEvent:
        # As a release does it: the more cases an individual has, the wider the noise inside.
        counts = (LaplaceCount(2.0 * cases, 1, 7), OneSidedCount(3.0 * cases), ThresholdedHistogram(cases / 2, 9))
        parts = Parallel((tree, *counts), "value-dependent")
        return Sequential((tree, SharedByIndividual(parts, Confidential(cases))))

    assert public_tree(released(one)).records() == public_tree(released(other)).records()
    assert account(released(one)).public == account(released(other)).public


def test_columns_of_noise_are_withheld_and_the_advantage_they_were_made_for_is_not() -> None:
    tree = BoundedLaplace(0.2, Confidential(noise_columns([50.0, 70.0])), "public", declared_loss=99.0)
    records = public_tree(tree).records()
    assert records[0]["parameters"]["columns"] == {"withheld": True}
    assert records[0]["parameters"]["advantage"] == {"float": (0.2).hex()}
    bound = strictest(public_account(tree_from_records(records)), Scope.EVENT, Relation.REPLACE)
    stated = bound.epsilon.stated()
    assert stated is not None
    assert 99.0 <= stated < 99.001  # rounded up


def test_a_step_that_the_accountant_does_not_know_is_published_by_its_kind_alone() -> None:
    tree = Sequential((OutsidersStep(patients=417), LaplaceCount(2.0, 1, 7)))
    published = public_tree(tree)
    assert "417" not in json.dumps(published.records())
    assert public_account(published) == account(tree).public
    assert not strictest(public_account(published), Scope.CELL, Relation.REPLACE).epsilon.bounded


def test_what_should_have_been_withheld_is_dropped_when_mechanisms_are_read() -> None:
    records = public_tree(LaplaceCount(2.0, 1, 7)).records()
    records[0]["parameters"]["cells_per_case"] = {"confidential": 7}
    assert tree_from_records(records).tree == LaplaceCount(2.0, 1, WITHHELD)


@pytest.mark.parametrize(
    "records",
    [
        [],
        [{"kind": "laplace-count"}],
        [{"kind": "no-such-kind", "parameters": {}}],
        [{"kind": "laplace-count", "parameters": {"scale": 2}}],
        [{"kind": "post-processing", "parameters": {"what": "a", "why": "b"}, "note": "more"}],
        [{"kind": "sequential", "parameters": {"parts": {"tuple": [{"event": 5}]}}}],
        [{"kind": "laplace-count", "parameters": {"scale": {"float": "nan"}, "sensitivity": 1, "cells_per_case": 1}}],
    ],
)
def test_what_is_no_list_of_mechanisms_is_refused(records: list[dict[str, Any]]) -> None:
    with pytest.raises(LedgerError):
        tree_from_records(records)


def test_a_tree_nested_too_deeply_is_refused_and_does_not_end_the_program() -> None:
    records: list[dict[str, Any]] = [{"kind": "post-processing", "parameters": {"what": "a", "why": "b"}}]
    for index in range(3000):
        records.append({"kind": "replicated", "parameters": {"part": {"event": index}, "copies": 1}})
    with pytest.raises(AccountingError):
        tree_from_records(records)


def test_a_withheld_value_cannot_be_revealed_and_equals_only_its_like() -> None:
    with pytest.raises(TypeError):
        WITHHELD.reveal()
    assert Withheld() == WITHHELD
    assert hash(Withheld()) == hash(WITHHELD)
    assert Undisclosed("a") != WITHHELD
