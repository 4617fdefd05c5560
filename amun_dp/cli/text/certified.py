"""The plan of a certified release, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amun_dp.cli.text.results import KEEP_INSIDE, columns, table
from amun_dp.release.before import SMALL_SHARE

if TYPE_CHECKING:
    from amun_dp.certified.plan import CertifiedSummary
    from amun_dp.certified.settings import CertifiedSettings

_FORMS = {
    "threshold": "variants whose noisy count reaches the threshold; (ε, δ), no variant is new",
    "public": "variants of a public set; pure ε, no variant outside the set",
    "generated": "new cases from a private model; pure ε, variants may be new",
}


def describe_certified_plan(log: str, parameters: CertifiedSettings, summary: CertifiedSummary) -> str:
    unit = "a whole case" if summary.scope == "case" else "an individual with all their cases that count"
    rows = [
        ("cases", f"{summary.cases:,}"),
        ("events", f"{summary.events:,}"),
        ("variants", f"{summary.variants:,}"),
        ("control flow", f"{summary.form}: {_FORMS[summary.form]}"),
        (f"ε for {unit}", f"{summary.epsilon:.4g}" + _together(parameters)),
    ]
    if summary.threshold is not None:
        rows += [
            (
                "δ",
                f"{summary.delta:.3g} for one unit, at most {summary.delta * summary.cases:.3g} for all of them",
            ),
            ("threshold", f"a variant needs about {summary.threshold:,} cases"),
            ("expected to be kept", f"{summary.expected_kept:.1%} of the cases"),
        ]
    if "variants" in summary.from_log:
        alone = f"{summary.cases_alone:,} of {summary.cases:,} cases have a variant of their own"
        rows.append(("disclosed by public variants", alone))
    rows.append(("taken from the log", ", ".join(summary.from_log) or "nothing"))
    rows.append(("about an individual", _about_individuals(parameters, summary)))
    rows.append(("price of the unit", _price(summary)))
    lines = [
        f"{log}: plan at advantage {parameters.advantage:g}, method certified, variants {summary.form}",
        "",
        *table(rows),
        "",
        "What each measurement gets, for one release and one case:",
        *columns(
            ("of", "measurement", "ε", "noise (cases)"),
            [(part.of, part.name, f"{part.epsilon:.3g}", f"{part.noise:.3g}") for part in summary.parts],
        ),
        "",
        *_advice(summary),
        f"Nothing was drawn or spent. {KEEP_INSIDE}",
    ]
    return "\n".join(lines)


def _together(parameters: CertifiedSettings) -> str:
    return "" if parameters.releases == 1 else f", all {parameters.releases} releases together"


def _about_individuals(parameters: CertifiedSettings, summary: CertifiedSummary) -> str:
    declared = parameters.choices.declared_cases
    if summary.scope == "individual":
        return f"of each at most {summary.individual_factor:,} cases count; further ones are left out"
    if declared is None:
        return "nothing is promised: no number of cases is declared (--one-case-per-individual, or --scope individual)"
    return f"ε {summary.epsilon * declared:.4g}, if nobody has more than the declared {_cases(declared)}"


def _cases(number: int) -> str:
    return "one case" if number == 1 else f"{number:,} cases"


def _price(summary: CertifiedSummary) -> str:
    if summary.scope == "individual":
        return f"all noise is {summary.individual_factor} times what it would be for one case (--scope case)"
    return "for an individual with up to C cases all noise is C times this (--scope individual)"


def _advice(summary: CertifiedSummary) -> list[str]:
    advice = []
    if summary.expected_kept < SMALL_SHARE:
        advice.append(
            "Most cases have variants that are too rare for a threshold. --variants generated needs no frequent ones; "
            "--variants public with --public FILE takes them from outside the log."
        )
    if summary.form == "public" and "variants" in summary.from_log:
        advice.append(
            "The log's own variants are taken as public: one that a single case has is disclosed by that choice. "
            "--public FILE takes them from elsewhere."
        )
    if "longest duration" not in summary.given:
        advice.append(
            "Where cases are much shorter than the time frame, a longest duration known from outside (longest_days in "
            "--public FILE) makes times far better."
        )
    return [*advice, ""] if advice else []
