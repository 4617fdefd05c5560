"""What a release is: the log and the report, and apart from them what must stay inside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from accounting.accountant import Account
from accounting.confidential import Confidential
from accounting.events import PerEventNoise, PrivacyEvent
from accounting.ledger import Ledger
from amun_dp.budgets.spending import Spending
from amun_dp.eventlog.log import PublicLog
from amun_dp.folder.names import check_escaping, file_name
from amun_dp.folder.placing import check_target
from amun_dp.internals.comparison import Comparison
from amun_dp.internals.figures import Internals
from amun_dp.release.save import Inside, save_release
from amun_dp.report.public_report import PublicReport

if TYPE_CHECKING:
    import pandas as pd

    from amun_dp.internals.certified import CertifiedInternals


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """What ``anonymize`` made: a released log with its public report and, separate from them, what must stay inside.

    Only ``event_log``, ``log`` and ``report`` may be published.
    """

    event_log: PublicLog
    """The released log as columns."""
    report: PublicReport
    """What is published about the release: parameters, mechanisms, and guarantees with their verdicts."""
    events: Confidential[PrivacyEvent]
    """The mechanisms of this release, as the accountant takes them, with confidential parameters."""
    account: Account
    """What the accountant derives from the mechanisms. Its confidential part has figures of the original log."""
    ledger: Confidential[Ledger]
    """The hash-chained record of what the release spent; ``accounting.accountant.replay`` derives the account from it
    again."""
    noise: Confidential[PerEventNoise] | None
    """One row per released event: what its noise was drawn from. None if noise is not added to single events."""
    internals: Confidential[Internals] | Confidential[CertifiedInternals]
    """Figures before and after, for the internal report."""
    comparison: Confidential[Comparison]
    """The original and the released log beside each other, for the internal page."""
    format: str = "xes"
    """Format of the input; ``save`` uses it unless asked for another."""
    spending: Spending | None = None
    """What was reserved for the release in a registry; None if no registry was given."""

    @property
    def log(self) -> pd.DataFrame:
        """The released log with pm4py's column names."""
        return self.event_log.to_pandas()

    def __repr__(self) -> str:
        """Parameters and sizes of what was released."""
        released = self.report.released
        return (
            f"<Release: advantage {self.report.advantage:g}, method {self.report.method}, {released.cases:,} cases, "
            f"{released.events:,} events>"
        )

    def _repr_html_(self) -> str:
        """The label card, in a notebook."""
        return self.report._repr_html_()

    def save(
        self,
        directory: str | Path,
        *,
        format: str | None = None,
        force: bool = False,
        escape_formulas: bool = False,
    ) -> PublicReport:
        """Write the release folder, all of it or nothing. Returns the report with file names and hashes filled in.

        The folder has the log, ``report.json`` and ``report.html``, which may be published, and the folder
        ``internal``, which must not. ``directory`` must be new or empty; ``force`` replaces an earlier release there.
        ``format`` is xes, csv or parquet, by default that of the input. With ``escape_formulas`` (CSV only) a label
        that begins with = + - @, a tab or a carriage return, so that a spreadsheet would take it for a formula, is
        written with a ' before it; the report says so, and ``load_release`` removes it again.

        Saving draws no noise and costs nothing more. If a registry was given, the release is noted there as published.
        Raises ``ParameterError`` for an unknown format, or if the registry does not know the release any more;
        ``OutputError`` if the folder cannot be written; ``BudgetError`` if what was reserved has been voided;
        ``RegistryRefused`` if the registry cannot be used. If the release was written and only the registry could not
        note it, the message says so.
        """
        name, target = file_name(format or self.format), Path(directory)
        check_escaping(name, escape_formulas)
        if self.spending is not None:
            # What can be refused is refused before the first file is made, from which on the release stays spent.
            check_target(target, force)
            self.spending.expose("writing")
        inside = Inside(self.internals, self.comparison, self.account, self.ledger)
        told = self.report.with_escaped_formulas() if escape_formulas else self.report
        report = save_release(target, name, self.event_log, told, inside, force=force)
        if self.spending is not None:
            self.spending.confirm(directory, self.events.reveal())
        return report
