"""Charts of the internal page that have no public twin: ε, guessing probabilities, variants, what filtering removed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from amun_dp.comparison import PROBABILITY_BINS, ActivityLosses, Comparison, Guessing, Removed, VariantChange
from amun_dp.figures import LogFigures
from amun_dp.pages.charts import HEIGHT, WIDTH, Bar, Bin, Plot, Range, bars, histogram, plot, ranges, room_beside
from amun_dp.pages.log_charts import MOST_BARS, MOST_TALL, NAMES, signed
from amun_dp.pages.model import LONGEST_TABLE, Chart, Label, Table, top
from amun_dp.pages.scales import Tick, nice_step
from amun_dp.pages.svg import Picture, dot, line, polyline, text
from amun_dp.pages.words import ARROW, LONGEST_TITLE, count, counted, number, share, shorten, width_of

_STEP = 1 / PROBABILITY_BINS
MOST_STEPS = 12
"""Steps of a variant that are looked at one by one."""
_LEAST = 10


# --- ε by activity --------------------------------------------------------------------------------------------------


def losses_chart(losses: ActivityLosses) -> Chart:
    """The smallest, middle and largest ε of the times of each activity."""
    order = top(losses.events.tolist(), LONGEST_TABLE)
    shown = order[:MOST_TALL]
    finite = [value for each in shown for value in (float(losses.largest[each]),) if math.isfinite(value)]
    largest = max(finite, default=1.0)
    step = nice_step(largest, 5)
    ticks = [Tick(step * number_, number(step * number_)) for number_ in range(math.ceil(largest / step - 1e-9) + 1)]
    end = ticks[-1].at
    height, shapes = ranges(
        [
            Range(
                losses.activities[each],
                low=min(float(losses.smallest[each]), end),
                middle=min(float(losses.median[each]), end),
                high=min(float(losses.largest[each]), end),
                value=_range(losses, each),
            )
            for each in shown
        ],
        ticks,
        "ε of one event's time",
    )
    more = len(losses.activities) - len(shown)
    title = "ε by activity"
    return Chart(
        id="losses",
        title=title,
        reading="Each line spans the privacy losses of the times of an activity, from the smallest to the largest, "
        "with the median as a dot: what the noise really drawn gives, over all copies of a case. The further right, "
        "the less noise. It bounds nothing, because the scales came from the data.",
        picture=Picture(WIDTH, height, title, f"Lines for {counted(len(shown), 'activity', 'activities')}.", shapes),
        table=Table(
            columns=("Activity", "Events", "Smallest", "Median", "Largest"),
            rows=tuple(
                (
                    Label(losses.activities[each]),
                    count(int(losses.events[each])),
                    *(number(float(column[each])) for column in (losses.smallest, losses.median, losses.largest)),
                )
                for each in order
            ),
            note=_more(len(losses.activities) - len(order)),
        ),
        note=_more(more),
        tall=True,
    )


def _range(losses: ActivityLosses, each: int) -> str:
    low, high = number(float(losses.smallest[each])), number(float(losses.largest[each]))
    return low if low == high else f"{low} – {high}"


def _more(activities: int) -> str:
    return f"And {counted(activities, 'more activity', 'more activities')}." if activities else ""


# --- guessing -------------------------------------------------------------------------------------------------------


def guessing_histogram(guessing: Guessing) -> Chart:
    """How many events are guessed how surely, before and after."""
    pairs = list(zip(guessing.prior.tolist(), guessing.posterior.tolist(), strict=True))
    bins = [Bin(_bin(each), after, before) for each, (before, after) in enumerate(pairs)]
    edges = [Tick(each, number(each * _STEP)) for each in range(0, PROBABILITY_BINS + 1, 4)]
    title = "How surely an event's time is guessed"
    return Chart(
        id="guessing",
        title=title,
        reading="Each pair of columns counts the released events whose time is guessed right with such a probability: "
        "before the release (hollow, estimated from the log) and after it (filled, by the article's reckoning).",
        picture=Picture(
            WIDTH,
            HEIGHT,
            title,
            "Two histograms of probabilities from 0 to 1 in steps of 0.05; after the release they lie further right.",
            histogram(bins, edges, "probability of a right guess", "events", NAMES),
        ),
        table=Table(
            columns=("Probability", "Before", "After"),
            rows=tuple((each.name, count(each.before or 0), count(each.after)) for each in bins),
        ),
    )


def posterior_chart(guessing: Guessing, advantage: float) -> Chart:
    """The posterior against the prior, with the line that the method promises to keep below."""
    tenths = [Tick(each / 10, number(each / 10)) for each in range(0, 11, 2)]
    area = plot(0, 1, tenths, tenths, "probability before (prior)", "probability after (posterior)")
    shapes = [*area.axes, polyline(_straight(area, 0.0), "guide"), polyline(_straight(area, advantage), "line-before")]
    shapes += _words(area, advantage)
    rows = []
    for each, events in enumerate(guessing.prior.tolist()):
        if events:
            low, middle, high = (float(c[each]) for c in (guessing.lowest, guessing.median, guessing.highest))
            x = area.x((each + 0.5) * _STEP)
            shapes += [line(x, area.y(low), x, area.y(high), "range"), dot(x, area.y(middle), 3.5, "point")]
            rows.append((_bin(each), count(events), number(low), number(middle), number(high)))
    title = "Posterior against prior"
    over = guessing.above_claim
    return Chart(
        id="posterior",
        title=title,
        reading="Each upright line spans the probabilities of a right guess after the release, for events that were "
        "guessed about as surely before; the dot is the median. The dashed line is the claim: prior + advantage. "
        f"{'No event lies' if not over else counted(over, 'event lies', 'events lie')} above it. The reckoning assumes "
        "the estimated prior and scales that do not depend on the data, which they do.",
        picture=Picture(
            WIDTH,
            HEIGHT,
            title,
            f"For each prior the range of posteriors, a diagonal where nothing is gained, and a dashed line "
            f"{number(advantage)} above it.",
            tuple(shapes),
        ),
        table=Table(columns=("Prior", "Events", "Lowest posterior", "Median", "Highest"), rows=tuple(rows)),
    )


def _straight(area: Plot, above: float) -> list[tuple[float, float]]:
    points = [(0.0, above), (1 - above, 1.0)] + ([(1.0, 1.0)] if above else [])
    return [(area.x(x), area.y(y)) for x, y in points]


def _words(area: Plot, advantage: float) -> list[Markup]:
    return [
        text(area.x(0.42 - advantage / 2), area.y(0.54 + advantage / 2), "claimed", "note", "end"),
        text(area.x(0.99), area.y(0.64), "nothing gained", "note", "end"),
    ]


def _bin(each: int) -> str:
    return f"{each * _STEP:.2f} to {(each + 1) * _STEP:.2f}"


# --- variants -------------------------------------------------------------------------------------------------------


def variants_chart(comparison: Comparison) -> Chart:
    """The most frequent variants before, and what became of them."""
    changes = comparison.variants
    shown = changes.top[:MOST_BARS]
    height, shapes = bars(
        [Bar(_path(each, 42), each.after, each.before, _path(each, 180)) for each in shown], NAMES, "cases"
    )
    whole, listed = comparison.before.cases, sum(each.before for each in changes.top)
    more = comparison.before.variants - len(changes.top)
    title = "Variants kept, lost and replicated"
    return Chart(
        id="variants",
        title=title,
        reading=f"{counted(changes.kept, 'variant')} of {count(comparison.before.variants)} kept, "
        + (
            f"{count(changes.filtered)} lost to filtering and {count(changes.deleted)} to deletion; "
            if comparison.losses is not None
            else f"{count(changes.deleted)} lost, and {counted(changes.new, 'new one')} in the release; "
        )
        + f"{count(changes.replicated)} have more cases than before, {count(changes.thinned)} fewer. Each pair of bars "
        "is one of the most frequent variants: cases before (hollow) and after (filled).",
        picture=Picture(
            WIDTH, height, title, f"Pairs of bars for the {counted(len(shown), 'most frequent variant')}.", shapes
        ),
        table=Table(
            columns=("Variant", "Before", "Kept by filtering", "After", "Change"),
            rows=tuple(
                (
                    Label(_path(each, 120), 130),
                    count(each.before),
                    count(each.kept),
                    count(each.after) if each.after else "lost",
                    signed(each.after - each.before),
                )
                for each in changes.top
            ),
            note=f"And {counted(more, 'more variant')}, together {share(whole - listed, whole)} of the cases before."
            if more > 0
            else "",
        ),
        note=f"Lost variants had {counted(changes.cases_of_lost, 'case')} before, "
        f"{share(changes.cases_of_lost, whole)} of all."
        if changes.cases_of_lost
        else "",
    )


def _bar(variant: VariantChange) -> Bar:
    plain = Bar("", variant.after, variant.before)
    return replace(plain, name=_path(variant, room_beside(plain.value)), full=_path(variant, LONGEST_TITLE))


def _path(variant: VariantChange, columns: int) -> str:
    """The first steps and the last one; those between are counted where there is no room for them."""
    names = variant.activities
    steps = [shorten(each, LONGEST_TITLE) for each in names[:MOST_STEPS]]
    if len(steps) == len(names) and width_of(whole := ARROW.join(steps)) <= columns:
        return whole
    last = shorten(names[-1], LONGEST_TITLE)
    for first in range(min(len(steps), len(names) - 1), 0, -1):
        path = _joined(steps[:first], len(names) - first - 1, last)
        if width_of(path) <= columns:
            return path
    # Not even the first and the last fit: both are shortened.
    room = columns - math.ceil(width_of(_joined([""], max(len(names) - 2, 0), "")))
    if len(names) == 1 or room < _LEAST:
        return shorten(names[0], columns)
    return _joined([shorten(names[0], room // 2)], len(names) - 2, shorten(names[-1], room // 2))


def _joined(first: Sequence[str], between: int, last: str) -> str:
    return ARROW.join([*first, *([f"({between:,} more)"] if between else []), last])


# --- filtering ------------------------------------------------------------------------------------------------------


def removed_chart(removed: Removed, before: LogFigures, advantage: float) -> Chart:
    """How many events of each activity filtering removed, and which transitions were the cause."""
    sizes = removed.activity_events.tolist()
    order = [each for each in top(sizes, MOST_BARS) if sizes[each]]
    height, shapes = bars([Bar(before.activities[each], sizes[each]) for each in order])
    hit = sum(size > 0 for size in sizes)
    title = "What filtering removed"
    listed = removed.causes[:LONGEST_TABLE]
    return Chart(
        id="removed",
        title=title,
        reading=f"{counted(removed.cases, 'case')} ({share(removed.cases, before.cases)}) with "
        f"{counted(removed.events, 'event')} ({share(removed.events, before.events)}) were removed, because "
        f"{counted(removed.unprotectable, 'event')} in them could be guessed so well that no noise keeps the advantage "
        f"of {number(advantage)}. Each bar counts the removed events of an activity; the table has the transitions "
        "that were the cause.",
        picture=Picture(WIDTH, height, title, f"Bars for {counted(len(order), 'activity', 'activities')}.", shapes),
        table=Table(
            columns=("Activity of the transition", "From state", "To state", "Events", "Cases", "Largest prior"),
            rows=tuple(
                (
                    Label(each.activity),
                    count(each.source),
                    count(each.target),
                    count(each.events),
                    count(each.cases),
                    number(each.largest_prior),
                )
                for each in listed
            ),
            note=_rest_of(listed, removed),
        ),
        note=f"And {counted(hit - len(order), 'more activity', 'more activities')}, together "
        f"{share(removed.events - sum(sizes[each] for each in order), removed.events)} of the removed events."
        if hit > len(order)
        else "",
    )


def _rest_of(listed: Sequence[object], removed: Removed) -> str:
    more = removed.transitions - len(listed)
    return f"And {counted(more, 'more transition')}." if more > 0 else ""
