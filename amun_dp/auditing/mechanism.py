"""What can be audited: anything that says what it promises about a pair of logs, and can be run many times.

Two methods make a mechanism of a researcher's own auditable; ``OneByOne`` makes one of a plain function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from accounting.guarantee import Relation, Verdict
from amun_dp.auditing.goals import INSIDE, Goal
from amun_dp.auditing.pairs import Pair
from amun_dp.auditing.releases import Releases, releases_of
from amun_dp.auditing.statistics import Side
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource


@dataclass(frozen=True, slots=True)
class Claimed:
    """What is claimed of the outputs for one pair of logs, in the relation of that pair."""

    claim: str
    """Identifier in the registry of claims, or a name of the researcher's own."""
    statement: str
    """The claim in words."""
    epsilon: float
    """The ε that it allows for this pair."""
    delta: float = 0.0
    """The δ of approximate differential privacy, not the guessing advantage."""
    prior: float | None = None
    """Where the claim is about one prior: an attacker's guess before the release. None: about every prior."""
    verdict: Verdict | None = None
    """How the claim stands in the registry; None for a claim that is not there."""


class Mechanism(Protocol):
    """What an audit needs of a mechanism."""

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """What is promised about what the ``goal`` looks at, for the logs of ``pair``. None if nothing is promised, or
        if the goal does not apply to this mechanism."""
        ...

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:
        """Release ``pair.log(side)`` independently ``runs`` times, with the public facts of ``pair.public(side)`` and
        noise from ``source``."""
        ...


def in_relation(epsilon: float, claimed: Relation, pair: Pair) -> float | None:
    """The ε that a claim implies for a pair: replacing a case is removing one and adding one; the reverse says
    nothing."""
    if claimed is pair.relation:
        return epsilon
    return 2 * epsilon if claimed is Relation.ADD_REMOVE else None


@dataclass(frozen=True, slots=True)
class OneByOne:
    """A mechanism made of a plain function, with one claim. The function takes a log to a released log, or to None if
    nothing is released."""

    release: Callable[[EventLog, NoiseSource], EventLog | None]
    """The function: takes a log and a source of noise, returns a released log or None."""
    epsilon: float
    """The ε that is claimed about one case."""
    relation: Relation = Relation.REPLACE
    """The neighbouring relation in which the ε is claimed."""
    delta: float = 0.0
    """The δ of an approximate claim, not the guessing advantage."""
    name: str = "the mechanism's own claim"
    """What results call the claim."""

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """The one claim, for every ``goal`` that anybody with a release can pursue on the ``pair``."""
        epsilon = in_relation(self.epsilon, self.relation, pair)
        if goal in INSIDE or pair.individuals or epsilon is None:  # it is a claim about one case
            return None
        delta = self.delta if self.relation is pair.relation else self.delta * (1 + math.exp(min(self.epsilon, 700.0)))
        return Claimed(self.name, "nothing in the release exceeds the claimed ε", epsilon, delta)

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:
        """Call the function ``runs`` times on one ``side`` of the ``pair``, with noise from ``source``."""
        return releases_of([self.release(pair.log(side), source) for _ in range(runs)])
