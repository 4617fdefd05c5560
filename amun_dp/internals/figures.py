"""The confidential part of a release: the ledger of every event's noise, and before/after figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise, PrivacyEvent
from accounting.ledger import Ledger, TextColumn, ledger_of
from accounting.personalised import PersonalisedAccount, personalised_account
from accounting.trees import leaves
from amun_dp._base.arrays import IntArray
from amun_dp.article.plan import Plan
from amun_dp.article.planned_variants import PlannedVariants
from amun_dp.article.step5_sampling import Sampled, numbers_of_copies
from amun_dp.article.summary import PlanSummary
from amun_dp.eventlog.log import EventLog, ReadingFacts
from amun_dp.eventlog.one_of_a_kind import OneOfAKind, one_of_a_kind


@dataclass(frozen=True, slots=True)
class MoveFigures:
    """Drawn noise on transitions against what moving whole cases made of it (Alg. 1 does not reach it exactly)."""

    transitions: int
    reached: int
    """Transitions whose count changed by exactly the drawn noise."""
    drawn_total: int
    """Σ |drawn noise|."""
    realised_total: int
    """Σ |change of the count|."""
    distance_total: int
    """Σ |change - drawn noise|."""


@dataclass(frozen=True, slots=True)
class Internals:
    """Figures computed from the original log. Never part of anything public."""

    reading: ReadingFacts
    plan: PlanSummary
    moves: MoveFigures | None
    cases_copied: int
    """Kept cases with more than one copy."""
    cases_deleted: int
    """Kept cases with none."""
    largest_copies: int
    variants_lost: int
    one_of_a_kind: OneOfAKind
    """Variants that one original case alone has, and how many of them the release has."""
    events_without_noise: int
    """Released events whose noise had scale 0 (possible under the ``article`` conventions only)."""
    losses: PersonalisedAccount
    """Losses of times by event, case and individual."""


def build_ledger(plan: Plan, tree: PrivacyEvent, released: EventLog, row: IntArray) -> Confidential[Ledger]:
    """The hash-chained record of the release; rows of the time mechanism are annotated with what they belong to."""
    annotated = plan.annotated
    annotations = {
        "released_case": TextColumn(released.case, tuple(released.case_names)),
        "activity": TextColumn(annotated.log.activity[row], annotated.log.activities),
        "transition": annotated.transition[row],
        "prior": plan.filtered.knowledge.prior[row],
    }
    # A time mechanism from outside the package may record its noise otherwise; then there are no rows to annotate.
    has_rows = sum(isinstance(leaf, BoundedLaplace) for leaf in leaves(tree)) == 1
    return Confidential(ledger_of(tree, annotations if has_rows else {}))


def compare(plan: Plan, sampled: Sampled, columns: Confidential[PerEventNoise]) -> Confidential[Internals]:
    """Before/after figures of a release."""
    return Confidential(
        internals_of(
            plan.annotated.log.facts,
            plan.summary.reveal(),
            plan.variants,
            sampled,
            events_without_noise=int(np.count_nonzero(columns.reveal().scale == 0)),
            losses=personalised_account(columns.reveal()),
        )
    )


def internals_of(
    reading: ReadingFacts,
    plan: PlanSummary,
    variants: PlannedVariants,
    sampled: Sampled,
    *,
    events_without_noise: int,
    losses: PersonalisedAccount,
) -> Internals:
    """The figures of a release, wherever its events are."""
    kept = variants.kept
    copies, cases = numbers_of_copies(kept, sampled.cases)
    return Internals(
        reading=reading,
        plan=plan,
        moves=move_figures(sampled),
        cases_copied=int(cases[copies > 1].sum()),
        cases_deleted=int(cases[copies == 0].sum()),
        largest_copies=int(copies[cases > 0].max(initial=0)),
        variants_lost=len(kept) - int(np.count_nonzero(sampled.cases)),
        one_of_a_kind=one_of_a_kind(variants.before, sampled.cases),
        events_without_noise=events_without_noise,
        losses=losses,
    )


def move_figures(sampled: Sampled) -> MoveFigures | None:
    if sampled.drawn is None or sampled.realised is None:
        return None
    drawn, realised = sampled.drawn.reveal(), sampled.realised.reveal()
    return MoveFigures(
        transitions=len(drawn),
        reached=int(np.count_nonzero(drawn == realised)),
        drawn_total=int(np.abs(drawn).sum()),
        realised_total=int(np.abs(realised).sum()),
        distance_total=int(np.abs(realised - drawn).sum()),
    )
