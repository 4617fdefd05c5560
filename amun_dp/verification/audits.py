"""The mechanism that a report names, attacked, if ``verify`` is asked for it."""

from __future__ import annotations

from typing import Any

from accounting.parts import BOUNDED_VERDICTS
from amun_dp._base.messages import Message
from amun_dp.eventlog.log import EventLog
from amun_dp.report.parameters import Asked, CertifiedParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import Fault, NotPossible
from amun_dp.verification.report.expected_mechanisms import ARTICLE_METHODS, parameters_of


def audited(report: PublicReport, original: EventLog | None, runs: int, workers: int) -> str:
    """Audit what this software does with the stated parameters. Claims that are recorded as not holding may break.

    It is the shipped mechanism that is attacked, not the release: whether a release was made by it, other checks ask.
    """
    from amun_dp.auditing import audit_release

    chosen = report.parameters
    if chosen.counts_individuals and (original is None or original.individual is None):
        raise NotPossible(
            Message("individuals are protected, and only the original ({individual:COLUMN}) says who they are")
        )
    found = audit_release(original, _settings(report), runs=runs, workers=workers)
    if found.void:
        raise NotPossible("the controls of the audit failed, so it says nothing; run it again")
    size = f"{runs:,} runs a log, {found.tests:,} tests; no ε above {found.refutable:.3g} could have been refuted"
    for claim in found.broken:
        test = claim.strongest
        if test.claimed.verdict in BOUNDED_VERDICTS:
            raise Fault(
                f"{test.claimed.claim} is recorded as {test.claimed.verdict.value} and is broken: ε is at least "
                f"{test.tested.epsilon_low:.3f}, claimed is {test.claimed.epsilon:.3f} ({test.pair}: "
                f"{test.goal.value}; chance below {test.chance:.0e}). {size}"
            )
    broken = ", ".join(claim.strongest.claimed.claim for claim in found.broken)
    said = f"broken, and recorded as not holding: {broken}" if broken else "no claim is rejected, which is no proof"
    return f"{said} ({size})"


def _settings(report: PublicReport) -> Asked:
    stated = report.parameters
    if isinstance(stated, CertifiedParameters):
        from amun_dp.certified.choices import CertifiedChoices
        from amun_dp.certified.settings import CertifiedSettings

        # The form of a release from elsewhere is anybody's text; it is checked where it is used.
        form: Any = stated.variants
        number = report.max_cases_per_individual
        counted, declared = (number, None) if stated.scope == "individual" else (None, number)
        return CertifiedSettings(
            advantage=report.advantage,
            choices=CertifiedChoices(form, stated.delta, counted, declared),
            releases=report.releases,
        )
    if report.method not in ARTICLE_METHODS:
        raise NotPossible("a method from elsewhere is audited by its author: see amun_dp.auditing.audit_mechanism")
    return parameters_of(report)
