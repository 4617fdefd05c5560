"""One shape for every method, and the registry of methods.

A method turns a request into its parameters, a log into a plan, and a plan into a release. The article's three and
``certified`` are registered here; ``register_method`` adds one from outside the package, either of the article's shape
(``ArticleMethod``: another sampling rule or time mechanism) or anything that has the functions of ``Method``. An
installed package makes its methods known to the command line by entry points in the group ``amun_dp.methods``.
Nobody outside this module asks of which family a method is: what differs is looked up by ``family``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Unpack

from accounting.confidential import Confidential
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp._base.progress import Progress, silent
from amun_dp.article import methods as article_methods
from amun_dp.article.conventions import CORRECTED, Conventions
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import Plan, plan_article
from amun_dp.budgets.spending import Reserve
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource
from amun_dp.release.before import check_article, check_certified
from amun_dp.release.made import Release
from amun_dp.release.requests import (
    CERTIFIED,
    ReleaseOptions,
    Request,
    article_parameters,
    certified_settings,
    request_of,
)
from amun_dp.report.parameters import Asked


class Checkable(Protocol):
    """A plan that can be checked before its release, made on any engine."""

    @property
    def parameters(self) -> Asked:
        """The parameters of the release, checked. All of them are public."""


class Planned(Checkable, Protocol):
    """What a release would do, by any method: enough to show it, to charge it and to carry it out."""

    @property
    def cost(self) -> Cost:
        """What the release will cost, in the terms of the registry of budgets."""

    @property
    def details(self) -> dict[str, Any]:
        """The public parameters of the release, for the registry to record."""

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """Keyed hashes by which a registry recognises the log; ``hasher`` has the key."""

    @property
    def summary(self) -> Confidential[Any]:
        """The figures that a steward looks at before deciding: a dataclass of plain values, from the original log."""


class Method(Protocol):
    """A method of releasing a log. The article's methods, ``certified``, and methods from outside the package have the
    same functions."""

    @property
    def name(self) -> str:
        """The name by which the command line and ``anonymize`` know the method."""

    @property
    def summary(self) -> str:
        """What the method does, in one line."""

    @property
    def family(self) -> str:
        """Methods of one family have plans and reports of the same shape: ``article``, ``certified``, or another."""

    def parameters(self, request: Request) -> Any:
        """The parameters that the ``request`` asks for, checked. Options that the method does not have are refused
        (``ParameterError``). The type is the method's own and has at least the fields of ``Asked``."""

    def plan(self, log: EventLog, parameters: Any, progress: Progress) -> Planned:
        """What a release of ``log`` with these ``parameters`` would do. Draws nothing and spends nothing; ``progress``
        is called with the name of each step."""

    def check(self, plan: Any, *, allow_too_small: bool) -> tuple[str, ...]:
        """Refuse a ``plan`` that would disclose or spend more than the publisher can know (``ReleaseError``), before
        anything is reserved. Otherwise return what the publisher should know, one text per note. ``allow_too_small``
        admits small logs."""

    def carry_out(self, plan: Any, source: NoiseSource, progress: Progress, reserve: Reserve | None) -> Release:
        """Draw the noise that the ``plan`` asks for from ``source``, and return the release. ``reserve``, if given,
        must be called before anything is drawn: it charges the release to a budget. ``progress`` is called with the
        name of each step."""


@dataclass(frozen=True, slots=True)
class _OfTheArticle:
    """A method of the article's shape: its sampling rule and its time mechanism within the article's seven steps."""

    method: ArticleMethod
    family = Parameters.family

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def summary(self) -> str:
        return self.method.summary

    def parameters(self, request: Request) -> Parameters:
        return article_parameters(request)

    def plan(self, log: EventLog, parameters: Parameters, progress: Progress) -> Plan:
        return plan_article(log, parameters, progress)

    def check(self, plan: Plan, *, allow_too_small: bool) -> tuple[str, ...]:
        return check_article(plan, allow_too_small)

    def carry_out(self, plan: Plan, source: NoiseSource, progress: Progress, reserve: Reserve | None) -> Release:
        from amun_dp.release.article import carry_out_article

        return carry_out_article(plan, source, progress, reserve)


@dataclass(frozen=True, slots=True)
class _Certified:
    """The certified method. What it needs is imported when it is used: the article's methods do without."""

    name = CERTIFIED
    summary = "draw new cases from noisy counts, with a proved bound for the whole case or individual"
    family = CERTIFIED

    def parameters(self, request: Request) -> Any:
        return certified_settings(request)

    def plan(self, log: EventLog, parameters: Any, progress: Progress) -> Planned:
        from amun_dp.certified.plan import plan_release

        progress("dividing ε")
        return plan_release(log, parameters)

    def check(self, plan: Any, *, allow_too_small: bool) -> tuple[str, ...]:
        return check_certified(plan, allow_too_small)

    def carry_out(self, plan: Any, source: NoiseSource, progress: Progress, reserve: Reserve | None) -> Release:
        from amun_dp.release.certified import carry_out_certified

        return carry_out_certified(plan, source, progress, reserve)


