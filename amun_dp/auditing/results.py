"""What an audit found: every test, every claim, the controls, and what it could have found at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from accounting.formulas import advantage_for_prior, worst_case_advantage
from accounting.guarantee import Relation
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.auditing.experiment import Rules, Test, Trial
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.mechanism import Claimed
from amun_dp.auditing.statistics import Bound, advantage_at, chance_if_true, largest_refutable

UNPROTECTED = (
    "how long a release takes: neither the running time of the mechanism nor that of its sampler is looked at, and "
    "both depend on the log",
    "memory, files and messages of a run, and whether it was refused",
    "the generator of random numbers and the arithmetic of the sampler, beyond what shows in the scores",
    "pairs of logs, attackers and events that were not tried",
)
"""What no audit here looks at."""

_COLUMNS = 24


class Finding(Enum):
    """What a test says of a claim. A claim that is not rejected is not proved."""

    BROKEN = "broken"
    NOT_REJECTED = "not rejected"


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The scores of the tested runs on both logs, in the same columns."""

    edges: FloatArray
    left: IntArray
    right: IntArray
    exact: bool
    """Whether a column is one value (its left edge) and not a range."""


@dataclass(frozen=True, slots=True, eq=False)
class TestResult:
    """One test: claim, event, bound."""

    __test__ = False  # not for pytest
    pair: str
    """Name of the pair of logs."""
    says: str
    """What differs between the two, in words."""
    relation: Relation
    """Whether a case was replaced, or added or removed."""
    worst_case: bool
    """Whether the pair was made up, and not made of the given log."""
    rederived: bool
    """Whether each side took public facts from its own log."""
    goal: Goal
    """What the attacker looked at."""
    claimed: Claimed
    """The claim that the test is held against."""
    tested: Bound
    """The event, how often it was seen on each side, and the lower bound on ε."""
    finding: Finding
    """Whether the bound exceeds the claimed ε."""
    chance: float
    """How likely such counts are at most if the claim holds, with all tests of all attempts taken into account; 1 if
    it is not broken."""
    histogram: Histogram
    """The scores of the tested runs, for the picture."""

    @property
    def advantage_claimed(self) -> float:
        """The advantage that the claimed ε allows, at the claim's prior or at the worst one."""
        return _advantage(self.claimed, self.claimed.epsilon)

    @property
    def advantage_low(self) -> float:
        """The advantage that an attacker has at least, by this event, at the claim's prior or at the worst one."""
        if self.claimed.prior is not None:
            return max(0.0, advantage_at(self.claimed.prior, math.exp(self.tested.epsilon_low)))
        return math.tanh(self.tested.epsilon_low / 4)


def _advantage(claimed: Claimed, epsilon: float) -> float:
    if claimed.prior is not None:
        return float(advantage_for_prior(claimed.prior, epsilon))
    return float(worst_case_advantage(epsilon))


