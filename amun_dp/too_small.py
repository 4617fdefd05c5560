"""Logs that are too small for what is asked, derived from the noise and from public numbers. docs/certified.md has the
formulas and why.

Of every method a log is too small if it has fewer cases than the standard deviation of the noise on one count: nothing
but noise would be released. The article's methods besides release the cases themselves, so these must be able to hide:

- a case is protectable only while P + A < 1, and who has N cases before them guesses whose one is with P = 1/N; so
  N·(1 - A) > 1;
- noise hides which cases there were by deleting some. Only a transition that several cases take can delete one, and
  does with a negative draw only: with S such transitions every variant comes through with a probability of at least
  P(Z ≥ 0)^S. Where at least half of the cases have a variant of their own, that is the log as it is: it may happen
  once in twenty times, and no more often.

A threshold that lets nothing through with a probability of more than one in twenty would spend a budget on nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from accounting.registry.budgets import exactly
from amun_dp.certified.measuring import scale_for
from amun_dp.certified.planning import CertifiedPlan, reaching
from amun_dp.eventlog import IntArray
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.mechanisms.sampling import ControlFlow, laplace_sampling, oversampling
from amun_dp.methods import Method
from amun_dp.parameters import Parameters
from amun_dp.planned_variants import PlannedVariants

LARGEST_CHANCE = 0.05
"""Of a release that holds every variant of a log of unlike cases, and of one that holds nothing."""


class ArticlePlan(Protocol):
    """The plan of a release by one of the article's methods, on whatever engine."""

    @property
    def parameters(self) -> Parameters: ...

    @property
    def method(self) -> Method: ...

    @property
    def variants(self) -> PlannedVariants: ...

    @property
    def control_flow_epsilon(self) -> float: ...


def deviation(scale: float) -> float:
    """Standard deviation of discrete Laplace noise: P(k) in proportion to q^|k| with q = exp(-1/scale)."""
    q = math.exp(-1 / scale)
    return math.sqrt(2 * q) / -math.expm1(-1 / scale)


def one_sided_deviation(scale: float) -> float:
    """The same of its non-negative part alone."""
    q = math.exp(-1 / scale)
    return math.sqrt(q) / -math.expm1(-1 / scale)


_DEVIATIONS: dict[object, Callable[[float], float]] = {laplace_sampling: deviation, oversampling: one_sided_deviation}
"""By sampling rule. Of a rule from outside the package nobody knows the noise here."""


def least_cases(plan: ArticlePlan) -> int:
    """The fewest cases that a method of the article can protect with this noise; from public numbers alone, unless the
    cases of one individual were counted in the log."""
    room = 1 - exactly(plan.parameters.advantage)
    to_guess = math.floor(1 / room) + 1
    noise = _DEVIATIONS.get(plan.method.sample)
    return to_guess if noise is None else max(to_guess, math.ceil(noise(count_scale(plan.control_flow_epsilon))))


def chance_of_coming_through(plan: ArticlePlan) -> float:
    """With what probability, at least, every variant that filtering leaves stands in the release, where most cases have
    one of their own; 0 where they have not (a variant of many cases discloses none of them). 0 also for rules that are
    not known to keep the last case, and for ``oversampling``, which by design deletes none of however many."""
    kept = plan.variants.kept
    if plan.method.sample is not laplace_sampling or 2 * np.count_nonzero(kept == 1) < kept.sum():
        return 0.0
    counts = ControlFlow(plan.variants.dafsa, kept).transition_counts()
    q = math.exp(-1 / count_scale(plan.control_flow_epsilon))
    return float((1 + q) ** -np.count_nonzero(counts > 1))


def least_certified_cases(plan: CertifiedPlan) -> int:
    """The fewest cases whose number exceeds the noise on it, if all of the ε of control flow went into one count."""
    return math.ceil(deviation(scale_for(2, plan.budget.flow)))


def chance_of_nothing(counts: IntArray, plan: CertifiedPlan) -> float:
    """With what probability no variant reaches the threshold, given the cases of each. A figure of the original."""
    if plan.threshold is None:
        return 0.0
    return float(np.prod(1 - reaching(counts, plan.threshold, plan)))
