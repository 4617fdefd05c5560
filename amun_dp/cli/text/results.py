"""Results as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from amun_dp.article.parameters import Parameters
from amun_dp.article.summary import PlanSummary, Price
from amun_dp.budgets.earlier_releases import OTHERS_KNOWN, OTHERS_UNKNOWN
from amun_dp.cli.as_flags import in_flags
from amun_dp.eventlog.cases_per_individual import CasesPerIndividual
from amun_dp.release.inspect import Inspection
from amun_dp.report.public_report import PublicReport

if TYPE_CHECKING:
    from accounting.guarantee import Guarantee
    from amun_dp.report.card import Card

KEEP_INSIDE = "These figures come from the original log: keep them inside."


def describe_inspection(log: str, found: Inspection) -> str:
    def share(cases: int) -> str:
        return _share(cases, found.cases)

    lines = [
        f"{log}",
        "",
        *table(
            [
                ("cases", f"{found.cases:,}"),
                ("events", f"{found.events:,}"),
                ("activities", f"{found.activities:,}"),
                ("variants", f"{found.variants:,}"),
                ("events a case", f"{found.shortest_case:,} to {found.longest_case:,}, median {found.median_case:g}"),
                ("automaton", f"{found.states:,} states, {found.transitions:,} transitions"),
                ("time", f"{found.first_time} to {found.last_time}"),
            ]
        ),
        "",
        "How exposed are the people in it? Cases that an attacker singles out …",
        *table(
            [
                ("who knows the whole sequence of activities", share(found.cases_with_own_variant)),
                ("who knows the day on which the case starts", share(found.cases_alone_on_start_day)),
            ]
        ),
        "",
        "… who knows the first events of a case:",
        *columns(
            ("known events", "their activities", "their activities and days"),
            [
                (str(row.known_events), share(row.by_activities), share(row.by_activities_and_days))
                for row in found.exposure
            ],
        ),
        "",
        "What --method filtering would remove: cases with an event whose prior probability P leaves no room for the",
        "advantage A (P + A ≥ 1). A larger advantage means less noise, but also less room.",
        *columns(
            ("advantage", "cases removed", "variants lost"),
            [(f"{row.advantage:g}", share(row.filtered_cases), f"{row.lost_variants:,}") for row in found.filtering],
        ),
        "",
        *(() if found.individuals is None else [*_individuals(found.individuals, found.cases), ""]),
        KEEP_INSIDE,
    ]
    return "\n".join(lines)


def _individuals(found: CasesPerIndividual, cases: int) -> list[str]:
    return [
        "How many cases does one individual have?",
        *table(
            [
                ("individuals", f"{found.individuals:,}"),
                ("with more than one case", _share(found.with_several, found.individuals)),
                (
                    "cases of one",
                    f"median {found.median:g}, nine of ten have at most {found.ninth_decile:g}, the most is "
                    f"{found.largest:,}",
                ),
                *(
                    [("cases of nobody", f"{_share(found.cases_of_nobody, cases)}, each taken for one of its own")]
                    if found.cases_of_nobody
                    else []
                ),
            ]
        ),
        "",
        "What a declared number C would cover (--max-cases-per-individual C):",
        *columns(
            ("C", "individuals with at most C cases", "cases that count at --scope individual"),
            [
                (
                    f"{row.cases_of_one:,}",
                    _share(row.individuals_within, found.individuals),
                    _share(row.cases_counted, cases),
                )
                for row in found.numbers
            ],
        ),
        "Without a declaration nothing is promised about individuals. --scope individual --max-cases-per-individual C",
        "counts the first C cases of each. --one-case-per-individual, or C without that scope, declares that nobody",
        "has more, and is refused if somebody has. Declare what you know from outside the log: a number that is only",
        "read off this table bounds nothing.",
    ]


def describe_plan(log: str, parameters: Parameters, summary: PlanSummary) -> str:
    filtered = summary.cases - summary.kept_cases
    rows = [
        ("cases", f"{summary.cases:,}; {_share(filtered, summary.cases)} filtered"),
        ("events", f"{summary.events:,}; {summary.kept_events:,} kept"),
        ("variants", f"{summary.variants:,}; {summary.kept_variants:,} kept"),
        ("automaton", f"{summary.states:,} states, {summary.transitions:,} transitions"),
        ("ε of a transition count", f"{summary.control_flow_epsilon:.4g}"),
        (
            "ε of an event's time over its range",
            f"{summary.event_epsilon_minimum:.3g} to {summary.event_epsilon_maximum:.3g}, "
            f"median {summary.event_epsilon_median:.3g}",
        ),
        ("typical error of a start", f"{summary.median_start_error_days:.3g} days (half are larger; one copy)"),
        ("typical error of a duration", f"{summary.median_duration_error_hours:.3g} hours (half are larger; one copy)"),
    ]
    rows += [
        (f"noise for advantage {parameters.advantage:g} {_scope(price.scope, summary)}", _price(price))
        for price in summary.prices
    ]
    if summary.events_without_noise:
        rows.append(("events without any noise", f"{summary.events_without_noise:,} (article conventions)"))
    if summary.cases_per_individual * parameters.releases > 1:
        rows.append(
            (
                "every ε is divided by",
                f"{summary.cases_per_individual * parameters.releases} "
                f"({summary.cases_per_individual} cases of one individual × {parameters.releases} releases)",
            )
        )
    title = (
        f"{log}: plan at advantage {parameters.advantage:g}, method {parameters.method}, "
        f"conventions {parameters.conventions.name}"
    )
    closing = f"Nothing was drawn or spent. {KEEP_INSIDE}"
    return "\n".join([title, "", *table(rows), "", closing])


def describe_refusal(why: str) -> list[str]:
    """What stands between a plan and its release."""
    return ["", *wrap(f"anonymize would refuse this release. {in_flags(why)}", width=110)]


_SCOPES = {
    "cell": "for one cell",
    "event": "for one time",
    "case": "for a whole case",
}


def _scope(scope: str, summary: PlanSummary) -> str:
    number = summary.cases_per_individual
    return _SCOPES.get(scope) or f"for an individual with {number} case{'' if number == 1 else 's'}"


def _price(price: Price) -> str:
    """What the same advantage costs at a scope, whatever the attacker's prior, if the longest case were public."""
    parts = []
    if price.count_scale is not None:
        parts.append(f"{price.count_scale:.3g} cases on a count")
    if price.time_factor is not None:
        parts.append(f"{price.time_factor:,.0f} × that for one time")
    return ", ".join(parts)


