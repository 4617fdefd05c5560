"""Charts of the internal page that have no public twin: ε, guessing probabilities, variants, what filtering removed."""

from __future__ import annotations

import math

from markupsafe import Markup

from amun_dp.drawing.axes import Plot, plot
from amun_dp.drawing.charts import Bar, Bin, Range, bars, histogram, ranges
from amun_dp.drawing.log_charts import MOST_BARS, MOST_TALL, NAMES, signed, variant_bar, variant_label
from amun_dp.drawing.model import LONGEST_TABLE, Chart, Label, Table, top
from amun_dp.drawing.numbers import and_more, count, counted, number, share
from amun_dp.drawing.scales import Tick, nice_step
from amun_dp.drawing.svg import Drawing, dot, line, polyline, text
from amun_dp.eventlog.figures import LogFigures
from amun_dp.internals.comparison import PROBABILITY_BINS, ActivityLosses, Comparison, Guessing
from amun_dp.internals.removed import Removed

_STEP = 1 / PROBABILITY_BINS


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
    rows = [
        Range(
            losses.activities[each],
            low=min(float(losses.smallest[each]), end),
            middle=min(float(losses.median[each]), end),
            high=min(float(losses.largest[each]), end),
            value=_range(losses, each),
        )
        for each in shown
    ]
    return Chart(
        id="losses",
        title="ε by activity",
        reading="Each line spans the privacy losses of the times of an activity, from the smallest to the largest, "
        "with the median as a dot: what the noise really drawn gives, over all copies of a case. The further right, "
        "the less noise. It bounds nothing, because the scales came from the data.",
        drawing=ranges(rows, ticks, "ε of one event's time"),
        shows=f"Lines for {counted(len(shown), 'activity', 'activities')}.",
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
            note=and_more(len(losses.activities) - len(order), "activity", "activities"),
        ),
        note=and_more(len(losses.activities) - len(shown), "activity", "activities"),
        tall=True,
    )


def _range(losses: ActivityLosses, each: int) -> str:
    low, high = number(float(losses.smallest[each])), number(float(losses.largest[each]))
    return low if low == high else f"{low} – {high}"


# --- guessing -------------------------------------------------------------------------------------------------------


def guessing_histogram(guessing: Guessing) -> Chart:
    """How many events are guessed how surely, before and after."""
    pairs = list(zip(guessing.prior.tolist(), guessing.posterior.tolist(), strict=True))
    bins = [Bin(_bin(each), after, before) for each, (before, after) in enumerate(pairs)]
    edges = [Tick(each, number(each * _STEP)) for each in range(0, PROBABILITY_BINS + 1, 4)]
    return Chart(
        id="guessing",
        title="How surely an event's time is guessed",
        reading="Each pair of columns counts the released events whose time is guessed right with such a probability: "
        "before the release (hollow, estimated from the log) and after it (filled, by the article's reckoning).",
        drawing=histogram(bins, edges, "probability of a right guess", "events", NAMES),
        shows="Two histograms of probabilities from 0 to 1 in steps of 0.05; after the release they lie further right.",
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
    over = guessing.above_claim
    return Chart(
        id="posterior",
        title="Posterior against prior",
        reading="Each upright line spans the probabilities of a right guess after the release, for events that were "
        "guessed about as surely before; the dot is the median. The dashed line is the claim: prior + advantage. "
        f"{'No event lies' if not over else counted(over, 'event lies', 'events lie')} above it. The reckoning assumes "
        "the estimated prior and scales that do not depend on the data, which they do.",
        drawing=Drawing(tuple(shapes)),
        shows="For each prior the range of posteriors, a diagonal where nothing is gained, and a dashed line "
        f"{number(advantage)} above it.",
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
    whole, listed = comparison.before.cases, sum(each.before for each in changes.top)
    more = comparison.before.variants - len(changes.top)
    return Chart(
        id="variants",
        title="Variants kept, lost and replicated",
        reading=f"{counted(changes.kept, 'variant')} of {count(comparison.before.variants)} kept, "
        + (
            f"{count(changes.filtered)} lost to filtering and {count(changes.deleted)} to deletion; "
            if comparison.losses is not None
            else f"{count(changes.deleted)} lost, and {counted(changes.new, 'new one')} in the release; "
        )
        + f"{count(changes.replicated)} have more cases than before, {count(changes.thinned)} fewer. Each pair of bars "
        "is one of the most frequent variants: cases before (hollow) and after (filled).",
        drawing=bars([variant_bar(each.activities, each.before, each.after) for each in shown], NAMES, "cases"),
        shows=f"Pairs of bars for the {counted(len(shown), 'most frequent variant')}.",
        table=Table(
            columns=("Variant", "Before", "Kept by filtering", "After", "Change"),
            rows=tuple(
                (
                    variant_label(each.activities),
                    count(each.before),
                    count(each.kept),
                    count(each.after) if each.after else "lost",
                    signed(each.after - each.before),
                )
                for each in changes.top
            ),
            note=and_more(more, "variant", ending=f", together {share(whole - listed, whole)} of the cases before"),
        ),
        note=f"Lost variants had {counted(changes.cases_of_lost, 'case')} before, "
        f"{share(changes.cases_of_lost, whole)} of all."
        if changes.cases_of_lost
        else "",
    )


# --- filtering ------------------------------------------------------------------------------------------------------


def removed_chart(removed: Removed, before: LogFigures, advantage: float) -> Chart:
    """How many events of each activity filtering removed, and which transitions were the cause."""
    sizes = removed.activity_events.tolist()
    order = [each for each in top(sizes, MOST_BARS) if sizes[each]]
    hit = sum(size > 0 for size in sizes)
    rest = removed.events - sum(sizes[each] for each in order)
    listed = removed.causes[:LONGEST_TABLE]
    return Chart(
        id="removed",
        title="What filtering removed",
        reading=f"{counted(removed.cases, 'case')} ({share(removed.cases, before.cases)}) with "
        f"{counted(removed.events, 'event')} ({share(removed.events, before.events)}) were removed, because "
        f"{counted(removed.unprotectable, 'event')} in them could be guessed so well that no noise keeps the advantage "
        f"of {number(advantage)}. Each bar counts the removed events of an activity; the table has the transitions "
        "that were the cause.",
        drawing=bars([Bar(before.activities[each], sizes[each]) for each in order]),
        shows=f"Bars for {counted(len(order), 'activity', 'activities')}.",
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
            note=and_more(removed.transitions - len(listed), "transition"),
        ),
        note=and_more(
            hit - len(order),
            "activity",
            "activities",
            f", together {share(rest, removed.events)} of the removed events",
        ),
    )
