"""What the certified method must have recorded, derived without the log.

How many measurements it makes, and at which shares of ε, depends on public facts that a report does not hold in full,
so their scales are not derived one by one. What is held against the parameters is the sum: the loss of the whole
release about the stated unit, within 4·artanh(advantage), all releases together; and its δ. Derived here a second time
on purpose, not with the code that releases.
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
from amun_dp.report import PublicReport
from amun_dp.report_parameters import CertifiedParameters
from amun_dp.verification.checks import SLACK, Fault, require

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
_FACTS = {"threshold": set(), "public": {"variants"}, "generated": {"labels"}}
"""What each form of control flow takes as public, beside the time frame and perhaps a number and a longest duration."""
_ALWAYS, _PERHAPS = {"time frame"}, {"number of cases", "longest duration"}
_Mechanism = WeightedHistogram | NoisyMax | ThresholdedHistogram


def certified_mechanisms(report: PublicReport) -> str:
    """Control flow and times were measured, by these mechanisms and no others, within the stated ε and δ."""
    chosen = report.parameters
    if not isinstance(chosen, CertifiedParameters):
        raise Fault("the report states the parameters of another method")
    individual = chosen.scope == "individual"
    require(
        not individual or report.max_cases_per_individual is not None,
        "the stated unit does not agree with the stated number of cases of an individual",
    )
    measured = _measured(report)
    _check_kinds(measured, chosen)
    _check_facts(report, chosen)
    line = strictest(report.guarantees, Scope.INDIVIDUAL if individual else Scope.CASE, Relation.REPLACE)
    # Guarantees are rounded up to a few digits, so what they are held against is too.
    allowed = rounded_up(Fraction(float(worst_case_loss(report.advantage))) * (1 + SLACK))
    require(
        line.epsilon.value is not None and line.epsilon.value <= Fraction(allowed),
        f"the mechanisms lose ε {line.epsilon} about one {chosen.scope}, and the stated advantage allows {allowed:g}",
    )
    stated = 0.0 if chosen.delta is None else rounded_up(Fraction(chosen.delta))
    require(line.delta <= stated, f"the mechanisms have a δ of {line.delta:g}, and {stated:g} is stated")
    return f"{len(measured)} measurements, ε {line.epsilon} about one {chosen.scope}, as the advantage allows"


def _parts(report: PublicReport) -> tuple[PrivacyEvent, ...]:
    tree = report.mechanisms.tree
    return tree.parts if isinstance(tree, Sequential) else (tree,)


def _measured(report: PublicReport) -> list[_Mechanism]:
    """The mechanisms, each for as many releases and cases of an individual as the report states."""
    found, steps = [], []
    for part in _parts(report):
        if isinstance(part, PostProcessing):
            steps.append(part)
        elif not isinstance(part, TakenAsPublic | NonPrivate):
            found.append(_unwrapped(part, report))
    require(tuple(steps) == STEPS, "the steps that cost nothing are not those of the certified method")
    return found


def _unwrapped(part: PrivacyEvent, report: PublicReport) -> _Mechanism:
    if report.releases > 1:
        require(
            isinstance(part, RepeatedRelease) and part.releases == report.releases,
            f"a mechanism is not recorded as one of {report.releases} releases",
        )
        part = part.part if isinstance(part, RepeatedRelease) else part
    if report.max_cases_per_individual is not None:
        require(
            isinstance(part, SharedByIndividual)
            and part.cases == report.max_cases_per_individual
            and part.truncated == (report.parameters.as_dict()["scope"] == "individual"),
            "a mechanism is not recorded for the stated number of cases of an individual",
        )
        part = part.part if isinstance(part, SharedByIndividual) else part
    if not isinstance(part, WeightedHistogram | NoisyMax | ThresholdedHistogram):
        raise Fault(f"the certified method has no {type(part).__name__}")
    return part


def _check_kinds(measured: list[_Mechanism], chosen: CertifiedParameters) -> None:
    thresholds = sum(isinstance(each, ThresholdedHistogram) for each in measured)
    require(
        thresholds == (chosen.variants == "threshold"),
        f"{thresholds} thresholded histograms are recorded, which the form of variants ('{chosen.variants}') has not",
    )
    histograms = {each.of for each in measured if isinstance(each, WeightedHistogram)}
    require(
        "control flow" in histograms or thresholds,
        "nothing is recorded that measured the control flow, so it was not released by this method",
    )
    require("times" in histograms, "nothing is recorded that measured times, so they were not released by this method")


def _check_facts(report: PublicReport, chosen: CertifiedParameters) -> None:
    facts = [part for part in _parts(report) if isinstance(part, TakenAsPublic)]
    named = [fact.what for fact in facts]
    needed = _ALWAYS | _FACTS[chosen.variants] | ({"number of cases"} if chosen.scope == "case" else set())
    require(
        len(named) == len(set(named)) and needed <= set(named) <= needed | _PERHAPS,
        "the facts that are taken as public are not those of this form",
    )
    require(
        {fact.what for fact in facts if fact.from_log} == set(chosen.from_log),
        "report and mechanisms disagree on what was taken from the log",
    )
