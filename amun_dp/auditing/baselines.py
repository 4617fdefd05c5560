"""pm4py's two anonymisers, as examples of how somebody else's mechanism is audited.

They run in a process of their own: pm4py writes to the terminal, takes seconds to import and, where noise lets its
tree of prefixes grow, does not end. A run that exceeds the ``limit`` is stopped, process and all, and has released
nothing; so has one in which pm4py finds nothing to release, or fails. A warning says how many were stopped or failed.
How long a run takes is not covered by any claim: a bound that rests on stopped runs (it can, for the slower log is
stopped more often) is one for pm4py with this limit. Allow more time, a smaller k or a larger p, and look again.

The noise is pm4py's own, drawn from generators that it shares with everybody in its process. They are not seeded here,
and PRIPEL's cannot be: unlike all other runs of an audit, **these are not repeatable**.

pm4py reads alphabet, order relations and time range off the log it is given and takes no public facts, so pairs with
facts held fixed and with facts of each log are the same to it.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec

from accounting.guarantee import Relation
from amun_dp.auditing.goals import INSIDE, Goal
from amun_dp.auditing.mechanism import Claimed, in_relation
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases, releases_of
from amun_dp.auditing.statistics import Side
from amun_dp.baselines.parent import Job, outcomes
from amun_dp.errors import ParameterError
from amun_dp.eventlog.case_lists import cases_of, log_of_cases
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource


@dataclass(frozen=True, slots=True)
class SaCoFa:
    """Control flow only: a noisy tree of prefixes, whose leaves are released as cases without times."""

    epsilon: float
    k: int
    """Length of the longest prefix. The end of a case counts: one longer than the longest case leaves none cut off."""
    p: int
    """Prefixes with a smaller noisy count are not followed."""
    limit: float = 10.0
    """Seconds for one run."""
    most_stopped: int = 10
    """Runs of one call that may exceed them. With more, an audit would take for ever, and say little about pm4py."""

    def __post_init__(self) -> None:
        _check(self)

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """ε for one case more or less, in all that is released; about times there is nothing to claim."""
        if pair.kind is Kind.TIME:
            return None
        return _claimed("SaCoFa", "The released control flow is ε-differentially private.", self.epsilon, pair, goal)

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:  # noqa: ARG002 — not ours
        _need("pm4py", "pip install amun-dp[pm4py]")
        return _released(self, pair, side, runs)


@dataclass(frozen=True, slots=True)
class Pripel:
    """SaCoFa's control flow with times of the log: PRIPEL as ``pm4py.anonymize_differential_privacy`` calls it.

    The ε is claimed once, for control flow and times together, as pm4py does. (Spent on each, in sequence, it would be
    2ε; pm4py's code, moreover, sets up noise for the gaps between events and never draws it.)
    """

    epsilon: float
    k: int
    p: int
    limit: float = 10.0
    most_stopped: int = 10

    def __post_init__(self) -> None:
        _check(self)

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """ε for one case more or less, in all that is released. It fails on logs without a case of two events."""
        if min(int(log.lengths.max(initial=0)) for log in (pair.left, pair.right)) < 2:
            return None
        return _claimed("PRIPEL", "The released log is ε-differentially private.", self.epsilon, pair, goal)

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:  # noqa: ARG002 — not ours
        for package in ("pm4py", "diffprivlib"):
            _need(package, "pip install amun-dp[baselines]")
        return _released(self, pair, side, runs)


Baseline = SaCoFa | Pripel


def _check(baseline: Baseline) -> None:
    if not (math.isfinite(baseline.epsilon) and baseline.epsilon > 0):
        raise ParameterError("The ε of a baseline is a positive number.")
    if baseline.k < 1 or baseline.p < 1:
        raise ParameterError("k, the longest prefix, and p, the smallest count, of a baseline are at least 1.")
    if not (math.isfinite(baseline.limit) and baseline.limit > 0):
        raise ParameterError("The time limit of a run is a positive number of seconds.")


def _claimed(name: str, statement: str, epsilon: float, pair: Pair, goal: Goal) -> Claimed | None:
    """Nobody claims anything about all cases of an individual together, nor about what is inside."""
    implied = in_relation(epsilon, Relation.ADD_REMOVE, pair)
    if implied is None or pair.individuals or goal in INSIDE:
        return None
    return Claimed(f"{name}, as pm4py has it", statement, implied)


def _need(package: str, remedy: str) -> None:
    if find_spec(package) is None:
        raise ParameterError(f"Auditing this mechanism needs {package}, which is not installed: {remedy}.")


# --- runs -----------------------------------------------------------------------------------------------------------


def _released(baseline: Baseline, pair: Pair, side: Side, runs: int) -> Releases:
    log = pair.log(side)
    name = f"{type(baseline).__name__} on the pair '{pair.name}'"
    job: Job = {
        "pripel": isinstance(baseline, Pripel),
        "epsilon": baseline.epsilon,
        "k": baseline.k,
        "p": baseline.p,
        "memory": None,
        "processor": None,
        "cases": cases_of(log),
    }
    logs: list[EventLog | None] = []
    stopped, failed = 0, Counter[str]()
    for outcome in outcomes(job, runs, baseline.limit):
        logs.append(log_of_cases(outcome.cases) if outcome.cases else None)
        stopped += outcome.stopped
        if outcome.failed is not None:
            failed[outcome.failed] += 1
        if stopped > baseline.most_stopped:
            raise ParameterError(
                f"{stopped:,} runs of {name} did not end within {baseline.limit:g} s. Leave the pair out, take a "
                "smaller k or a larger p, or allow more time (limit) or more runs that are stopped (most_stopped)."
            )
    why = ", ".join(f"{error}: {times:,}" for error, times in failed.most_common())
    if runs and failed.total() == runs:
        raise ParameterError(f"Every run of {name} fails inside pm4py ({why}): leave the pair out.")
    if failed:
        _say(f"{failed.total():,} of {runs:,} runs of {name} failed inside pm4py ({why}) and released nothing.")
    if stopped:
        _say(
            f"{stopped:,} of {runs:,} runs of {name} were stopped after {baseline.limit:g} s and count as having "
            "released nothing. A bound that rests on them is one for pm4py with this time limit."
        )
    return releases_of(logs)


def _say(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=4)
