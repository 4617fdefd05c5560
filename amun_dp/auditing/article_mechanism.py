"""The article's methods, many runs at once, and what is claimed of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from accounting.claims import claim
from accounting.formulas import worst_case_loss
from accounting.guarantee import Relation, Verdict
from accounting.parts import BOUNDED_VERDICTS
from amun_dp._base.arrays import FloatArray, IntArray, offsets_of, ragged_positions
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import Plan, plan_article
from amun_dp.article.step5_sampling import ControlFlow, laplace_sampling, oversampling
from amun_dp.article.step7_compression import public_facts, rebuild_times
from amun_dp.auditing.goals import INSIDE, Goal
from amun_dp.auditing.mechanism import Claimed
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases
from amun_dp.auditing.statistics import SIDES, Side
from amun_dp.auditing.tiling import tiled
from amun_dp.errors import ReleaseError
from amun_dp.noise.sources import NoiseSource
from amun_dp.release.article import Drawn, check_size, draw, expected_moves

_KNOWN_TO_FALL_APART = (laplace_sampling, oversampling)
"""Sampling rules that look at one transition and its variants at a time. One from outside may not: it runs alone."""


@dataclass(frozen=True, slots=True)
class ArticleMechanism:
    """A method of the article, or one that was registered beside them."""

    parameters: Parameters

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:
        if self.parameters.public_variants and pair.kind in (Kind.OWN_VARIANT, Kind.GROUPS) and not pair.rederived:
            return None  # neighbours have the same variants then
        plans = self._plans(pair)
        if not plans or (goal in INSIDE and not self._has_cells(pair, plans[0].method)):
            return None
        name = _claim_for(pair, goal, plans)
        if name is None:
            return None
        epsilon, prior = self._size_of(name, pair, plans)
        return Claimed(name, claim(name).statement, epsilon, prior=prior, verdict=_verdict(name, plans[0].method))

    def _has_cells(self, pair: Pair, method: ArticleMethod) -> bool:
        """A rule from elsewhere need not tell what noise it drew."""
        return method.sample in _KNOWN_TO_FALL_APART and _cells(self.parameters, pair) is not None

    def _size_of(self, name: str, pair: Pair, plans: list[Plan]) -> tuple[float, float | None]:
        if name in ("event-time", "copies"):
            return _event_claim(plans, pair)
        if name in ("count-cell", "released-counts"):
            return max(plan.control_flow_epsilon for plan in plans), None
        # An advantage that is claimed for every prior, by its ε. It is for all releases together, and for one case it
        # is the one that was asked for, however many an individual has.
        whole = float(worst_case_loss(self.parameters.advantage, "up")) / self.parameters.releases
        if name == "count-table-composed" and pair.relation is Relation.ADD_REMOVE:
            return whole / 2, None
        return whole, None

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:
        plan = _planned(self.parameters, pair, side)
        if plan is None:
            return _nothing(runs, pair.log(side).activities)
        check_size(plan)
        if plan.method.sample not in _KNOWN_TO_FALL_APART:
            return _joined([_alone(plan, source) for _ in range(runs)])
        tiles = tiled(plan, runs)
        drawn = draw(tiles, source)
        made, cells = _releases(tiles, plan, drawn, runs), _cells(self.parameters, pair)
        return made if cells is None else replace(made, inside=_inside_scores(drawn, plan, cells, side))

    def events_a_run(self, pair: Pair) -> float:
        """About how many events a run releases."""
        found = 0.0
        for plan in self._plans(pair):
            cases = plan.log.n_cases + expected_moves(plan)
            found = max(found, cases * plan.log.n_events / plan.log.n_cases)
        return found

    def _plans(self, pair: Pair) -> list[Plan]:
        return [plan for side in SIDES if (plan := _planned(self.parameters, pair, side)) is not None]


def _claim_for(pair: Pair, goal: Goal, plans: list[Plan]) -> str | None:
    """The claim that a finding would speak against, and no other one."""
    if len({plan.cases_per_individual for plan in plans}) > 1 and goal in INSIDE:
        return "individuals-from-the-log" if goal is Goal.CELL else None  # the number sets the scale of every count
    decides = not _same_cases(plans, pair)  # whether the victim decides which others are released at all
    if pair.kind is Kind.TIME and decides:
        return "selection-of-cases"
    if goal in INSIDE:
        return _claim_inside(pair, goal, plans[0], decides)
    match goal:
        case Goal.PRESENCE:
            return "selection-of-variants" if pair.kind is Kind.OWN_VARIANT else "whole-release"
        case Goal.DURATION:
            return "event-time"
        case Goal.LINKAGE:  # with another scale in each log, one copy would do
            return "copies" if _same_scale(plans, pair) else "event-time"
        case Goal.OTHERS:
            return "selection-of-groups"
        case Goal.LEARNT:
            return "event-time" if pair.kind is Kind.TIME else "whole-release"
        case _:
            return "whole-release"


def _claim_inside(pair: Pair, goal: Goal, plan: Plan, decides: bool) -> str | None:
    one_sided, whole_case = plan.method.sample is oversampling, plan.parameters.scope == "case"
    if decides:  # counts move by more than one case, and no claim about noise is to blame
        return "selection-of-cases" if goal is Goal.CELL else None
    if goal is Goal.CELL:
        return "one-sided-count" if one_sided else "count-cell"
    if one_sided:
        return None  # its support gives it away already
    if goal is Goal.TABLE:
        if whole_case:
            return "count-table-composed"
        # The article's is a claim about what a case did; for adding one, its own bound counts the cells.
        return "count-table" if pair.relation is Relation.REPLACE else None
    return "released-counts" if goal is Goal.RELEASED_CELL else None


def _verdict(name: str, method: ArticleMethod) -> Verdict:
    """How a claim stands for a method, as the accountant has it."""
    known = claim(name).verdict
    if name == "whole-release":  # as the article reads it, it rests on the released counts
        return claim("released-counts" if method.sample in _KNOWN_TO_FALL_APART else "unknown-step").verdict
    if known in BOUNDED_VERDICTS and method.filters:
        return claim("selection-of-cases").verdict
    return known


def _victim_row(plan: Plan, pair: Pair) -> int:
    """The event whose time differs; the victim has the same number in both logs."""
    case, place = pair.victim[0], pair.place
    assert case is not None
    assert place is not None
    return int(plan.log.offsets[case]) + place


def _same_cases(plans: list[Plan], pair: Pair) -> bool:
    """Whether filtering keeps the same other cases in both logs; and where only a time differs, the victim alike."""
    if len(plans) < 2:
        return False
    kept = [plan.filtered.kept_case for plan in plans]
    if pair.kind is not Kind.TIME:
        kept = [
            each if victim is None else np.delete(each, victim) for each, victim in zip(kept, pair.victim, strict=True)
        ]
    return np.array_equal(kept[0], kept[1])


def _same_scale(plans: list[Plan], pair: Pair) -> bool:
    scales = set()
    for plan in plans:
        row = _victim_row(plan, pair)
        scales.add((float(plan.losses[row]), int(plan.filtered.knowledge.value_range[row])))
    return len(plans) == 2 and len(scales) == 1


def _event_claim(plans: list[Plan], pair: Pair) -> tuple[float, float | None]:
    """The larger ε of the victim's event in either log, and the prior that it was computed for."""
    found: list[tuple[float, float]] = []
    for plan in plans:
        row = _victim_row(plan, pair)
        # What all events of a case and all cases of an individual share, one event alone may spend.
        loss = float(plan.losses[row]) * plan.cases_per_individual * plan.parameters.events_together
        if not np.isnan(loss):
            found.append((loss, float(plan.filtered.knowledge.prior[row])))
    if not found:  # filtered in both logs: nothing of it should show
        return 0.0, None
    loss, prior = max(found)
    return loss, prior if 0 < prior < 1 else None