def describe_release(directory: Path, report: PublicReport, budget: Sequence[str] = ()) -> str:
    withheld = any(line.withheld for line in report.guarantees)
    released = report.released
    lines = [
        f"Released to {directory}" + ("" if report.unpredictable else "  (NOT PRIVATE: seeded noise)"),
        "",
        *table(
            [
                (
                    f"{released.file}",
                    f"{released.cases:,} cases, {released.events:,} events, {released.variants:,} variants",
                ),
                (
                    "report.html",
                    "what is guaranteed, what is not protected, how it was made; "
                    + ("publish it beside the log" if report.unpredictable else "do NOT publish: the noise is seeded"),
                ),
                ("report.json", "the same for machines; amun-dp verify derives its guarantees again"),
                ("internal/", "confidential: computed from the original log; never publish it"),
            ]
        ),
        "",
        *_label(report),
        *budget,
        "",
        f"Claims and verdicts (advantage {report.advantage:g}, method {report.method}):",
        *columns(
            ("claim", "reading", "unit", "relation", "claimed ε", "verdict"),
            [
                (
                    claim.claim,
                    claim.reading.value,
                    claim.scope.value,
                    claim.relation.value,
                    _figure(claim),
                    claim.verdict.value,
                )
                for claim in report.guarantees
            ],
        ),
        "",
        ("ε withheld: a figure of the original log, in internal/. " if withheld else "")
        + "The reasons are in report.html and report.json.",
    ]
    return "\n".join(lines)


def _figure(line: Guarantee) -> str:
    if line.curve is not None:
        return f"μ {line.curve.mu:.4g}, average"
    return "withheld" if line.withheld else str(line.epsilon)


def _label(report: PublicReport) -> list[str]:
    """The label card of the page, in the terminal."""
    from amun_dp.report.remarks import ABOUT_INDIVIDUALS

    card = report.card
    ending = f", provided that {', and that '.join(card.provided)}" if card.provided else ""
    text = wrap(f"{card.sentence.rstrip('.')}{ending}.", width=110, initial_indent="    ", subsequent_indent="    ")
    more = [
        line
        for title, words in card.remarks
        if title in ABOUT_INDIVIDUALS
        for line in wrap(f"{title}: {words}", width=110, initial_indent="    ", subsequent_indent="    ")
    ]
    return [f"  {card.symbol} {card.heading}", *text, *more, *_earlier(card)]


def _earlier(card: Card) -> list[str]:
    """What the card says of other releases: a budget is spent by all of them."""
    remarks = [f"{name}: {said}" for name, said in card.remarks if name in (OTHERS_KNOWN, OTHERS_UNKNOWN)]
    return [line for said in remarks for line in wrap(said, width=110, initial_indent="    ", subsequent_indent="    ")]


def table(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [f"  {name:<{width}}  {value}" for name, value in rows]


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  " + "   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})"
