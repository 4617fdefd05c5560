"""``audit``: attack a mechanism and bound from below what it leaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from amun_dp.audit.article_mechanism import ArticleMechanism
from amun_dp.audit.certified_mechanism import CertifiedMechanism
from amun_dp.audit.experiment import FEWEST_RUNS, Experiment, Rules, Test, Trial, experiment_of
from amun_dp.audit.goals import Goal
from amun_dp.audit.learning import learn
from amun_dp.audit.log_pairs import individual_pairs_from_log, pairs_from_log
from amun_dp.audit.mechanism import Mechanism
from amun_dp.audit.pairs import Pair
from amun_dp.audit.results import Audit, TestResult, result_of
from amun_dp.audit.running import Batches, Job, Scored, carried_out, jobs_of, joined, runs_within, seconds_a_run
from amun_dp.audit.statistics import bound_on, choose_event
from amun_dp.audit.worst_cases import worst_case_pairs
from amun_dp.conventions import CORRECTED
from amun_dp.errors import ParameterError
from amun_dp.eventlog import EventLog, FloatArray
from amun_dp.noise import fresh_seed
from amun_dp.parameters import Parameters
from amun_dp.planning import Progress, as_event_log, silent
from amun_dp.requests import AnyParameters

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_SECONDS = 120.0


class Options(TypedDict, total=False):
    """How large an audit is, and how sure."""

    runs: int | None
    """On each log of a pair. None: what fits into ``budget_seconds``, by a short trial whose runs are thrown away."""
    budget_seconds: float
    confidence: float
    """That no bound exceeds the truth, in all tests of all attempts together."""
    attempt: int
    """An audit that is repeated, because it was void or to look again, is attempt 2, 3, …"""
    seed: int | None
    system_noise: bool
    """Draw noise as a release does; not repeatable."""
    workers: int
    """Processes. With several, the mechanism must be one that can be sent to another process."""
    progress: Progress


def audit(log: EventLog | pd.DataFrame | None, parameters: AnyParameters, **options: Unpack[Options]) -> Audit:
    """Audit a method of this package on pairs made of the log and made-up ones (None: on made-up ones only).

    ``parameters`` name the method, and come from ``amun_dp.requests.requested``. Options: ``runs`` on each log of a
    pair, or ``budget_seconds`` to find out how many; ``confidence`` in all bounds together; ``attempt``, if it is not
    the first; ``seed``, or ``system_noise`` to draw as a release does; ``workers``; ``progress``.
    """
    pairs = pairs_for(None if log is None else as_event_log(log), parameters)
    subject = {"method": parameters.method, "advantage": parameters.advantage, **_details(parameters)}
    return audit_mechanism(mechanism_for(parameters), pairs, subject, **options)


def audit_mechanism(
    mechanism: Mechanism, pairs: Sequence[Pair], subject: dict[str, Any] | None = None, **options: Unpack[Options]
) -> Audit:
    """Audit any mechanism on given pairs of neighbouring logs. All choices are made before anything is tested.

    ``subject`` is what results say was audited. Options as for ``audit``.
    """
    if unknown := options.keys() - Options.__annotations__.keys():
        raise TypeError(f"an audit has no option {', '.join(sorted(unknown))}")
    runs, workers, progress = options.get("runs"), options.get("workers", 1), options.get("progress", silent)
    seed = options.get("seed")
    began = time.monotonic()
    progress("planning the audit")
    experiment = experiment_of(mechanism, pairs)
    rules = Rules(
        runs=FEWEST_RUNS,
        confidence=options.get("confidence", 0.95),
        attempt=options.get("attempt", 1),
        seed=fresh_seed() if seed is None else seed,
        system_noise=options.get("system_noise", False),
    )
    if runs is None:
        progress("timing a few runs, which are thrown away")
        seconds = options.get("budget_seconds", DEFAULT_SECONDS)
        runs = runs_within(seconds, seconds_a_run(experiment, rules), workers)
    rules = replace(rules, runs=runs)
    alpha = experiment.alpha(rules)
    results: list[TestResult] = []
    with carried_out(experiment, rules, workers) as batches:
        done = _Progress(progress, experiment, rules)
        for numbers in experiment.groups:
            lefts = _runs_of(jobs_of(experiment, numbers, 0, runs), batches, done)
            for number, left in zip(numbers, lefts, strict=True):
                [right] = _runs_of(jobs_of(experiment, (number,), 1, runs), batches, done)
                trial = experiment.trials[number]
                results += [_tested(trial, test, left, right, alpha, rules) for test in trial.tests]
    return Audit(
        subject=subject or {"mechanism": type(mechanism).__name__},
        rules=rules,
        tests=experiment.tests,
        alpha=alpha,
        seconds=time.monotonic() - began,
        controls=(results[0], results[1]),
        results=tuple(results[2:]),
    )


def mechanism_for(parameters: AnyParameters) -> Mechanism:
    """The method that a release with these parameters would use."""
    if isinstance(parameters, Parameters):
        return ArticleMechanism(parameters)
    return CertifiedMechanism(parameters)


def pairs_for(log: EventLog | None, parameters: AnyParameters) -> list[Pair]:
    """Pairs from the log and made-up ones; then all that differ in public facts again, with the facts of each log."""
    if isinstance(parameters, Parameters):
        individuals, conventions = False, parameters.conventions
    else:
        individuals, conventions = parameters.choices.individuals is not None, CORRECTED
    if individuals and (log is None or log.individual is None):
        raise ParameterError(
            "Auditing the protection of an individual needs a log that says who stands behind each case: give one, and "
            "name the column with --individual."
        )
    fixed = [] if individuals else worst_case_pairs(parameters.advantage, conventions)
    if log is not None:
        fixed += individual_pairs_from_log(log) if individuals else pairs_from_log(log)
    if isinstance(parameters, Parameters) and parameters.max_case_length is not None:
        fixed = [pair for pair in fixed if _fits(pair, parameters.max_case_length)]
    return [*fixed, *(pair.with_rederived_facts() for pair in fixed if differs_in_facts(pair, parameters))]


def _fits(pair: Pair, longest: int) -> bool:
    """Whether what is declared of the log holds in both. A given log of which it does not hold is refused later."""
    logs = (pair.right,) if not pair.worst_case else (pair.left, pair.right)
    return all(int(log.lengths.max()) <= longest for log in logs)


def differs_in_facts(pair: Pair, parameters: AnyParameters) -> bool:
    """Whether the two logs would lead to other public facts, if they were read off each."""
    if isinstance(parameters, Parameters):
        from amun_dp.mechanisms.postprocessing import public_facts

        return public_facts(pair.left) != public_facts(pair.right)
    from amun_dp.certified.facts import public_facts as certified_facts

    left, right = (certified_facts(log, parameters.given, parameters.choices) for log in (pair.left, pair.right))
    scalars = [(each.activities, each.first, each.last, each.longest, each.cases) for each in (left, right)]
    same_variants = (left.variants is None) == (right.variants is None) and (
        left.variants is None
        or right.variants is None
        or (
            np.array_equal(left.variants.activity, right.variants.activity)
            and np.array_equal(left.variants.offsets, right.variants.offsets)
        )
    )
    return scalars[0] != scalars[1] or not same_variants


def _details(parameters: AnyParameters) -> dict[str, Any]:
    if isinstance(parameters, Parameters):
        return {"conventions": parameters.conventions.name, "scope": parameters.scope, "releases": parameters.releases}
    choices = parameters.choices
    return {"variants": choices.variants, "scope": parameters.scope, "releases": parameters.releases}


# --- one trial ------------------------------------------------------------------------------------------------------


def _runs_of(jobs: list[Job], batches: Batches, done: Callable[[int], None]) -> list[Scored]:
    """All runs on one side, for each trial that uses them."""
    parts = []
    for part in batches(jobs):
        parts.append(part)
        done(jobs[0][0][0])
    return [joined(list(of_trial)) for of_trial in zip(*parts, strict=True)]


def _tested(trial: Trial, test: Test, left: Scored, right: Scored, alpha: float, rules: Rules) -> TestResult:
    """Choose an event on the first half of the runs, test it on the second. A score is learnt on the first quarter."""
    delta = test.claimed.delta
    scores, chosen_from = _scores(test.goal, left, right)
    half = len(scores[0]) // 2
    event = choose_event(scores[0][chosen_from:half], scores[1][chosen_from:half], alpha, delta)
    tested = bound_on(event, scores[0][half:], scores[1][half:], alpha, delta)
    levels = (1 - rules.confidence) / alpha
    return result_of(trial, test, tested, (scores[0][half:], scores[1][half:]), levels)


def _scores(goal: Goal, left: Scored, right: Scored) -> tuple[tuple[FloatArray, FloatArray], int]:
    """The scores of both sides, and from which run on an event may be chosen by them."""
    if goal is not Goal.LEARNT:
        return (left.scores[goal], right.scores[goal]), 0
    assert left.features is not None
    assert right.features is not None
    quarter = len(left.features) // 4
    one, other = (side.features[:quarter].astype(np.float64) for side in (left, right) if side.features is not None)
    score = learn(one, other)
    return (score(left.features.astype(np.float64)), score(right.features.astype(np.float64))), quarter


class _Progress:
    """A bar that fills as batches are done."""

    def __init__(self, progress: Progress, experiment: Experiment, rules: Rules) -> None:
        self._progress = progress
        self._names = [trial.pair.name for trial in experiment.trials]
        self._batches = sum(
            len(jobs_of(experiment, numbers, 0, rules.runs))
            + sum(len(jobs_of(experiment, (number,), 1, rules.runs)) for number in numbers)
            for numbers in experiment.groups
        )
        self._done = 0

    def __call__(self, trial: int) -> None:
        self._done += 1
        share = self._done / self._batches
        filled = round(20 * share)
        bar = "█" * filled + "░" * (20 - filled)
        self._progress(f"{bar} {share:4.0%}  pair {trial + 1} of {len(self._names)}: {self._names[trial]}")
