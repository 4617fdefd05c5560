"""The certified method: every run is one of the shipped code, with what it measured kept for the likelihood ratio."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from accounting.claims import claim
from accounting.formulas import threshold_delta
from accounting.guarantee import Relation, Verdict
from amun_dp._base.arrays import FloatArray, offsets_of
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.mechanism import Claimed
from amun_dp.auditing.pairs import Pair
from amun_dp.auditing.releases import Releases
from amun_dp.auditing.statistics import SIDES, Side
from amun_dp.auditing.tape import NotAlikeError, Playback, Recorder
from amun_dp.certified.cases import Cases, prepare
from amun_dp.certified.draft import plan_certified
from amun_dp.certified.draw import Drawn, draw
from amun_dp.certified.errors import EmptyReleaseError
from amun_dp.certified.population import InMemory
from amun_dp.certified.public_facts import PublicFacts, public_facts
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.mechanisms.histograms import scale_for
from amun_dp.noise.sources import NoiseSource, SeededNoise

_TRIES = 8
"""Runs by which it is found out, before anything is tested, whether a pair has a likelihood ratio."""


@dataclass(frozen=True, slots=True)
class CertifiedMechanism:
    """Where everything about the victim differs, runs are also played back on the other log for the likelihood ratio
    of all that was measured. It doubles their time, and pairs cannot share them, so other pairs do without."""

    settings: CertifiedSettings

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """The promise for a whole case, or individual. It is one about replacing: the number of cases is public."""
        choices = self.settings.choices
        if pair.individuals != (choices.individuals is not None):
            return None
        if pair.relation is Relation.ADD_REMOVE and not pair.rederived:
            return None
        if goal in (Goal.CELL, Goal.TABLE, Goal.RELEASED_CELL):
            return None
        if goal is Goal.MEASUREMENTS and not _has_ratio(self.settings, pair):
            return None
        if not pair.rederived and _alike(self.settings, pair):
            return None  # within the public facts the two logs are the same: nothing could be told apart
        facts = public_facts(pair.public(0), self.settings.given, choices)
        plan = plan_certified(facts, choices, self.settings.advantage, self.settings.releases, pair.left.n_cases)
        together = choices.cases_together
        delta = 0.0
        if plan.threshold is not None:
            scale = scale_for(2, plan.budget.flow)
            delta = together * threshold_delta(scale, plan.threshold, together)
        known = claim("whole-release")
        return Claimed(
            known.id,
            "Nothing in the release, about one case or individual, exceeds the claimed ε.",
            float(plan.epsilon * together) * (1 + 1e-12),
            min(delta, 1.0),
            verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        )

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:
        prepared = _prepared(self.settings, pair, side)
        other = _prepared(self.settings, pair, 1 - side) if _has_ratio(self.settings, pair) else None
        drawn: list[Drawn | None] = []
        ratios = np.zeros(runs)
        for number in range(runs):
            tape = Recorder(source)
            drawn.append(_drawn(self.settings, prepared, tape))
            if other is not None:
                ratios[number] = _ratio(self.settings, other, tape) or 0.0
        sign = 1.0 if side == 0 else -1.0
        return _releases(drawn, prepared.facts, {} if other is None else {Goal.MEASUREMENTS: sign * ratios})


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    cases: Cases
    facts: PublicFacts


@lru_cache(maxsize=256)
def _prepared(settings: CertifiedSettings, pair: Pair, side: Side) -> _Prepared:
    facts = public_facts(pair.public(side), settings.given, settings.choices)
    return _Prepared(prepare(pair.log(side), facts, settings.choices), facts)


def _alike(settings: CertifiedSettings, pair: Pair) -> bool:
    one, other = (_prepared(settings, pair, side).cases for side in SIDES)
    return (
        np.array_equal(one.flow.activity, other.flow.activity)
        and np.array_equal(one.flow.offsets, other.flow.offsets)
        and np.array_equal(one.time, other.time)
    )


def _drawn(rules: CertifiedSettings, prepared: _Prepared, source: NoiseSource) -> Drawn | None:
    """One run; None if a threshold left nothing."""
    try:
        return draw(InMemory((prepared.cases,)), prepared.facts, rules.choices, rules.advantage, rules.releases, source)
    except EmptyReleaseError:
        return None


def _ratio(rules: CertifiedSettings, there: _Prepared, tape: Recorder) -> float | None:
    """The logarithm of how much likelier the recorded outputs are where they were recorded; None if it is not known."""
    playback = Playback(tape)
    try:
        _drawn(rules, there, playback)
    except NotAlikeError:
        return None
    return playback.ratio


@lru_cache(maxsize=256)
def _has_ratio(settings: CertifiedSettings, pair: Pair) -> bool:
    """Whether the same things are measured in both logs. Not so under a threshold if one has a variant of its own."""
    if pair.rederived or not pair.everything:
        return False
    left, right = (_prepared(settings, pair, side) for side in SIDES)
    for here, there in ((left, right), (right, left)):
        for seed in range(_TRIES):
            tape = Recorder(SeededNoise(seed))
            _drawn(settings, here, tape)
            if _ratio(settings, there, tape) is None:
                return False
    return True


def _releases(drawn: list[Drawn | None], facts: PublicFacts, inside: dict[Goal, FloatArray]) -> Releases:
    made = [(number, each) for number, each in enumerate(drawn) if each is not None]
    empty = np.empty(0, dtype=np.int64)
    return Releases(
        runs=len(drawn),
        run=np.repeat([number for number, _ in made], [each.flow.count for _, each in made]).astype(np.int64),
        offsets=offsets_of(np.concatenate([empty, *(each.flow.lengths for _, each in made)])),
        activity=np.concatenate([empty, *(each.flow.activity for _, each in made)]),
        time=np.concatenate([empty, *(each.times for _, each in made)]),
        activities=facts.activities,
        inside=inside,
    )
