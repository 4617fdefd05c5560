"""The certified method: every run is one of the shipped code, with what it measured kept for the likelihood ratio."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from accounting.claims import claim
from accounting.formulas import threshold_delta
from accounting.guarantee import Relation, Verdict
from amun_dp.audit.goals import Goal
from amun_dp.audit.mechanism import Claimed
from amun_dp.audit.pairs import Pair
from amun_dp.audit.releases import Releases
from amun_dp.audit.statistics import SIDES, Side
from amun_dp.audit.tape import NotAlikeError, Playback, Recorder
from amun_dp.certified.certifying import Drawn, draw
from amun_dp.certified.errors import EmptyReleaseError
from amun_dp.certified.facts import PublicFacts, public_facts
from amun_dp.certified.measuring import scale_for
from amun_dp.certified.planning import plan_certified
from amun_dp.certified.preparing import Cases, prepare
from amun_dp.certified.sequences import offsets_of
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.eventlog import FloatArray
from amun_dp.noise import NoiseSource, SeededNoise

_TRIES = 8
"""Runs by which it is found out, before anything is tested, whether a pair has a likelihood ratio."""


@dataclass(frozen=True, slots=True)
class CertifiedMechanism:
    settings: CertifiedSettings
    likelihood_ratios: bool = True
    """Whether runs are also played back on the other log, which doubles their time."""

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        """The promise for a whole case, or individual. It is one about replacing: the number of cases is public."""
        choices = self.settings.choices
        if pair.individuals != (choices.individuals is not None):
            return None
        if pair.relation is Relation.ADD_REMOVE and not pair.rederived:
            return None
        if goal in (Goal.CELL, Goal.TABLE, Goal.RELEASED_CELL):
            return None
        if goal is Goal.MEASUREMENTS and not (self.likelihood_ratios and _has_ratio(self.settings, pair)):
            return None
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
        other = None
        if self.likelihood_ratios and not pair.rederived and _has_ratio(self.settings, pair):
            other = _prepared(self.settings, pair, 1 - side)
        drawn: list[Drawn | None] = []
        ratios = np.zeros(runs)
        for number in range(runs):
            made, ratios[number] = self._one(prepared, other, source)
            drawn.append(made)
        sign = 1.0 if side == 0 else -1.0
        return _releases(drawn, prepared.facts, {} if other is None else {Goal.MEASUREMENTS: sign * ratios})

    def _one(self, here: _Prepared, there: _Prepared | None, source: NoiseSource) -> tuple[Drawn | None, float]:
        rules = self.settings
        tape = Recorder(source)
        try:
            made = draw(here.cases, here.facts, rules.choices, rules.advantage, rules.releases, tape)
        except EmptyReleaseError:
            made = None
        if there is None:
            return made, 0.0
        return made, _ratio(rules, there, tape)


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    cases: Cases
    facts: PublicFacts


@lru_cache(maxsize=256)
def _prepared(settings: CertifiedSettings, pair: Pair, side: Side) -> _Prepared:
    facts = public_facts(pair.public(side), settings.given, settings.choices)
    return _Prepared(prepare(pair.log(side), facts, settings.choices), facts)


def _ratio(rules: CertifiedSettings, there: _Prepared, tape: Recorder) -> float:
    """The logarithm of how much likelier the recorded outputs are where they were recorded."""
    playback = Playback(tape)
    with suppress(EmptyReleaseError):
        draw(there.cases, there.facts, rules.choices, rules.advantage, rules.releases, playback)
    return playback.ratio


@lru_cache(maxsize=256)
def _has_ratio(settings: CertifiedSettings, pair: Pair) -> bool:
    """Whether the same things are measured in both logs. Not so under a threshold if one has a variant of its own."""
    if pair.rederived:
        return False
    mechanism = CertifiedMechanism(settings)
    left, right = (_prepared(settings, pair, side) for side in SIDES)
    for here, there in ((left, right), (right, left)):
        try:
            for seed in range(_TRIES):
                mechanism._one(here, there, SeededNoise(seed))
        except NotAlikeError:
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
