"""What a plan of the article's methods consists of, whatever engine makes it: from parameters and figures, not logs."""

from __future__ import annotations

from typing import Any

import numpy as np

from accounting.personalised import CapExceededError, refuse_above, units_of
from accounting.quantities import Epsilon
from accounting.registry import Cost
from accounting.registry.budgets import exactly
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.messages import Message
from amun_dp.article.methods import article_method_named
from amun_dp.article.parameters import Parameters
from amun_dp.article.step4_epsilon import event_losses
from amun_dp.errors import BudgetError, ParameterError, ReleaseError
from amun_dp.eventlog.cases_per_individual import check_declared_cases


def cost_of(parameters: Parameters) -> Cost:
    """What a release will cost. The article's methods have no strict bound."""
    return Cost(advantage=exactly(parameters.advantage), releases=parameters.releases)


def details_of(parameters: Parameters) -> dict[str, Any]:
    """The public parameters of a release, for the registry."""
    return {
        "method": parameters.method,
        "conventions": parameters.conventions.name,
        "advantage": parameters.advantage,
        "releases": parameters.releases,
        "scope": parameters.scope,
    }


def every_case_filtered(parameters: Parameters) -> ReleaseError:
    return ReleaseError(
        Message(
            "Every case would be filtered at advantage {asked:g}: each has an event that an attacker can guess so well "
            "that no noise keeps the advantage below that. Use a smaller advantage, or {method:sampling}, which "
            "filters none.",
            asked=parameters.advantage,
        )
    )


def check_longest_case(longest: int, parameters: Parameters) -> None:
    if parameters.max_case_length is not None and longest > parameters.max_case_length:
        raise ParameterError(
            Message(
                "Some case has more than the declared {most} events. Raise {max_case_length}.",
                most=parameters.max_case_length,
            )
        )


def planned_units(losses: FloatArray, value_range: IntArray) -> IntArray:
    """Losses of events in units of ``accounting.personalised``; times without a range get no noise, so no bound."""
    return units_of(np.where(value_range == 0, np.inf, losses))


def refuse_above_cap(worst: Epsilon, cap: float) -> None:
    """Copies share the loss of their case, so what the plan allows the ``worst`` individual is what a release can cost
    at most."""
    try:
        refuse_above(Epsilon.of(cap), worst)
    except CapExceededError as refusal:
        raise BudgetError(
            Message(
                "The times of some individual would lose more than the {cap:g} that is allowed, all events added up; "
                "nothing was drawn. Raise {max_individual_loss}, or use a smaller advantage.",
                cap=cap,
            )
        ) from refusal


def planned_losses(prior: FloatArray, parameters: Parameters, cases_per_individual: int) -> FloatArray:
    """ε_t·r of events with these priors, divided already."""
    divisor = cases_per_individual * parameters.releases * parameters.events_together
    return _divided(event_losses(prior, parameters.advantage), divisor)


def planned_control_flow_epsilon(parameters: Parameters, cases_per_individual: int) -> float:
    """ε_d, divided already."""
    # A replaced case moves the cells of two cases.
    cells = 2 * parameters.events_together if parameters.scope == "case" else 1
    whole = np.array([article_method_named(parameters.method).control_flow_epsilon(parameters.advantage)])
    return float(_divided(whole, cases_per_individual * parameters.releases * cells)[0])


def _divided(losses: FloatArray, divisor: int) -> FloatArray:
    """losses / divisor, rounded down."""
    return losses if divisor == 1 else np.nextafter(losses / divisor, 0.0)


def cases_of_one(found: int | None, declared: int | None) -> int:
    """Cases of one individual: the declared maximum; without one, the largest number ``found`` in the log (None: it
    knows no individuals, so that each case is its own)."""
    if declared is None:
        return 1 if found is None else found
    check_declared_cases(found, declared, "leave the declaration out, so that the largest number in the log is used")
    return declared
