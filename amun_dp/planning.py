"""Steps 1–4: everything that is decided before any noise is drawn. A plan spends nothing and releases nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np

from accounting.confidential import Confidential
from accounting.personalised import largest_of, sum_by
from accounting.quantities import Epsilon
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.annotation import AnnotatedLog, annotate
from amun_dp.conventions import Conventions, conventions_named
from amun_dp.errors import ParameterError
from amun_dp.eventlog import EventLog, FloatArray, IntArray
from amun_dp.filtering import Filtered, filter_cases, keep_all
from amun_dp.fingerprint import fingerprint
from amun_dp.mechanisms.postprocessing import PublicFacts, public_facts
from amun_dp.methods import Method, method_named
from amun_dp.parameters import Parameters
from amun_dp.planned_variants import PlannedVariants
from amun_dp.planning_rules import (
    cases_of_one,
    check_longest_case,
    cost_of,
    details_of,
    every_case_filtered,
    planned_control_flow_epsilon,
    planned_losses,
    planned_units,
    refuse_above_cap,
)
from amun_dp.prior import find_windows
from amun_dp.requests import AnyParameters, requested

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from amun_dp.certified.facts import GivenFacts
    from amun_dp.certified.settings import CertifiedSettings, PlannedCertified
    from amun_dp.plan_summary import PlanSummary

AnyPlan = Union["Plan", "PlannedCertified"]
Progress = Callable[[str], None]
"""Called with the name of each step as it begins."""


def silent(step: str) -> None:
    """No progress is shown."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan:
    """What a release would do. Its figures come from the original log: keep them inside."""

    parameters: Parameters
    """What the steward chose."""
    method: Method
    """The method, with its sampling rule and its time mechanism."""
    annotated: AnnotatedLog
    """The log with transition, relative time and group of each event."""
    filtered: Filtered
    """Which cases stay, and the priors among them."""
    losses: FloatArray
    """Loss ε_t·r of each event before division by copies; NaN for events of filtered cases."""
    control_flow_epsilon: float
    """ε_d, divided already."""
    cases_per_individual: int
    """Largest number of cases of one individual: as declared, or found in the log."""
    public: PublicFacts
    """First start, last start and last time, which the method takes as public."""

    def __repr__(self) -> str:
        """Parameters only: a plan shown in a notebook or a log file gives nothing away."""
        rules = self.parameters
        return f"<Plan: advantage {rules.advantage:g}, method {rules.method}, conventions {rules.conventions.name}>"

    @property
    def log(self) -> EventLog:
        """The log that it is a plan for."""
        return self.annotated.log

    @property
    def cost(self) -> Cost:
        """What the release will cost, for the registry."""
        return cost_of(self.parameters)

    @property
    def details(self) -> dict[str, Any]:
        """The public parameters of the release, for the registry."""
        return details_of(self.parameters)

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""
        return fingerprint(self.log, hasher)

    @property
    def divisor(self) -> int:
        """By how much every ε is divided: cases of one individual times releases (Sect. 3.1 of the article)."""
        return self.cases_per_individual * self.parameters.releases

    @property
    def variant_of_kept_case(self) -> IntArray:
        """Variant of each case, -1 for filtered cases."""
        return np.where(self.filtered.kept_case, self.annotated.dafsa.variants.of_case, -1)

    @property
    def kept_variant_cases(self) -> IntArray:
        """Kept cases of each variant."""
        return self.annotated.dafsa.variants.cases(self.filtered.kept_case.astype(np.int64))

    @property
    def variants(self) -> PlannedVariants:
        """The variants with their cases before and after filtering."""
        dafsa = self.annotated.dafsa
        return PlannedVariants(self.log.activities, dafsa, dafsa.variants.cases(), self.kept_variant_cases)

    @property
    def events(self) -> Confidential[pd.DataFrame]:
        """One row an event: case, activity, source, target, relative_time, prior, epsilon, kept.

        ``epsilon`` is ε_t·r, the loss over the whole range of the group, as in the article's tables (before copies).
        """
        import pandas as pd

        annotated, log = self.annotated, self.annotated.log
        dafsa = annotated.dafsa
        frame = pd.DataFrame(
            {
                "case": log.case_names[log.case],
                "activity": np.array(log.activities, dtype=object)[log.activity],
                "source": dafsa.source[annotated.transition],
                "target": dafsa.target[annotated.transition],
                "relative_time": pd.to_timedelta(annotated.relative_time, unit="ms"),
                "prior": self.filtered.prior_at_decision,
                "epsilon": self.losses,
                "kept": self.filtered.kept_case[log.case],
            }
        )
        return Confidential(frame)

    @property
    def summary(self) -> Confidential[PlanSummary]:
        """The figures that ``amun-dp plan`` prints."""
        from amun_dp.plan_summary import summarise

        return Confidential(summarise(self))


