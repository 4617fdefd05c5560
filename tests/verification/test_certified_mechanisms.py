"""Records that the certified method cannot have made are refused, whatever they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import amun_dp
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
from amun_dp.release.certified import carry_out_certified
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.verification.checks import Fault
from amun_dp.verification.report.expected_certified import certified_mechanisms
from tests.verification.releases import Repeatable, certified, made

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


@pytest.mark.parametrize("form", ["generated", "public", "threshold"])
@pytest.mark.parametrize(
    "shape",
    [
        LogShape(cases=400, variants=5, activities=3, mean_length=4, max_length=9, seed=3),
        LogShape(cases=4_000, variants=30, activities=5, mean_length=9, max_length=60, seed=3),
        LogShape(cases=3_000, variants=900, activities=14, mean_length=9, max_length=60, seed=3),
    ],
    ids=["few pairs", "second order", "length classes"],
)
def test_real_releases_record_what_is_due(form: Any, shape: LogShape) -> None:
    """Whatever the form, the unit, the number of releases, and what is worth measuring."""
    log = generate_log(shape)
    log = replace(log, individual=np.arange(log.n_cases) // 2)
    for choices in (
        {},
        {"releases": 3},
        {"scope": "individual", "max_cases_per_individual": 2},
        {"scope": "individual", "max_cases_per_individual": 3, "releases": 2},
    ):
        planned = amun_dp.plan(log, 0.9, "certified", variants=form, **choices)
        report = carry_out_certified(planned, Repeatable(5)).report
        assert "measurements" in certified_mechanisms(report)
        with pytest.raises(Fault):
            certified_mechanisms(replace(report, advantage=0.89))


def test_the_records_of_a_real_release_name_each_step_of_the_docs() -> None:
    """Kinds and weights as docs/certified.md has them, here once more by hand."""
    measured = parts_of(certified().report)[3:-3]
    cap = next(part.weight for part in measured if isinstance(part, WeightedHistogram)) // 2
    found = [(type(part).__name__, getattr(part, "weight", 1), getattr(part, "of", "")) for part in measured]
    assert found == [
        ("NoisyMax", 1, "control flow"),
        ("WeightedHistogram", 2 * cap, "control flow"),
        ("WeightedHistogram", cap * 2**20, "control flow"),
        ("WeightedHistogram", cap * 2**20, "control flow"),
        ("NoisyMax", 1, "times"),
        *[("WeightedHistogram", 2**20, "times")] * 4,  # 64 pairs or more: a grand total, too
        ("WeightedHistogram", 1, "times"),
    ]


def before_steps(*events: PrivacyEvent) -> Callable[[Parts], Parts]:
    """Further records at the end of the measurements, where they would stand."""
    return lambda parts: (*parts[:-3], *events, *parts[-3:])


def first(*events: PrivacyEvent) -> Callable[[Parts], Parts]:
    return lambda parts: (*events, *parts)


def turned(place: int) -> Callable[[Parts], Parts]:
    return lambda parts: (*parts[:place], parts[place + 1], parts[place], *parts[place + 2 :])


def changed(place: int, **fields: Any) -> Callable[[Parts], Parts]:
    return lambda parts: (*parts[:place], replace(parts[place], **fields), *parts[place + 1 :])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without(WeightedHistogram, of="times"), "measurements are recorded"),
        (without(WeightedHistogram, of="control flow"), "no cap of the certified method"),
        (without(WeightedHistogram, NoisyMax), "no cap of the certified method"),
        (without(NoisyMax, of="times"), "cap on durations"),
        (without(PostProcessing), "cost nothing"),
        (without(TakenAsPublic), "taken as public"),
        (lambda parts: (*parts, PostProcessing("a message", "p17 was here")), "cost nothing"),
        (before_steps(LaplaceCount(1e9, 1, 1)), "no LaplaceCount"),
        (before_steps(CaseMoves()), "no CaseMoves"),
        (before_steps(ThresholdedHistogram(1e9, 10)), "measurements are recorded"),
        (before_steps(WeightedHistogram(1e9, 1, "times")), "measurements are recorded"),
        (first(TakenAsPublic("variants", from_log=False)), "taken as public"),
        (lambda parts: (parts[0], *parts), "taken as public"),
        (turned(0), "not in their order"),
        (turned(2), "order of the certified method"),
        (turned(3), "no cap of the certified method"),
        (turned(-5), "is recorded with weight"),
        (lambda parts: (*parts, parts[0]), "order of the certified method"),
        (before_steps(RepeatedRelease(WeightedHistogram(1e9, 1, "times"), 2)), "no RepeatedRelease"),
        (scaled(0.5), "stated advantage gives"),
        (scaled(2), "stated advantage gives"),
        (scaled(1 + 1e-12), "stated advantage gives"),
        (changed(-4, of="control flow"), "recorded as a measurement of control flow"),
        (changed(-4, weight=2), "weight 2"),
        (lambda parts: (*parts, NonPrivate("seeded")), "lose ε unbounded"),
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
        (replace(chosen, delta=chosen.delta / 1e6), "fail with probability up to"),
        (replace(chosen, delta=chosen.delta * 1e6), "larger than the stated δ"),
        (replace(chosen, delta=None), "where it has one"),
        (replace(chosen, variants="generated"), "taken as public"),
        (replace(chosen, from_log=()), "taken from the log"),
        (replace(chosen, scope="individual"), "stated unit"),
        (replace(chosen, longest_ms=chosen.longest_ms - 1), "width of the time frame"),
        (replace(chosen, longest_ms=chosen.longest_ms + 1), "width of the time frame"),
        (replace(chosen, last_ms=chosen.last_ms + 1), "width of the time frame"),
    ):
        with pytest.raises(Fault, match=why):
            certified_mechanisms(replace(report, parameters=other))
    for changed, why in (
        (replace(report, releases=2), "one of 2 releases"),
        (replace(report, advantage=0.4), "stated advantage gives"),
        (replace(report, advantage=0.6), "stated advantage gives"),
        (replace(report, max_cases_per_individual=2), "cases of an individual"),
        (replace(made().report, method="certified"), "another method"),
    ):
        with pytest.raises(Fault, match=why):
            certified_mechanisms(changed)
    individual = replace(report, parameters=replace(chosen, scope="individual", cases=None), max_cases_per_individual=2)
    with pytest.raises(Fault, match="cases of an individual"):
        certified_mechanisms(individual)
