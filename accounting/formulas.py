"""ε and guessing advantage: the article's formulas, once.

Two layers.

*Algebra* (names ending in ``_ratio``, ``_polynomial``, ``worst_prior``): plain arithmetic on whatever is passed in,
floats, arrays, sympy symbols or intervals, so that a proof applies to the shipped function and not to a copy.

*Numbers* (names with ``epsilon`` or ``advantage``): validate, vectorise, and round on purpose. An ε that calibrates
noise is rounded **down** (more noise than needed), an ε or advantage that is reported is rounded **up** (a worse
guarantee than the true one). The margin is ``MARGIN`` relative; it assumes that log, log1p, exp and tanh of
the platform are accurate to 16 units in the last place, which glibc, the BSDs, Apple and Microsoft exceed.

Notation of the article: prior P, advantage A (there δ), attribute in [0, r]. ``loss`` below is the dimensionless
privacy loss ε·r; an ε per unit of time is loss / r. For a count r = 1 and loss = ε.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError

FloatArray = npt.NDArray[np.float64]
Rounding = Literal["down", "up"]

MARGIN = 2.0**-46
"""Relative rounding margin, 64 units in the last place: above the error of every formula below."""


# --- algebra -------------------------------------------------------------------------------------------------------


def likelihood_ratio(prior: Any, advantage: Any) -> Any:
    """exp(-loss) at which the posterior bound equals prior + advantage (Prop. "minimum eps")."""
    return prior / (1 - prior) * (1 / (advantage + prior) - 1)


def posterior_ratio(prior: Any, ratio: Any) -> Any:
    """Posterior guessing probability when every likelihood ratio is at least ``ratio`` = exp(-loss)."""
    return 1 / (1 + ratio * (1 - prior) / prior)


def worst_prior(advantage: Any) -> Any:
    """The prior (1-A)/2 at which an attacker gains most; it minimises the permitted ε (Eq. 2)."""
    return (1 - advantage) / 2


def worst_ratio(advantage: Any) -> Any:
    """exp(-loss) at the worst prior: ((1-A)/(1+A))²; below it no prior gains more than A."""
    return ((1 - advantage) / (1 + advantage)) ** 2


def oversampling_polynomial(x: Any, advantage: Any) -> Any:
    """2x³ + (A-1)x + (A-1), whose root in (0, 1) is exp(-ε/2) of one-sided noise (oversampling)."""
    return 2 * x**3 + (advantage - 1) * x + (advantage - 1)


# --- numbers -------------------------------------------------------------------------------------------------------


def loss_for_prior(prior: npt.ArrayLike, advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """Largest loss ε·r that keeps the posterior within prior + advantage (Eq. 3), for P + A < 1.

    Computed as log1p(A / (P·(1-A-P))), which does not cancel; 1-A-P is summed without rounding error.
    """
    p, a = _as_arrays(prior, advantage)
    _require(np.all((p > 0) & (p < 1)), "a prior lies strictly between 0 and 1")
    _require(np.all((a > 0) & (a < 1)), "an advantage lies strictly between 0 and 1")
    room = headroom(p, a)
    _require(np.all(room > 0), "prior + advantage must stay below 1; beyond it use worst_case_loss")
    return _rounded(np.log1p(a / (p * room)), rounding)


def headroom(prior: npt.ArrayLike, advantage: npt.ArrayLike) -> FloatArray:
    """1 - A - P with a single rounding (Knuth's two-sum), so that it is right next to P + A = 1."""
    p, a = _as_arrays(prior, advantage)
    total = p + a
    carried = total - p
    lost = (p - (total - carried)) + (a - carried)
    result: FloatArray = (1.0 - total) - lost
    return result


def worst_case_loss(advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """Loss that keeps the advantage within A whatever the prior: 4·artanh(A) = 2·ln((1+A)/(1-A))."""
    a = np.asarray(advantage, dtype=np.float64)
    _require(np.all((a > 0) & (a < 1)), "an advantage lies strictly between 0 and 1")
    return _rounded(4.0 * np.arctanh(a), rounding)


def worst_case_advantage(loss: npt.ArrayLike) -> FloatArray:
    """Largest advantage that a loss permits over all priors, tanh(loss/4); rounded up, 1 for an infinite loss."""
    x = np.asarray(loss, dtype=np.float64)
    _require(np.all(x >= 0), "a privacy loss is not negative")
    return np.minimum(_rounded(np.tanh(x / 4.0), "up"), 1.0)


def advantage_for_prior(prior: npt.ArrayLike, loss: npt.ArrayLike) -> FloatArray:
    """Largest advantage that a loss permits at a given prior; rounded up.

    P' - P = P(1-P)·(1-y) / (P + y(1-P)) with y = exp(-loss): the difference written without cancellation.
    """
    p, x = _as_arrays(prior, loss)
    _require(np.all((p > 0) & (p < 1)), "a prior lies strictly between 0 and 1")
    _require(np.all(x >= 0), "a privacy loss is not negative")
    gained = p * (1 - p) * -np.expm1(-x) / (p + np.exp(-x) * (1 - p))
    return np.minimum(_rounded(gained, "up"), 1.0 - p)


def oversampling_epsilon(advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """ε of one-sided noise by the article's closed form (Prop. oversampling).

    The closed form is the real root x of ``oversampling_polynomial``; ε = -2·ln x. It cancels as A → 0, where x → 1,
    so the root is polished by Newton's method in the variable that is small: x itself for A ≥ 1/2, and below that
    h = 1-x, in which the polynomial is 2A - (5+A)h + 6h² - 2h³.
    """
    a = np.asarray(advantage, dtype=np.float64)
    _require(np.all((a > 0) & (a < 1)), "an advantage lies strictly between 0 and 1")
    b = np.cbrt(np.sqrt(3.0) * np.sqrt((1 - a) ** 2 * (2 * a + 25)) + 9 * (1 - a))
    c = np.cbrt(6.0)
    x = b / c**2 + (1 - a) / (c * b)
    h = 1.0 - x
    for _ in range(3):  # one step from the closed form reaches the last place, the others confirm it
        x = x - (2 * x**3 - (1 - a) * (1 + x)) / (6 * x**2 - (1 - a))
        h = h - (2 * a - h * ((5 + a) - h * (6 - 2 * h))) / (12 * h - 6 * h**2 - (5 + a))
    return _rounded(-2.0 * np.where(a < 0.5, np.log1p(-np.minimum(h, 0.99)), np.log(x)), rounding)


def _rounded(values: FloatArray, rounding: Rounding) -> FloatArray:
    # Further down than up: noise calibrated for an advantage is then reported with that advantage, not a hair more.
    factor = 1.0 - 4 * MARGIN if rounding == "down" else 1.0 + MARGIN
    return np.asarray(values * factor, dtype=np.float64)


def _as_arrays(left: npt.ArrayLike, right: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    return np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)


def _require(condition: np.bool_ | bool, rule: str) -> None:
    # NaN fails every comparison, so it is refused by the same rules.
    if not condition:
        raise AccountingError(f"{rule}.")
