"""From the plan of a certified release to the release: draw, account, compare."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.ledger import ledger_of
from amun_dp.certified.certifying import Certified, certify_cases
from amun_dp.certified.comparing import compare_drawn
from amun_dp.certified.sequences import Sequences, distinct
from amun_dp.certified.settings import Certifiable, CertifiedSummary, spent_delta
from amun_dp.comparison import Comparison
from amun_dp.earlier_releases import EarlierReleases, earlier_of
from amun_dp.enough_memory import check_memory
from amun_dp.eventlog import PublicLog, ReadingFacts, declared_public
from amun_dp.noise import NoiseSource, random_names, try_out
from amun_dp.one_of_a_kind import OneOfAKind
from amun_dp.planning import Progress, silent
from amun_dp.release import Release
from amun_dp.report import PublicReport, ReleasedLog, new_report
from amun_dp.report_parameters import CertifiedParameters
from amun_dp.spending import Reserve, Spending, drawing


@dataclass(frozen=True, slots=True)
class CertifiedInternals:
    """Figures computed from the original log. Never part of anything public."""

    reading: ReadingFacts
    plan: CertifiedSummary
    cases: int
    variants_kept: int
    variants_lost: int
    variants_new: int
    one_of_a_kind: OneOfAKind
    """Variants that one original case alone has, and how many of them the release has."""


def carry_out_certified(
    planned: Certifiable,
    source: NoiseSource,
    progress: Progress = silent,
    reserve: Reserve | None = None,
) -> Release:
    """Draw the noise that a plan asks for, and a log from what was measured. ``reserve`` charges it beforehand."""
    check_memory(planned.n_events)
    try_out(source)
    release_id = random_names(source, 1)[0]
    spending = None if reserve is None else reserve(planned, release_id)
    with drawing(spending):
        return _drawn(planned, source, progress, release_id, spending)


def _drawn(
    planned: Certifiable, source: NoiseSource, progress: Progress, release_id: str, spending: Spending | None
) -> Release:
    rules = planned.parameters
    progress("measuring and drawing")
    made = certify_cases(planned.population(), planned.facts, rules.choices, rules.advantage, rules.releases, source)
    accounted = account(made.events)
    if spending is not None:
        spending.check(made.events, accounted)
    released = declared_public(made.log)
    earlier = earlier_of(None if spending is None else spending.reservation.total)
    report = _report(planned, made, released, release_id, source, earlier)
    progress("comparing")
    comparison = compare_drawn(planned.original, released, report)
    return Release(
        event_log=released,
        report=report,
        events=Confidential(made.events),
        account=accounted,
        ledger=Confidential(ledger_of(made.events)),
        noise=None,
        internals=Confidential(_internals(planned, comparison)),
        comparison=comparison,
        format=planned.reading.format,
        spending=spending,
    )


def _report(
    planned: Certifiable,
    made: Certified,
    released: PublicLog,
    release_id: str,
    source: NoiseSource,
    earlier: EarlierReleases,
) -> PublicReport:
    rules, facts = planned.parameters, planned.facts
    used = facts.from_log | facts.given
    stated = CertifiedParameters(
        variants=rules.choices.variants,
        scope=rules.scope,
        delta=spent_delta(made.plan, rules.releases),
        first_ms=facts.first,
        last_ms=facts.last,
        longest_ms=facts.longest,
        activities=len(facts.activities) if "labels" in used else None,
        public_variants=None if facts.variants is None else facts.variants.count,
        cases=facts.cases,
        from_log=tuple(sorted(facts.from_log)),
    )
    sizes = ReleasedLog(cases=released.n_cases, events=released.n_events, variants=_count_variants(released))
    return new_report(rules, stated, release_id, sizes, made.events, source, earlier)


def _count_variants(released: PublicLog) -> int:
    return distinct(Sequences(released.activity, released.offsets), len(released.activities))[0].count


def _internals(planned: Certifiable, comparison: Confidential[Comparison]) -> CertifiedInternals:
    changes, summary = comparison.reveal().variants, planned.summary.reveal()
    return CertifiedInternals(
        reading=planned.reading,
        plan=summary,
        cases=summary.cases,
        variants_kept=changes.kept,
        variants_lost=changes.deleted,
        variants_new=changes.new,
        one_of_a_kind=changes.one_of_a_kind,
    )
