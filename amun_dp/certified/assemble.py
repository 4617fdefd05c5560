"""From a released control flow, durations and starts to an event log. Post-processing: nothing here reads the log."""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import IntArray, ragged_positions
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.eventlog.log import EventLog, build_event_log
from amun_dp.eventlog.variants import Sequences
from amun_dp.noise.sources import NoiseSource, permutation, random_names


def event_times(flow: Sequences, gaps: IntArray, starts: IntArray, facts: PublicFacts) -> IntArray:
    """Times in order and within the public frame.

    A case longer than the public longest duration is scaled down to it; one that would leave the frame starts earlier.
    """
    lengths, firsts = flow.lengths, flow.offsets[:-1]
    # Bounded so that the sum over one case stays within int64; over the whole log it may wrap, differences are exact.
    elapsed = np.cumsum(np.minimum(gaps, (1 << 62) // int(lengths.max(initial=1))))
    elapsed -= np.repeat(elapsed[firsts], lengths)
    lasts = np.maximum(elapsed[flow.offsets[1:] - 1], 1)
    most = min(facts.longest, facts.width)
    factor = np.minimum(1.0, most / lasts)
    elapsed = np.minimum((elapsed * np.repeat(factor, lengths)).astype(np.int64), most)
    begin = np.minimum(starts, facts.last - elapsed[flow.offsets[1:] - 1])
    times: IntArray = np.repeat(begin, lengths) + elapsed
    return times


def assemble(flow: Sequences, times: IntArray, activities: tuple[str, ...], source: NoiseSource) -> EventLog:
    """The released log: cases in random order under random names, events of equal times in the order of the flow."""
    order = permutation(source, flow.count)
    lengths = flow.lengths[order]
    rows = ragged_positions(flow.offsets[order], lengths)
    return build_event_log(
        case=np.repeat(np.arange(flow.count), lengths),
        case_names=np.array(random_names(source, flow.count), dtype=object),
        activity=flow.activity[rows],
        labels=np.array(activities, dtype=object),
        time=times[rows],
        sequence=np.arange(len(rows)),
    )
