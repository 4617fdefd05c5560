"""Records that the certified method cannot have made are refused, whatever they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from accounting.events import (
    CaseMoves,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    TakenAsPublic,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.publication import public_tree
from amun_dp.report import PublicReport
from amun_dp.report_parameters import CertifiedParameters
from amun_dp.verification.certified_mechanisms import certified_mechanisms
from amun_dp.verification.checks import Fault
from tests.verification.releases import certified, made

Parts = tuple[PrivacyEvent, ...]


def parts_of(report: PublicReport) -> Parts:
    assert isinstance(report.mechanisms.tree, Sequential)
    return report.mechanisms.tree.parts


def with_parts(report: PublicReport, parts: Parts) -> PublicReport:
    return replace(report, mechanisms=public_tree(Sequential(parts)))


def without(*kinds: type[PrivacyEvent], of: str | None = None) -> Callable[[Parts], Parts]:
    return lambda parts: tuple(
        part for part in parts if not isinstance(part, kinds) or (of is not None and getattr(part, "of", of) != of)
    )


def scaled(factor: float) -> Callable[[Parts], Parts]:
    return lambda parts: tuple(
        replace(part, scale=float(part.scale) * factor)  # type: ignore[arg-type]  # none is withheld here
        if isinstance(part, WeightedHistogram | NoisyMax)
        else part
        for part in parts
    )


def test_real_releases_record_what_is_due() -> None:
    for form in ("generated", "public", "threshold"):
        assert "measurements" in certified_mechanisms(certified(form).report)
    assert "measurements" in certified_mechanisms(certified(releases=3).report)


def test_more_noise_than_needed_is_no_fault() -> None:
    report = certified().report
    assert certified_mechanisms(with_parts(report, scaled(2)(parts_of(report))))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without(WeightedHistogram, of="times"), "measured times"),
        (without(WeightedHistogram, of="control flow"), "measured the control flow"),
        (without(WeightedHistogram, NoisyMax), "measured the control flow"),
        (without(PostProcessing), "cost nothing"),
        (without(TakenAsPublic), "taken as public"),
        (lambda parts: (*parts, PostProcessing("a message", "p17 was here")), "cost nothing"),
        (lambda parts: (*parts, LaplaceCount(1e9, 1, 1)), "no LaplaceCount"),
        (lambda parts: (*parts, CaseMoves()), "no CaseMoves"),
        (lambda parts: (*parts, ThresholdedHistogram(1e9, 10)), "thresholded"),
        (lambda parts: (*parts, TakenAsPublic("variants", from_log=False)), "taken as public"),
        (lambda parts: (*parts, parts[0]), "taken as public"),
        (lambda parts: (*parts, RepeatedRelease(WeightedHistogram(1e9, 1, "times"), 2)), "no RepeatedRelease"),
        (scaled(0.5), "stated advantage allows"),
        (lambda parts: (*parts, NonPrivate("seeded")), "stated advantage allows"),
    ],
)
def test_records_of_no_certified_release_are_refused(change: Callable[[Parts], Parts], why: str) -> None:
    report = certified().report
    with pytest.raises(Fault, match=why):
        certified_mechanisms(with_parts(report, change(parts_of(report))))


def test_parameters_must_be_those_of_the_records() -> None:
    report = certified("threshold").report
    chosen = report.parameters
    assert isinstance(chosen, CertifiedParameters) and chosen.delta is not None
    for other, why in (
        (replace(chosen, delta=chosen.delta / 1e6), "have a δ of"),
        (replace(chosen, delta=None), "have a δ of"),
        (replace(chosen, variants="generated"), "thresholded"),
        (replace(chosen, from_log=()), "taken from the log"),
        (replace(chosen, scope="individual"), "stated unit"),
    ):
        with pytest.raises(Fault, match=why):
            certified_mechanisms(replace(report, parameters=other))
    for changed, why in (
        (replace(report, releases=2), "one of 2 releases"),
        (replace(report, advantage=0.4), "stated advantage allows"),
        (replace(report, max_cases_per_individual=2), "cases of an individual"),
        (replace(made().report, method="certified"), "another method"),
    ):
        with pytest.raises(Fault, match=why):
            certified_mechanisms(changed)
    individual = replace(report, parameters=replace(chosen, scope="individual"), max_cases_per_individual=2)
    with pytest.raises(Fault, match="cases of an individual"):
        certified_mechanisms(individual)
