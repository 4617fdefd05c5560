"""What a certified release costs a case and an individual, in exact fractions of the plan: what the registry charges.

The rules are those of the accountant (``accounting.losses``), which derives the same from the finished release;
``Spending.check`` holds one against the other at each unit and in each relation.
"""

from __future__ import annotations

from fractions import Fraction

from accounting.formulas import threshold_delta
from accounting.guarantee import Scope
from accounting.losses import NO_BOUND, Loss
from accounting.quantities import Epsilon
from accounting.registry import Cost, UnitLoss
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.draft import CHANGED_IF_TRUNCATED, CertifiedPlan
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.certified.split import measures_number
from amun_dp.mechanisms.histograms import scale_for


def cost_of_plan(choices: CertifiedChoices, facts: PublicFacts, releases: int, plan: CertifiedPlan) -> Cost:
    """Strict, for each unit, in this release alone."""
    without = sum((part.without_the_case for part in plan.parts), Fraction(0))
    if measures_number(choices):
        without = plan.epsilon  # how ε is divided follows from a number that is not drawn yet: at most all of it
    number_told = "number of cases" in facts.from_log
    asked = choices.cases_together

    def several(cases: int) -> UnitLoss:
        """So many cases change at once."""
        added = _loss(plan, without, cases, asked)
        return UnitLoss(_loss(plan, plan.epsilon, cases, asked), NO_BOUND if number_told else added, added)

    if choices.individuals is not None:
        # One case may let another one in or push one out: it is replaced, where nothing else counts, and two change.
        moved = _loss(plan, plan.epsilon, 1, asked)
        case = UnitLoss(_loss(plan, plan.epsilon, CHANGED_IF_TRUNCATED, asked), moved, moved)
        return Cost(case, several(choices.individuals), Scope.INDIVIDUAL, releases=releases)
    if choices.declared_cases is None:
        return Cost(several(1), releases=releases)
    person = several(choices.declared_cases)
    if number_told and choices.declared_cases > 1:  # the number tells how many cases somebody has
        person = UnitLoss(NO_BOUND, NO_BOUND, person.leave_out)
    return Cost(several(1), person, releases=releases)


def _loss(plan: CertifiedPlan, epsilon: Fraction, cases: int, asked: int) -> Loss:
    """Of so many cases that cost ``epsilon`` each. Under a threshold δ = C·P(C + Z ≥ t): all of them in one cell; for
    as many as were asked about, the δ that was asked for: it is more by less than one step of the threshold, and
    releases that share a δ in equal parts fit into it, whatever their thresholds."""
    if plan.threshold is None:
        return Loss(Epsilon(epsilon * cases))
    if cases >= plan.threshold:
        return NO_BOUND
    delta = cases * Fraction(threshold_delta(scale_for(2, plan.budget.flow), plan.threshold, cases))
    if cases == asked:
        delta = max(delta, plan.delta)
    return Loss(Epsilon(epsilon * cases), delta) if delta < 1 else NO_BOUND
