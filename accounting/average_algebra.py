"""The rules of the average reading as algebra: plain arithmetic on whatever is passed in, as in ``accounting.algebra``.

No input is checked, so that a proof applies to the shipped function and not to a copy. ``accounting.average`` is the
layer for numbers. What the letters mean is in docs/average.md: V₀ and V₁ the chance of the best guess before and after
the release, τ a total variation distance, ϑ the error of smoothing, μ² the squared distance in units of the noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def gaussian_excess(mu: Any, epsilon: Any, upper: Callable[[Any], Any], exp: Callable[[Any], Any]) -> Any:
    """δ(ε) of N(μ, 1) over e^ε·N(0, 1): P(Z ≥ ε/μ - μ/2) - e^ε·P(Z ≥ ε/μ + μ/2), for ``mu`` and ``epsilon``.
    ``upper`` and ``exp`` are those of whatever is computed with."""
    return upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2)


def success_bound(before: Any, distance: Any) -> Any:
    """V₀ + τ₀: the best guess after a release whose laws are within ``distance`` of one that does not see the case;
    ``before`` is V₀."""
    return before + distance


def success_line(before: Any, slope: Any, excess: Any) -> Any:
    """e^ε·V₀ + δ(ε): the same from one point (ε, δ) of the curve, ``slope`` e^ε and ``excess`` δ(ε), for V₀ ``before``.
    The curve is the lowest of these lines."""
    return slope * before + excess


def success_bound_replace(before: Any, likeliest: Any, distance: Any) -> Any:
    """V₀ + τ·(1 - π): the same where any two values of the case are within ``distance``, π the likeliest value's prior.

    ``before`` is V₀, ``likeliest`` π. For a yes/no question V₀ may stand for π.
    """
    return before + distance * (1 - likeliest)


def pure_distance(ratio: Any) -> Any:
    """Largest total variation of two laws with likelihood ratios within ``ratio``: (e^ε-1)/(e^ε+1) = tanh(ε/2)."""
    return (ratio - 1) / (ratio + 1)


def exception_bound(excess: Any, ratio: Any) -> Any:
    """How likely outputs beyond e^ε are, from the excess δ(ε₀) over e^ε₀, with ``ratio`` e^(ε₀-ε): δ(ε₀)/(1-ratio)."""
    return excess / (1 - ratio)


def raised_odds(before: Any, rest: Any) -> Any:
    """Ratio of the odds of a guess that is right with more than 1 - rest after the release to those of V₀ before:
    (1-s)(1-s')/(s·s')."""
    return (1 - before) * (1 - rest) / (before * rest)


def smoothed_at_most(theta: Any) -> Any:
    """Upper bound on the mass of a discrete Gaussian in units of that of its smoothed twin: 1 + ϑ."""
    return 1 + theta


def smoothed_at_least(theta: Any) -> Any:
    """Lower bound on the same: (1-ϑ)/(1+ϑ)."""
    return (1 - theta) / (1 + theta)


def replaced_square(square: Any) -> Any:
    """‖v - v'‖² for vectors without negative entries and of squared length at most ``square``: twice that."""
    return 2 * square


def replaced_square_centred(square: Any) -> Any:
    """‖v - v'‖² for vectors of squared length at most ``square`` and any signs: four times that."""
    return 4 * square


def group_square(square: Any, members: Any) -> Any:
    """‖v₁ + … + v_g‖² for g vectors (``members``) of squared length at most ``square`` each: g² times that."""
    return members**2 * square
