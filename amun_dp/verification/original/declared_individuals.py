"""Whether the original bears out what was declared about its individuals."""

from __future__ import annotations

import numpy as np

from amun_dp._base.messages import Message
from amun_dp.eventlog.log import EventLog
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import NotPossible, require


def declared_cases(original: EventLog, report: PublicReport) -> str:
    """Nobody in the original has more cases than the publisher declared."""
    stated = report.individuals
    if stated["by"] == "truncation":
        return "nothing is declared of how many cases people have: further ones are left out"
    most = report.max_cases_per_individual
    if most is None:
        return "nothing is declared, and nothing is promised about individuals"
    if original.individual is None:
        raise NotPossible(Message("who stands behind a case is not known here: say which column ({individual:COLUMN})"))
    if original.individual_name is not None and (original.individual_name == "").any():
        raise NotPossible("some cases of the original have no individual, so nobody can say whose they are")
    cases = np.unique(original.individual, return_counts=True)[1]
    more = int(np.count_nonzero(cases > most))
    require(
        not more,
        f"{more:,} of {len(cases):,} individuals have more than the declared {most:,} cases (at most {cases.max():,}): "
        "what is stated about individuals does not hold",
    )
    return f"{len(cases):,} individuals, none with more than the declared {most:,}"