@dataclass(frozen=True, slots=True, eq=False)
class ClaimResult:
    """One claim over all its tests; what counts is the strongest of them."""

    tests: tuple[TestResult, ...]
    """All tests that are held against the claim."""

    @property
    def strongest(self) -> TestResult:
        """The most surely broken one; where none is, the one that comes closest to its claim."""
        return min(self.tests, key=lambda each: (each.chance, each.claimed.epsilon - each.tested.epsilon_low))

    @property
    def finding(self) -> Finding:
        """What the strongest test says of the claim."""
        return self.strongest.finding

    @property
    def broken(self) -> int:
        """How many tests break the claim."""
        return sum(each.finding is Finding.BROKEN for each in self.tests)


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The result of an audit. If a log was given, it has figures of that log: keep it inside."""

    subject: dict[str, Any]
    """What was audited: method and parameters."""
    rules: Rules
    """Runs, confidence, attempt and seed."""
    tests: int
    """How many tests share the chance of error, controls included."""
    alpha: float
    """Level of each test."""
    seconds: float
    """How long it took."""
    controls: tuple[TestResult, TestResult]
    """The two control mechanisms: the first has its full noise and must pass, the second has half of it and must be
    caught."""
    results: tuple[TestResult, ...]
    """Every test but the controls."""

    @property
    def confidential(self) -> bool:
        """Whether any pair was made of a given log. With made-up pairs alone, the result says nothing about anybody."""
        return any(not each.worst_case for each in self.results)

    @property
    def void(self) -> bool:
        """Whether the controls failed; then none of the other results count."""
        sound, halved = self.controls
        return sound.finding is Finding.BROKEN or halved.finding is not Finding.BROKEN

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """The results by claim, from tests that hold public facts fixed."""
        return _by_claim([each for each in self.results if not each.rederived])

    @property
    def rederived(self) -> tuple[TestResult, ...]:
        """What it costs to take public facts from the log: tests with the facts of each log, held against no claim."""
        return tuple(each for each in self.results if each.rederived)

    @property
    def broken(self) -> tuple[ClaimResult, ...]:
        """The claims that are broken."""
        return tuple(each for each in self.claims if each.finding is Finding.BROKEN)

    @property
    def passed(self) -> bool:
        """Whether the audit counts and no claim is broken."""
        return not self.void and not self.broken

    @property
    def refutable(self) -> float:
        """The largest ε that a test of this size could have refuted."""
        delta = max((each.claimed.delta for each in self.results), default=0.0)
        return largest_refutable(self.rules.runs - self.rules.runs // 2, self.alpha, delta)


def _by_claim(results: list[TestResult]) -> tuple[ClaimResult, ...]:
    grouped: dict[str, list[TestResult]] = {}
    for result in results:
        grouped.setdefault(result.claimed.claim, []).append(result)
    return tuple(ClaimResult(tuple(tests)) for tests in grouped.values())


def result_of(
    trial: Trial, test: Test, tested: Bound, scores: tuple[FloatArray, FloatArray], levels: float
) -> TestResult:
    """``levels``: how many tests of this level the whole chance of error allows, over all attempts."""
    broken = tested.epsilon_low > test.claimed.epsilon
    chance = chance_if_true(tested, test.claimed.epsilon, test.claimed.delta) if broken else 1.0
    return TestResult(
        pair=trial.pair.name,
        says=trial.pair.says,
        relation=trial.pair.relation,
        worst_case=trial.pair.worst_case,
        rederived=trial.pair.rederived,
        goal=test.goal,
        claimed=test.claimed,
        tested=tested,
        finding=Finding.BROKEN if broken else Finding.NOT_REJECTED,
        chance=min(1.0, chance * levels),
        histogram=histogram_of(*scores),
    )


def histogram_of(left: FloatArray, right: FloatArray) -> Histogram:
    """A column a value where there are few, else ranges that leave the outermost half per cent to the end columns."""
    both = np.concatenate((left, right))
    values = np.unique(both)
    if len(values) <= _COLUMNS:
        counts = [np.bincount(np.searchsorted(values, side), minlength=len(values)) for side in (left, right)]
        return Histogram(values, counts[0], counts[1], exact=True)
    finite = both[np.isfinite(both)]
    low, high = np.quantile(finite, (0.005, 0.995)) if len(finite) else (0.0, 1.0)
    if (finite == np.rint(finite)).all():  # columns of as many whole numbers each
        width = max(1, math.ceil((high - low + 1) / _COLUMNS))
        edges = np.floor(low) + width * np.arange(_COLUMNS + 1)
    else:
        edges = np.linspace(low, high if high > low else low + 1, _COLUMNS + 1)
    counts = [
        np.bincount(np.clip(np.searchsorted(edges, side, side="right") - 1, 0, _COLUMNS - 1), minlength=_COLUMNS)
        for side in (left, right)
    ]
    return Histogram(edges, counts[0], counts[1], exact=False)


# --- for machines ---------------------------------------------------------------------------------------------------


def as_dict(audit: Audit) -> dict[str, Any]:
    return {
        "subject": audit.subject,
        "void": audit.void,
        "broken": [] if audit.void else [each.strongest.claimed.claim for each in audit.broken],
        "confidence": audit.rules.confidence,
        "attempt": audit.rules.attempt,
        "runs": audit.rules.runs,
        "tests": audit.tests,
        "level": audit.alpha,
        "largest_refutable_epsilon": audit.refutable,
        "seed": None if audit.rules.system_noise else audit.rules.seed,
        "seconds": round(audit.seconds, 3),
        "controls": [_test_as_dict(each) for each in audit.controls],
        # A void audit tells nothing else.
        "claims": [] if audit.void else [_claim_as_dict(each) for each in audit.claims],
        "facts_of_each_log": [] if audit.void else [_test_as_dict(each) for each in audit.rederived],
        "unprotected": list(UNPROTECTED),
    }


def _claim_as_dict(result: ClaimResult) -> dict[str, Any]:
    strongest = result.strongest
    return {
        "claim": strongest.claimed.claim,
        "statement": strongest.claimed.statement,
        "recorded_verdict": None if strongest.claimed.verdict is None else strongest.claimed.verdict.value,
        "finding": result.finding.value,
        "tests_that_break_it": result.broken,
        "strongest": _test_as_dict(strongest),
        "tests": [_test_as_dict(each) for each in result.tests],
    }


def _test_as_dict(result: TestResult) -> dict[str, Any]:
    tested = result.tested
    return {
        "pair": result.pair,
        "relation": result.relation.value,
        "worst_case_log": result.worst_case,
        "goal": result.goal.value,
        "claim": result.claimed.claim,
        "claimed_epsilon": result.claimed.epsilon,
        "claimed_delta": result.claimed.delta,
        "claimed_advantage": result.advantage_claimed,
        "prior": result.claimed.prior,
        "epsilon_low": tested.epsilon_low,
        "advantage_low": result.advantage_low,
        "finding": result.finding.value,
        "chance_if_the_claim_holds": result.chance,
        "event": {
            "score_from": _end(tested.event.low, -math.inf),
            "score_to": _end(tested.event.high, math.inf),
            "favours": "left" if tested.event.favours == 0 else "right",
            "seen": tested.seen,
            "seen_on_other": tested.seen_on_other,
            "of_runs": tested.runs,
            "likely_at_least": tested.likely,
            "other_at_most": tested.unlikely,
        },
    }


def _end(value: float, open_end: float) -> float | str | None:
    """None where an interval has no end; a score may itself be infinite (there is no such duration in the release)."""
    return None if value == open_end else value if math.isfinite(value) else "infinite"
