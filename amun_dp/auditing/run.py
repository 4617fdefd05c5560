"""``audit``: attack a mechanism and bound from below what it leaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from amun_dp._base.arrays import FloatArray
from amun_dp._base.messages import Message
from amun_dp._base.progress import Progress, silent
from amun_dp.article.conventions import Conventions, conventions_named
from amun_dp.article.methods import ArticleMethod
from amun_dp.auditing.experiment import FEWEST_RUNS, Experiment, Rules, Test, Trial, experiment_of
from amun_dp.auditing.families import family_of
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.learning import learn
from amun_dp.auditing.log_pairs import individual_pairs_from_log, pairs_from_log
from amun_dp.auditing.mechanism import Mechanism
from amun_dp.auditing.pairs import Pair
from amun_dp.auditing.results import Audit, TestResult, result_of
from amun_dp.auditing.statistics import bound_on, choose_event
from amun_dp.auditing.workers import Batches, Job, Scored, carried_out, jobs_of, joined, runs_within, seconds_a_run
from amun_dp.auditing.worst_cases import worst_case_pairs
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import fresh_seed
from amun_dp.reading.as_event_log import LogLike, as_event_log
from amun_dp.release.methods import Method, requested
from amun_dp.release.requests import MethodName, ReleaseOptions
from amun_dp.report.parameters import Asked

if TYPE_CHECKING:
    pass

DEFAULT_SECONDS = 120.0


class Options(TypedDict, total=False):
    """How large an audit is, and how sure."""

    runs: int | None
    """Runs on each log of a pair. None: as many as fit into ``budget_seconds``, estimated by a short trial whose runs
    are discarded."""
    budget_seconds: float
    """How long the audit may take if ``runs`` is not given; 120 by default."""
    confidence: float
    """Probability that no bound exceeds the truth, in all tests of all attempts together; 0.95 by default."""
    attempt: int
    """Which attempt this is: an audit that is repeated, because it was void or to look again, is attempt 2, 3, …"""
    seed: int | None
    """Makes the audit repeatable; a fresh one by default."""
    system_noise: bool
    """Whether noise is drawn as a release draws it, which is not repeatable."""
    workers: int
    """Number of processes. With several, the mechanism must be one that can be sent to another process."""
    progress: Progress
    """Called with the name of each step."""


class AuditRequest(ReleaseOptions, Options):
    """What is audited, and how: the options of a release, and those of an audit."""


def audit(
    log: LogLike | None,
    advantage: float | None = None,
    method: MethodName | Method | ArticleMethod = "filtering",
    conventions: str | Conventions = "corrected",
    **options: Unpack[AuditRequest],
) -> Audit:
    """Attack a method of this package on pairs made of the ``log`` and on made-up ones (None: on made-up ones only),
    and bound from below what it leaks.

    ``advantage``, ``method``, ``conventions`` and the options of a release are those of ``amun_dp.anonymize``. Options
    of the audit: ``runs`` on each log of a pair, or ``budget_seconds`` to find out how many; ``confidence`` in all
    bounds together; ``attempt``, if it is not the first; ``seed``, or ``system_noise`` to draw as a release does;
    ``workers``; ``progress``.

    A claim that is not rejected is not proved. No budget is charged, because nothing is published; if a log was given,
    the result has figures of it and must stay inside. Raises ``InputError`` if the log cannot be read, and
    ``ParameterError`` for options that do not fit together, too few runs, or a method of which an audit knows nothing.
    """
    chosen: dict[str, Any] = dict(options)
    own: dict[str, Any] = {name: chosen.pop(name) for name in Options.__annotations__ if name in chosen}
    return audit_release(log, requested(advantage, method, conventions_named(conventions), **chosen), **own)


def audit_release(log: LogLike | None, parameters: Asked, **options: Unpack[Options]) -> Audit:
    """Audit a method with parameters that were checked already (``amun_dp.release.methods.requested``). ``log`` is the
    log that pairs are made of, or None for made-up pairs only; ``options`` are those of the audit, as for ``audit``."""
    pairs = pairs_for(None if log is None else as_event_log(log), parameters)
    family = family_of(parameters)
    subject = {"method": parameters.method, "advantage": parameters.advantage, **family.details(parameters)}
    return audit_mechanism(family.mechanism(parameters), pairs, subject, **options)


def audit_mechanism(
    mechanism: Mechanism, pairs: Sequence[Pair], subject: dict[str, Any] | None = None, **options: Unpack[Options]
) -> Audit:
    """Audit any mechanism on given pairs of neighbouring logs. All choices are made before anything is tested.

    ``subject`` is what results say was audited, by default the name of the mechanism's class. The options are those of
    the audit, as for ``audit``. Raises ``ParameterError`` if the mechanism claims nothing about any of the ``pairs``,
    and ``TypeError`` for an unknown option.
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


def mechanism_for(parameters: Asked) -> Mechanism:
    """The method that a release with these parameters would use."""
    return family_of(parameters).mechanism(parameters)


def pairs_for(log: EventLog | None, parameters: Asked) -> list[Pair]:
    """Pairs from the log and made-up ones; then all that differ in public facts again, with the facts of each log."""
    family = family_of(parameters)
    individuals, longest = family.protects_individuals(parameters), family.max_case_length(parameters)
    if individuals and (log is None or log.individual is None):
        raise ParameterError(
            Message(
                "Auditing the protection of an individual needs a log that says who stands behind each case: give one, "
                "and name the column with {individual}."
            )
        )
    fixed = [] if individuals else worst_case_pairs(parameters.advantage, family.conventions(parameters))
    if log is not None:
        fixed += individual_pairs_from_log(log) if individuals else pairs_from_log(log)
    if longest is not None:
        fixed = [pair for pair in fixed if _fits(pair, longest)]
    return [*fixed, *(pair.with_rederived_facts() for pair in fixed if differs_in_facts(pair, parameters))]


def _fits(pair: Pair, longest: int) -> bool:
    """Whether what is declared of the log holds in both. A given log of which it does not hold is refused later."""
    logs = (pair.right,) if not pair.worst_case else (pair.left, pair.right)
    return all(int(log.lengths.max()) <= longest for log in logs)


def differs_in_facts(pair: Pair, parameters: Asked) -> bool:
    """Whether the two logs would lead to other public facts, if they were read off each."""
    facts = family_of(parameters).facts
    return facts(pair.left, parameters) != facts(pair.right, parameters)


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
