"""The internal page: before and after. It takes a ``Confidential`` and gives one, so writing it is a decision."""

from __future__ import annotations

from accounting.confidential import Confidential
from amun_dp.drawing.follows import difference_chart
from amun_dp.drawing.log_charts import active_chart, activities_chart, durations_chart, signed
from amun_dp.drawing.model import Chart, Table
from amun_dp.drawing.numbers import count, date, share
from amun_dp.drawing.render import render_page
from amun_dp.internals.charts import guessing_histogram, losses_chart, posterior_chart, removed_chart, variants_chart
from amun_dp.internals.comparison import Comparison

CONTENTS = (
    ("totals", "Before and after"),
    ("log", "The log"),
    ("privacy", "Privacy of single events"),
    ("loss", "What was lost"),
    ("label", "Label"),
)


def internal_page(comparison: Confidential[Comparison]) -> Confidential[str]:
    """The page as text, confidential as what it was made of. The same comparison gives the same bytes."""
    if not isinstance(comparison, Confidential):
        raise TypeError("the internal page is made of confidential figures, and stays confidential.")
    found = comparison.reveal()
    lost: list[Chart] = [variants_chart(found)]
    if found.removed is not None and found.removed.cases:
        lost.append(removed_chart(found.removed, found.before, found.report.advantage))
    page = render_page(
        "internal.html",
        {
            "report": found.report,
            "contents": [entry for entry in CONTENTS if entry[0] != "privacy" or found.losses is not None],
            "card": found.report.card,
            "totals": _totals(found),
            "log_charts": (
                activities_chart(found.after, found.before),
                durations_chart(found.after, found.before),
                active_chart(found.after, found.before),
            ),
            "graph": difference_chart(found.after, found.before),
            "privacy_charts": _privacy(found),
            "lost_charts": lost,
            "filtering": _filtering(found),
        },
    )
    return Confidential(page)


def _privacy(found: Comparison) -> tuple[Chart, ...]:
    """Noise has a size of its own for each event under the article's methods only."""
    if found.losses is None or found.guessing is None:
        return ()
    return (
        losses_chart(found.losses),
        guessing_histogram(found.guessing),
        posterior_chart(found.guessing, found.report.advantage),
    )


def _totals(found: Comparison) -> Table:
    before, after, alone = found.before, found.after, found.variants.one_of_a_kind

    def row(name: str, old: int, new: int) -> tuple[str, ...]:
        return (name, count(old), count(new), signed(new - old), share(new, old))

    return Table(
        columns=("", "Before", "After", "Change", "After in % of before"),
        rows=(
            row("Cases", before.cases, after.cases),
            row("Events", before.events, after.events),
            row("Variants", before.variants, after.variants),
            row("Variants that one original case alone has", alone.variants, alone.released),
            row("Activities", len(before.activities), len(after.activities)),
            row("Different steps (arrows)", len(before.follows.count), len(after.follows.count)),
            ("First event", date(before.first_time), date(after.first_time), "", ""),
            ("Last event", date(before.last_time), date(after.last_time), "", ""),
        ),
    )


def _filtering(found: Comparison) -> str:
    """A sentence where there is no chart."""
    if found.losses is None:
        return "Released cases are drawn anew from noisy counts; none of them is an original case."
    if found.removed is None:
        return f"The method {found.report.method} filters no case."
    return "" if found.removed.cases else "Filtering removed no case: every event could be protected."
