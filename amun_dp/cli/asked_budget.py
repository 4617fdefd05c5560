"""The budget that ``amun-dp registry set-budget`` is asked to set."""

from __future__ import annotations

import argparse
from fractions import Fraction

from accounting.guarantee import Scope
from accounting.registry import AverageBudget, Budget, PublishedBudget, RegisteredLog, StrictBudget
from accounting.registry.budgets import advantage_of, epsilon_of
from amun_dp.cli.streams import say
from amun_dp.errors import ParameterError

LARGEST_EPSILON = 1_000_000
PARTS = 10**9
"""An ε and an advantage are at least so small a part of 1: below that there is only rounding, and no release fits."""


def asked_budget(options: argparse.Namespace, log: RegisteredLog | None) -> Budget:
    """From the flags, and from the budget that the log has."""
    _check_sizes(options)
    has = None if log is None or log.budget is None else log.budget.reading
    reading = options.reading or has
    if reading is None:
        raise ParameterError(
            "The log has no budget yet, so say in which reading: --reading strict (a whole case; only methods with a "
            "proved bound fit), --reading average (the same on average over the noise) or --reading published (as the "
            "article counts; for its methods)."
        )
    before = None if log is None else log.budget
    unit = before.unit if isinstance(before, StrictBudget | AverageBudget) else Scope.CASE
    unit = unit if options.unit is None else Scope(options.unit)
    if reading == "strict":
        epsilon = epsilon_of(options.advantage) if options.epsilon is None else options.epsilon
        return StrictBudget(epsilon, Fraction(options.dp_delta or 0), unit)
    if reading == "average":
        return _asked_average(options, unit)
    if options.unit is not None:
        raise ParameterError(
            "A budget in the published reading counts as the article does and has no unit. Leave --unit out, or use "
            "--reading strict."
        )
    if options.dp_delta is not None:
        raise ParameterError(
            "A budget in the published reading has no δ. Leave --dp-delta out, or use --reading strict."
        )
    if options.advantage is not None:
        return PublishedBudget(options.advantage)
    converted = PublishedBudget(advantage_of(options.epsilon))
    say(
        f"note: in the published reading a budget is an advantage: ε {float(options.epsilon):g} allows "
        f"{float(converted.advantage):g} at the worst prior, so that is the budget."
    )
    return converted


def _asked_average(options: argparse.Namespace, unit: Scope) -> Budget:
    if options.advantage is None:
        raise ParameterError(
            "A budget on average over the noise is an advantage: no ε bounds what a single output tells. Use "
            "--advantage, or --reading strict."
        )
    delta = Fraction(options.dp_delta or 0)
    if delta >= options.advantage:
        raise ParameterError("The δ that is set aside is part of the advantage: --dp-delta must be less.")
    return AverageBudget.of_advantage(options.advantage, delta, unit)


def _check_sizes(options: argparse.Namespace) -> None:
    if options.advantage is not None and not 1 <= options.advantage * PARTS <= PARTS - 1:
        raise ParameterError("--advantage must lie between 0 and 1, at least 1e-9 from either (0.2: 20 points).")
    if options.epsilon is not None and not 1 <= options.epsilon * PARTS <= LARGEST_EPSILON * PARTS:
        raise ParameterError(f"--epsilon must be positive, at least 1e-9 and at most {LARGEST_EPSILON:,}.")
    if options.dp_delta is not None and not 0 <= options.dp_delta < 1:
        raise ParameterError("--dp-delta must be at least 0 and below 1.")
