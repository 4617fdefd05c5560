"""The certified method on Spark: the plan. Measuring, drawing and accounting are those of one machine
(``amun_dp.release.certified``), which ask this plan for sums over the cases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from accounting.confidential import Confidential
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp._base.progress import Progress, silent
from amun_dp.certified.cases import Cases, variant_of
from amun_dp.certified.costs import cost_of_plan
from amun_dp.certified.draft import CertifiedPlan, kept_share
from amun_dp.certified.plan import (
    CertifiedSummary,
    check_declaration,
    check_individuals,
    check_known,
    described,
    details_of,
    plan_from,
    summary_of,
)
from amun_dp.certified.population import Population
from amun_dp.certified.public_facts import Outline, PublicFacts, facts_from
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.eventlog.language import Language
from amun_dp.eventlog.log import ReadingFacts
from amun_dp.eventlog.original import Original
from amun_dp.eventlog.variants import spelled
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.certified.worker_population import SparkPopulation, prepared_cases
from amun_dp.spark.engine.failures import naming_steps
from amun_dp.spark.engine.interruptions import Caller, undisturbed
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.inside.original_figures import figures_of_cases
from amun_dp.spark.read.case_fingerprints import fingerprint_on_spark
from amun_dp.spark.read.case_rows import count_words, find_cases
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.individuals import find_individuals, named_cases
from amun_dp.spark.read.parquet import parquet_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CertifiedSparkPlan:
    """What a certified release would do. Its figures and frames come from the original log: keep them inside."""

    stages: Stages
    """Where what was computed is kept."""
    parameters: CertifiedSettings
    """What the steward chose."""
    reading: ReadingFacts
    """What happened while the log was read."""
    n_events: int
    """Number of events that were read."""
    outline: Outline
    """What facts were read off."""
    language: Language
    """The variants of the log with their cases."""
    facts: PublicFacts
    """What is taken as public."""
    plan: CertifiedPlan
    """What each part gets."""
    all_cases: DataFrame
    """Cases of the log, one row each: case, number (by first appearance), word, times."""
    individuals: DataFrame | None
    """Number of each case, with the individual behind it and their name; None if individuals are unknown."""
    prepared: SparkPopulation[Cases]
    """The cases within the public facts."""

    def __repr__(self) -> str:
        """Parameters only."""
        return described(self.parameters)

    @property
    def cost(self) -> Cost:
        """What the release will cost, for the registry."""
        return cost_of_plan(self.parameters.choices, self.facts, self.parameters.releases, self.plan)

    @property
    def details(self) -> dict[str, Any]:
        """Its public parameters, for the registry."""
        return details_of(self.parameters)

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""

        def found(_: Caller) -> Fingerprint:
            named = named_cases(self.all_cases, self.individuals)
            return fingerprint_on_spark(self.stages, named, self.outline.cases, self.outline.activities, hasher)

        return undisturbed(self.stages.session, found)

    def population(self) -> Population[Cases]:
        """The cases, within the public facts."""
        return self.prepared

    @property
    def original(self) -> Original:
        """What the release is compared with (confidential)."""
        variants, labels = self.language.variants.count, self.outline.activities
        return Original(
            first=self.outline.first,
            last=self.outline.last,
            language=lambda: self.language,
            figures=lambda span: figures_of_cases(self.stages, self.all_cases, labels, variants, span),
        )

    @property
    def summary(self) -> Confidential[CertifiedSummary]:
        """What will be released, in figures of the original."""
        kept = 1.0
        if self.plan.threshold is not None:
            _, counts = self.prepared.histogram(variant_of)
            kept = kept_share(counts, self.outline.cases, self.plan)
        return summary_of(self.parameters, self.facts, self.plan, self.language, self.n_events, Confidential(kept))


def plan_certified_on_spark(
    stages: Stages,
    log: DataFrame | str,
    settings: CertifiedSettings,
    choice: ColumnChoice | None = None,
    progress: Progress = silent,
) -> CertifiedSparkPlan:
    """Read, find what is public, bring the cases within it; what is computed is kept in ``stages``, nothing is drawn.

    ``log`` is a DataFrame or the path of Parquet files; ``choice`` says which of its columns is which, and a DataFrame
    needs one that orders its events. ``settings`` are what the steward chose; ``progress`` is called with the name of
    each step.
    """
    asked = choice or ColumnChoice()
    check_individuals(settings.choices, asked.individual is not None)
    return naming_steps(stages.session, progress, lambda step: _plan(stages, log, settings, asked, step))


def _plan(
    stages: Stages,
    log: DataFrame | str,
    settings: CertifiedSettings,
    choice: ColumnChoice,
    progress: Progress,
) -> CertifiedSparkPlan:
    most = settings.choices.individuals
    progress("reading the log")
    frame = parquet_files(stages.session, log) if isinstance(log, str) else log
    events = read_events(stages, frame, choice)
    progress("finding cases and variants")
    cases, labels = find_cases(stages, events.frame)
    people = None if events.individuals is None else find_individuals(stages, cases, events.individuals, choice)
    check_declaration(settings.choices, people.most_cases if people else None)
    check_known(settings.choices, people.nobodys if people else 0)
    counted, expected = cases, None
    if people is not None and most is not None:  # the number for a preview only: it is measured with noise
        first_cases = stages.write("first-cases", people.first_cases(most))
        counted, expected = cases.join(first_cases, "number", "left_semi"), int(first_cases.count())
    language = _language(cases, labels)
    first, last = _span(cases)
    outline = Outline(labels, first, last, int(language.cases.sum()), lambda: language.variants)
    facts = facts_from(outline, settings.given, settings.choices)
    plan = plan_from(facts, settings, expected)
    progress("preparing cases")
    return CertifiedSparkPlan(
        stages=stages,
        parameters=settings,
        reading=replace(events.facts, notes=(*events.facts.notes, *(people.notes if people else ()))),
        n_events=events.number,
        outline=outline,
        language=language,
        facts=facts,
        plan=plan,
        all_cases=cases,
        individuals=people.frame if people else None,
        prepared=prepared_cases(stages, counted, labels, facts, settings.choices),
    )


def _language(cases: DataFrame, labels: tuple[str, ...]) -> Language:
    """The distinct words, which the driver holds."""
    words, counts = count_words(cases)
    return Language(labels, spelled(words, len(labels)), counts)


def _span(cases: DataFrame) -> tuple[int, int]:
    from pyspark.sql import functions as sql

    found = cases.agg(sql.min("start"), sql.max("last")).first()
    assert found is not None  # an aggregate without groups has one row
    return int(found[0]), int(found[1])
