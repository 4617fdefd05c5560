"""``amun_dp.evaluate``: how useful a released log is, measured against the original. Every figure is confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from accounting.confidential import Confidential
from amun_dp._base.messages import Message
from amun_dp._base.progress import Progress, silent
from amun_dp.errors import InputError
from amun_dp.evaluation.case_times import ActiveDifference, CycleTimes, active_difference, cycle_times
from amun_dp.evaluation.distances import Distances, EdgeTable, Steps, distances_between, edge_table, steps_of
from amun_dp.evaluation.languages import LanguageDistance, VariantsKept, language_distance, variants_kept
from amun_dp.evaluation.models import MODEL_SECONDS, ModelError, ModelQuality, check_model, model_quality
from amun_dp.evaluation.step_durations import StepDurations, step_durations
from amun_dp.eventlog.figures import LogFigures, figures_of
from amun_dp.eventlog.language import languages_of
from amun_dp.reading.as_event_log import LogLike, as_event_log

if TYPE_CHECKING:
    pass

NO_COMMON_ACTIVITY = Message("no activity label occurs in both logs; are both read by the same attribute ({activity})?")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A released log compared with the original. Every figure depends on the original: none of it may be published."""

    before: LogFigures
    """Sizes and distributions of the original."""
    after: LogFigures
    """Sizes and distributions of the released log."""
    steps: Steps
    """The edges of both directly-follows graphs. ``edges`` and ``durations`` have one entry per edge, in this order."""
    edges: EdgeTable
    """Count and total duration of each edge, before and after."""
    durations: StepDurations
    """How far the durations of each edge moved."""
    distances: Distances
    """The article's two earth movers' distances (EMD), and errors edge by edge."""
    variants: VariantsKept
    """Variants kept, lost and new."""
    language: LanguageDistance
    """Earth movers' distance between the variants of both logs: exact, or a lower and an upper bound."""
    cycle_times: CycleTimes
    """How long cases last, from the first to the last event."""
    active: ActiveDifference
    """How many cases are open over time."""
    model: ModelQuality | None
    """Fitness and precision of discovered models. None if they were not asked for, or not found in time; then a note
    says so."""
    notes: tuple[str, ...]
    """What a reader should know before relying on a figure."""


def evaluate(
    original: LogLike,
    released: LogLike,
    *,
    model: bool = False,
    model_seconds: float = MODEL_SECONDS,
    progress: Progress = silent,
) -> Confidential[Evaluation]:
    """Measure how far a ``released`` log, or the log of a release, is from the ``original``: counts, variants, the
    directly-follows graph, times, cases over time.

    With ``model``, also fitness and precision of a process model discovered from the released log (pm4py), for which it
    takes no longer than ``model_seconds``. Linear in the events apart from sorting; where there are too many variants,
    their distance is bounded instead of computed (``Evaluation.language``). ``progress`` is called with the name of
    each step.

    Returns an ``Evaluation`` wrapped as confidential: its figures are exact, without noise. No budget is charged,
    because nothing is published. Raises ``InputError`` if a log cannot be read or has no events, and ``ParameterError``
    if a model is asked for and pm4py is not installed or ``model_seconds`` is out of range.
    """
    if model:
        check_model(model_seconds)
    before, after = as_event_log(original), as_event_log(released)
    if not (before.n_events and after.n_events):
        raise InputError("One of the logs has no events; there is nothing to compare.")
    notes: list[str] = [] if set(before.activities) & set(after.activities) else [NO_COMMON_ACTIVITY]
    progress("comparing edges")
    steps = steps_of(before, after)
    edges = edge_table(steps)
    durations = step_durations(steps, edges)
    progress("comparing variants")
    languages = languages_of(before, after)
    language = language_distance(languages)
    progress("comparing cases")
    span = (int(min(before.time.min(), after.time.min())), int(max(before.time.max(), after.time.max())))
    figures = figures_of(before, span), figures_of(after, span)
    cycles, active = cycle_times(before, after), active_difference(before, after)
    quality = None
    if model:
        progress("discovering models")
        try:
            quality = model_quality(before, after, model_seconds)
        except ModelError as error:
            notes.append(str(error))
    return Confidential(
        Evaluation(
            before=figures[0],
            after=figures[1],
            steps=steps,
            edges=edges,
            durations=durations,
            distances=distances_between(edges),
            variants=variants_kept(languages),
            language=language,
            cycle_times=cycles,
            active=active,
            model=quality,
            notes=tuple(notes),
        )
    )
