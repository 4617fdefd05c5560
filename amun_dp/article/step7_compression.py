"""Post-processing: from noised relative times back to timestamps within public bounds (step 7).

Domain: noised relative times and public facts only, so it costs nothing further, provided that the facts are public.
That the first start, the last start and the last timestamp of the log are public is the article's assumption; they are
taken from the log, and the accountant names the assumption.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.events import PostProcessing
from amun_dp._base.arrays import IntArray
from amun_dp.article.conventions import Conventions
from amun_dp.eventlog.log import EventLog


@dataclass(frozen=True, slots=True)
class PublicFacts:
    """What the article assumes everybody knows about the time of the log (milliseconds since the epoch)."""

    first_start: int
    last_start: int
    last_time: int

    @property
    def start_span(self) -> int:
        return self.last_start - self.first_start


TIMESTAMPS = PostProcessing("timestamps", "a function of noised times and of a time frame that is taken as public")


def public_facts(log: EventLog) -> PublicFacts:
    starts = log.starts
    return PublicFacts(int(starts.min()), int(starts.max()), int(log.time.max()))


def rebuild_times(
    noised: IntArray,
    offsets: IntArray,
    public: PublicFacts,
    conventions: Conventions,
    anonymised_span: int | None = None,
) -> tuple[IntArray, PostProcessing]:
    """Timestamps of the released events; ``offsets`` are the case boundaries (first event: start offset).

    ``anonymised_span`` is given where these are some cases of a release: how far apart all its noised starts lie, which
    the compression factor looks at.

    Negative durations become 0, starts are mapped into the public window, and no event lies after the public last
    timestamp. All three keep the order within a case.
    """
    firsts = offsets[:-1]
    lengths = np.diff(offsets)
    # A duration beyond the whole log ends at the last timestamp anyway; bounding it keeps the sums within int64.
    longest_case = int(lengths.max(initial=1))
    ceiling = min(public.last_time - public.first_start, (1 << 62) // longest_case)
    if conventions.compression == "factor":
        relative = np.maximum(noised, 0)
        span = int(np.ptp(relative[firsts])) if anonymised_span is None else anonymised_span
        relative = compress(relative, span, public)
        # The factor alone does not keep starts inside: it looks at their range, not at where the range begins.
        starts = np.minimum(relative[firsts], public.start_span)
    else:
        relative = noised
        starts = fold(noised[firsts], public.start_span)
    durations = np.clip(relative, 0, ceiling)
    durations[firsts] = 0
    elapsed = np.cumsum(durations)  # may wrap over the whole log; differences within a case are exact all the same
    elapsed -= np.repeat(elapsed[firsts], lengths)
    elapsed += np.repeat(starts, lengths)
    return np.minimum(public.first_start + elapsed, public.last_time), TIMESTAMPS


def fold(offset: IntArray, width: int) -> IntArray:
    """Reflect at 0 and at ``width`` until inside [0, width].

    Clamping would pile the cases with large noise on the first and the last day, scaling would squeeze all cases into
    the middle because of one; reflecting does neither, and it never moves a value away from a true one inside.
    """
    if width == 0:
        return np.zeros_like(offset)
    position: IntArray = np.mod(offset, 2 * width)
    return np.minimum(position, 2 * width - position)


def compress(relative: IntArray, anonymised_span: int, public: PublicFacts) -> IntArray:
    """The article's compression factor OR/(AR+OR)·1/2 on all relative times, as printed (Eq. 5).

    It is 1/4, not 1, when the ranges agree; kept for the ``article`` conventions only.
    """
    original = float(public.start_span)
    anonymised = float(anonymised_span)
    factor = original / (anonymised + original) / 2 if original + anonymised > 0 else 0.25
    compressed: IntArray = np.floor(relative * factor).astype(np.int64)
    return compressed
