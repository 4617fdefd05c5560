"""Every way that a random function can go, with its exact probability.

A function that gets all its randomness from ``choose`` is run again and again on a script of choices; where the script
ends, it branches into one script for each possible choice. Paths that became too unlikely are given up, and their
probability is what remains unexplored: every outcome has at least the probability found, and at most that much more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Choose = Callable[[Sequence[Fraction]], int]
"""The index of one of several choices with these probabilities. What they lack of 1 counts as unexplored."""


@dataclass(frozen=True, slots=True)
class Law:
    found: dict[Hashable, Fraction]
    unexplored: Fraction

    def allows(self, outcome: Hashable, probability: Fraction, slack: Fraction) -> bool:
        """Whether an outcome may have that probability, known to within ``slack``."""
        found = self.found.get(outcome, Fraction(0))
        return found - slack <= probability <= found + self.unexplored + slack


class _ScriptEnds(Exception):  # noqa: N818 -- it is how a run asks for the next choice, not an error
    def __init__(self, probabilities: Sequence[Fraction]) -> None:
        super().__init__()
        self.probabilities = probabilities


def law_of(draw: Callable[[Choose], Hashable], least: Fraction) -> Law:
    """What ``draw`` gives, and how likely; paths less likely than ``least`` are given up."""
    found: dict[Hashable, Fraction] = {}
    open_: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while open_:
        script, probability = open_.pop()
        try:
            outcome = draw(_following(script))
        except _ScriptEnds as end:
            shares = [(index, probability * share) for index, share in enumerate(end.probabilities)]
            open_ += [((*script, index), share) for index, share in shares if share >= least]
        else:
            found[outcome] = found.get(outcome, Fraction(0)) + probability
    return Law(found, 1 - sum(found.values(), Fraction(0)))


def _following(script: tuple[int, ...]) -> Choose:
    place = 0

    def choose(probabilities: Sequence[Fraction]) -> int:
        nonlocal place
        if place == len(script):
            raise _ScriptEnds(probabilities)
        place += 1
        return script[place - 1]

    return choose
