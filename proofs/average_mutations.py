"""Wrong formulas of the average reading that the checkers must notice (see ``proofs.mutations``)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from accounting import average
from proofs.mutation import Mutation, by
from proofs.subject import SHIPPED


def average_mutations() -> Iterable[Mutation]:
    yield from _algebra()
    yield from _numbers()
    yield from _lengths()
    yield Mutation(
        "a best guess raised as rarely as a statement fixed before",
        SHIPPED.with_best_guess(
            chance_of_best_guess=lambda mu_squared, amount: average.chance_of_more_than(2 * mu_squared, amount)
        ),
        by("flint", "best-guess-exception"),
    )


def _algebra() -> Iterable[Mutation]:
    def of(name: str, noticed: frozenset[tuple[str, str]], **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_average_algebra(**substitute), noticed)

    solvers = "z3 cvc5"
    yield of(
        "a gain of half the distance",
        by(f"{solvers} coq exact", "average-any-guess")
        | by("exact", "average-threshold")
        | by("exact sympy", "pure-meets-average"),
        success_bound=lambda before, distance: before + distance / 2,
    )
    yield of(
        "a line without its intercept",
        by(f"{solvers} coq flint sympy", "average-success"),
        success_line=lambda before, slope, excess: slope * before + 0 * excess,
    )
    yield of(
        "a replaced value that costs half the distance",
        by(f"{solvers} coq exact", "average-replace", "average-yes-no")
        | by("exact", "average-half-of-distance", "average-share-of-the-rest"),
        success_bound_replace=lambda before, likeliest, distance: before + distance * (1 - likeliest) / 2,
    )
    yield of(
        "the distance of a pure step without its denominator",
        by(f"{solvers} flint", "pure-step") | by("sympy", "pure-histogram-square", "pure-meets-average"),
        pure_distance=lambda ratio: (ratio - 1) / ratio,
    )
    yield of(
        "exceptions as rare as the excess",
        by(f"{solvers} coq exact flint", "single-output"),
        exception_bound=lambda excess, ratio: excess + 0 * ratio,
    )
    yield of(
        "odds raised twice as much",
        by(solvers, "best-guess-exception"),
        raised_odds=lambda before, rest: 2 * (1 - before) * (1 - rest) / (before * rest),
    )
    yield of(
        "half the error of smoothing",
        by(f"{solvers} flint sympy", "discrete-gaussian-smoothing"),
        smoothed_at_most=lambda theta: 1 + theta / 2,
    )
    yield of(
        "a lower factor of smoothing that is too large",
        by(f"{solvers} flint sympy", "discrete-gaussian-smoothing"),
        smoothed_at_least=lambda theta: 1 - theta,
    )
    yield of(
        "an upper factor of smoothing that counts twice",
        by(f"{solvers} coq", "discrete-gaussian-release"),
        smoothed_at_most=lambda theta: (1 + theta) ** 2,
    )
    yield of(
        "an excess that forgets e^ε",
        by("sympy", "gaussian-curve", "gaussian-steps"),
        gaussian_excess=lambda mu, epsilon, upper, exp: upper(epsilon / mu - mu / 2) - upper(epsilon / mu + mu / 2),  # noqa: ARG005
    )
    yield of(
        "a replaced case that moves as far as one left out",
        by(f"{solvers} coq exact", "norm-nonnegative"),
        replaced_square=lambda square: 1 * square,
    )
    yield of(
        "a centred total that moves like a table of counts",
        by(f"{solvers} coq exact", "norm-centred"),
        replaced_square_centred=lambda square: 2 * square,
    )
    yield of(
        "a group whose lengths add up in squares",
        by(f"{solvers} coq exact", "norm-group") | by("flint", "average-group"),
        group_square=lambda square, members: members * square,
    )


def _of_the_measurement(mu_squared_replace: Fraction, by: float, delta: Any = 0, surcharge: Any = 0) -> float:
    """The chance for whoever sees the measurement, as if nothing were merged."""
    mu = math.sqrt(mu_squared_replace)
    return math.erfc((4 * math.atanh(by) / mu - mu / 2) / math.sqrt(2)) / 2 + float(delta) + 0 * float(surcharge)


def _numbers() -> Iterable[Mutation]:
    def of(name: str, noticed: frozenset[tuple[str, str]], **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_average(**substitute), noticed)

    numeric = by("flint", "numeric-average")
    yield of("reported numbers rounded to the nearest", numeric, float_up=float)
    yield of("a calibrating μ² rounded up", numeric, float_down=lambda value: math.nextafter(float(value), math.inf))
    yield of(
        "a μ² for twice the advantage",
        numeric | by("exact", "average-to-each", "distance-as-definition") | by("flint", "pure-histogram-square"),
        mu_squared_of_advantage=lambda advantage: 40 * average.mu_squared_of_advantage(advantage),
    )
    yield of(
        "a curve of half the μ",
        numeric | by("flint", "average-success", "pure-meets-average"),
        success_after=lambda prior, mu_squared, delta=0: average.success_after(prior, mu_squared / 4, delta),
    )
    yield of(
        "half of δ",
        numeric
        | by(
            "flint",
            "gaussian-curve",
            "gaussian-steps",
            "gaussian-with-pure",
            "discrete-gaussian-release",
            "average-success",
        ),
        delta_of=lambda mu_squared, epsilon, surcharge=0: average.delta_of(mu_squared, epsilon, surcharge) / 2,
    )
    yield of(
        "δ that never vanishes",
        by("exact", "distance-as-definition"),
        delta_of=lambda mu_squared, epsilon, surcharge=0: average.delta_of(mu_squared, 0.0, surcharge),  # noqa: ARG005
    )
    yield of(
        "the chance for whoever sees the measurement",
        numeric | by("flint", "single-output", "single-output-attained", "single-output-chosen-later"),
        chance_of_more_than=_of_the_measurement,
    )
    yield of(
        "a pure step with μ = ε",
        numeric | by("flint", "pure-step", "pure-histogram-square", "gaussian-with-pure"),
        mu_squared_of_pure=lambda epsilon: epsilon**2,
    )
    yield of(
        "an advantage twice as large",
        numeric | by("exact", "discrete-gaussian-same-scale") | by("flint", "gaussian-curve"),
        advantage_of=lambda mu_squared, delta=0: 2 * average.advantage_of(mu_squared, delta),
    )
    yield of(
        "smoothing for nothing",
        numeric | by("flint", "discrete-gaussian-release"),
        smoothing_surcharge=lambda s_squared, cells: Fraction(0),  # noqa: ARG005
    )
    yield of(
        "a threshold one unit further",
        numeric | by("flint", "discrete-gaussian-tail"),
        threshold_delta_of=lambda variance, threshold, influence: average.threshold_delta_of(
            variance, threshold + 1, influence
        ),
    )


def _lengths() -> Iterable[Mutation]:
    def of(name: str, **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_norms(**substitute), by("exact", "norm-clipped", "norm-of-events"))

    yield of("a case that is never clipped", whole_units=lambda units, limit, squares: units)  # noqa: ARG005
    yield of(
        "a case clipped by its length instead of its square",
        whole_units=lambda units, limit, squares: min(units, int(limit * units / max(1, math.isqrt(squares)))),
    )


AVERAGE_FREE_STANDING = {*by("z3 cvc5", "norm-clipped")}
"""Asked without a shipped function; tests weaken the question until it is ``sat``."""
