"""What each of several advantages would cost: a plan is made for each of them. Nothing is drawn or spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from accounting.confidential import Confidential
from amun_dp._base.progress import Progress, silent
from amun_dp.article.parameters import Parameters
from amun_dp.article.summary import PlanSummary
from amun_dp.certified.plan import CertifiedSummary
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.release.methods import make_plan
from amun_dp.report.parameters import Asked

ADVANTAGES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The figures of a plan at one advantage. They come from the original log: confidential."""

    advantage: float
    epsilon: float | None
    """ε of one transition count (article), or of the whole unit (``certified``); None if nothing would be released."""
    cases: int
    kept_cases: float
    """Cases left after filtering; under a threshold, the expected number."""
    variants: int
    kept_variants: int | None
    """Variants left after filtering; None where it depends on noise."""
    count_noise: float | None
    """Scale of the noise on a count of control flow, in cases."""
    start_error_days: float | None
    """Typical (median) error of the start of a case with one copy; None for ``certified``, whose times are drawn anew.
    """
    duration_error_hours: float | None
    """Typical (median) error of a duration with one copy; None for ``certified``, whose times are drawn anew."""


def sweep(
    log: EventLog,
    parameters_for: Callable[[float], Asked],
    advantages: Sequence[float] = ADVANTAGES,
    progress: Progress = silent,
) -> Confidential[tuple[SweepRow, ...]]:
    """Make a plan of ``log`` for each of the ``advantages``, with the parameters that ``parameters_for`` gives, and
    return one row per advantage. Where a plan is refused because nothing would be left to release, the row has nothing
    kept."""
    rows, variants = [], find_variants(log).count
    for advantage in advantages:
        parameters = parameters_for(advantage)
        progress(f"planning for advantage {advantage:g}")
        try:
            planned = make_plan(log, parameters)
        except ReleaseError:
            rows.append(SweepRow(advantage, None, log.n_cases, 0.0, variants, 0, None, None, None))
            continue
        rows.append(_ROWS[parameters.family](advantage, planned.summary.reveal()))
    return Confidential(tuple(rows))


def _of_article(advantage: float, summary: PlanSummary) -> SweepRow:
    return SweepRow(
        advantage=advantage,
        epsilon=summary.control_flow_epsilon,
        cases=summary.cases,
        kept_cases=float(summary.kept_cases),
        variants=summary.variants,
        kept_variants=summary.kept_variants,
        count_noise=1 / summary.control_flow_epsilon,
        start_error_days=summary.median_start_error_days,
        duration_error_hours=summary.median_duration_error_hours,
    )


def _of_certified(advantage: float, summary: CertifiedSummary) -> SweepRow:
    return SweepRow(
        advantage=advantage,
        epsilon=summary.epsilon,
        cases=summary.cases,
        kept_cases=summary.cases * summary.expected_kept,
        variants=summary.variants,
        kept_variants=None,
        count_noise=min(part.noise for part in summary.parts if part.of == "control flow"),
        start_error_days=None,
        duration_error_hours=None,
    )


_ROWS: dict[str, Callable[[float, Any], SweepRow]] = {
    Parameters.family: _of_article,
    CertifiedSettings.family: _of_certified,
}