@lru_cache(maxsize=256)
def _planned(parameters: Parameters, pair: Pair, side: Side) -> Plan | None:
    """None where everything is filtered: nothing is released then."""
    # How much an individual may lose in all is asked before a release, and has no part in how it is made.
    rules = replace(parameters, max_individual_loss=None)
    try:
        return plan_article(pair.log(side), rules, public=public_facts(pair.public(side)))
    except ReleaseError:
        return None


# --- from what was drawn to releases --------------------------------------------------------------------------------


def _alone(plan: Plan, source: NoiseSource) -> Releases:
    """One run of a rule that may look at the whole log; one that deletes every case has released nothing."""
    try:
        return _releases(plan, plan, draw(plan, source), 1)
    except ReleaseError:
        return _nothing(1, plan.log.activities)


def _releases(tiles: Plan, plan: Plan, drawn: Drawn, copies: int) -> Releases:
    """The drawn cases by run, with their times put together as a release does it."""
    log, cases = tiles.annotated.log, drawn.cases
    run = cases.origin // plan.log.n_cases
    order = np.argsort(run, kind="stable")
    lengths = np.diff(cases.offsets)[order]
    rows = ragged_positions(cases.offsets[:-1][order], lengths)
    offsets = offsets_of(lengths)
    noised, run = drawn.noised.value[rows], run[order]
    if tiles.parameters.conventions.compression == "fold":
        times, _ = rebuild_times(noised, offsets, plan.public, plan.parameters.conventions)
    else:  # the article's factor depends on all starts of a release, so releases go one by one
        bounds = np.searchsorted(run, np.arange(copies + 1))
        times = np.empty_like(noised)
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if first < last:
                inside = slice(offsets[first], offsets[last])
                own = offsets[first : last + 1] - offsets[first]
                times[inside], _ = rebuild_times(noised[inside], own, plan.public, plan.parameters.conventions)
    return Releases(copies, run, offsets, log.activity[cases.row[rows]], times, log.activities)


