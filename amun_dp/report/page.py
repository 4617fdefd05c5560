"""The public page: the report and figures of the released log, as one self-contained HTML file.

Its arguments are a ``PublicReport`` and a ``PublicLog`` (or its figures, where the log is too large to be at hand), and
there is no other way in: a figure of the original log in their place does not type-check, and is refused when it is
tried all the same.
"""

from __future__ import annotations

from accounting.assumptions import Assumption
from amun_dp.drawing.follows import follows_chart
from amun_dp.drawing.log_charts import active_chart, activities_chart, durations_chart
from amun_dp.drawing.numbers import capital, counted, sentence
from amun_dp.drawing.render import render_page
from amun_dp.eventlog.figures import PublicFigures, public_figures
from amun_dp.eventlog.log import PublicLog
from amun_dp.folder.names import PAGE_FILE
from amun_dp.report.advantage import advantage_chart
from amun_dp.report.claims import assumptions_used, claim_groups, proofs
from amun_dp.report.mechanisms import steps_of
from amun_dp.report.public_report import SCHEMA, PublicReport
from amun_dp.report.publisher_choices import choices

CONTENTS = (
    ("label", "Label"),
    ("claims", "Claims"),
    ("unprotected", "What is not protected"),
    ("made", "How it was made"),
    ("charts", "The released log"),
    ("reproduce", "Check it yourself"),
    ("proofs", "Proofs"),
)


def public_page(report: PublicReport, log: PublicLog | PublicFigures) -> str:
    """The public page of a release as HTML. The same report and log give the same text, byte for byte, on any day and
    any machine."""
    if not isinstance(report, PublicReport) or not isinstance(log, PublicLog | PublicFigures):
        raise TypeError("the public page is made of the public report and the released log, and of nothing else.")
    guarantees = report.guarantees
    figures = public_figures(log) if isinstance(log, PublicLog) else log
    entries = proofs(guarantees)
    return render_page(
        "public.html",
        {
            "report": report,
            "contents": CONTENTS,
            "released": _totals(report),
            "card": report.card,
            "groups": claim_groups(guarantees),
            "unprotected": [_named(text) for text in report.unprotected],
            "steps": steps_of(report),
            "choices": choices(report),
            "charts": (
                advantage_chart(report),
                activities_chart(figures),
                durations_chart(figures),
                active_chart(figures),
                follows_chart(figures),
            ),
            "schema": SCHEMA,
            "formats": ", ".join(f"{name} {number}" for name, number in report.formats.items() if name != "schema"),
            "software": sorted(report.software.items()),
            # The page cannot hold its own hash; the report for machines has it.
            "files": sorted((name, digest) for name, digest in report.files.items() if name != PAGE_FILE),
            "proofs": entries,
            "assumptions": assumptions_used(entries),
            "slug": slug,
        },
    )


ESCAPED = " In this file a label that a spreadsheet would take for a formula has a ' before it."


def slug(assumption: Assumption) -> str:
    return f"assumption-{assumption.value.replace(' ', '-')}"


def _totals(report: PublicReport) -> str:
    released = report.released
    name = f"{released.file}: " if released.file else ""
    return (
        f"{name}{counted(released.cases, 'case')}, {counted(released.events, 'event')}, "
        f"{counted(released.variants, 'variant')}." + (ESCAPED if released.escaped_formulas else "")
    )


def _named(text: str) -> tuple[str, str]:
    """'variants: only …' as its name and the rest; a sentence without a name as it is."""
    name, colon, rest = text.partition(": ")
    return (capital(name), sentence(rest)) if colon else ("", sentence(text))
