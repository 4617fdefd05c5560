"""What holds for every release, whatever the noise: R1, order, fresh names, positive noise, nothing left behind."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import amun_dp
import amun_dp.methods
from accounting.accountant import replay, strictest
from accounting.events import LaplaceCount, PerEventNoise, PrivacyEvent, Sequential, register_event
from accounting.guarantee import Relation, Scope, Verdict
from accounting.ledger import read_ledger
from amun_dp.conventions import CORRECTED
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog import EventLog
from amun_dp.generator import LogShape, generate_log, hospital_log
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.mechanisms.sampling import ControlFlow, Sampled
from amun_dp.methods import Method, method_named, method_names, register_method, unregister_method
from amun_dp.noise import NoiseSource
from amun_dp.release import Release
from tests import worked_example
from tests.logs import log_of, logs, variants_of, worked_example_log

METHODS = ("filtering", "sampling", "oversampling")
REAL_LOGS = ("CCC19", "Sepsis", "Unrineweginfectie", "Receipt_WABO", "BPIC13_incidents", "BPIC15_1", "BPIC20_PermitLog")


def release_or_refusal(log: EventLog, method: str, conventions: str, seed: int | None = None) -> Release | None:
    """Small logs may be filtered whole; that is refused with a message, never half done."""
    try:
        return amun_dp.anonymize(log, 0.3, method, conventions, seed=seed)
    except ReleaseError as refusal:
        assert "every case" in str(refusal).lower()
        return None


def check_promises(log: EventLog, release: Release, method: str, conventions: str) -> None:
    released = release.event_log
    assert variants_of(released) <= variants_of(log)  # R1
    if method == "oversampling":
        assert variants_of(released) == variants_of(log)
    same_case = released.case[1:] == released.case[:-1]
    assert (np.diff(released.time)[same_case] >= 0).all()
    assert released.time.min() >= log.time.min()
    assert released.time.max() <= log.time.max()
    assert not set(released.case_names) & set(log.case_names)
    assert len(set(released.case_names)) == released.n_cases
    noise = release.noise.reveal()
    assert len(noise.scale) == released.n_events
    if conventions == "corrected":
        assert (noise.scale > 0).all()
        assert release.internals.reveal().events_without_noise == 0


@given(log=logs(), method=st.sampled_from(METHODS), conventions=st.sampled_from(["corrected", "article"]))
def test_promises_hold_on_random_small_logs(log: EventLog, method: str, conventions: str) -> None:
    release = release_or_refusal(log, method, conventions)
    if release is not None:
        check_promises(log, release, method, conventions)


@pytest.mark.parametrize("conventions", ["corrected", "article"])
@pytest.mark.parametrize("method", METHODS)
def test_promises_hold_on_a_generated_log(method: str, conventions: str) -> None:
    log = generate_log(LogShape(cases=400, variants=150, activities=12, mean_length=8, max_length=40, seed=2))
    release = amun_dp.anonymize(log, 0.2, method, conventions)
    check_promises(log, release, method, conventions)


@pytest.mark.real_logs
@pytest.mark.parametrize("name", REAL_LOGS)
@pytest.mark.parametrize("method", METHODS)
def test_promises_hold_on_a_real_log(real_logs: Path, name: str, method: str) -> None:
    log = amun_dp.read_log(real_logs / f"{name}.xes.gz")
    check_promises(log, amun_dp.anonymize(log, 0.2, method), method, "corrected")


@pytest.mark.real_logs
def test_all_methods_release_road_traffic_fines(real_logs: Path) -> None:
    log = amun_dp.read_log(real_logs / "RoadTrafficFines.xes.gz")
    for method in METHODS:
        check_promises(log, amun_dp.anonymize(log, 0.2, method), method, "corrected")


# --- gaps -----------------------------------------------------------------------------------------------------------


def surplus_of_true_gaps(log: EventLog, release: Release) -> float:
    """Upper bound (Bernstein) on the probability of so many released gaps that equal their original.

    Under the noise the ledger states, the gap g of an event stays exactly g with probability P(Z=0) for g > 0, and
    with P(Z≤0) for g = 0 (negative durations become 0). Events at the public last timestamp were cut there: left out.
    """
    released = release.event_log
    scale, origin = release.noise.reveal().scale, release.noise.reveal().origin
    position = np.arange(released.n_events) - released.offsets[released.case]
    original_row = log.offsets[origin] + position
    true_gap = np.diff(log.time, prepend=0)[original_row]
    gap = np.diff(released.time, prepend=0)
    counted = (position > 0) & (released.time < log.time.max())
    with np.errstate(divide="ignore"):
        stays = np.tanh(1 / (2 * scale))
    chance = np.where(true_gap > 0, stays, (1 + stays) / 2)[counted]
    surplus = np.count_nonzero((gap == true_gap)[counted]) - chance.sum()
    if surplus <= 0:
        return 1.0
    variance = (chance * (1 - chance)).sum()
    return float(np.exp(-(surplus**2) / (2 * (variance + surplus / 3))))


def test_true_gaps_are_no_more_frequent_than_the_noise_predicts() -> None:
    # False alarm below 1e-9: the bound holds for every sum of independent indicators.
    log = generate_log(LogShape(cases=2_000, variants=60, activities=10, mean_length=8, max_length=20, seed=4))
    for method in METHODS:
        assert surplus_of_true_gaps(log, amun_dp.anonymize(log, 0.2, method)) > 1e-9


@pytest.mark.real_logs
@pytest.mark.parametrize("name", ["Sepsis", "Unrineweginfectie", "BPIC20_PermitLog"])
def test_true_gaps_of_a_real_log_are_no_more_frequent_than_the_noise_predicts(real_logs: Path, name: str) -> None:
    log = amun_dp.read_log(real_logs / f"{name}.xes.gz")
    for method in METHODS:
        assert surplus_of_true_gaps(log, amun_dp.anonymize(log, 0.2, method)) > 1e-9


def test_the_check_for_true_gaps_catches_noise_that_is_smaller_than_stated() -> None:
    # Durations of 1 to 19 ms and noise of scale near 20 ms: a gap stays what it is with probability of about 1/40. Of
    # 20,000 gaps some 500 do; a tenfold overstated scale predicts 50, and 500 is then 60 standard deviations away.
    generator = np.random.default_rng(1)
    gaps = generator.integers(1, 20, size=20_000).tolist()
    log = log_of([[("a", 86_400_000 * day), ("b", 86_400_000 * day + gap)] for day, gap in enumerate(gaps)])
    narrow = replace(CORRECTED, window=1, start_window=1)
    honest = amun_dp.anonymize(log, 0.2, "sampling", narrow)
    assert surplus_of_true_gaps(log, honest) > 1e-9
    tenfold = replace(honest.noise.reveal(), scale=honest.noise.reveal().scale * 10)
    assert surplus_of_true_gaps(log, replace(honest, noise=amun_dp.Confidential(tenfold))) < 1e-9


def test_released_cases_are_in_an_order_that_says_nothing_about_the_original() -> None:
    log = generate_log(LogShape(cases=3_000, variants=20, activities=8, mean_length=5, max_length=12, seed=8))
    release = amun_dp.anonymize(log, 0.4, "sampling")
    origin = release.noise.reveal().origin[release.event_log.offsets[:-1]]
    # Rank correlation of a uniform permutation of 3,000: standard deviation 0.018; 6 of them fail by chance at 2e-9.
    assert abs(stats.spearmanr(np.arange(len(origin)), origin).statistic) < 6 / np.sqrt(len(origin) - 1)


def test_one_value_groups_keep_their_gap_under_the_article_s_conventions_and_not_under_the_corrected() -> None:
    cases = [[("a", 86_400_000 * day), ("b", 86_400_000 * day + 3_600_000)] for day in range(50)] + [
        [("z", 86_400_000 * 60)]
    ]
    log = log_of(cases)
    article = amun_dp.anonymize(log, 0.3, "sampling", "article")
    assert article.internals.reveal().events_without_noise > 0
    corrected = amun_dp.anonymize(log, 0.3, "sampling", "corrected")
    gaps = np.diff(corrected.event_log.time)[corrected.event_log.case[1:] == corrected.event_log.case[:-1]]
    assert np.count_nonzero(gaps == 3_600_000) < 5  # each with probability 1e-7


# --- dividing ε -----------------------------------------------------------------------------------------------------


def test_several_releases_and_several_cases_of_one_individual_divide_every_epsilon() -> None:
    log = worked_example_log()
    once = amun_dp.plan(log, 0.3, "sampling")
    divided = amun_dp.plan(log, 0.3, "sampling", max_cases_per_individual=3, releases=2)
    assert divided.divisor == 6
    assert divided.control_flow_epsilon == pytest.approx(once.control_flow_epsilon / 6)
    assert divided.control_flow_epsilon <= once.control_flow_epsilon / 6
    assert divided.losses == pytest.approx(once.losses / 6)


def test_the_number_of_cases_of_one_individual_is_taken_from_its_column() -> None:
    frame = worked_example.dataframe()
    frame["patient"] = frame["case:concept:name"].map({"1": "x", "2": "x", "3": "x", "4": "y", "5": "y", "6": "z"})
    log = amun_dp.read_log(frame, individual="patient")
    assert amun_dp.plan(log, 0.3).cases_per_individual == 3
    assert amun_dp.plan(log, 0.3, max_cases_per_individual=5).cases_per_individual == 5
    with pytest.raises(ParameterError, match="more than the declared 2"):
        amun_dp.plan(log, 0.3, max_cases_per_individual=2)


def test_a_case_with_d_copies_has_d_times_the_noise() -> None:
    release = amun_dp.anonymize(worked_example_log(), 0.3, "oversampling", seed=3)
    noise = release.noise.reveal()
    assert noise.copies.max() > 1
    losses = amun_dp.plan(worked_example_log(), 0.3, "oversampling").losses
    total = noise.copies * noise.value_range / noise.scale
    assert (total <= losses.max()).all()
    assert (total >= losses.min() * 31 / 33).all()
    first = release.event_log.offsets[:-1]
    released, times = np.unique(noise.origin[first], return_counts=True)
    assert dict(zip(released.tolist(), times.tolist(), strict=True)) == dict(
        zip(noise.origin[first].tolist(), noise.copies[first].tolist(), strict=True)
    )


def test_the_ledger_replays_to_the_same_account_and_survives_the_disk(tmp_path: Path) -> None:
    release = amun_dp.anonymize(hospital_log(), 0.2, "filtering")
    release.save(tmp_path / "out")
    for ledger in (release.ledger.reveal(), read_ledger(tmp_path / "out" / "internal")):
        replayed = replay(ledger)
        assert replayed.public == release.account.public
        assert replayed.confidential.reveal() == release.account.confidential.reveal()
    stored = pd.read_parquet(tmp_path / "out" / "internal" / "ledger.parquet")
    assert len(stored) == release.report.released.events


# --- the library ----------------------------------------------------------------------------------------------------


def test_the_input_is_not_changed() -> None:
    frame = worked_example.dataframe()
    before = frame.copy(deep=True)
    amun_dp.anonymize(frame, 0.3)
    pd.testing.assert_frame_equal(frame, before)


def test_pm4py_takes_the_released_log_as_it_is() -> None:
    import pm4py

    release = amun_dp.anonymize(hospital_log(), 0.2)
    edges, starts, _ = pm4py.discover_dfg(release.log)
    assert sum(edges.values()) == release.report.released.events - release.report.released.cases
    assert sum(starts.values()) == release.report.released.cases


def test_the_plan_lists_its_events_only_when_asked_to_reveal_them() -> None:
    plan = amun_dp.plan(worked_example.dataframe(), advantage=0.2, method="filtering", conventions="corrected")
    with pytest.raises(TypeError):
        str(plan.events)
    columns = ["case", "activity", "source", "target", "relative_time", "prior", "epsilon", "kept"]
    assert list(plan.events.reveal().columns) == columns


def test_a_seed_repeats_the_release_and_the_report_says_that_it_is_not_private() -> None:
    first, second = (amun_dp.anonymize(hospital_log(), 0.3, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(first.log, second.log)
    assert first.report.private is False
    assert "predictable-noise" in [guarantee.claim for guarantee in first.report.guarantees]


def test_without_a_seed_two_releases_differ_and_are_private() -> None:
    first, second = (amun_dp.anonymize(hospital_log(), 0.3) for _ in range(2))
    assert first.report.private
    assert not first.log.equals(second.log)


@pytest.mark.parametrize("advantage", [0, 1, -0.2, 1.7, float("nan"), float("inf"), 1e-17, 1e-320])
def test_an_advantage_outside_its_domain_is_refused(advantage: float) -> None:
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        amun_dp.plan(worked_example_log(), advantage)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "Unknown method 'magic'.*filtering, sampling, oversampling"),
        ({"conventions": "mine"}, "Unknown conventions"),
        ({"releases": 0}, "releases must be at least 1"),
        ({"releases": 10**30}, "nothing but noise"),
        ({"max_cases_per_individual": 10**23}, "nothing but noise"),
        ({"max_cases_per_individual": 0}, "at least 1"),
    ],
)
def test_wrong_parameters_are_refused_with_a_way_out(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        amun_dp.plan(worked_example_log(), 0.3, **arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_filtering_everything_is_refused_with_a_way_out() -> None:
    log = log_of([[("a", 0)], [("a", 1_000)]])
    with pytest.raises(ReleaseError, match=r"Every case would be filtered.*--method sampling"):
        amun_dp.anonymize(log, 0.3, "filtering")


# --- the report -----------------------------------------------------------------------------------------------------


def test_the_report_has_its_fields_and_names_every_refuted_claim(tmp_path: Path) -> None:
    release = amun_dp.anonymize(hospital_log(), 0.2, "filtering")
    release.save(tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    for field in ("schema", "method", "conventions", "advantage", "private", "released", "guarantees", "unprotected"):
        assert field in report
    assert set(report["released"]) == {"file", "sha256", "cases", "events", "variants"}
    verdicts = {claim["claim"]: claim["verdict"] for claim in report["guarantees"] if claim["claim"] != "whole-release"}
    assert {line["verdict"] for line in report["guarantees"] if line["claim"] == "whole-release"} == {"refuted"}
    assert verdicts["count-cell"] == "refuted"
    assert verdicts["count-table"] == "refuted"
    assert verdicts["selection-of-groups"] == "not proved"
    assert verdicts["selection-of-variants"] == "refuted"
    assert verdicts["selection-of-cases"] == "refuted"
    assert verdicts["event-time"] == "refuted"
    assert verdicts["released-counts"] == "not proved"


def test_the_cell_claim_states_the_epsilon_of_the_worst_prior() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling").report
    cell = next(claim for claim in report.guarantees if claim.claim == "count-cell")
    assert cell.epsilon.stated() == 0.810931  # 0.81093021…, rounded up
    assert cell.advantage == 0.2
    assert cell.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS


def test_filtering_has_no_bound_for_a_cell_because_one_case_can_save_others() -> None:
    """The counterexample that the report quotes."""
    day, minute = 86_400_000, 60_000
    gaps = [60 * minute] * 7 + [(600 + 100 * number) * minute for number in range(7, 10)]
    cases = [[("a", 10 * day * number), ("b", 10 * day * number + gap)] for number, gap in enumerate(gaps)]
    cases += [[("z", day * (500 + 10 * number))] for number in range(5)]
    one_more = [*cases, [("a", day * 300), ("b", day * 300 + 5_000 * minute)]]

    def cells_and_filtered(log: EventLog) -> tuple[list[int], int]:
        plan = amun_dp.plan(log, 0.3, "filtering")
        counts = ControlFlow(plan.annotated.dafsa, plan.kept_variant_cases).transition_counts()
        return sorted(counts.tolist()), int(np.count_nonzero(~plan.filtered.kept_case))

    assert len(cases) == 15
    assert cells_and_filtered(log_of(cases)) == ([3, 3, 5], 7)
    assert cells_and_filtered(log_of(one_more)) == ([5, 11, 11], 0)


def individuals(log: EventLog, cases_each: int) -> EventLog:
    return replace(log, individual=np.arange(log.n_cases) // cases_each)


def test_the_report_depends_on_the_original_only_through_the_released_log() -> None:
    # Logs of different size, shape and cases per person, same parameters: only figures of the released log may differ.
    def public_part(log: EventLog, method: str) -> str:
        report = amun_dp.anonymize(log, 0.2, method).report.as_dict()
        del report["released"]
        return json.dumps(report, sort_keys=True)

    for method in METHODS:
        small, large = hospital_log(cases=50, seed=1), hospital_log(cases=400, seed=2)
        assert public_part(small, method) == public_part(large, method)
        seen = {public_part(individuals(small, number), method) for number in (1, 2, 3, 7, 10)}
        assert seen == {public_part(small, method)}


def test_the_report_states_the_parameters_that_were_used() -> None:
    rules = replace(CORRECTED, name="custom", window=5_000)
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling", rules, releases=2, max_cases_per_individual=3).report
    parameters = report.as_dict()["parameters"]
    assert parameters["window_ms"] == 5_000
    assert parameters["releases"] == 2
    assert parameters["max_cases_per_individual"] == 3
    cell = next(claim for claim in report.guarantees if claim.claim == "count-cell")
    assert cell.epsilon.stated() == pytest.approx(0.81093 / 2, rel=1e-4)  # for one individual, this release


def test_the_article_s_conventions_say_that_some_times_have_no_noise() -> None:
    article = amun_dp.anonymize(hospital_log(), 0.2, "sampling", "article").report
    corrected = amun_dp.anonymize(hospital_log(), 0.2, "sampling", "corrected").report
    assert any("without noise" in sentence for sentence in article.unprotected)
    assert not any("without noise" in sentence for sentence in corrected.unprotected)


def test_variants_that_are_declared_public_are_an_assumption_and_leave_the_moves_unproved() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling", public_variants=True).report
    assert "selection-of-variants" not in [line.claim for line in report.guarantees]
    whole = strictest(report.guarantees, Scope.CASE, Relation.REPLACE)
    assert whole.verdict is Verdict.REFUTED  # by the times; the control flow alone would be not proved, by the moves
    assert any("declared variants" in sentence for sentence in report.unprotected)


def test_a_plan_shows_nothing_by_accident() -> None:
    plan = amun_dp.plan(hospital_log(), 0.2)
    assert repr(plan) == "<Plan: advantage 0.2, method filtering, conventions corrected>"


@pytest.mark.parametrize(
    ("method", "expected"), [("filtering", 0.8109), ("sampling", 0.8109), ("oversampling", 0.1777)]
)
def test_each_method_gets_the_article_s_epsilon_for_its_counts(method: str, expected: float) -> None:
    assert amun_dp.plan(hospital_log(), 0.2, method).control_flow_epsilon == pytest.approx(expected, abs=5e-5)


def test_an_advantage_so_small_that_memory_would_end_is_refused() -> None:
    with pytest.raises(ReleaseError, match="nothing but noise"):
        amun_dp.anonymize(hospital_log(), 1e-6, "oversampling")


# --- the researcher's way in ----------------------------------------------------------------------------------------


@register_event("test-halving")
@dataclass(frozen=True, slots=True)
class Halving(PrivacyEvent):
    """Every variant keeps half of its cases."""


def halve(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    return Sampled(cases=(control_flow.cases + 1) // 2, event=Sequential((LaplaceCount(1 / epsilon), Halving())))


def test_a_method_with_its_own_rule_and_event_is_registered_from_outside() -> None:
    method = register_method(Method("halving", "keeps half", False, lambda advantage: advantage, halve))
    try:
        assert method_named("halving") is method
        assert "halving" in method_names()
        log = hospital_log()
        release = amun_dp.anonymize(log, 0.25, "halving")
        assert release.report.method == "halving"
        assert log.n_cases / 2 <= release.report.released.cases <= (log.n_cases + len(variants_of(log))) / 2
        check_promises(log, release, "halving", "corrected")
        # Its own event is not known to the accountant, which says so instead of counting it as free.
        verdicts = {claim.claim: claim.verdict for claim in release.report.guarantees}
        assert verdicts["unknown-step"] is Verdict.NOT_PROVED
        with pytest.raises(ParameterError, match="registered already"):
            register_method(method)
    finally:
        unregister_method("halving")
    with pytest.raises(ParameterError):
        method_named("halving")


def test_a_time_mechanism_of_its_own_is_registered_from_outside() -> None:
    def to_the_hour(times: RelativeTimes, advantage: float, source: NoiseSource) -> NoisedTimes:
        zero = np.zeros(len(times.case))
        nothing = PerEventNoise(times.case, times.value_range, zero, times.copies, times.origin, times.individual)
        return NoisedTimes(times.value // 3_600_000 * 3_600_000, Halving(), amun_dp.Confidential(nothing))

    register_method(replace(method_named("sampling"), name="hours", noise_times=to_the_hour))
    try:
        release = amun_dp.anonymize(hospital_log(), 0.3, "hours")
        same_case = release.event_log.case[1:] == release.event_log.case[:-1]
        inside = release.event_log.time[1:] < hospital_log().time.max()
        assert (np.diff(release.event_log.time)[same_case & inside] % 3_600_000 == 0).all()
        assert "unknown-step" in [claim.claim for claim in release.report.guarantees]
    finally:
        unregister_method("hours")


def test_an_installed_package_brings_its_method_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    method = replace(method_named("sampling"), name="from-elsewhere")

    class Found:
        def load(self) -> Method:
            return method

    def entry_points(group: str, name: str) -> list[Found]:
        return [Found()] if (group, name) == ("amun_dp.methods", "from-elsewhere") else []

    monkeypatch.setattr(amun_dp.methods, "entry_points", entry_points)
    try:
        assert amun_dp.anonymize(hospital_log(), 0.3, "from-elsewhere").report.method == "from-elsewhere"
    finally:
        unregister_method("from-elsewhere")


@pytest.mark.parametrize("cases", [[-1], [1, 1], [0, 5]])
def test_a_rule_that_would_invent_cases_is_refused(cases: list[int]) -> None:
    def wrong(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        return Sampled(cases=np.resize(np.array(cases), len(cases)), event=Halving())

    register_method(Method("wrong", "is wrong", False, lambda advantage: 1.0, wrong))
    try:
        with pytest.raises(ReleaseError, match="one number of cases for each variant"):
            amun_dp.anonymize(log_of([[("a", 0)]]), 0.3, "wrong")
    finally:
        unregister_method("wrong")


# --- degenerate logs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conventions", ["corrected", "article"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "cases",
    [
        [[("a", 0)]],
        [[("a", 0)], [("b", 0)], [("a", 0)]],
        [[("a", 7), ("b", 7), ("c", 7)]] * 5,
        [[("a", 0), ("a", 0), ("a", 0)]],
        [[(f"a{number}", number)] for number in range(30)],
        [[("a", number) for number in range(300)]],
        [[("a", -62_135_596_800_000), ("b", 253_402_300_799_000)]] * 3,
    ],
    ids=[
        "one-event",
        "one-event-a-case",
        "one-instant",
        "one-label",
        "all-labels-differ",
        "one-long-case",
        "8000-years",
    ],
)
def test_degenerate_logs_work_or_say_why_not(cases: list[list[tuple[str, int]]], method: str, conventions: str) -> None:
    log = log_of(cases)
    release = release_or_refusal(log, method, conventions)
    if release is not None:
        check_promises(log, release, method, conventions)
        release.log  # noqa: B018 — the DataFrame can be made: no time overflows
