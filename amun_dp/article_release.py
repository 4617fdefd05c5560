"""Steps 5–7 of the article: from a plan to a released log, on one screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import (
    DataDependentSelection,
    Fact,
    NonPrivate,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
)
from amun_dp.comparison import compare_logs
from amun_dp.earlier_releases import EarlierReleases, earlier_of
from amun_dp.enough_memory import check_memory
from amun_dp.errors import ReleaseError
from amun_dp.eventlog import EventLog, IntArray, PublicLog, build_event_log, declared_public
from amun_dp.internal import build_ledger, compare
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.mechanisms.postprocessing import rebuild_times
from amun_dp.mechanisms.sampling import ControlFlow, Sampled, choose_cases
from amun_dp.methods import Method
from amun_dp.noise import NoiseSource, permutation, random_names, try_out
from amun_dp.parameters import Parameters
from amun_dp.planning import Plan, Progress, silent
from amun_dp.release import Release
from amun_dp.report import PublicReport, ReleasedLog, new_report
from amun_dp.report_parameters import ArticleParameters
from amun_dp.spending import Reserve, Spending, drawing
from amun_dp.variants import ragged_positions

LARGEST_RELEASE = 10**8
"""Events that the noise may add or remove; beyond it memory ends before the release does."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedCases:
    """Released cases in their released (shuffled) order, each a copy of an original one."""

    origin: IntArray
    """Original case of each released case."""
    row: IntArray
    """Original event of each released event."""
    offsets: IntArray

    @property
    def case(self) -> IntArray:
        """Released case of each released event."""
        return np.repeat(np.arange(len(self.origin)), np.diff(self.offsets))


def carry_out_article(
    plan: Plan, source: NoiseSource, progress: Progress = silent, reserve: Reserve | None = None
) -> Release:
    """Draw the noise that a plan asks for: sample cases, noise their times, compress, rename, shuffle.

    ``reserve`` charges the release to a budget before anything is drawn.
    """
    check_size(plan)
    original = plan.annotated.log
    check_memory(original.n_events + expected_moves(plan) * original.n_events / original.n_cases)
    try_out(source)
    release_id = random_names(source, 1)[0]
    spending = None if reserve is None else reserve(plan, release_id)
    with drawing(spending):
        return _drawn(plan, source, progress, release_id, spending)


def _drawn(plan: Plan, source: NoiseSource, progress: Progress, release_id: str, spending: Spending | None) -> Release:
    original = plan.annotated.log
    drawn = draw(plan, source, progress)
    cases, noised = drawn.cases, drawn.noised

    progress("compressing timestamps")
    times, compression = rebuild_times(noised.value, cases.offsets, plan.public, plan.parameters.conventions)
    released = _released_log(original, cases, times, source)

    progress("accounting and comparing")
    from_log = None if original.individual is None else plan.cases_per_individual
    mechanisms = (drawn.sampled.event, noised.event)
    events = what_was_done(plan.parameters, plan.method, from_log, mechanisms, compression, source)
    accounted = account(events)
    if spending is not None:
        spending.check(events, accounted)
    sizes = ReleasedLog(
        cases=released.n_cases, events=released.n_events, variants=int(np.count_nonzero(drawn.sampled.cases))
    )
    earlier = earlier_of(None if spending is None else spending.reservation.total)
    report = report_of(plan.parameters, release_id, sizes, events, source, earlier)
    return Release(
        event_log=released,
        report=report,
        events=Confidential(events),
        account=accounted,
        ledger=build_ledger(plan, events, released, cases.row),
        noise=noised.noise,
        internals=compare(plan, drawn.sampled, noised.noise),
        comparison=compare_logs(plan, released, noised.noise, drawn.copies, report),
        format=original.facts.format,
        spending=spending,
    )


