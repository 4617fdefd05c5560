"""Logs that are too small for what is asked, derived from the noise and from public numbers. docs/certified.md has the
formulas and why.

Of every method a log is too small if it has fewer cases than the standard deviation of the noise on one count: nothing
but noise would be released. The article's methods besides release the cases themselves, so these must be able to hide:

- a case is protectable only while P + A < 1, and who has N cases before them guesses whose one is with P = 1/N; so
  N·(1 - A) > 1;
- noise hides which cases there were by deleting some. Only a transition that several cases take can delete one, and
  does with a negative draw only: variants with S such transitions on their paths, all of them together, come through
  with a probability of at least P(Z ≥ 0)^S. Who knows that somebody is in the log, and nothing else, then guesses that
  they have one of k variants of one case alone, and is right with k/N, about paths that nobody knew of before. So no
  more than A·N such variants may come through together more often than once in twenty times: in a log of fewer than 1/A
  cases not a single one. Where fewer come through together, how many did is counted after the release.

A threshold that lets nothing through with a probability of more than one in twenty would spend a budget on nothing, and
one that is expected to keep fewer than one case in ten nearly so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from accounting.registry.budgets import exactly
from amun_dp._base.arrays import IntArray
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.planned_variants import PlannedVariants
from amun_dp.article.step5_sampling import ControlFlow, laplace_sampling, oversampling
from amun_dp.certified.draft import CertifiedPlan, reaching
from amun_dp.eventlog.variants import Sequences
from amun_dp.mechanisms.histograms import scale_for
from amun_dp.mechanisms.laplace_count import count_scale

LARGEST_CHANCE = 0.05
"""Largest accepted probability of a release that holds too many variants of a single case, and of an empty release."""
SMALLEST_SHARE = 0.1
"""Smallest accepted share of the cases that a threshold is expected to keep."""


class ArticlePlan(Protocol):
    """The plan of a release by one of the article's methods, on whatever engine."""

    @property
    def parameters(self) -> Parameters: ...

    @property
    def method(self) -> ArticleMethod: ...

    @property
    def variants(self) -> PlannedVariants: ...

    @property
    def control_flow_epsilon(self) -> float: ...


def deviation(scale: float) -> float:
    """Standard deviation of discrete Laplace noise: P(k) in proportion to q^|k| with q = exp(-1/scale)."""
    q = math.exp(-1 / scale)
    return math.sqrt(2 * q) / -math.expm1(-1 / scale)


def one_sided_deviation(scale: float) -> float:
    """Standard deviation of one-sided (non-negative) discrete Laplace noise: P(k) in proportion to q^k with q =
    exp(-1/scale)."""
    q = math.exp(-1 / scale)
    return math.sqrt(q) / -math.expm1(-1 / scale)


_DEVIATIONS: dict[object, Callable[[float], float]] = {laplace_sampling: deviation, oversampling: one_sided_deviation}
"""Standard deviation of the noise by sampling rule. The noise of a rule from outside the package is not known here."""


def least_cases(plan: ArticlePlan) -> int:
    """The fewest cases that a method of the article can protect with this noise; from public numbers alone, unless the
    cases of one individual were counted in the log."""
    room = 1 - exactly(plan.parameters.advantage)
    to_guess = math.floor(1 / room) + 1
    noise = _DEVIATIONS.get(plan.method.sample)
    return to_guess if noise is None else max(to_guess, math.ceil(noise(count_scale(plan.control_flow_epsilon))))


@dataclass(frozen=True, slots=True)
class ComingThrough:
    """Variants with a single case that all appear in the release together. Confidential."""

    variants: int
    """So many of them that guessing one gains more than the advantage; 0 if the log has fewer."""
    of: int
    """Cases of the log, after filtering."""
    chance: float
    """Lower bound on the probability that all of them are released."""


def coming_through(plan: ArticlePlan) -> ComingThrough:
    """The variants of one case alone that noise deletes least often, as many as would gain too much.

    Of rules that are not known to keep the last case nothing is said. ``oversampling`` deletes none, of however many
    cases: no size of the log is enough for it, and it counts only where a single variant is too many.
    """
    dafsa, kept = plan.variants.dafsa, plan.variants.kept
    cases, alone = int(kept.sum()), np.flatnonzero(kept == 1)
    too_many = math.floor(exactly(plan.parameters.advantage) * cases) + 1
    if len(alone) < too_many or plan.method.sample not in _DEVIATIONS:
        return ComingThrough(0, cases, 0.0)
    if plan.method.sample is oversampling:
        return ComingThrough(too_many, cases, float(too_many == 1))
    shared = ControlFlow(dafsa, kept).transition_counts() > 1
    on_path = np.add.reduceat(shared[dafsa.path], dafsa.variants.offsets[:-1], dtype=np.int64)
    paths = Sequences(dafsa.path, dafsa.variants.offsets).take(alone[np.argsort(on_path[alone])[:too_many]])
    together = int(np.count_nonzero(shared[np.unique(paths.activity)]))
    q = math.exp(-1 / count_scale(plan.control_flow_epsilon))
    return ComingThrough(too_many, cases, float((1 + q) ** -together))


def least_certified_cases(plan: CertifiedPlan) -> int:
    """The fewest cases whose number exceeds the noise on it, if all of the ε of control flow went into one count."""
    return math.ceil(deviation(scale_for(2, plan.budget.flow)))


def chance_of_nothing(counts: IntArray, plan: CertifiedPlan) -> float:
    """With what probability no variant reaches the threshold, given the cases of each. A figure of the original."""
    if plan.threshold is None:
        return 0.0
    return float(np.prod(1 - reaching(counts, plan.threshold, plan)))
