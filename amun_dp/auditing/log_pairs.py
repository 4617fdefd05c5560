"""Pairs built from the log that is to be released: one case, individual or duration of it is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from accounting.guarantee import Relation
from amun_dp._base.arrays import IntArray
from amun_dp._base.units import DAY
from amun_dp.article.step1_annotation import annotate
from amun_dp.auditing.pairs import Kind, Pair, replaced, with_case, without
from amun_dp.eventlog.case_lists import CaseEvents, events_of
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Variants, find_variants

_FAR = 10
"""An outlier lasts so many times the longest of its group."""


@dataclass(frozen=True, slots=True, eq=False)
class _Donors:
    """What takes the place of a victim, from the time at which the victim starts."""

    own: CaseEvents
    """A variant that no case has, of labels that the log has."""
    longest: CaseEvents
    another: CaseEvents | None
    """The most frequent variant that is not the victim's."""
    everything: CaseEvents
    """A variant of its own, at the other end of the time frame, as slow as can be."""


def pairs_from_log(log: EventLog) -> list[Pair]:
    """A pair for each way in which one case, or one duration, can matter in this log."""
    variants = find_variants(log)
    counts = variants.cases()
    common = int(np.argmax(counts))
    victim = _in_the_middle(log, np.flatnonzero(variants.of_case == common))
    donors = _donors(log, variants, victim)
    common_kind = Kind.CASE if counts[common] > 1 else Kind.OWN_VARIANT
    pairs = [
        _replacing(log, victim, donors.own, "common → own variant", Kind.OWN_VARIANT),
        replace(
            _replacing(log, victim, donors.everything, "common → everything different", Kind.OWN_VARIANT),
            everything=True,
        ),
    ]
    if donors.another is not None:
        pairs.append(_replacing(log, victim, donors.another, "common → another variant", common_kind))
    if int(log.lengths.max()) > log.lengths[victim]:
        pairs.append(_replacing(log, victim, donors.longest, "common → longest", common_kind))
    if log.n_cases > 1:
        pairs.append(_removing(log, victim, "common removed", common_kind))
    unique = np.flatnonzero(counts[variants.of_case] == 1)
    if len(unique) and log.n_cases > 1:
        pairs.append(_removing(log, _in_the_middle(log, unique), "own variant removed", Kind.OWN_VARIANT))
    pairs.append(_adding(log, donors.own, "own variant added", Kind.OWN_VARIANT))
    pairs.append(_adding(log, donors.longest, "longest added", Kind.CASE))
    return [*pairs, *_shifts(log)]


def individual_pairs_from_log(log: EventLog) -> list[Pair]:
    """Pairs in which all cases of the individual with the most cases are replaced."""
    individual = int(np.argmax(np.bincount(log.individuals)))
    cases = np.flatnonzero(log.individuals == individual)
    variants = find_variants(log)
    donors = [_donors(log, variants, int(case)) for case in cases]
    named: dict[str, list[CaseEvents | None]] = {
        "individual → own variants": [each.own for each in donors],
        "individual → longest": [each.longest for each in donors],
        "individual → another variant": [each.another for each in donors],
        "individual → everything different": [each.everything for each in donors],
    }
    pairs = []
    for name, chosen in named.items():
        events = {int(case): new for case, new in zip(cases, chosen, strict=True) if new is not None}
        if len(events) == len(cases):
            pairs.append(
                Pair(
                    name=name,
                    says="all cases of the individual with the most cases are replaced",
                    left=log,
                    right=replaced(log, events),
                    relation=Relation.REPLACE,
                    victim=(int(cases[0]), int(cases[0])),
                    kind=Kind.OWN_VARIANT,
                    everything=name == "individual → everything different",
                    individuals=True,
                )
            )
    return pairs


