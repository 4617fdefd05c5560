"""The tables of a comparison: the article's three (EMD at the average, minimum and maximum ε; times), and what they
do not tell: errors edge by edge, variants, what the times give away, memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amun_dp.comparing.article_figures import (
    ARTICLE_NAMES,
    article_emd,
    article_log,
    article_minutes,
    article_phi,
    named,
)
from amun_dp.comparing.cell_summary import Spread, Summary, summarise
from amun_dp.comparing.cells import BASELINES, PHIS, Phi
from amun_dp.comparing.runs import AllRuns
from amun_dp.comparing.table_formats import Entry, Grid

NONE = "–"
"""As in the article: time or memory ran out."""
NOTHING = "nothing"
NOT_RUN = ""
_FATES = ("kept", "lost", "new")


def grids(found: AllRuns) -> list[Grid]:
    tables = []
    for phi in PHIS if _baselines(found) else PHIS[:1]:
        tables += [_emd(found, measure, phi) for measure in ("frequency", "time")]
    tables += [
        _shares(
            found,
            "frequency_error",
            "Error of edge counts",
            "Σ |count after − count before| over all edges, relative to the original's total. 0: the same graph; 1: an "
            "empty log. Unlike the EMD it compares each edge with itself.",
        ),
        _shares(
            found,
            "time_error",
            "Error of edge durations",
            "The same for the total time on each edge.",
        ),
        _variants(found),
        _percentages(
            found,
            "steps_unchanged",
            "Times that came through unchanged",
            "Share of released steps whose duration is that of an original step between the same activities, to the "
            "millisecond.",
        ),
        _percentages(
            found,
            "cases_linked",
            "Cases that are linked by their times",
            "Share of released cases with the very activities and times between them of exactly one original case: "
            "the linkage attack of `amun-dp verify` in its simplest form. A small EMD of times is worth nothing where "
            "this is not small.",
        ),
        _times(found),
        _memory(found),
    ]
    return [table for table in tables if table.rows]


# --- the article's tables -------------------------------------------------------------------------------------------


def _emd(found: AllRuns, measure: str, phi: Phi) -> Grid:
    """Ours, and below it the article's row where it used the log."""
    methods = [method for method in found.methods if not (measure == "time" and method == "sacofa")]
    rows = []

    def phis(text: str) -> list[Entry]:
        """Of interest to baselines only."""
        return [Entry(text)] if _baselines(found) else []

    for log, facts in found.facts.items():
        known_as = article_log(facts)
        for advantage in found.advantages:
            summaries = [_summary(found, log, method, advantage, phi) for method in methods]
            ours = _row(summaries, f"{measure}_emd")
            theirs = [article_emd(known_as, advantage, measure, method, phi) for method in methods]
            printed = _best_of(theirs, lambda value: f"{value:g}")
            at = f"{facts['phi'][f'{advantage:g}'][phi]:.3g}"
            if any(entry.text for entry in ours):
                rows.append((Entry(log), Entry(f"{advantage:g}"), *phis(at), Entry("ours"), *ours))
            if any(entry.text for entry in printed):
                # Its "-" is ours; what it does not have stays empty.
                printed = [
                    Entry(NONE) if value is None and method in ARTICLE_NAMES else entry
                    for value, method, entry in zip(theirs, methods, printed, strict=True)
                ]
                with_phi = phis(f"{article_phi(known_as, advantage, phi):g}")
                rows.append((Entry(log), Entry(f"{advantage:g}"), *with_phi, Entry("article"), *printed))
    unit = "edge counts" if measure == "frequency" else "total durations of edges, in months of 720 hours"
    notes = [
        f"Earth movers' distance of {unit} as the article's prototype computes it: of the sorted values, whichever "
        "edge they belong to. Mean ± standard deviation of the runs that released something; bold: the least of those "
        "that always did.",
    ]
    if _baselines(found):
        notes.append(
            f"Baselines get one ε for everything: the {phi} Φ, that of the events released by `sampling` after "
            "division by copies; of three prunings (0.5, 1 and 5 % of the cases) the best by frequency is shown."
        )
    title = f"{measure.capitalize()} EMD" + (f" at the {phi} ε" if _baselines(found) else "")
    words = ("log", "advantage", *(f"{phi} Φ" for _ in phis("")), "")
    return Grid(title, tuple(notes), (*words, *map(named, methods)), len(words), tuple(rows))


# --- what they do not tell ------------------------------------------------------------------------------------------


def _shares(found: AllRuns, measure: str, title: str, note: str) -> Grid:
    methods = [method for method in found.methods if method != "sacofa" or measure == "frequency_error"]
    return Grid(
        title,
        (note,),
        ("log", "advantage", *map(named, methods)),
        2,
        _rows(found, methods, lambda summaries: _row(summaries, measure)),
    )


def _percentages(found: AllRuns, measure: str, title: str, note: str) -> Grid:
    methods = [method for method in found.methods if method != "sacofa"]

    def shown(summary: Summary) -> str:
        mean = summary.mean(measure)
        if mean is None:
            return ""
        return "<0.01%" if 0 < mean < 0.0001 else f"{mean:.2%}"  # one case of many is not none

    return Grid(
        title,
        (note,),
        ("log", "advantage", *map(named, methods)),
        2,
        _rows(found, methods, lambda summaries: [_said(each, shown) for each in summaries]),
    )


