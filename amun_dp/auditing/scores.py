"""The score of a release by which an attacker guesses.

A score may be any function of a release: a poor one makes the bound small, none makes it wrong.
"""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray, offsets_of
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases
from amun_dp.eventlog.variants import Sequences, find_variants, match

MOST_FEATURES = 24
"""Variants, and steps, that the learnt score looks at: the victim's, and the most frequent ones."""


def scores_of(pair: Pair, releases: Releases) -> dict[Goal, FloatArray]:
    """The score of each run for every goal but the learnt one."""
    if pair.kind is Kind.TIME:
        return _time_scores(pair, releases)
    counted = [_cases_of(releases, pair.path(side)) for side in (0, 1)]
    own = 0 if pair.path(0) is not None and (pair.path(1) is None or pair.kind is not Kind.OWN_VARIANT) else 1
    return {
        Goal.VARIANT: counted[0] - counted[1],
        Goal.PRESENCE: counted[own],
        Goal.TRANSITION: _steps_taken(pair, releases),
        Goal.MEMBERSHIP: releases.cases.astype(np.float64),
        Goal.OTHERS: _others(pair, releases),
    }


def _cases_of(releases: Releases, path: tuple[str, ...] | None) -> FloatArray:
    """Released cases of each run that took this path."""
    if path is None:
        return np.zeros(releases.runs)
    which = match(_flow(releases), _sequences([path], releases.activities), len(releases.activities))
    return np.bincount(releases.run[which == 0], minlength=releases.runs).astype(np.float64)


def _flow(releases: Releases) -> Sequences:
    return Sequences(releases.activity, releases.offsets)


def _sequences(paths: list[tuple[str, ...]], activities: tuple[str, ...]) -> Sequences:
    code = {label: number for number, label in enumerate(activities)}
    codes = np.array([code[label] for path in paths for label in path], dtype=np.int64)
    return Sequences(codes, offsets_of(np.array([len(path) for path in paths], dtype=np.int64)))


# --- steps ----------------------------------------------------------------------------------------------------------


def _edges(flow: Sequences, activities: int) -> tuple[IntArray, IntArray]:
    """Edge of every event from the one before it (or the start of its case), and the case."""
    previous = np.concatenate(([activities], flow.activity[:-1])) if len(flow.activity) else flow.activity
    previous[flow.offsets[:-1]] = activities
    return previous * activities + flow.activity, np.repeat(np.arange(flow.count), flow.lengths)


