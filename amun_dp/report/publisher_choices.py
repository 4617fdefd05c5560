"""What the publisher chose, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from amun_dp.drawing.numbers import count, delta_text, duration, number
from amun_dp.report.parameters import ArticleParameters, CertifiedParameters
from amun_dp.report.public_report import PublicReport


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter, what was chosen, and what it means."""

    name: str
    value: str
    means: str


_METHODS = {
    "filtering": "cases that cannot be protected are removed, others copied and deleted",
    "sampling": "cases are copied and deleted",
    "oversampling": "cases are only copied",
    "certified": "new cases are drawn from noisy counts; nothing of an original case is copied",
}
_SAMPLERS = {
    "opendp": "drawn by OpenDP's sampler",
    "exact": "drawn by amun-dp's own sampler, in whole numbers",
    "seeded": "drawn from a seed, for tests: it can be subtracted",
}
_CONVENTIONS = {
    "article": "as the article's tables were computed",
    "corrected": "where article, tables and prototype part ways, the mended form",
    "custom": "settings of the publisher's own, all of them listed here",
}
_SCOPES = {"event": "noise is calibrated for one cell and one event", "case": "noise is calibrated for a whole case"}
_PRIORS = {
    "closed-window": "the share of comparable events within the precision of a guess",
    "clamped-cdf": "as in the article: the mass at the smallest value is not counted",
}
_RANGES = {
    "maximum": "from zero to the group's largest value",
    "spread": "the group's largest value minus its smallest; zero, hence no noise, if all are equal",
}
_FILTERINGS = {"until-stable": "until no case violates the condition", "once": "one pass"}
_COMPRESSIONS = {
    "fold": "start times are folded back into the time frame of the log",
    "factor": "relative times are multiplied by a factor",
}


_FORMS = {
    "threshold": "variants whose noisy count is clear of what one unit alone could reach; no other is released",
    "public": "variants of a set that is taken as public, with noisy counts",
    "generated": "new sequences of activities, drawn from a noisy model",
}
_INDIVIDUALS = {
    "truncation": "further cases of the same individual are left out; every ε is divided by it",
    "declaration": "the publisher declares that nobody has more",
    "log": "the largest number in the log was used, which bounds nothing",
    "none": "so nothing is promised about individuals",
}
_UNITS = {"case": "the whole case", "individual": "an individual with all their cases that count"}


def choices(report: PublicReport) -> tuple[Choice, ...]:
    per_individual = report.max_cases_per_individual
    return (
        Choice("Method", report.method, _METHODS.get(report.method, "a method from outside this package")),
        Choice("Advantage asked for", number(report.advantage, 6), "what the noise was calibrated to"),
        *_OF_FAMILY[report.parameters.of](report),
        Choice("Releases", count(report.releases), "of the same log, that share what may be lost"),
        Choice(
            "Cases of an individual",
            "not declared" if per_individual is None else f"at most {count(per_individual)}",
            _INDIVIDUALS[str(report.individuals["by"])],
        ),
        *((Choice("Noise", report.sampler, _SAMPLERS[report.sampler]),) if report.sampler is not None else ()),
    )


def _of_article(report: PublicReport) -> tuple[Choice, ...]:
    chosen = report.parameters
    assert isinstance(chosen, ArticleParameters)
    rules, longest = chosen.conventions, chosen.max_case_length
    return (
        Choice("Conventions", rules.name, _CONVENTIONS.get(rules.name, "settings of the publisher's own")),
        Choice("Scope", chosen.scope, _SCOPES.get(chosen.scope, "")),
        Choice("Precision of a guess, durations", f"± {duration(rules.window)}", "a guess this close counts as right"),
        Choice(
            "Precision of a guess, starts", f"± {duration(rules.start_window)}", "a guess this close counts as right"
        ),
        Choice("Prior", rules.prior, _PRIORS[rules.prior]),
        Choice("Range of a time", rules.value_range, _RANGES[rules.value_range]),
        *(
            (Choice("Filtering", rules.filtering, _FILTERINGS[rules.filtering]),)
            if report.method == "filtering"
            else ()
        ),
        Choice("Compression", rules.compression, _COMPRESSIONS[rules.compression]),
        Choice(
            "Events of a case",
            "not declared" if longest is None else f"at most {count(longest)}",
            "as declared by the publisher",
        ),
        Choice(
            "Variants",
            "declared public" if chosen.public_variants else "not declared public",
            "whether the publisher says that the sequences of activities are no secret",
        ),
    )


def _of_certified(report: PublicReport) -> tuple[Choice, ...]:
    chosen = report.parameters
    assert isinstance(chosen, CertifiedParameters)

    def public(name: str, value: str, fact: str, means: str) -> Choice:
        source = "read off the log" if fact in chosen.from_log else "given from outside the log"
        return Choice(name, value, f"{means}; {source}")

    return (
        Choice("Unit", chosen.scope, f"what may change without being noticed: {_UNITS.get(chosen.scope, '')}"),
        Choice("Control flow", chosen.variants, _FORMS.get(chosen.variants, "")),
        *(
            (Choice("δ", delta_text(chosen.delta), "part of the releases, for one unit, for which no bound is proved"),)
            if chosen.delta is not None
            else ()
        ),
        public(
            "Time frame", f"{_day(chosen.first_ms)} to {_day(chosen.last_ms)}", "time frame", "every event lies in it"
        ),
        Choice("Longest case", duration(chosen.longest_ms), "no released case lasts longer"),
        *(
            (public("Activities", count(chosen.activities), "labels", "size of the public alphabet"),)
            if chosen.activities is not None
            else ()
        ),
        *(
            (public("Variants", count(chosen.public_variants), "variants", "size of the public set"),)
            if chosen.public_variants is not None
            else ()
        ),
        public("Cases", count(chosen.cases), "number of cases", "taken as public")
        if chosen.cases is not None
        else Choice(
            "Cases",
            "not needed" if chosen.variants == "threshold" else "measured with noise",
            "their number is not taken as public",
        ),
    )


_OF_FAMILY: dict[str, Callable[[PublicReport], tuple[Choice, ...]]] = {
    ArticleParameters.of: _of_article,
    CertifiedParameters.of: _of_certified,
}


def _day(milliseconds: int) -> str:
    """A date; a time so far off that no calendar has it is counted in milliseconds."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)).date().isoformat()
    except OverflowError:
        return f"{milliseconds} ms"