@overload
def plan(  # type: ignore[overload-overlap]  # "certified" is a str as well; the first match counts
    log: EventLog | pd.DataFrame,
    advantage: float | None,
    method: Literal["certified"],
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
    progress: Progress = silent,
) -> PlannedCertified: ...


@overload
def plan(
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
    progress: Progress = silent,
) -> Plan: ...


def plan(
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
    progress: Progress = silent,
) -> AnyPlan:
    """Work out what a release of ``log`` would do. Nothing is drawn or spent. See ``anonymize`` for the parameters,
    which are the same and in the same order but for those that concern drawing and budgets."""
    asked = requested(
        advantage,
        method,
        conventions_named(conventions),
        max_cases_per_individual=max_cases_per_individual,
        one_case_per_individual=one_case_per_individual,
        releases=releases,
        max_individual_loss=max_individual_loss,
        scope=scope,
        max_case_length=max_case_length,
        variants=_one_answer(variants, public_variants),
        public=public,
        dp_delta=dp_delta,
        epsilon=epsilon,
        variants_from_log=variants_from_log,
        public_from_log=public_from_log,
    )
    return make_plan(as_event_log(log), asked, progress)


def _one_answer(variants: str | None, public_variants: bool) -> str | None:
    if public_variants and variants not in (None, "public"):
        raise ParameterError('public_variants says variants="public", and variants says something else. Choose one.')
    return "public" if public_variants else variants


def as_event_log(log: EventLog | pd.DataFrame) -> EventLog:
    """An event log as it is; a DataFrame with pm4py's columns is read."""
    if isinstance(log, EventLog):
        return log
    from amun_dp.reading import read_log

    return read_log(log)


@overload
def make_plan(log: EventLog, parameters: Parameters, progress: Progress = silent) -> Plan: ...


@overload
def make_plan(log: EventLog, parameters: CertifiedSettings, progress: Progress = silent) -> PlannedCertified: ...


def make_plan(log: EventLog, parameters: AnyParameters, progress: Progress = silent) -> AnyPlan:
    """``plan`` for parameters that are checked already."""
    if isinstance(parameters, Parameters):
        return plan_article(log, parameters, progress)
    from amun_dp.certified.settings import plan_release

    progress("dividing ε")
    return plan_release(log, parameters)


def plan_article(
    log: EventLog, parameters: Parameters, progress: Progress = silent, public: PublicFacts | None = None
) -> Plan:
    """Annotate, estimate priors, filter, estimate ε. The public facts are read off the log, unless they are given."""
    public = public or public_facts(log)
    method, conventions = method_named(parameters.method), parameters.conventions
    per_individual = cases_of_one(log.most_cases_of_one, parameters.max_cases_per_individual)
    check_longest_case(int(log.lengths.max()), parameters)
    progress("building the automaton")
    annotated = annotate(log, public.first_start)
    progress("estimating prior knowledge")
    windows = find_windows(annotated, conventions)
    if method.filters:
        progress("filtering cases")
        filtered = filter_cases(annotated, windows, parameters.advantage, conventions)
        if not filtered.kept_case.any():
            raise every_case_filtered(parameters)
    else:
        filtered = keep_all(annotated, windows, parameters.advantage, conventions)
    progress("estimating ε")
    planned = Plan(
        parameters=parameters,
        method=method,
        annotated=annotated,
        filtered=filtered,
        losses=planned_losses(filtered.knowledge.prior, parameters, per_individual),
        control_flow_epsilon=planned_control_flow_epsilon(parameters, per_individual),
        cases_per_individual=per_individual,
        public=public,
    )
    if parameters.max_individual_loss is not None:
        refuse_above_cap(_worst_individual(planned), parameters.max_individual_loss)
    return planned


def _worst_individual(plan: Plan) -> Epsilon:
    log = plan.annotated.log
    kept = np.flatnonzero(plan.filtered.kept_case[log.case])
    units = planned_units(plan.losses[kept], plan.filtered.knowledge.value_range[kept])
    return largest_of(sum_by(log.individuals[log.case[kept]], units)[1])
