"""Curves of composed Gaussian noise against privacy loss distributions of Google's dp_accounting (the extra ``pld``).

Its estimates are made in two ways that enclose the truth, a pessimistic and an optimistic one; between continuous laws
they differ by the error of its grid, and that error is all that is allowed here.
"""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from accounting.curve import Curve, curve_of
from accounting.events import GaussianHistogram, NoisyMax, PrivacyEvent, RepeatedRelease, Sequential, SharedByIndividual
from accounting.guarantee import Relation, Scope
from accounting.losses import View, strict_loss

MISSING = importlib.util.find_spec("dp_accounting") is None
pytestmark = pytest.mark.skipif(
    # Where everything is meant to be installed a missing package is a failure, not a skip.
    MISSING and os.environ.get("CI") != "true",
    reason="dp_accounting is not installed (extra: pld)",
)
EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.0, 4.0)
ROUNDING = 1e-10
"""Of the Fourier transforms, which the grid's two estimates do not cover."""


def curve(tree: PrivacyEvent, relation: Relation = Relation.LEAVE_OUT, scope: Scope = Scope.CASE) -> Curve:
    found = curve_of(strict_loss(tree, scope, relation, View.PUBLIC), relation)
    assert found is not None
    return found


def composed(parts: list[tuple[Callable[..., Any], tuple[float, ...]]], pessimistic: bool) -> Any:
    result = None
    for make, parameters in parts:
        one = make(*parameters, pessimistic_estimate=pessimistic, value_discretization_interval=1e-4)
        result = one if result is None else result.compose(one)
    return result


def continuous(variance: Fraction, sensitivity: float) -> tuple[Callable[..., Any], tuple[float, ...]]:
    """Continuous noise of the variance that the accountant counts with."""
    from dp_accounting.pld import privacy_loss_distribution as pld  # type: ignore[import-untyped,import-not-found,unused-ignore]

    return pld.from_gaussian_mechanism, (math.sqrt(variance - 4), sensitivity)


def histogram(variance: int, norm: int, *, centred: bool = False) -> GaussianHistogram:
    return GaussianHistogram(variance, norm, "times", 5, centred=centred)


PARTS = (histogram(60, 5), histogram(2_504, 20, centred=True), histogram(104, 3))
CASES: list[tuple[str, PrivacyEvent, Relation, Scope, list[tuple[int, float]]]] = [
    ("one part", PARTS[0], Relation.LEAVE_OUT, Scope.CASE, [(60, 5)]),
    ("three parts", Sequential(PARTS), Relation.LEAVE_OUT, Scope.CASE, [(60, 5), (2_504, 20), (104, 3)]),
    (
        "replaced",
        Sequential(PARTS),
        Relation.REPLACE,
        Scope.CASE,
        [(60, 5 * math.sqrt(2)), (2_504, 40), (104, 3 * math.sqrt(2))],
    ),
    ("three releases", RepeatedRelease(PARTS[2], 3), Relation.LEAVE_OUT, Scope.CASE, [(104, 3)] * 3),
    ("two cases of somebody", SharedByIndividual(PARTS[2], 2), Relation.LEAVE_OUT, Scope.INDIVIDUAL, [(104, 6)]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "relation", "scope", "parts"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_composed_curves_lie_between_the_two_estimates(
    tree: PrivacyEvent, relation: Relation, scope: Scope, parts: list[tuple[int, float]]
) -> None:
    mechanisms = [continuous(Fraction(variance), sensitivity) for variance, sensitivity in parts]
    above, below = composed(mechanisms, pessimistic=True), composed(mechanisms, pessimistic=False)
    stated = curve(tree, relation, scope)
    for epsilon in EPSILONS:
        high, low = (float(one.get_delta_for_epsilon(epsilon)) for one in (above, below))
        assert low - ROUNDING <= stated.delta_at(epsilon) <= high + ROUNDING
        assert high - low < 1e-4  # or the comparison says nothing
    assert stated.advantage == pytest.approx(float(above.get_delta_for_epsilon(0.0)), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("variance", "sensitivity", "times"), [(25, 1, 1), (25, 3, 4), (36, 2, 9)])
def test_discrete_noise_is_never_easier_to_tell_apart_than_is_stated(
    variance: int, sensitivity: int, times: int
) -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    true = pld.from_discrete_gaussian_mechanism(
        math.sqrt(variance), sensitivity, pessimistic_estimate=False, value_discretization_interval=1e-4
    ).self_compose(times)
    stated = curve(RepeatedRelease(histogram(variance, sensitivity), times))
    for epsilon in EPSILONS:
        assert float(true.get_delta_for_epsilon(epsilon)) - ROUNDING <= stated.delta_at(epsilon)


@pytest.mark.slow
def test_pure_steps_among_gaussian_ones_cost_no_more_than_is_stated() -> None:
    """A pure step at its worst is randomised response; as a Gaussian curve it is a little dearer."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    choice = NoisyMax(8.0, 1, "times")
    tree = Sequential((*PARTS, choice, choice))
    # It answers at random with probability 2/(1+e^ε), and otherwise truly: the ratio of its two outputs is e^ε.
    worst = (pld.from_randomized_response, (2 / (1 + math.exp(0.25)), 2))
    mechanisms = [continuous(Fraction(variance), size) for variance, size in ((60, 5), (2_504, 20), (104, 3))]
    together = composed([*mechanisms, worst, worst], pessimistic=False)
    stated = curve(tree)
    for epsilon in EPSILONS:
        assert float(together.get_delta_for_epsilon(epsilon)) - ROUNDING <= stated.delta_at(epsilon)
    assert stated.advantage <= 1.1 * float(together.get_delta_for_epsilon(0.0))