_METHODS: dict[str, Method] = {CERTIFIED: _Certified()}
"""Methods that do not have the article's shape; the others are registered with the article."""


def register_method(method: Method | ArticleMethod) -> Method:
    """Make a method known by its name to ``anonymize``, ``plan``, ``audit`` and ``compare``, for this process. Returns
    it, an ``ArticleMethod`` wrapped as a ``Method``. Raises ``ParameterError`` if the name is taken."""
    if method.name in method_names():
        raise ParameterError(f"A method named '{method.name}' is registered already.")
    if isinstance(method, ArticleMethod):
        return _OfTheArticle(article_methods.register_article_method(method))
    _METHODS[method.name] = method
    return method


def unregister_method(name: str) -> None:
    """Forget the method registered under ``name``; an unknown name is ignored. For notebooks that define a method
    again, and for tests."""
    _METHODS.pop(name, None)
    article_methods.unregister_article_method(name)


def method_names() -> tuple[str, ...]:
    """Names of all registered methods. A method of an installed package is among them only after it was asked for."""
    return (*_METHODS, *article_methods.article_method_names())


def method_named(choice: str | Method | ArticleMethod) -> Method:
    """The method with that name. A method that is given as an object is registered if it is not yet. Raises
    ``ParameterError`` if the name is unknown, or is taken by another method."""
    if not isinstance(choice, str):
        known = dict(_known())
        same = known.get(choice.name) == (_OfTheArticle(choice) if isinstance(choice, ArticleMethod) else choice)
        return known[choice.name] if same else register_method(choice)
    for name, method in _known():
        if name == choice:
            return method
    for found in article_methods.from_elsewhere(choice):
        return register_method(found)
    raise ParameterError(f"Unknown method '{choice}'. Choose one of: {', '.join(method_names())}.")


def _known() -> Iterator[tuple[str, Method]]:
    yield from _METHODS.items()
    for name in article_methods.article_method_names():
        yield name, _OfTheArticle(article_methods.article_method_named(name))


def requested(
    advantage: float | None,
    method: str | Method | ArticleMethod,
    conventions: Conventions = CORRECTED,
    **options: Unpack[ReleaseOptions],
) -> Asked:
    """The parameters of a release, checked, as an audit and a plan take them. ``advantage``, ``method``,
    ``conventions`` and the ``options`` are those of ``amun_dp.anonymize``. Raises ``ParameterError`` if they do not fit
    together."""
    chosen = method_named(method)
    parameters: Asked = chosen.parameters(request_of(advantage, chosen.name, conventions, **options))
    return parameters


def make_plan(log: EventLog, parameters: Asked, progress: Progress = silent) -> Planned:
    """What a release of ``log`` would do, for parameters that were checked already (``requested``). Draws nothing and
    spends nothing; ``progress`` is called with the name of each step."""
    return method_named(parameters.method).plan(log, parameters, progress)


def check_release(plan: Checkable, *, allow_too_small: bool = False) -> tuple[str, ...]:
    """Refuse a plan whose release would disclose or spend more than its publisher can know (``ReleaseError``).
    Otherwise return what the publisher should know.

    ``allow_too_small`` admits logs that are too small. Other refusals are lifted by parameters of the plan, because the
    label reports them.
    """
    return method_named(plan.parameters.method).check(plan, allow_too_small=allow_too_small)


@dataclass(frozen=True, slots=True)
class Beforehand:
    """What the checks before a release say about a plan. Confidential."""

    refused: str | None
    """Why the release would be refused; None if it would be made."""
    told: tuple[str, ...]
    """What its publisher would be warned of."""


def beforehand(plan: Checkable, *, allow_too_small: bool = False) -> Beforehand:
    """Whether a release of this ``plan`` would be refused, and what its publisher would be warned of. Nothing is drawn
    or spent; ``allow_too_small`` admits logs that are too small."""
    try:
        return Beforehand(None, check_release(plan, allow_too_small=allow_too_small))
    except ReleaseError as refused:
        return Beforehand(refused.message, ())


def refusal(plan: Checkable, *, allow_too_small: bool = False) -> str | None:
    """Why a release of this plan would be refused; None if it would be made."""
    return beforehand(plan, allow_too_small=allow_too_small).refused


def carry_out(
    plan: Planned, source: NoiseSource, progress: Progress = silent, reserve: Reserve | None = None
) -> Release:
    """Draw the noise that a plan asks for. ``reserve`` charges the release to a budget before anything is drawn.

    Nothing of what it returns may be shown to anybody before ``Spending.expose`` (``Release.save`` calls it)."""
    return method_named(plan.parameters.method).carry_out(plan, source, progress, reserve)