def _in_the_middle(log: EventLog, cases: IntArray) -> int:
    """Of these cases the one that starts in the middle: not the one that bounds the time frame, if there are others."""
    return int(cases[np.argsort(log.starts[cases], kind="stable")[len(cases) // 2]])


def _donors(log: EventLog, variants: Variants, victim: int) -> _Donors:
    start = int(log.starts[victim])
    counts = variants.cases()
    counts[variants.of_case[victim]] = 0
    another = None
    if counts.any():
        example = _in_the_middle(log, np.flatnonzero(variants.of_case == int(np.argmax(counts))))
        another = _moved(log, events_of(log, example), start)
    own = _own_variant(log, variants, events_of(log, victim))
    longest = events_of(log, int(np.argmax(log.lengths)))
    return _Donors(own, _moved(log, longest, start), another, _everything_different(log, own))


def _moved(log: EventLog, events: CaseEvents, start: int) -> CaseEvents:
    """The same events from another start; earlier, if the log would end before them."""
    lasts = events[-1][1] - events[0][1]
    shift = min(start, max(int(log.time.max()) - lasts, int(log.starts.min()))) - events[0][1]
    return [(label, time + shift) for label, time in events]


def _own_variant(log: EventLog, variants: Variants, events: CaseEvents) -> CaseEvents:
    """The victim with activities in an order that no case has: turned round, or with one of them again at the end."""
    known = {
        tuple(variants.activity[begin:end].tolist())
        for begin, end in zip(variants.offsets[:-1].tolist(), variants.offsets[1:].tolist(), strict=True)
    }
    code = {label: number for number, label in enumerate(log.activities)}
    path = [code[label] for label, _ in events]
    for candidate in _rearranged(path, len(log.activities)):
        if tuple(candidate) not in known:
            times = [time for _, time in events]
            times += [times[-1]] * (len(candidate) - len(times))
            return [(log.activities[step], time) for step, time in zip(candidate, times, strict=True)]
    raise AssertionError("a finite log has a finite longest variant")


def _rearranged(path: list[int], labels: int) -> Iterator[list[int]]:
    yield path[::-1]
    longer = list(path)
    while True:  # ends: some length is not in the log any more
        for label in range(labels):
            yield [*longer, label]
        longer.append(path[-1])


def _everything_different(log: EventLog, own: CaseEvents) -> CaseEvents:
    """From the first time of the log to its last if the case starts late, in its last quarter if it starts early."""
    first, last = int(log.time.min()), int(log.time.max())
    begin = first if own[0][1] - first > last - own[0][1] else last - (last - first) // 4
    steps = max(len(own) - 1, 1)
    return [(label, begin + (last - begin) * place // steps) for place, (label, _) in enumerate(own)]


def _replacing(log: EventLog, victim: int, events: CaseEvents, name: str, kind: Kind) -> Pair:
    says = "a case of the most frequent variant is replaced"
    return Pair(name, says, log, replaced(log, {victim: events}), Relation.REPLACE, kind, (victim, victim))


def _removing(log: EventLog, victim: int, name: str, kind: Kind) -> Pair:
    return Pair(name, "a case is removed", log, without(log, victim), Relation.ADD_REMOVE, kind, (victim, None))


def _adding(log: EventLog, events: CaseEvents, name: str, kind: Kind) -> Pair:
    return Pair(name, "a case is added", log, with_case(log, events), Relation.ADD_REMOVE, kind, (None, log.n_cases))


# --- durations ------------------------------------------------------------------------------------------------------


def _shifts(log: EventLog) -> Iterator[Pair]:
    """One duration of the largest group moves; and that of a case that is alone in its group, if there is one."""
    annotated = annotate(log)
    inner = ~annotated.is_start
    if not inner.any():
        return
    size = np.bincount(annotated.group[inner], minlength=annotated.n_groups)
    rows = np.flatnonzero(annotated.group == int(np.argmax(size)))
    value = annotated.relative_time[rows]
    order = np.argsort(value, kind="stable")
    ordered = value[order]
    middle, low = int(rows[order[len(order) // 2]]), int(rows[order[0]])
    quartile, largest = int(ordered[(3 * len(ordered)) // 4]), int(ordered[-1])
    if quartile != annotated.relative_time[middle]:
        yield _shifted(log, middle, quartile, "median → upper quartile of its group")
    if largest != annotated.relative_time[low]:
        yield _shifted(log, low, largest, "shortest → longest of its group")
    yield _shifted(log, middle, _FAR * largest + DAY, "median → far beyond its group")
    single = np.flatnonzero(inner & (size[annotated.group] == 1))
    if len(single):
        row = int(single[len(single) // 2])
        yield _shifted(log, row, 5 * int(annotated.relative_time[row]) + DAY, "alone in its group, five times as long")


def _shifted(log: EventLog, row: int, to: int, name: str) -> Pair:
    """One relative time becomes another; later events of the case move along, so that theirs stay."""
    case = int(log.case[row])
    place = row - int(log.offsets[case])
    events = events_of(log, case)
    moved = to - (events[place][1] - events[place - 1][1])
    return Pair(
        name=name,
        says="one duration of one case is another",
        left=log,
        right=replaced(log, {case: [*events[:place], *((label, time + moved) for label, time in events[place:])]}),
        relation=Relation.REPLACE,
        victim=(case, case),
        kind=Kind.TIME,
        place=place,
    )
