"""From the plan of a certified release to the release: draw, account, compare."""

from __future__ import annotations

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.ledger import ledger_of
from amun_dp._base.progress import Progress, silent
from amun_dp.budgets.earlier_releases import EarlierReleases, earlier_of
from amun_dp.budgets.spending import Reserve, Spending, drawing
from amun_dp.certified.draw import Certified, certify_cases
from amun_dp.certified.plan import Certifiable, spent_delta
from amun_dp.eventlog.log import PublicLog, declared_public
from amun_dp.eventlog.variants import find_variants
from amun_dp.internals.certified import CertifiedInternals, compare_drawn
from amun_dp.internals.comparison import Comparison
from amun_dp.noise.sources import NoiseSource, random_names
from amun_dp.release.enough_memory import CERTIFIED_BYTES, rehearse
from amun_dp.release.made import Release
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport, ReleasedLog, new_report


def carry_out_certified(
    planned: Certifiable,
    source: NoiseSource,
    progress: Progress = silent,
    reserve: Reserve | None = None,
) -> Release:
    """Draw the noise that a plan asks for, and a log from what was measured. ``reserve`` charges it beforehand."""
    rehearse(source, planned.n_events, CERTIFIED_BYTES, planned.facts.activities)
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
    sizes = ReleasedLog(cases=released.n_cases, events=released.n_events, variants=find_variants(released).count)
    return new_report(rules, stated, release_id, sizes, made.events, source, earlier)


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
