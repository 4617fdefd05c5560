"""The average reading by linear programs: of all releases within a distance, the one that helps guessing most.

An output may as well be the guess that it suggests, so there are as many outputs as guesses, and the best release for
an attacker is the solution of a linear program. Neither the proofs nor the shipped numbers know of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy.optimize import linprog

from accounting.average import chance_of_more_than, delta_of, mu_squared_of_advantage, success_after
from accounting.average_algebra import success_bound, success_bound_replace
from accounting.best_guess import chance_of_best_guess

SLACK = 1e-7
"""What the solver's own arithmetic may be off."""


class Program:
    """Masses M_x(o) of all values and a reference Q(o), then auxiliary variables; what is maximised is V₁."""

    def __init__(self, prior: Sequence[float], guesses: Sequence[frozenset[int]]) -> None:
        self.prior, self.guesses = prior, guesses
        self.values, self.outputs = len(prior), len(guesses)
        self.count = (self.values + 1) * self.outputs
        self.rows: list[dict[int, float]] = []
        self.limits: list[float] = []

    @property
    def before(self) -> float:
        return max(sum(self.prior[x] for x in guess) for guess in self.guesses)

    @property
    def reference(self) -> int:
        return self.values

    def mass(self, x: int, output: int) -> int:
        return x * self.outputs + output

    def excess(self, one: int, other: int, slope: float, most: float) -> None:
        """Σ over outputs of (M_one - slope·M_other)₊ ≤ most."""
        first = self.count
        self.count += self.outputs
        for o in range(self.outputs):
            row = {first + o: -1.0}
            for place, factor in ((self.mass(one, o), 1.0), (self.mass(other, o), -slope)):
                row[place] = row.get(place, 0.0) + factor
            self.rows.append(row)
            self.limits.append(0.0)
        self.rows.append({first + o: 1.0 for o in range(self.outputs)})
        self.limits.append(most)

    def best(self) -> float:
        """The largest V₁."""
        return self.largest({self.mass(x, o): self.prior[x] for o, guess in enumerate(self.guesses) for x in guess})

    def largest(self, weights: dict[int, float]) -> float:
        """Of a weighted sum of masses."""
        aim = np.zeros(self.count)
        for place, weight in weights.items():
            aim[place] = -weight
        table = np.zeros((len(self.rows), self.count))
        for number, row in enumerate(self.rows):
            for place, factor in row.items():
                table[number, place] = factor
        laws = np.zeros((self.values + 1, self.count))
        for x in range(self.values + 1):
            laws[x, self.mass(x, 0) : self.mass(x, self.outputs)] = 1.0
        found = linprog(aim, A_ub=table, b_ub=self.limits, A_eq=laws, b_eq=np.ones(self.values + 1), method="highs")
        assert found.status == 0, found.message
        return float(-found.fun)


def problems(count: int, seed: int) -> list[Program]:
    """At random; and two in which all values, and all guesses, are alike: there the bounds are reached."""
    generator = np.random.default_rng(seed)
    found = [Program([0.25] * 4, [frozenset(chosen) for chosen in combinations(range(4), size)]) for size in (1, 2)]
    for _ in range(count):
        values = int(generator.integers(2, 5))
        prior = generator.dirichlet(np.ones(values))
        sets = [frozenset(chosen) for size in range(1, values) for chosen in combinations(range(values), size)]
        chosen = generator.choice(len(sets), size=int(generator.integers(2, min(len(sets), 6) + 1)), replace=False)
        found.append(Program(prior.tolist(), [sets[number] for number in chosen]))
    return found


@pytest.mark.parametrize("distance", [0.05, 0.2, 0.6])
def test_no_release_within_a_distance_of_the_reference_gains_more(distance: float) -> None:
    reached = 0
    for program in problems(25, seed=1):
        for x in range(program.values):
            program.excess(x, program.reference, 1.0, distance)
        best = program.best()
        assert best <= success_bound(program.before, distance) + SLACK
        reached += best >= min(1.0, success_bound(program.before, distance)) - SLACK
    assert reached > 0  # nothing smaller would do


