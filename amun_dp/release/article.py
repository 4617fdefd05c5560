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
from amun_dp._base.arrays import IntArray
from amun_dp._base.progress import Progress, silent
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import Plan
from amun_dp.article.replicated_cases import ReplicatedCases, replicate
from amun_dp.article.step5_sampling import ControlFlow, Sampled, choose_cases
from amun_dp.article.step6_time_noise import noise_on_times
from amun_dp.article.step7_compression import rebuild_times
from amun_dp.budgets.earlier_releases import EarlierReleases, earlier_of
from amun_dp.budgets.spending import Reserve, Spending, drawing
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog, PublicLog, build_event_log, declared_public
from amun_dp.internals.comparison import compare_logs
from amun_dp.internals.figures import build_ledger, compare
from amun_dp.mechanisms.bounded_laplace import NoisedTimes
from amun_dp.noise.sources import NoiseSource, random_names
from amun_dp.release.enough_memory import ARTICLE_BYTES, rehearse
from amun_dp.release.made import Release
from amun_dp.report.parameters import ArticleParameters
from amun_dp.report.public_report import PublicReport, ReleasedLog, new_report

LARGEST_RELEASE = 10**8
"""Most events that the noise may add or remove; with more, memory would run out before the release is made."""


def carry_out_article(
    plan: Plan, source: NoiseSource, progress: Progress = silent, reserve: Reserve | None = None
) -> Release:
    """Draw the noise that a plan asks for: sample cases, noise their times, compress, rename, shuffle.

    ``reserve`` charges the release to a budget before anything is drawn.
    """
    check_size(plan)
    original = plan.annotated.log
    events = original.n_events + expected_moves(plan) * original.n_events / original.n_cases
    rehearse(source, events, ARTICLE_BYTES, original.activities)
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
    noised = noise_on_times(plan, cases, copies, source)
    return Drawn(sampled, copies, cases, noised)


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
    """Refuse a plan that could only fill the memory: with so little ε, cases would be copied by the hundred million."""
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


def check_sampled(method: ArticleMethod, kept: IntArray, sampled: Sampled) -> None:
    """A sampling rule may come from outside the package: R1 must hold whatever it returns. ``kept`` are the cases of
    each variant before."""
    if len(sampled.cases) != len(kept) or (sampled.cases < 0).any() or (sampled.cases[kept == 0] > 0).any():
        raise ReleaseError(
            f"The sampling rule of method '{method.name}' must return one number of cases for each variant, none "
            "negative, and none for a variant without a case: whole cases are copied or deleted, never invented. "
            "Nothing was released, but the noise was drawn, so the budget is spent."
        )
    if not sampled.cases.any():
        raise ReleaseError(
            f"The sampling rule of method '{method.name}' deleted every case, so there is nothing to release. "
            "The noise was drawn, so the budget is spent. Use a larger advantage, or another method."
        )


def what_was_done(
    parameters: Parameters,
    method: ArticleMethod,
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