def _victim_edges(pair: Pair, activities: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    """Edges that the victim takes more often in one log than in the other, and by how much."""
    size = len(activities)
    taken = np.zeros((size + 1) * size, dtype=np.int64)
    for path, sign in ((pair.path(0), 1), (pair.path(1), -1)):
        if path is not None:
            np.add.at(taken, _edges(_sequences([path], activities), size)[0], sign)
    edges = np.flatnonzero(taken)
    return edges, taken[edges]


def _steps_taken(pair: Pair, releases: Releases) -> FloatArray:
    """How often the steps occur that tell the two logs apart, those of the left one minus those of the right one."""
    edges, weight = _victim_edges(pair, releases.activities)
    if not len(edges):
        return np.zeros(releases.runs)
    edge, case = _edges(_flow(releases), len(releases.activities))
    at = np.minimum(np.searchsorted(edges, edge), len(edges) - 1)
    hit = edges[at] == edge
    return np.bincount(releases.run[case[hit]], np.sign(weight[at[hit]]), releases.runs).astype(np.float64)


# --- durations ------------------------------------------------------------------------------------------------------


def _time_scores(pair: Pair, releases: Releases) -> dict[Goal, FloatArray]:
    """Of the released cases with the victim's variant: the distance of the nearest duration, and their mean."""
    path = pair.path(0)
    assert path is not None
    assert pair.place is not None
    which = match(_flow(releases), _sequences([path], releases.activities), len(releases.activities)) == 0
    row = releases.offsets[:-1][which] + pair.place
    duration = (releases.time[row] - releases.time[row - 1]).astype(np.float64)
    run = releases.run[which]
    # A release without such a case is told apart from all others: it is the furthest and the shortest.
    nearest = np.full(releases.runs, np.inf)
    np.minimum.at(nearest, run, np.abs(duration - pair.duration(0)))
    found = np.bincount(run, minlength=releases.runs)
    mean = np.where(found > 0, np.bincount(run, duration, releases.runs) / np.maximum(found, 1), -1.0)
    return {Goal.DURATION: nearest, Goal.LINKAGE: mean}


def _others(pair: Pair, releases: Releases) -> FloatArray:
    """Mean logarithm of the durations in released cases of variants that are the victim's in neither log."""
    paths = [path for path in (pair.path(0), pair.path(1)) if path is not None]
    flow = _flow(releases)
    foreign = match(flow, _sequences(paths, releases.activities), len(releases.activities)) < 0
    steps = flow.steps(len(releases.activities))
    kept = foreign[steps.case]
    row, run = steps.row[kept], releases.run[steps.case[kept]]
    gap = np.log1p((releases.time[row] - releases.time[row - 1]).astype(np.float64))
    found = np.bincount(run, minlength=releases.runs)
    mean: FloatArray = np.where(found > 0, np.bincount(run, gap, releases.runs) / np.maximum(found, 1), -1.0)
    return mean


# --- everything -----------------------------------------------------------------------------------------------------


def features_of(pair: Pair, releases: Releases) -> FloatArray:
    """One row per run: counts of variants and steps, mean and longest durations of steps, starts, sizes."""
    size, runs = len(releases.activities), releases.runs
    flow = _flow(releases)
    paths = _interesting_paths(pair)
    which = match(flow, _sequences(paths, releases.activities), size)
    known = which >= 0
    variants = np.bincount(releases.run[known] * len(paths) + which[known], minlength=runs * len(paths))

    edges = _interesting_edges(pair, releases.activities)
    edge, case = _edges(flow, size)
    at = np.minimum(np.searchsorted(edges, edge), len(edges) - 1)
    hit = edges[at] == edge
    cell = releases.run[case[hit]] * len(edges) + at[hit]
    cells = runs * len(edges)
    taken = np.bincount(cell, minlength=cells)
    gap = np.diff(releases.time, prepend=releases.time[:1]).astype(np.float64)
    starts = releases.time[flow.offsets[:-1]].astype(np.float64)
    gap[flow.offsets[:-1]] = starts - float(pair.left.time.min())
    gap = np.log1p(np.maximum(gap, 0.0))[hit]
    longest = np.zeros(cells)
    np.maximum.at(longest, cell, gap)
    columns = [
        variants.reshape(runs, -1),
        variants.reshape(runs, -1) > 0,
        taken.reshape(runs, -1),
        (np.bincount(cell, gap, cells) / np.maximum(taken, 1)).reshape(runs, -1),
        longest.reshape(runs, -1),
        releases.cases[:, None],
    ]
    return np.hstack([column.astype(np.float64) for column in columns])


def _interesting_paths(pair: Pair) -> list[tuple[str, ...]]:
    chosen = dict.fromkeys(path for path in (pair.path(0), pair.path(1)) if path is not None)
    for log in (pair.left, pair.right):
        variants = find_variants(log)
        for variant in np.argsort(-variants.cases(), kind="stable")[:MOST_FEATURES].tolist():
            codes = variants.activity[variants.offsets[variant] : variants.offsets[variant + 1]]
            chosen[tuple(log.activities[code] for code in codes)] = None
    return list(chosen)[:MOST_FEATURES]


def _interesting_edges(pair: Pair, activities: tuple[str, ...]) -> IntArray:
    chosen = dict.fromkeys(_victim_edges(pair, activities)[0].tolist()[:MOST_FEATURES])
    number = {label: code for code, label in enumerate(activities)}
    for log in (pair.left, pair.right):
        code = np.array([number[label] for label in log.activities], dtype=np.int64)
        edge, _ = _edges(Sequences(code[log.activity], log.offsets), len(activities))
        found, count = np.unique(edge, return_counts=True)
        chosen |= dict.fromkeys(found[np.argsort(-count, kind="stable")][:MOST_FEATURES].tolist())
    return np.sort(np.array(list(chosen)[:MOST_FEATURES], dtype=np.int64))