def _joined(parts: list[Releases]) -> Releases:
    shifts = np.cumsum([0, *(part.runs for part in parts)])
    ends = np.cumsum([0, *(len(part.activity) for part in parts)])
    return Releases(
        runs=int(shifts[-1]),
        run=np.concatenate([part.run + shift for part, shift in zip(parts, shifts[:-1], strict=True)]),
        offsets=np.append(
            np.concatenate([part.offsets[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)]), ends[-1]
        ).astype(np.int64),
        activity=np.concatenate([part.activity for part in parts]),
        time=np.concatenate([part.time for part in parts]),
        activities=parts[0].activities,
    )


def _nothing(runs: int, activities: tuple[str, ...]) -> Releases:
    empty = np.empty(0, dtype=np.int64)
    return Releases(runs, empty, np.zeros(1, dtype=np.int64), empty, empty, activities)


# --- the table of transitions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Counts of the transitions of both logs, where they have the same automaton."""

    counts: tuple[IntArray, IntArray]
    moved: IntArray
    """Cells that differ and that some case takes in both logs."""


@lru_cache(maxsize=256)
def _cells(parameters: Parameters, pair: Pair) -> _Cells | None:
    plans = [_planned(parameters, pair, 0), _planned(parameters, pair, 1)]
    left, right = plans
    if left is None or right is None or pair.kind is Kind.TIME:
        return None
    one, other = left.annotated.dafsa.variants, right.annotated.dafsa.variants
    if left.log.activities != right.log.activities or not (
        np.array_equal(one.activity, other.activity) and np.array_equal(one.offsets, other.offsets)
    ):
        return None
    counts = tuple(
        ControlFlow(plan.annotated.dafsa, plan.kept_variant_cases).transition_counts() for plan in (left, right)
    )
    moved = np.flatnonzero((counts[0] != counts[1]) & (counts[0] > 0) & (counts[1] > 0))
    return _Cells((counts[0], counts[1]), moved) if len(moved) else None


def _inside_scores(drawn: Drawn, plan: Plan, cells: _Cells, side: Side) -> dict[Goal, FloatArray]:
    """The noisy cell that differs most, the likelihood ratio of all that differ (up to its factor ε), and the cell as
    the release shows it."""
    here = cells.counts[side]
    shape = (-1, plan.annotated.dafsa.n_transitions)
    assert drawn.sampled.drawn is not None
    assert drawn.sampled.realised is not None
    noisy = (drawn.sampled.drawn.reveal().reshape(shape) + here)[:, cells.moved].astype(np.float64)
    shown = drawn.sampled.realised.reveal().reshape(shape) + here
    left, right = (counts[cells.moved] for counts in cells.counts)
    most = int(np.argmax(np.abs(left - right)))
    return {
        Goal.CELL: noisy[:, most],
        Goal.TABLE: (np.abs(noisy - right) - np.abs(noisy - left)).sum(axis=1),
        Goal.RELEASED_CELL: shown[:, cells.moved[most]].astype(np.float64),
    }
