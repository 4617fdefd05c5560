"""Charts of a log's figures, alone or beside those of the log before: activities, durations, active cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.drawing.charts import Bar, Bin, bars, histogram, room_beside, steps
from amun_dp.drawing.model import LONGEST_TABLE, Chart, Label, Table, top
from amun_dp.drawing.numbers import LONGEST_TITLE, count, counted, date, duration, share, variant_text
from amun_dp.drawing.scales import Tick, time_ticks
from amun_dp.eventlog.figures import DURATION_EDGES, LogFigures

MOST_BARS, MOST_TALL = 12, 18
"""Bars of a chart, and of one that is as tall as two."""
NAMES = ("before", "after")


def activities_chart(after: LogFigures, before: LogFigures | None = None) -> Chart:
    """How often each activity occurs, most frequent first."""
    labels, now, then = aligned_activities(after, before)
    order = top(now if before is None else then, LONGEST_TABLE)
    shown = order[: MOST_BARS if before is None else MOST_TALL]
    most = f"'{Label(labels[order[0]], 30).short}' is the most frequent with {counted(now[order[0]], 'event')}"
    return Chart(
        id="activities",
        title="Activities" if before is None else "Activities, before and after",
        reading="Each bar is as long as the activity is frequent; its number of events stands on the right."
        if before is None
        else "The hollow bar is the original log, the filled one the released log. Equal lengths mean that the "
        "frequency of the activity survived.",
        drawing=bars(
            [Bar(labels[each], now[each], None if before is None else then[each]) for each in shown],
            () if before is None else NAMES,
        ),
        shows=f"Bars for {counted(len(shown), 'activity', 'activities')}. {most}.",
        table=Table(
            columns=("Activity", "Events", "Share") if before is None else ("Activity", "Before", "After", "Change"),
            rows=tuple(
                (Label(labels[each]), count(now[each]), share(now[each], after.events))
                if before is None
                else (Label(labels[each]), count(then[each]), count(now[each]), signed(now[each] - then[each]))
                for each in order
            ),
            note=_left_out(order, now if before is None else then, labels),
        ),
        tall=before is not None,
        note=_left_out(shown, now if before is None else then, labels),
    )


def aligned_activities(after: LogFigures, before: LogFigures | None) -> tuple[tuple[str, ...], list[int], list[int]]:
    """Labels of both logs, and the number of events of each in either."""
    if before is None:
        return after.activities, after.activity_events.tolist(), []
    labels = tuple(sorted({*before.activities, *after.activities}))
    now, then = (dict(zip(log.activities, log.activity_events.tolist(), strict=True)) for log in (after, before))
    return labels, [now.get(label, 0) for label in labels], [then.get(label, 0) for label in labels]


def _left_out(shown: Sequence[int], sizes: Sequence[int], labels: Sequence[str]) -> str:
    more = len(labels) - len(shown)
    if not more:
        return ""
    whole = sum(sizes)
    rest = whole - sum(sizes[each] for each in shown)
    return f"And {count(more)} more, together {share(rest, whole)} of the events."


def variant_bar(activities: Sequence[str], before: int, after: int) -> Bar:
    """A pair of bars for a variant, named as far as there is room."""
    plain = Bar("", after, before)
    name = variant_text(activities, room_beside(plain.value))
    return replace(plain, name=name, full=variant_text(activities, LONGEST_TITLE))


def variant_label(activities: Sequence[str]) -> Label:
    """The name of a variant in a table."""
    return Label(variant_text(activities, 120), 130)


def signed(change: int) -> str:
    return f"+{change:,}" if change > 0 else f"−{-change:,}" if change else "0"


# --- durations ------------------------------------------------------------------------------------------------------

_UPPER = (0, *DURATION_EDGES)


def durations_chart(after: LogFigures, before: LogFigures | None = None) -> Chart:
    """How long cases last. Columns from the first that has a case to the last."""
    now = after.durations
    then = before.durations if before is not None else None
    shown = _shown_bins(now if then is None else now + then)
    bins = [Bin(_bin_name(each), int(now[each]), None if then is None else int(then[each])) for each in shown]
    fullest = max(bins, key=lambda each: each.after)
    return Chart(
        id="durations",
        title="Case durations" if before is None else "Case durations, before and after",
        reading="Each column counts the cases that last as long as the marks on both of its sides say; the marks grow "
        "about threefold from one to the next."
        + ("" if before is None else " Hollow columns are the original log, filled ones the released log."),
        drawing=histogram(
            bins, _duration_marks(shown), "from first to last event", "cases", () if then is None else NAMES
        ),
        shows=f"A histogram from {bins[0].name} to {bins[-1].name}. The fullest column, {fullest.name}, has "
        f"{counted(fullest.after, 'case')}.",
        table=Table(
            columns=("Duration", "Cases") if then is None else ("Duration", "Before", "After", "Change"),
            rows=tuple(
                (each.name, count(each.after))
                if each.before is None
                else (each.name, count(each.before), count(each.after), signed(each.after - each.before))
                for each in bins
            ),
        ),
    )


def _bin_name(each: int) -> str:
    if each == 0:
        return "zero"
    if each == 1:
        return f"up to {duration(_UPPER[1])}"
    if each == len(_UPPER):
        return f"more than {duration(_UPPER[-1])}"
    return f"{duration(_UPPER[each - 1])} to {duration(_UPPER[each])}"


def _shown_bins(cases: IntArray) -> list[int]:
    """Zero, if a case has it, and all bins from the first with a case to the last."""
    used = np.flatnonzero(cases[1:]) + 1
    between = list(range(int(used[0]), int(used[-1]) + 1)) if len(used) else []
    return ([0] if cases[0] else []) + between or [0]


def _duration_marks(shown: list[int]) -> list[Tick]:
    """The upper end of each column at its right side, and the lower end of the first. Zero is a column of its own."""
    zero = [Tick(0.5, "zero")] if shown[0] == 0 else []
    lower = [Tick(0, duration(_UPPER[shown[0] - 1]))] if shown[0] > 1 else []
    upper = [Tick(place + 1, duration(_UPPER[each])) for place, each in enumerate(shown) if 0 < each < len(_UPPER)]
    return zero + lower + upper


# --- active cases ---------------------------------------------------------------------------------------------------


def active_chart(after: LogFigures, before: LogFigures | None = None) -> Chart:
    """How many cases are open at a time. Both logs are given on the same bins."""
    bins, now = after.active, after.active.cases.tolist()
    then = before.active.cases.tolist() if before is not None else None
    end = bins.start + bins.width * len(now)
    names = [date(bins.start + each * bins.width, width=bins.width) for each in range(len(now))]
    peak = int(np.argmax(now))
    each_step = duration(bins.width, long=True)
    return Chart(
        id="active",
        title="Active cases over time" if before is None else "Active cases over time, before and after",
        reading=f"Each step is {each_step} and counts the cases that were open at some time in it: begun, and not yet "
        "ended." + ("" if then is None else " The dashed line is the original log, the solid one the released log."),
        drawing=steps(bins.start, bins.width, now, then, time_ticks(bins.start, end), "cases", NAMES),
        shows=f"Steps of {each_step} from {names[0]} to {names[-1]}; the most active cases are {count(now[peak])}, "
        f"from {names[peak]} on.",
        table=Table(
            columns=(f"From (steps of {each_step})", "Active cases")
            if then is None
            else (f"From (steps of {each_step})", "Before", "After", "Change"),
            rows=tuple(
                (name, count(value))
                if then is None
                else (name, count(then[each]), count(value), signed(value - then[each]))
                for each, (name, value) in enumerate(zip(names, now, strict=True))
            ),
        ),
    )
