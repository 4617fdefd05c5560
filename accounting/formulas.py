"""ε and guessing advantage as numbers: validated, vectorised, and rounded on purpose.

An ε that calibrates noise is rounded **down** (more noise than needed); an ε, a probability or an advantage that is
reported is rounded **up** (a worse guarantee than the true one). The margin is ``MARGIN`` relative. It assumes that
exp, expm1, log, log1p, tanh, cbrt and powers of the platform are accurate to 16 units in the last place, which glibc,
the BSDs, Apple and Microsoft exceed.

``loss`` is the dimensionless privacy loss ε·r of an attribute in [0, r]; an ε per unit of time is loss / r. For a
count r = 1 and loss = ε. The algebra behind each function is in ``accounting.algebra``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError

FloatArray = npt.NDArray[np.float64]
"""A column of floats; for plain numbers, one without dimension."""
Rounding = Literal["down", "up"]
"""To which side of the true value: down to calibrate noise, up to report a loss."""

MARGIN = 2.0**-46
"""Relative rounding margin, 64 units in the last place: above the error of every formula below."""


def loss_for_prior(prior: npt.ArrayLike, advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """Largest loss ε·r that keeps the posterior within prior + advantage (Eq. 3), for P + A < 1.

    Computed as log1p(A / (P·(1-A-P))), which does not cancel; 1-A-P is summed without rounding error.
    """
    p, a = _as_arrays(prior, advantage)
    _require_probability(p, "a prior")
    _require_probability(a, "an advantage")
    room = headroom(p, a)
    _require(np.all(room > 0), "prior + advantage must stay below 1; beyond it use worst_case_loss")
    return _rounded(np.log1p(a / (p * room)), rounding)


def rate_for_prior(
    prior: npt.ArrayLike, advantage: npt.ArrayLike, value_range: npt.ArrayLike, rounding: Rounding = "down"
) -> FloatArray:
    """ε per unit of an attribute in [0, r] (Eq. 3 as printed): ``loss_for_prior`` of prior, advantage and rounding,
    divided by ``value_range``, which is r."""
    r = np.asarray(value_range, dtype=np.float64)
    _require(np.all((r > 0) & np.isfinite(r)), "a range is positive and finite")
    return _rounded(loss_for_prior(prior, advantage, rounding) / r, rounding)


def headroom(prior: npt.ArrayLike, advantage: npt.ArrayLike) -> FloatArray:
    """1 - A - P for prior P and advantage A with a single rounding (Knuth's two-sum), so that it is right next to
    P + A = 1."""
    p, a = _as_arrays(prior, advantage)
    total = p + a
    carried = total - p
    lost = (p - (total - carried)) + (a - carried)
    result: FloatArray = (1.0 - total) - lost
    return result


def worst_case_loss(advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """Loss that keeps the advantage within A whatever the prior: 4·artanh(A) = 2·ln((1+A)/(1-A)). Rounding is down, to
    calibrate, unless asked otherwise."""
    a = np.asarray(advantage, dtype=np.float64)
    _require_probability(a, "an advantage")
    # log1p of 2A/(1-A) equals 2·artanh(A) and, unlike artanh in some libraries, is accurate near A = 1.
    return _rounded(2.0 * np.log1p(2.0 * a / (1.0 - a)), rounding)


def worst_case_advantage(loss: npt.ArrayLike, dependent_cases: int = 1) -> FloatArray:
    """Largest advantage that a loss permits over all priors, tanh(g·loss/4); rounded up, 1 for an infinite loss.

    ``dependent_cases`` is g: how many cases, the victim's included, the attacker knows to depend on each other.
    """
    x = group_loss(loss, dependent_cases)
    return np.minimum(_rounded(np.tanh(x / 4.0), "up"), 1.0)


def advantage_for_prior(prior: npt.ArrayLike, loss: npt.ArrayLike) -> FloatArray:
    """Largest advantage that a loss permits at a given prior; rounded up.

    P' - P = P(1-P)·(1-y) / (P + y(1-P)) with y = exp(-loss): the difference written without cancellation.
    """
    p, x = _as_arrays(prior, loss)
    _require_probability(p, "a prior")
    _require(np.all(x >= 0), "a privacy loss is not negative")
    gained = p * (1 - p) * -np.expm1(-x) / (p + np.exp(-x) * (1 - p))
    return np.minimum(_rounded(gained, "up"), np.nextafter(1.0 - p, 1.0))


def group_loss(loss: npt.ArrayLike, members: int) -> FloatArray:
    """Loss for a group of g units at once (``members``): g·ε; rounded up where the product is."""
    x = np.asarray(loss, dtype=np.float64)
    _require(np.all(x >= 0), "a privacy loss is not negative")
    _require(members >= 1, "a group has at least one member")
    with np.errstate(over="ignore"):  # beyond the floats a loss is infinite
        return x.copy() if members == 1 else np.nextafter(x * members, np.inf)


def oversampling_epsilon(advantage: npt.ArrayLike, rounding: Rounding = "down") -> FloatArray:
    """ε of one-sided noise for an advantage by the article's closed form (Prop. oversampling).

    The closed form is the real root x of ``oversampling_polynomial``; ε = -2·ln x. It cancels as A → 0, where x → 1,
    so the root is polished by Newton's method in the variable that is small: x itself for A ≥ 1/2, and below that
    h = 1-x, in which the polynomial is 2A - (5+A)h + 6h² - 2h³. Rounding is down unless asked otherwise.
    """
    a = np.asarray(advantage, dtype=np.float64)
    _require_probability(a, "an advantage")
    b = np.cbrt(np.sqrt(3.0) * np.sqrt((1 - a) ** 2 * (2 * a + 25)) + 9 * (1 - a))
    c = np.cbrt(6.0)
    x = b / c**2 + (1 - a) / (c * b)
    h = 1.0 - x
    for _ in range(3):  # one step from the closed form reaches the last place, the others confirm it
        x = x - (2 * x**3 - (1 - a) * (1 + x)) / (6 * x**2 - (1 - a))
        h = h - (2 * a - h * ((5 + a) - h * (6 - 2 * h))) / (12 * h - 6 * h**2 - (5 + a))
    return _rounded(-2.0 * np.where(a < 0.5, np.log1p(-np.minimum(h, 0.99)), np.log(x)), rounding)


def laplace_loss(sensitivity: npt.ArrayLike, scale: npt.ArrayLike) -> FloatArray:
    """Loss of discrete Laplace noise on a value that moves by at most ``sensitivity``: sensitivity/scale, rounded up.

    No noise (scale 0) is an infinite loss, unless nothing can move.
    """
    s, b = _as_arrays(sensitivity, scale)
    _require(np.all((s >= 0) & (b >= 0)), "sensitivity and scale are not negative")
    _require(np.all(np.isfinite(s) & np.isfinite(b)), "sensitivity and scale are finite")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(s == 0, 0.0, np.nextafter(s / b, np.inf))


def threshold_delta(scale: float, threshold: int, influence: int = 1) -> float:
    """Probability that a key which only one case could have reaches the threshold: P(Z ≥ t - influence), rounded up.

    It is the δ of a thresholded histogram in which one case adds at most ``influence`` to one key that was not there,
    with noise of this scale.
    """
    _require(0 < scale < np.inf, "noise has a positive finite scale")
    _require(influence >= 1 and threshold > influence, "a threshold lies above the influence of one case")
    q = np.exp(-1.0 / scale)
    # The exponent a step down, because exp magnifies its rounding; and never so deep that the result would be 0.
    exponent = np.nextafter((threshold - influence) / scale, 0.0)
    tail = np.exp(-np.minimum(exponent, 700.0)) / (1.0 + q)
    return min(1.0, float(_rounded(np.asarray(tail), "up")))


def _rounded(values: FloatArray, rounding: Rounding) -> FloatArray:
    # Further down than up: noise calibrated for an advantage is then reported with that advantage, not a hair more.
    factor = 1.0 - 4 * MARGIN if rounding == "down" else 1.0 + MARGIN
    return np.asarray(values * factor, dtype=np.float64)


def _as_arrays(left: npt.ArrayLike, right: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    return np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)


def _require_probability(values: FloatArray, what: str) -> None:
    _require(np.all((values > 0) & (values < 1)), f"{what} lies strictly between 0 and 1")


def _require(condition: np.bool_ | bool, rule: str) -> None:
    # NaN fails every comparison, so it is refused by the same rules.
    if not condition:
        raise AccountingError(f"{rule}.")
