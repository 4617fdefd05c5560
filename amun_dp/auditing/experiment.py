"""An audit before it is run: what is run, what is tested, and at which level. Nothing here looks at a run.

All of it is fixed in advance: pairs, goals, claims, the number of tests and of runs, the seed. The levels of the tests
sum to the chance of error, over this audit and all repetitions of it (``attempt`` k gets 1/(k(k+1)) of it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from amun_dp.auditing.article_mechanism import ArticleMechanism
from amun_dp.auditing.controls import Control, control_pair
from amun_dp.auditing.goals import INSIDE, Goal, goals_for
from amun_dp.auditing.mechanism import Claimed, Mechanism
from amun_dp.auditing.pairs import Pair
from amun_dp.errors import ParameterError
from amun_dp.noise.sources import NoiseSource, SeededNoise, SystemNoise, derived_seed

FEWEST_RUNS = 1_000
"""Fewest runs on each log of a pair. With fewer the second control might not be caught, and the audit would be void."""
MOST_RUNS = 10_000_000


@dataclass(frozen=True, slots=True)
class Rules:
    """How many runs, with which confidence, and from which random numbers."""

    runs: int
    """Runs on each log of a pair; the second half is for testing."""
    confidence: float = 0.95
    """Probability that no bound of this audit, or of an earlier or later attempt at it, exceeds the truth."""
    attempt: int = 1
    seed: int = 0
    system_noise: bool = False
    """Whether noise is drawn as a release draws it (not repeatable) and not from the seed."""

    def __post_init__(self) -> None:
        if not isinstance(self.runs, int) or not FEWEST_RUNS <= self.runs <= MOST_RUNS:
            raise ParameterError(
                f"An audit runs at least {FEWEST_RUNS:,} and at most {MOST_RUNS:,} times on each log of a pair."
            )
        if not 0.5 <= self.confidence < 1:
            raise ParameterError("The confidence of an audit lies between 0.5 and 1, for instance 0.95.")
        if not isinstance(self.attempt, int) or self.attempt < 1:
            raise ParameterError("Attempts are counted from 1: say which one this is.")

        if not isinstance(self.seed, int) or self.seed < 0:
            raise ParameterError("A seed is a whole number that is not negative.")

    def source(self, *path: int) -> NoiseSource:
        return SystemNoise() if self.system_noise else SeededNoise(derived_seed(self.seed, *path))


@dataclass(frozen=True, slots=True)
class Test:
    """One event will be tested against one claim."""

    __test__ = False  # not for pytest
    goal: Goal
    claimed: Claimed


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One pair of logs under one mechanism, and what is tested on its runs."""

    mechanism: Mechanism
    pair: Pair
    tests: tuple[Test, ...]
    control: bool = False

    def batch(self) -> int:
        """Runs in one call: as many as keep the columns of a call small."""
        events = float(max(self.pair.left.n_events, self.pair.right.n_events))
        if isinstance(self.mechanism, ArticleMechanism):  # noise may make a release far larger than its log
            events = max(events, self.mechanism.events_a_run(self.pair))
        return int(min(1_000, max(1, 200_000 // events)))


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    trials: tuple[Trial, ...]

    @property
    def tests(self) -> int:
        return sum(len(trial.tests) for trial in self.trials)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Trials by number, those together that may share the runs on their left log: same log, same mechanism, and
        nothing inside of it looked at, which depends on the right log as well. (Bonferroni needs no independence.)"""
        grouped: dict[tuple[int, ...], list[int]] = {}
        for number, trial in enumerate(self.trials):
            alone = any(test.goal in INSIDE for test in trial.tests)
            key = (number,) if alone else (-1, id(trial.mechanism), id(trial.pair.left))
            grouped.setdefault(key, []).append(number)
        return tuple(tuple(numbers) for numbers in grouped.values())

    def alpha(self, rules: Rules) -> float:
        """The level of one test."""
        attempts = rules.attempt * (rules.attempt + 1)
        return math.nextafter((1 - rules.confidence) / attempts / self.tests, 0.0)


def experiment_of(mechanism: Mechanism, pairs: Sequence[Pair]) -> Experiment:
    """The two controls, and every pair with all goals of which the mechanism claims something."""
    pair = control_pair()
    trials = [Trial(control, pair, _tests(control, pair), control=True) for control in (Control(True), Control(False))]
    trials += [Trial(mechanism, pair, tests) for pair in pairs if (tests := _tests(mechanism, pair))]
    if not any(not trial.control for trial in trials):
        raise ParameterError("The mechanism claims nothing about any of the pairs, so there is nothing to audit.")
    return Experiment(tuple(trials))


def _tests(mechanism: Mechanism, pair: Pair) -> tuple[Test, ...]:
    found = ((goal, mechanism.claim(pair, goal)) for goal in (*goals_for(pair), *INSIDE))
    return tuple(Test(goal, claimed) for goal, claimed in found if claimed is not None)