def report_of(
    parameters: Parameters,
    release_id: str,
    released: ReleasedLog,
    events: PrivacyEvent,
    source: NoiseSource,
    earlier: EarlierReleases,
) -> PublicReport:
    """The public report of a release that was made today."""
    stated = ArticleParameters(
        conventions=parameters.conventions,
        public_variants=parameters.public_variants,
        scope=parameters.scope,
        max_case_length=parameters.max_case_length,
    )
    return new_report(parameters, stated, release_id, released, events, source, earlier)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What the random steps made of a plan, before times are put together again."""

    sampled: Sampled
    copies: IntArray
    """How often each original case is released."""
    cases: ReplicatedCases
    noised: NoisedTimes


def draw(plan: Plan, source: NoiseSource, progress: Progress = silent) -> Drawn:
    """Steps 5 and 6: sample cases and noise their times. All that a release draws about people is drawn here."""
    original = plan.annotated.log
    progress("sampling cases")
    control_flow = ControlFlow(plan.annotated.dafsa, plan.kept_variant_cases, plan.parameters.max_case_length)
    sampled = plan.method.sample(control_flow, plan.control_flow_epsilon, source)
    check_sampled(plan.method, plan.kept_variant_cases, sampled)
    copies = choose_cases(plan.variant_of_kept_case, sampled.cases, source)
    cases = replicate(original, copies, source)

    progress("drawing time noise")
    lengths = np.diff(cases.offsets)
    origin = np.repeat(cases.origin, lengths)
    noised = plan.method.noise_times(
        RelativeTimes(
            value=plan.annotated.relative_time[cases.row],
            value_range=plan.filtered.knowledge.value_range[cases.row],
            loss=plan.losses[cases.row],
            copies=np.repeat(copies[cases.origin], lengths),
            case=cases.case,
            origin=origin,
            individual=origin if original.individual is None else np.repeat(original.individual[cases.origin], lengths),
        ),
        plan.parameters.advantage,
        source,
    )
    return Drawn(sampled, copies, cases, noised)


def replicate(log: EventLog, copies: IntArray, source: NoiseSource) -> ReplicatedCases:
    """Copy and delete whole cases, then shuffle, so that neither position nor neighbourhood betrays a copy."""
    origin = np.repeat(np.arange(log.n_cases), copies)
    origin = origin[permutation(source, len(origin))]
    lengths = log.lengths[origin]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return ReplicatedCases(origin, ragged_positions(log.offsets[origin], lengths), offsets)


def _released_log(original: EventLog, cases: ReplicatedCases, times: IntArray, source: NoiseSource) -> PublicLog:
    released = build_event_log(
        case=cases.case,
        case_names=np.array(random_names(source, len(cases.origin)), dtype=object),
        activity=original.activity[cases.row],
        labels=np.array(original.activities, dtype=object),
        time=times,
        sequence=np.arange(len(times)),
    )
    return declared_public(released)


def check_size(plan: Plan) -> None:
    """Refuse what could only end in a full memory: so little ε that cases would be copied by the hundred million."""
    check_moves(expected_moves(plan), plan.annotated.log.n_events / plan.annotated.log.n_cases)


def check_moves(moves: float, events_a_case: float) -> None:
    """Refuse so many copies and deletions that nothing but noise would be left."""
    events = moves * events_a_case
    if events > LARGEST_RELEASE:
        raise ReleaseError(
            f"The noise would copy or delete about {moves:.1g} cases, {events:.1g} events, many times the log itself: "
            "nothing but noise would be released. Use a larger advantage, or fewer releases and cases per individual."
        )


def expected_moves(plan: Plan) -> float:
    """About how many cases the noise copies or deletes: noise of scale 1/ε is about 1/ε, up or down."""
    return plan.annotated.dafsa.n_transitions / plan.control_flow_epsilon


def check_sampled(method: Method, kept: IntArray, sampled: Sampled) -> None:
    """A sampling rule may come from outside the package: R1 must hold whatever it returns. ``kept`` are the cases of
    each variant before."""
    if len(sampled.cases) != len(kept) or (sampled.cases < 0).any() or (sampled.cases[kept == 0] > 0).any():
        raise ReleaseError(
            f"The sampling rule of method '{method.name}' must return one number of cases for each variant, none "
            "negative, and none for a variant without a case: whole cases are copied or deleted, never invented."
        )
    if not sampled.cases.any():
        raise ReleaseError(
            f"The sampling rule of method '{method.name}' deleted every case, so there is nothing to release. "
            "Use a larger advantage, or another method."
        )


def what_was_done(
    parameters: Parameters,
    method: Method,
    cases_per_individual: int | None,
    mechanisms: tuple[PrivacyEvent, ...],
    compression: PostProcessing,
    source: NoiseSource,
) -> PrivacyEvent:
    """The release for the accountant. ``cases_per_individual`` is the number in the log, if that knows individuals."""
    # The automaton and its groups follow from the variants alone, so they are as public as these.
    public = parameters.public_variants
    selections = [
        DataDependentSelection("variants", declared_public=public),
        DataDependentSelection("groups", declared_public=public),
    ]
    if method.filters:
        selections.append(DataDependentSelection("cases"))
    declared = parameters.max_cases_per_individual
    # Also where the largest number in the log is 1: that it is, is a fact about the log.
    from_log: Fact = None if cases_per_individual is None else Confidential(cases_per_individual)
    cases = from_log if declared is None else declared
    if cases is not None:
        mechanisms = tuple(SharedByIndividual(part, cases) for part in mechanisms)
    if parameters.releases > 1:  # what is stated is then for all of them together
        mechanisms = tuple(RepeatedRelease(part, parameters.releases) for part in mechanisms)
    parts: list[PrivacyEvent] = [
        *selections,
        *mechanisms,
        compression,
        PostProcessing("case identifiers and order", "random identifiers and a random order that depend on no data"),
    ]
    if not source.unpredictable:
        parts.append(NonPrivate("the noise came from a seeded generator: who knows the seed can subtract it"))
    return Sequential(tuple(parts))
