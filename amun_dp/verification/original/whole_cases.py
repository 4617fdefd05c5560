"""Whole cases that came through as they were, looked for where nothing is known of how the release was made.

Without a plan there is no law of the noise, and a method may well release times that the original has too: on whole
days, say, or drawn from a histogram of it. So what is counted is told. Judged is one thing only: cases whose start and
all gaps are those of one original case of the same variant. For that it is assumed of a release that draws its times

  starts   no instant of the time frame, at the resolution of the original, is more than a thousand times likelier than
           on average. (The certified method draws from 64 bins, evenly within each, so it is at most 64 times.)
  gaps     no sequence of gaps is more than ten times likelier, whatever the start, than the most frequent one among
           the released cases of its variant is frequent.

Both are taken so large that coarse times, and few cases, raise no alarm.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.verification.checks import Told, require
from amun_dp.verification.original.chance import FALSE_ALARM, improbability
from amun_dp.verification.original.original_checks import UNKNOWN

_CROWDED_STARTS, _CROWDED_GAPS = 1_000.0, 10.0


def equal_cases(log: PublicLog, original: EventLog, variant: IntArray) -> str:
    """No more cases are whole copies of an original one than could be by chance; how many have its gaps is told."""
    ours, theirs = _timelines(log), _timelines(original)
    of_original = find_variants(original).of_case
    known = set(zip(of_original.tolist(), theirs, strict=True))
    same_gaps = np.fromiter(
        (pair in known for pair in zip(variant.tolist(), ours, strict=True)), dtype=np.bool_, count=log.n_cases
    )
    begun = set(zip(of_original.tolist(), theirs, original.starts.tolist(), strict=True))
    whole = np.fromiter(
        (each in begun for each in zip(variant.tolist(), ours, log.starts.tolist(), strict=True)),
        dtype=np.bool_,
        count=log.n_cases,
    )
    chances = _start_chances(original, of_original, variant) * _gap_chances(ours, variant)
    sentence = (
        f"{np.count_nonzero(whole):,} of {log.n_cases:,} cases have the start and all gaps of an original case of the "
        f"same variant, {np.count_nonzero(same_gaps):,} all gaps of one"
    )
    require(
        improbability(whole, np.minimum(1.0, chances)) >= FALSE_ALARM,
        f"{sentence}; drawn times would be equal so often with a probability below {FALSE_ALARM:g}",
    )
    return Told(f"{sentence}; what is usual is not known, because no plan could be made")


def _timelines(log: EventLog) -> list[bytes]:
    """The gaps of each case."""
    gaps = np.diff(log.time, prepend=log.time[:1])
    gaps[log.offsets[:-1]] = 0
    return [gaps[first:last].tobytes() for first, last in zip(log.offsets[:-1], log.offsets[1:], strict=True)]


def _start_chances(original: EventLog, of_original: IntArray, variant: IntArray) -> FloatArray:
    """For each released case: that its start is that of some original case of its variant.

    Counted as often as such cases share one start, since each of them has gaps of its own.
    """
    first = int(original.starts.min())
    span = int(original.starts.max()) - first
    resolution = max(1, int(np.gcd.reduce(original.time - first)))
    pairs, shared = np.unique(np.stack((of_original, original.starts)), axis=1, return_counts=True)
    number, most = np.bincount(of_original), np.zeros(int(of_original.max()) + 1)
    np.maximum.at(most, pairs[0], shared)
    some = np.minimum(1.0, number * (_CROWDED_STARTS * resolution / (span + resolution))) * most
    return np.where(variant == UNKNOWN, 0.0, some[np.maximum(variant, 0)])


def _gap_chances(timelines: list[bytes], variant: IntArray) -> FloatArray:
    """For each released case: that it has the gaps of one given case."""
    frequent: dict[int, int] = {}
    for (of, _), times in Counter(zip(variant.tolist(), timelines, strict=True)).items():
        frequent[of] = max(times, frequent.get(of, 0))
    released = Counter(variant.tolist())
    share = {of: min(1.0, _CROWDED_GAPS * times / released[of]) for of, times in frequent.items()}
    return np.array([share[of] for of in variant.tolist()])
