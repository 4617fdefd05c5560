"""What the accountant says of a tree, and the tree of a release as the article makes it."""

from __future__ import annotations

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    PostProcessing,
    PrivacyEvent,
    Sequential,
)
from accounting.guarantee import Guarantee, Relation, Verdict
from tests.accounting.trees import noise_columns

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
PROVED = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)


def public(tree: PrivacyEvent) -> dict[str, Guarantee]:
    return {found.claim: found for found in account(tree).public if found.claim != "whole-release"}


def inside(tree: PrivacyEvent, name: str, relation: Relation) -> Guarantee:
    found = account(tree).confidential.reveal()
    return next(line for line in found if line.claim == name and line.relation is relation)


def times(scales: str = "data") -> BoundedLaplace:
    return BoundedLaplace(0.2, Confidential(noise_columns([500.0, 2000.0])), scales)  # type: ignore[arg-type]  # a name


def article_tree(*, filters: bool = False, longest: int = 185, scale: float = 1 / 0.8109302162163288) -> PrivacyEvent:
    selections = [DataDependentSelection("variants"), DataDependentSelection("groups")]
    if filters:
        selections.append(DataDependentSelection("cases"))
    counts = Sequential((LaplaceCount(scale, cells_per_case=Confidential(longest)), CaseMoves()))
    return Sequential((*selections, counts, times(), PostProcessing("order", "random")))
