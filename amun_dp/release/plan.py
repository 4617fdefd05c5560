"""``amun_dp.plan``: what a release would do, by any method. Nothing is drawn and nothing is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, overload

from amun_dp._base.progress import Progress, silent
from amun_dp.article.conventions import Conventions, conventions_named
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.plan import Plan
from amun_dp.reading.as_event_log import LogLike, as_event_log
from amun_dp.release.methods import Method, Planned, make_plan, requested
from amun_dp.release.requests import ArticleName, MethodName, ReleaseOptions

if TYPE_CHECKING:
    from amun_dp.certified.plan import PlannedCertified


@overload
def plan(
    log: LogLike,
    advantage: float | None,
    method: Literal["certified"],
    conventions: str | Conventions = "corrected",
    *,
    progress: Progress = silent,
    **options: Unpack[ReleaseOptions],
) -> PlannedCertified: ...


@overload
def plan(
    log: LogLike,
    advantage: float | None = None,
    method: ArticleName | ArticleMethod = "filtering",
    conventions: str | Conventions = "corrected",
    *,
    progress: Progress = silent,
    **options: Unpack[ReleaseOptions],
) -> Plan: ...


@overload
def plan(
    log: LogLike,
    advantage: float | None = None,
    method: MethodName | Method | ArticleMethod = "filtering",
    conventions: str | Conventions = "corrected",
    *,
    progress: Progress = silent,
    **options: Unpack[ReleaseOptions],
) -> Planned: ...


def plan(
    log: LogLike,
    advantage: float | None = None,
    method: MethodName | Method | ArticleMethod = "filtering",
    conventions: str | Conventions = "corrected",
    *,
    progress: Progress = silent,
    **options: Unpack[ReleaseOptions],
) -> Planned:
    """Work out what a release of ``log`` would do: what it would keep, with how much noise, and at what cost.

    See ``anonymize`` for the parameters, which are the same and in the same order, except for those that concern
    drawing and budgets. ``progress`` is called with the name of each step. Returns a plan, whose ``summary`` has the
    figures; they come from the original log and are confidential. Nothing is drawn, published or spent. Raises
    ``InputError`` if the log cannot be read, ``ParameterError`` for options that do not fit together, and
    ``ReleaseError`` if nothing would be left to release. Whether the log is too small is checked by ``anonymize`` only.
    """
    return make_plan(
        as_event_log(log), requested(advantage, method, conventions_named(conventions), **options), progress
    )