def _variants(found: AllRuns) -> Grid:
    def entries(summaries: Sequence[Summary | None]) -> list[Entry]:
        return [_said(each, _three) for each in summaries]

    def _three(summary: Summary) -> str:
        # A mean of 0.4 new variants is not none.
        return " / ".join(f"{summary.measures[f'variants_{of}'].mean:,.1f}".removesuffix(".0") for of in _FATES)

    return Grid(
        "Variants: kept / lost / new",
        ("Means. New variants are ones that nobody followed.",),
        ("log", "advantage", *map(named, found.methods)),
        2,
        _rows(found, found.methods, entries),
    )


def _times(found: AllRuns) -> Grid:
    """At the smallest advantage, as the article has it."""
    advantage, rows = min(found.advantages), []
    for log, facts in found.facts.items():
        summaries = [_summary(found, log, method, advantage, PHIS[0]) for method in found.methods]
        alone = [_said(each, lambda one: _number(one.seconds.mean) if one.seconds else "") for each in summaries]
        used = [_said(each, lambda one: _number(one.processor.mean) if one.processor else "") for each in summaries]
        whole = [_said(each, lambda one: _number(one.whole_seconds) if one.whole_seconds else "") for each in summaries]
        if any(entry.text for entry in alone):
            rows.append((Entry(log), Entry("release alone"), *alone))
            rows.append((Entry(log), Entry("processor time"), *used))
        if any(entry.text not in ("", NONE, NOTHING) for entry in whole):
            rows.append((Entry(log), Entry("read to written"), *whole))
        theirs = {method: article_minutes(article_log(facts), advantage, method) for method in found.methods}
        if any(minutes is not None for minutes in theirs.values()):
            # It did not measure SaCoFa.
            missing = {method: NONE for method in ARTICLE_NAMES if method != "sacofa"}
            said = [missing.get(of, NOT_RUN) if at is None else _number(60 * at) for of, at in theirs.items()]
            rows.append((Entry(log), Entry("article"), *map(Entry, said)))
    return Grid(
        f"Seconds at advantage {advantage:g}",
        (
            "Means. Release alone: from the log in memory to the released one, by the clock; below it in seconds of "
            "all cores together, which depend less on what else the machine does. Read to written: from a file to a "
            ".xes.gz, by the clock, for methods of this package. The article's: its Table 3, on another machine.",
        ),
        ("log", "", *map(named, found.methods)),
        2,
        tuple(rows),
    )


def _memory(found: AllRuns) -> Grid:
    advantage = min(found.advantages)

    def megabytes(summary: Summary) -> str:
        return "" if summary.memory is None else f"{summary.memory / 2**20:,.0f}"

    rows = []
    for log in found.facts:
        entries = [_said(_summary(found, log, m, advantage, PHIS[0]), megabytes) for m in found.methods]
        if any(entry.text not in ("", NONE, NOTHING) for entry in entries):
            rows.append((Entry(log), *entries))
    return Grid(
        f"Peak memory at advantage {advantage:g}, MB",
        ("Of the process: libraries, the log and, for methods of this package, reading included.",),
        ("log", *map(named, found.methods)),
        1,
        tuple(rows),
    )


# --- rows and entries -----------------------------------------------------------------------------------------------


def _rows(
    found: AllRuns, methods: Sequence[str], entries: Callable[[Sequence[Summary | None]], Sequence[Entry]]
) -> tuple[tuple[Entry, ...], ...]:
    rows = []
    for log in found.facts:
        for advantage in found.advantages:
            row = entries([_summary(found, log, method, advantage, PHIS[0]) for method in methods])
            if any(entry.text for entry in row):
                rows.append((Entry(log), Entry(f"{advantage:g}"), *row))
    return tuple(rows)


def _summary(found: AllRuns, log: str, method: str, advantage: float, phi: Phi) -> Summary | None:
    return summarise(found.runs, log, method, advantage, phi if method in BASELINES else None)


def _row(summaries: Sequence[Summary | None], measure: str) -> list[Entry]:
    means = [summary.mean(measure) for summary in summaries if summary is not None and _always(summary)]
    least = min((mean for mean in means if mean is not None), default=None)
    row = []
    for summary in summaries:
        entry = _said(summary, lambda one: _spread(one.measures.get(measure)))
        best = summary is not None and _always(summary) and least is not None and summary.mean(measure) == least
        row.append(Entry(entry.text, best))
    return row


def _said(summary: Summary | None, shown: Callable[[Summary], str]) -> Entry:
    if summary is None:
        return Entry(NOT_RUN)
    if summary.exceeded:
        return Entry(NONE)
    if not summary.released:
        return Entry(_unreleased(summary))
    text = shown(summary)
    return Entry(text if not text or _always(summary) else f"{text} ({summary.released} of {summary.runs})")


def _unreleased(summary: Summary) -> str:
    if not summary.failed:
        return NOTHING
    return "failed" if summary.failed == summary.runs else f"{NOTHING} ({summary.failed} of {summary.runs} failed)"


def _always(summary: Summary) -> bool:
    """Whether every run released something. A mean of the lucky ones alone is not the best of its row."""
    return not summary.exceeded and summary.released == summary.runs


def _best_of(values: Sequence[float | None], shown: Callable[[float], str]) -> list[Entry]:
    least = min((value for value in values if value is not None), default=None)
    return [Entry(NOT_RUN) if value is None else Entry(shown(value), value == least) for value in values]


def _spread(found: Spread | None) -> str:
    if found is None:
        return ""
    return _number(found.mean) if found.deviation is None else f"{_number(found.mean)} ± {found.deviation:.2g}"


def _number(value: float) -> str:
    """Three digits that count, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _baselines(found: AllRuns) -> bool:
    return any(method in BASELINES for method in found.methods)
