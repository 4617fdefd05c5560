"""The formulas as algebra: plain arithmetic on whatever is passed in, floats, arrays, symbols or intervals.

There is nothing here but +, -, ×, ÷ and powers, and no input is checked, so that a proof applies to the shipped
function and not to a copy. ``accounting.formulas`` is the layer for numbers.

Notation of the article: prior P, advantage A (there δ), and y = exp(-loss), where the loss is ε·r. Where a square
root of y is needed the variable is x = exp(-loss/2), which keeps everything rational. q = exp(-1/scale) for noise of
that scale.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def likelihood_ratio(prior: Any, advantage: Any) -> Any:
    """y = exp(-loss) at which the posterior bound equals prior + advantage (Prop. "minimum eps")."""
    return prior / (1 - prior) * (1 / (advantage + prior) - 1)


def posterior(prior: Any, ratio: Any) -> Any:
    """Largest posterior guessing probability for a prior when every likelihood ratio is at least ``ratio``
    (Prop. posterior)."""
    return 1 / (1 + ratio * (1 - prior) / prior)


def worst_prior(advantage: Any) -> Any:
    """The prior (1-A)/2 at which an attacker gains most; it minimises the permitted ε (Eq. 2)."""
    return (1 - advantage) / 2


def worst_ratio(advantage: Any) -> Any:
    """y at the worst prior, ((1-A)/(1+A))²: above it no prior gains more than A."""
    return ((1 - advantage) / (1 + advantage)) ** 2


def worst_advantage(x: Any) -> Any:
    """Largest advantage over all priors, (1-x)/(1+x) with x = exp(-loss/2): tanh(loss/4)."""
    return (1 - x) / (1 + x)


def one_sided_advantage(x: Any) -> Any:
    """The article's advantage of one-sided noise: exp(-ε)·A' + 1 - exp(-ε), A' two-sided; x = exp(-ε/2)."""
    return x**2 * worst_advantage(x) + 1 - x**2


def oversampling_polynomial(x: Any, advantage: Any) -> Any:
    """2x³ + (A-1)x + (A-1) for an advantage A, whose root in (0, 1) is exp(-ε/2) of one-sided noise (oversampling)."""
    return 2 * x**3 + (advantage - 1) * x + (advantage - 1)


def oversampling_root(advantage: Any, sqrt: Callable[[Any], Any], cbrt: Callable[[Any], Any]) -> Any:
    """The article's closed form of that root for an advantage: b/c² - (A-1)/(c·b). ``sqrt`` and ``cbrt`` are those of
    whatever is computed with."""
    c = cbrt(6)
    radicand = 2 * advantage**3 + 21 * advantage**2 - 48 * advantage + 25
    b = cbrt(sqrt(3) * sqrt(radicand) - 9 * advantage + 9)
    return b / c**2 - (advantage - 1) / (c * b)


def laplace_mass(q: Any, distance: Any) -> Any:
    """P(Z = k) of discrete Laplace noise at |k| = ``distance``: (1-q)/(1+q)·q^|k|."""
    return (1 - q) / (1 + q) * q**distance


def laplace_tail(q: Any, threshold: Any) -> Any:
    """P(Z ≥ t) of discrete Laplace noise, for a threshold t ≥ 1: q^t/(1+q)."""
    return q**threshold / (1 + q)


def geometric_mass(q: Any, k: Any) -> Any:
    """P(Z = k) of one-sided noise, for k ≥ 0: (1-q)·q^k."""
    return (1 - q) * q**k
