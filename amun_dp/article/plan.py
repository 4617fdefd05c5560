"""Steps 1–4: everything that is decided before any noise is drawn. A plan spends nothing and releases nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.confidential import Confidential
from accounting.personalised import largest_of, sum_by
from accounting.quantities import Epsilon
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.progress import Progress, silent
from amun_dp.article.methods import ArticleMethod, article_method_named
from amun_dp.article.parameters import Parameters
from amun_dp.article.planned_variants import PlannedVariants
from amun_dp.article.planning_rules import (
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
from amun_dp.article.step1_annotation import AnnotatedLog, annotate
from amun_dp.article.step2_prior import find_windows
from amun_dp.article.step3_filtering import Filtered, filter_cases, keep_all
from amun_dp.article.step7_compression import PublicFacts, public_facts
from amun_dp.article.summary import PlannedTimes, PlanSummary, median_errors, summary_of
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.eventlog.log import EventLog

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan:
    """What a release would do. Its figures come from the original log: keep them inside."""

    parameters: Parameters
    """What the steward chose."""
    method: ArticleMethod
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

        return Confidential(summarise(self))


def plan_article(
    log: EventLog, parameters: Parameters, progress: Progress = silent, public: PublicFacts | None = None
) -> Plan:
    """Annotate, estimate priors, filter, estimate ε. The public facts are read off the log, unless they are given."""
    public = public or public_facts(log)
    method, conventions = article_method_named(parameters.method), parameters.conventions
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


def summarise(plan: Plan) -> PlanSummary:
    annotated, log = plan.annotated, plan.annotated.log
    kept = plan.filtered.kept_case[log.case]
    losses, ranges = plan.losses[kept], plan.filtered.knowledge.value_range[kept]
    is_start = annotated.is_start[kept]
    error = median_errors(ranges, losses)
    durations = error[~is_start]
    times = PlannedTimes(
        smallest_loss=float(losses.min()),
        median_loss=float(np.median(losses)),
        largest_loss=float(losses.max()),
        start_error=float(np.median(error[is_start])),
        duration_error=float(np.median(durations)) if len(durations) else 0.0,
        without_noise=int(np.count_nonzero(ranges == 0)),
    )
    return summary_of(
        plan.variants,
        times,
        advantage=plan.parameters.advantage,
        passes=plan.filtered.passes,
        cases_per_individual=plan.cases_per_individual,
        control_flow_epsilon=plan.control_flow_epsilon,
    )
