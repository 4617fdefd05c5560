"""What the certified method must have recorded, derived without the log.

Every measurement of the form, in its place and with the noise that the stated advantage gives it
(``certified_records``); the facts that it takes as public; and that the loss of the whole release about the stated unit
*equals* 4·artanh(advantage), all releases together. Less would be no better: it would be a release for another
advantage, or one of which a record was left out. Derived here a second time on purpose, not with the code that
releases.
"""

from __future__ import annotations

from fractions import Fraction

from accounting.accountant import strictest
from accounting.events import (
    NoisyMax,
    NonPrivate,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.formulas import worst_case_loss
from accounting.guarantee import Relation, Scope
from accounting.quantities import rounded_up
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import SLACK, Fault, require
from amun_dp.verification.report.certified_records import Mechanism, check_records

STEPS = (
    PostProcessing(
        "control flow", "a function of noisy counts, public facts and random numbers that depend on no data"
    ),
    PostProcessing(
        "timestamps",
        "drawn from noisy histograms and totals over the released control flow, within a public time frame",
    ),
    PostProcessing("case identifiers and order", "random identifiers and a random order that depend on no data"),
)
_ORDER = ("labels", "variants", "time frame", "number of cases", "longest duration", "number of individuals")
"""In which facts are recorded."""
_FACTS = {"threshold": set(), "public": {"variants"}, "generated": {"labels"}}
"""What each form of control flow takes as public, beside the time frame and perhaps a number and a longest duration."""
_ALWAYS, _PERHAPS = {"time frame"}, {"number of cases", "longest duration"}


def certified_mechanisms(report: PublicReport) -> str:
    """Control flow and times were measured, by these mechanisms and no others, at the stated ε and δ."""
    chosen = report.parameters
    if not isinstance(chosen, CertifiedParameters):
        raise Fault("the report states the parameters of another method")
    individual = chosen.scope == "individual"
    unit = report.max_cases_per_individual if individual else 1
    if unit is None or (individual and chosen.cases is not None) or not (individual or chosen.cases is not None):
        raise Fault("the stated unit does not agree with the stated numbers of cases")
    measured = _measured(report, chosen)
    _check_facts(report, chosen)
    require(
        (chosen.delta is not None) == (chosen.variants == "threshold"),
        "a δ is stated where the form has none, or none where it has one",
    )
    check_records(measured, report, chosen, unit)
    line = strictest(report.guarantees, Scope.INDIVIDUAL if individual else Scope.CASE, Relation.REPLACE)
    # Guarantees are rounded up to a few digits, so what they are held against is too.
    exact = Fraction(float(worst_case_loss(report.advantage)))
    least, allowed = (rounded_up(exact * factor) for factor in (1 - 2 * SLACK, 1 + SLACK))
    require(
        line.epsilon.value is not None and Fraction(least) <= line.epsilon.value <= Fraction(allowed),
        f"the mechanisms lose ε {line.epsilon} about one {chosen.scope}, and the stated advantage gives {allowed:g}",
    )
    stated = 0.0 if chosen.delta is None else rounded_up(Fraction(chosen.delta) * (1 + SLACK))
    require(line.delta <= stated, f"the mechanisms have a δ of {line.delta:g}, and {stated:g} is stated")
    return f"{len(measured)} measurements, each as the advantage gives it; ε {line.epsilon} about one {chosen.scope}"


def _parts(report: PublicReport) -> tuple[PrivacyEvent, ...]:
    tree = report.mechanisms.tree
    return tree.parts if isinstance(tree, Sequential) else (tree,)


def _measured(report: PublicReport, chosen: CertifiedParameters) -> list[Mechanism]:
    """The mechanisms, each for as many releases and cases of an individual as the report states.

    Facts first, then measurements, then what costs nothing: another order would be room for a message.
    """
    parts = _parts(report)
    stages = [_stage(part) for part in parts]
    require(stages == sorted(stages), "the records are not in the order of the certified method")
    steps = tuple(part for part in parts if isinstance(part, PostProcessing))
    require(steps == STEPS, "the steps that cost nothing are not those of the certified method")
    wrapped = [part for part, stage in zip(parts, stages, strict=True) if stage == 1]
    shared: set[int | None] = set()
    found = [_unwrapped(part, report, chosen, shared) for part in wrapped]
    require(len(shared) <= 1, "the mechanisms are not recorded for one and the same number of cases of an individual")
    return found


def _stage(part: PrivacyEvent) -> int:
    stages = {TakenAsPublic: 0, PostProcessing: 2, NonPrivate: 3}
    return stages.get(type(part), 1)


def _unwrapped(
    part: PrivacyEvent, report: PublicReport, chosen: CertifiedParameters, shared: set[int | None]
) -> Mechanism:
    if report.releases > 1:
        require(
            isinstance(part, RepeatedRelease) and part.releases == report.releases,
            f"a mechanism is not recorded as one of {report.releases} releases",
        )
        part = part.part if isinstance(part, RepeatedRelease) else part
    cases: int | None = None
    if isinstance(part, SharedByIndividual):
        require(isinstance(part.cases, int), "the certified method takes no number of cases from the log")
        # At scope case nobody is truncated: a number is then a declaration, and changes nothing about a case.
        require(part.truncated == (chosen.scope == "individual"), "individuals are truncated, or not, against the unit")
        cases, part = part.cases if isinstance(part.cases, int) else None, part.part
    shared.add(cases)
    require(
        cases == report.max_cases_per_individual,
        "a mechanism is not recorded for the stated number of cases of an individual",
    )
    if not isinstance(part, WeightedHistogram | NoisyMax | ThresholdedHistogram):
        raise Fault(f"the certified method has no {type(part).__name__}")
    return part


def _check_facts(report: PublicReport, chosen: CertifiedParameters) -> None:
    facts = [part for part in _parts(report) if isinstance(part, TakenAsPublic)]
    named = [fact.what for fact in facts]
    needed = _ALWAYS | _FACTS[chosen.variants] | ({"number of cases"} if chosen.scope == "case" else set())
    perhaps = _PERHAPS | {"labels"}  # an alphabet that was given bears on every form
    if chosen.variants == "threshold" and chosen.scope == "individual":
        perhaps.add("number of individuals")
    require(
        len(named) == len(set(named)) and needed <= set(named) <= needed | perhaps,
        "the facts that are taken as public are not those of this form",
    )
    require(named == sorted(named, key=_ORDER.index), "the facts that are taken as public are not in their order")
    require(
        {fact.what for fact in facts if fact.from_log} == set(chosen.from_log),
        "report and mechanisms disagree on what was taken from the log",
    )
    width = max(1, chosen.last_ms - chosen.first_ms)
    require(
        chosen.longest_ms <= width if "longest duration" in named else chosen.longest_ms == width,
        "the longest duration is neither given nor the width of the time frame",
    )
