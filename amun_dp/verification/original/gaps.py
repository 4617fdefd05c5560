"""Equal times: whether more of the original's times came through than noise explains.

Compared are relative times as they are released: the start of a case in the time frame, and the time between an event
and the one before it. What is done to a noised time y = x + Z after it is drawn decides which y can look like x:

  fold     a duration is max(y, 0), so a positive one equals x only if Z = 0; a start is reflected into [0, W], so it
           equals x if y is one of two in every stretch of 2W
  factor   every y ≥ 0 becomes ⌊f·y⌋, so one value stands for about 1/f of them. f is not published, but the range R of
           the released starts tells it: f = 1/2 - R/W, to within 1/W

Times cut off at the last timestamp say nothing and are left out, and so are times without noise under conventions
that want it so. Each remaining pair is equal with a known probability at most, independently of the others given
which cases were copied; ``amun_dp.verification.original.chance`` says whether so many may be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.article.plan import Plan
from amun_dp.article.step7_compression import PublicFacts
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.mechanisms.bounded_laplace import noise_scales
from amun_dp.verification.checks import NotPossible, require
from amun_dp.verification.original.chance import FALSE_ALARM, chance_of_none, chance_of_range, improbability
from amun_dp.verification.original.original_checks import UNKNOWN, Origins


@dataclass(frozen=True, slots=True)
class Compression:
    """What the post-processing did to times: bounds on the factor, both 1 where there is none."""

    folds: bool
    span: int
    """Width of the window for starts."""
    least: float
    most: float


def compression_of(log: PublicLog, plan: Plan) -> Compression:
    span = plan.public.start_span
    if plan.parameters.conventions.compression == "fold":
        return Compression(True, span, 1.0, 1.0)
    starts = log.starts - plan.public.first_start
    spread = int(np.ptp(starts))
    least, most = (0.5 - (spread + error) / span if span else 0.0 for error in (1, -1))
    if least <= 0 or int(starts.max()) >= span:
        raise NotPossible("the factor by which times were compressed cannot be told from the released starts")
    return Compression(False, span, least, min(0.5, most))


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """Relative times as they are released, one row per event."""

    value: IntArray
    first: BoolArray
    whole: BoolArray
    """Not cut off at the end of the time frame or of the window for starts."""


def released_times(log: PublicLog, frame: PublicFacts, compression: Compression) -> Released:
    value = np.diff(log.time, prepend=log.time[:1])
    first = log.first_of_case
    value[first] = log.starts - frame.first_start
    whole = log.time < frame.last_time
    if not compression.folds:
        whole &= ~first | (value < compression.span)
    else:
        whole |= first  # a folded start is never cut off
    return Released(value, first, whole)


def chance_of_equal(value: IntArray, scale: FloatArray, first: BoolArray, how: Compression) -> FloatArray:
    """With what probability at most a positive relative time is released as it was."""
    with np.errstate(divide="ignore", over="ignore"):
        none = chance_of_none(scale)
        if how.folds:
            inside = -np.expm1(-2.0 * how.span / scale)
            return np.where(first, np.minimum(1.0, 4.0 * none / inside), none)
        # Of the y that become x; a thousandth and a whole number cover the rounding of the product.
        lowest = np.floor((value - 1e-3) / how.most) - 1
        highest = np.ceil((value + 1 + 1e-3) / how.least) + 1
        return chance_of_range(scale, np.maximum(lowest - value, 0), np.maximum(highest - value, 0))


def equal_times(log: PublicLog, plan: Plan, variant: IntArray, origins: Origins | None) -> str:
    """No more relative times are as they were than noise explains."""
    how = compression_of(log, plan)
    released = released_times(log, plan.public, how)
    if origins is None:
        return _equal_to_any(log, plan, variant, released, how)
    value, scale = plan.annotated.relative_time[origins.row], origins.rows.noise.scale
    trials = (value > 0) & (scale > 0)
    hits = trials & released.whole & (released.value == value)
    chances = chance_of_equal(value[trials], scale[trials], released.first[trials], how)
    return _explained(hits[trials], chances, "equal their original")


def _explained(hits: BoolArray, chances: FloatArray, what: str) -> str:
    odds = improbability(hits, chances)
    sentence = (
        f"{np.count_nonzero(hits):,} of {len(chances):,} relative times {what}; noise explains "
        f"{float(chances.sum()):.2g} on average"
    )
    require(odds >= FALSE_ALARM, f"{sentence}, and these with a probability below {FALSE_ALARM:g}")
    return sentence


def _equal_to_any(log: PublicLog, plan: Plan, variant: IntArray, released: Released, how: Compression) -> str:
    """Without the ledger: equal to that of any original case of the same variant, at the same place."""
    original, annotated = plan.annotated.log, plan.annotated
    variants = annotated.dafsa.variants
    theirs = variants.offsets[variants.of_case[original.case]] + _place(original)
    found = variant[log.case]
    known = found != UNKNOWN
    ours = np.where(known, variants.offsets[np.where(known, found, 0)] + _place(log), 0)

    # The least noise that any original of the variant could have had at that place: that of a single copy.
    kept = np.flatnonzero(plan.filtered.kept_case[original.case])
    least = np.full(len(variants.activity), np.inf)
    ranges, losses = plan.filtered.knowledge.value_range[kept], plan.losses[kept]
    np.minimum.at(least, theirs[kept], noise_scales(ranges, losses, np.ones(len(kept), dtype=np.int64)))

    values, code = np.unique(np.concatenate((annotated.relative_time, released.value)), return_inverse=True)
    keys = np.concatenate((theirs, ours)) * len(values) + code
    there = np.unique(keys[: original.n_events][annotated.relative_time > 0])
    distinct = np.bincount(there // len(values), minlength=len(least))
    largest = np.zeros(len(least), dtype=np.int64)
    np.maximum.at(largest, theirs, annotated.relative_time)

    trials = known & (distinct[ours] > 0) & np.isfinite(least[ours]) & (least[ours] > 0)
    hits = trials & released.whole & np.isin(keys[original.n_events :], there)
    at = ours[trials]
    chances = distinct[at] * _chance_of_any(largest[at], least[at], released.first[trials], how)
    told = _explained(hits[trials], np.minimum(1.0, chances), "equal that of some original case of the same variant")
    return f"{told}; without the ledger only exact equality is looked for"


def _place(log: EventLog) -> IntArray:
    """Which event of its case each event is."""
    return np.arange(log.n_events) - log.offsets[log.case]


def _chance_of_any(largest: IntArray, scale: FloatArray, first: BoolArray, how: Compression) -> FloatArray:
    """With what probability at most a time of any value up to the largest becomes one given value."""
    if how.folds:
        return chance_of_equal(largest, scale, first, how)
    width = np.ceil((largest + 2) / how.least - largest / how.most) + 3
    return np.minimum(1.0, width * chance_of_none(scale))
