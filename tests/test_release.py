"""What holds for every release, whatever the noise: R1, order, fresh names, positive noise, nothing left behind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.events import LaplaceCount, PrivacyEvent, Sequential, register_event
from accounting.guarantee import Verdict
from amun_dp.conventions import CORRECTED
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog import EventLog
from amun_dp.generator import LogShape, generate_log, hospital_log
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
    ledger = release.ledger.reveal()
    assert ledger.num_rows == released.n_events
    if conventions == "corrected":
        assert (ledger["scale_ms"].to_numpy() > 0).all()
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
    ledger, released = release.ledger.reveal(), release.event_log
    scale, origin = ledger["scale_ms"].to_numpy(), ledger["origin"].to_numpy()
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


def test_the_check_for_true_gaps_catches_a_release_with_half_the_noise() -> None:
    # Durations of 0 or 20 ms: noise of a few milliseconds leaves many of them as they are.
    generator = np.random.default_rng(1)
    cases = [
        [("a", 86_400_000 * day), ("b", 86_400_000 * day + int(generator.integers(1, 20)))] for day in range(4_000)
    ]
    log = log_of(cases)
    from dataclasses import replace

    narrow = replace(CORRECTED, window=1, start_window=1)
    honest = amun_dp.anonymize(log, 0.2, "sampling", narrow)
    assert surplus_of_true_gaps(log, honest) > 1e-9
    table = honest.ledger.reveal()
    doubled = table.set_column(table.schema.get_field_index("scale_ms"), "scale_ms", [table["scale_ms"].to_numpy() * 2])
    overstated = replace(honest, ledger=amun_dp.Confidential(doubled))
    assert surplus_of_true_gaps(log, overstated) < 1e-9


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
    ledger = release.ledger.reveal().to_pandas()
    assert ledger["copies"].max() > 1
    losses = amun_dp.plan(worked_example_log(), 0.3, "oversampling").losses
    for _, row in ledger.groupby(["origin", "transition"]).first().reset_index().iterrows():
        total = row["copies"] * row["range_ms"] / row["scale_ms"]
        assert total <= losses.max()
        assert total >= losses.min() * 31 / 33
    cases = ledger.drop_duplicates("case")
    assert (cases.groupby("origin")["case"].count() == cases.groupby("origin")["copies"].first()).all()


def test_the_ledger_states_the_epsilon_of_the_noise_that_was_drawn() -> None:
    ledger = amun_dp.anonymize(hospital_log(), 0.2, "sampling").ledger.reveal().to_pandas()
    assert (ledger["epsilon"] >= ledger["range_ms"] / ledger["scale_ms"]).all()
    assert ledger["epsilon"].to_numpy() == pytest.approx(ledger["range_ms"] / ledger["scale_ms"])


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
    assert "not-private" in [guarantee.claim for guarantee in first.report.guarantees]


def test_without_a_seed_two_releases_differ_and_are_private() -> None:
    first, second = (amun_dp.anonymize(hospital_log(), 0.3) for _ in range(2))
    assert first.report.private
    assert not first.log.equals(second.log)


@pytest.mark.parametrize("advantage", [0, 1, -0.2, 1.7, float("nan"), float("inf")])
def test_an_advantage_outside_its_domain_is_refused(advantage: float) -> None:
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        amun_dp.plan(worked_example_log(), advantage)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "Unknown method 'magic'.*filtering, sampling, oversampling"),
        ({"conventions": "mine"}, "Unknown conventions"),
        ({"releases": 0}, "releases must be at least 1"),
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
    verdicts = {claim["claim"]: claim["verdict"] for claim in report["guarantees"]}
    assert verdicts["noisy-count-cell"] == "proved under assumptions"
    assert verdicts["noisy-count-table"] == "refuted"
    assert verdicts["selection-of-variants"] == "refuted"
    assert verdicts["selection-of-cases"] == "refuted"
    assert verdicts["event-time"] == "refuted"
    assert verdicts["released-counts"] == "not proved"
    assert verdicts["whole-release-case"] == "not proved"


def test_the_cell_claim_states_the_epsilon_of_the_worst_prior() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling").report
    cell = next(claim for claim in report.guarantees if claim.claim == "noisy-count-cell")
    assert cell.epsilon == pytest.approx(0.8109, abs=5e-5)
    assert cell.advantage == pytest.approx(0.2, abs=1e-9)


def test_the_report_depends_on_the_original_only_through_the_released_log() -> None:
    # Two logs of different size and shape, same parameters: only figures of the released logs may differ.
    def public_part(log: EventLog) -> str:
        report = amun_dp.anonymize(log, 0.2, "sampling").report.as_dict()
        del report["released"]
        return json.dumps(report, sort_keys=True)

    assert public_part(hospital_log(cases=50, seed=1)) == public_part(hospital_log(cases=400, seed=2))


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
        assert verdicts["unknown-event"] is Verdict.NOT_PROVED
        with pytest.raises(ParameterError, match="registered already"):
            register_method(method)
    finally:
        unregister_method("halving")
    with pytest.raises(ParameterError):
        method_named("halving")


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