@pytest.mark.parametrize("distance", [0.05, 0.2])
def test_no_release_whose_values_are_close_two_by_two_gains_more(distance: float) -> None:
    reached = more_than_half = more_than_the_rest = 0
    for program in problems(25, seed=2):
        for one in range(program.values):
            for other in range(program.values):
                if one != other:
                    program.excess(one, other, 1.0, distance)
        best = program.best()
        bound = success_bound_replace(program.before, max(program.prior), distance)
        assert best <= bound + SLACK
        reached += best >= min(bound, 1.0) - SLACK
        # The two refuted bounds.
        more_than_half += best > program.before + distance / 2 + SLACK
        more_than_the_rest += best > program.before + distance * (1 - program.before) + SLACK
    assert reached > 0
    assert more_than_half > 0
    assert more_than_the_rest > 0


@pytest.mark.parametrize("distance", [0.1, 0.4])
def test_a_yes_no_question_gains_the_distance_times_the_smaller_prior(distance: float) -> None:
    for program in problems(20, seed=3):
        answers = [program.guesses[0], frozenset(range(program.values)) - program.guesses[0]]
        question = Program(program.prior, answers)
        for one in range(question.values):
            for other in range(question.values):
                if one != other:
                    question.excess(one, other, 1.0, distance)
        bound = success_bound_replace(question.before, question.before, distance)
        # Two outputs do not tell a third one, "nothing", so the best release need not reach the bound here.
        assert question.before - SLACK <= question.best() <= bound + SLACK


def lines_of(square: Fraction) -> list[tuple[float, float]]:
    """Slope e^ε and intercept δ(ε), also for negative ε."""
    lines = [(math.exp(e), delta_of(square, e)) for e in np.linspace(0, 6 * math.sqrt(square), 13)]
    # By symmetry: δ(-ε) = 1 - e^(-ε) + e^(-ε)·δ(ε).
    return lines + [(1 / slope, 1 - 1 / slope + excess / slope) for slope, excess in lines[1:]]


@pytest.mark.parametrize("advantage", ["0.1", "0.2", "0.4"])
def test_no_release_below_the_gaussian_curve_is_right_more_often_than_the_curve_says(advantage: str) -> None:
    """Lines of the curve at many ε, in both directions: the polygon is a little above the curve."""
    square = mu_squared_of_advantage(Fraction(advantage))
    lines = lines_of(square)
    reached = 0
    for program in problems(12, seed=4):
        for x in range(program.values):
            for slope, most in lines:
                program.excess(x, program.reference, slope, most)
        best = program.best()
        polygon = min(1.0, *(slope * program.before + excess for slope, excess in lines))
        assert best <= polygon + SLACK
        assert polygon <= success_after(program.before, square) + 0.02
        reached += best >= polygon - 1e-6
    assert reached > 0


@pytest.mark.slow
def test_a_guess_chosen_after_the_release_is_raised_more_often_than_one_fixed_before() -> None:
    """One of four values is named, or nothing; each name is right with more than 1/4 + 1/2. How often can that be?"""
    square, by = mu_squared_of_advantage(Fraction("0.3")), 0.5
    nothing = frozenset({0})
    program = Program([0.25] * 4, [*(frozenset({x}) for x in range(4)), nothing])
    for x in range(4):
        for slope, most in lines_of(square):
            program.excess(x, program.reference, slope, most)
        for other in range(4):
            if other != x:
                for slope, most in lines_of(2 * square):
                    program.excess(x, other, slope, most)
        # Raised: three quarters of the mass of name x is that of value x.
        program.rows.append({program.mass(y, x): 0.75 - (y == x) for y in range(4)})
        program.limits.append(0.0)
    found = program.largest({program.mass(y, x): 0.25 for x in range(4) for y in range(4)})
    assert found > 1.2 * chance_of_more_than(2 * square, by)
    assert found <= chance_of_best_guess(square, by)
