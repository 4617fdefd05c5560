"""A release, and the one function that makes it: plan, charge the budget, draw, account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from accounting.accountant import Account
from accounting.confidential import Confidential
from accounting.events import PerEventNoise, PrivacyEvent
from accounting.ledger import Ledger
from accounting.registry import Declared, Registry
from amun_dp.before_release import check_release
from amun_dp.comparison import Comparison
from amun_dp.conventions import Conventions
from amun_dp.errors import ParameterError
from amun_dp.eventlog import EventLog, PublicLog
from amun_dp.internal import Internals
from amun_dp.noise import NoiseSource, noise_source
from amun_dp.planning import AnyPlan, Plan, Progress, plan, silent
from amun_dp.report import PublicReport
from amun_dp.spending import Chargeable, Reserve, Spending, reserve_plan

if TYPE_CHECKING:
    import pandas as pd

    from amun_dp.certified.facts import GivenFacts
    from amun_dp.certified.releasing import CertifiedInternals


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """A released log with its public report, and, apart from them, what must stay inside."""

    event_log: PublicLog
    """The released log as columns."""
    report: PublicReport
    """What is published about it: parameters, mechanisms, guarantees with their verdicts."""
    events: Confidential[PrivacyEvent]
    """What the release did, for the accountant."""
    account: Account
    """What the accountant makes of it; the confidential part has the figures of the log."""
    ledger: Confidential[Ledger]
    """What the release spent, hash-chained; ``accounting.accountant.replay`` accounts for it again."""
    noise: Confidential[PerEventNoise] | None
    """One row a released event: what its noise was drawn from. None where noise is not on single events."""
    internals: Confidential[Internals] | Confidential[CertifiedInternals]
    """Before and after, for the internal report."""
    comparison: Confidential[Comparison]
    """The two logs beside each other, for the internal page."""
    format: str = "xes"
    """Format of the input; ``save`` writes the same one unless asked otherwise."""
    spending: Spending | None = None
    """What was reserved for it in a registry; None if nothing is recorded."""

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

    def save(self, directory: str | Path, *, format: str | None = None, force: bool = False) -> PublicReport:
        """Write the release folder, all of it or nothing; returns the report with file name and hash filled in.

        ``directory`` must be new or empty; ``force`` replaces an earlier release there. ``format`` is xes, csv or
        parquet, by default that of the input.
        """
        from amun_dp.folder import file_name, save_release
        from amun_dp.writing import check_target

        if self.spending is not None:
            # What can be refused is refused before the first file is made, from which on the release stays spent.
            file_name(format or self.format)
            check_target(Path(directory), force)
            self.spending.expose("writing")
        report = save_release(self, directory, format=format, force=force)
        if self.spending is not None:
            self.spending.confirm(directory, self.events.reveal())
        return report


def anonymize(
    log: EventLog | pd.DataFrame,
    advantage: float | None = None,
    method: str = "filtering",
    conventions: str | Conventions = "corrected",
    *,
    max_cases_per_individual: int | None = None,
    one_case_per_individual: bool = False,
    releases: int = 1,
    max_individual_loss: float | None = None,
    public_variants: bool = False,
    scope: str | None = None,
    max_case_length: int | None = None,
    variants: str | None = None,
    public: str | Path | GivenFacts | None = None,
    dp_delta: float | None = None,
    epsilon: float | None = None,
    variants_from_log: bool = False,
    public_from_log: bool = False,
    allow_too_small: bool = False,
    noise: str = "opendp",
    seed: int | None = None,
    registry: Registry | None = None,
    same_log_as: Sequence[str] = (),
    new_log: bool = False,
    progress: Progress = silent,
) -> Release:
    """Release an anonymised log. ``advantage`` is how much an attacker's chance of guessing right may rise; how far
    that is kept depends on the ``method``: ``filtering``, ``sampling`` and ``oversampling`` as the article does it,
    ``certified`` with a bound for the whole case (``variants``: threshold, public or generated; ``public``: what is
    known from outside the log, a file or ``GivenFacts``; ``dp_delta``: the δ of ``threshold``). Of ``certified`` an
    ``epsilon`` may be given instead of the advantage, for one unit replaced by another and δ = 0: it is taken as the
    advantage tanh(ε/4), and under ``threshold`` needs ``dp_delta`` beside it.

    For the article's methods, ``conventions`` say how priors and ranges are computed (``corrected``, ``article``, or a
    ``Conventions``), ``public_variants`` declares that which variants occur is no secret, ``scope`` is ``event`` as in
    the article or ``case``, which needs the declared bound ``max_case_length``, and ``max_individual_loss`` refuses a
    release whose times would cost one individual more. For ``certified`` the scope is ``case`` or ``individual``.
    ``releases`` says how often the log will be released, and divides every ε.

    Nothing is promised about an individual unless it is declared, from outside the log, how many cases one has at most:
    ``max_cases_per_individual``, or ``one_case_per_individual``. It divides every ε of the article's methods and at
    scope ``individual``, where only so many cases of each count; at scope ``case`` of ``certified`` an individual has
    so many times the ε of a case. A log whose individuals are known and have more is refused, or truncated.

    Facts that are the log's own are refused as ``public``: a log that shares cases with ``log``, or a list that is
    (nearly) the log's variants. ``public_from_log`` admits them, and the label says that they were taken from the log.
    ``variants="public"`` without given variants takes the log's own, which discloses those that one case alone has, and
    needs ``variants_from_log``. A log too small for the method, and a threshold that would probably leave nothing, are
    refused unless ``allow_too_small``; nothing public tells of that (docs/certified.md says how it is derived).

    What that guarantees, and what it does not, is in ``release.report.guarantees``: read it before you publish. The
    input is not changed. ``noise`` chooses the sampler, OpenDP's or the faster one of this package (``exact``). With a
    ``seed`` the result is repeatable and therefore not private, and the report says so.

    Without a ``registry`` (``open_registry``) nothing is recorded and no budget is looked at; with one, the release is
    charged to the log's budget before noise is drawn, or refused, and noted as published by ``save``. Where the log
    shares cases with registered ones, say of which it is another state (``same_log_as``) or that the people are others
    (``new_log``). ``progress`` is called with the name of each step.
    """
    if registry is not None and seed is not None:
        raise ParameterError("A seeded release must not be published, so none is recorded: leave seed or registry out.")
    declared = Declared(same_as=tuple(same_log_as), new_log=new_log)
    reserve = None if registry is None else partial(reserve_plan, registry, declared=declared)
    planned = plan(
        log,
        advantage,
        method,
        conventions,
        max_cases_per_individual=max_cases_per_individual,
        one_case_per_individual=one_case_per_individual,
        releases=releases,
        max_individual_loss=max_individual_loss,
        public_variants=public_variants,
        scope=scope,
        max_case_length=max_case_length,
        variants=variants,
        public=public,
        dp_delta=dp_delta,
        epsilon=epsilon,
        variants_from_log=variants_from_log,
        public_from_log=public_from_log,
        progress=progress,
    )
    check_release(planned, allow_too_small=allow_too_small)
    source = noise_source(seed, noise)
    if reserve is None:
        return carry_out(planned, source, progress)
    reserved: list[Spending] = []

    def remembered(chargeable: Chargeable, release: str) -> Spending:
        reserved.append(reserve(chargeable, release))
        return reserved[0]

    try:
        return carry_out(planned, source, progress, remembered)
    finally:  # also if it is interrupted: a notebook lives on, and a traceback holds what was drawn
        for spending in reserved:
            spending.expose("handing over")


def carry_out(
    plan: AnyPlan, source: NoiseSource, progress: Progress = silent, reserve: Reserve | None = None
) -> Release:
    """Draw the noise that a plan asks for. ``reserve`` charges the release to a budget before anything is drawn.

    Nothing of what it returns may be shown to anybody before ``Spending.expose`` (``Release.save`` calls it)."""
    if isinstance(plan, Plan):
        from amun_dp.article_release import carry_out_article

        return carry_out_article(plan, source, progress, reserve)
    from amun_dp.certified.releasing import carry_out_certified

    return carry_out_certified(plan, source, progress, reserve)
