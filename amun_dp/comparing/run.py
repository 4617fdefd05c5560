"""``amun_dp.compare``: methods × advantages × repetitions on logs. Every figure is confidential.

A comparison runs the mechanisms on the original again and again. It spends no budget for one reason only: nothing of it
is published. Anyone who publishes one of its releases, or its figures, has spent what that release costs.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.confidential import Confidential
from amun_dp._base.progress import Progress, silent
from amun_dp._base.software import software_versions
from amun_dp.article.conventions import CORRECTED, Conventions, conventions_named
from amun_dp.comparing.cells import ADVANTAGES, OWN_METHODS, RUNS, Cell, check_methods, parameters_of, tasks_of
from amun_dp.comparing.journal import opened
from amun_dp.comparing.limited import Limits, Work, carry_on, exceeded
from amun_dp.comparing.measuring import BaselineLimits, Run, baseline_runs, facts_of, own_runs
from amun_dp.comparing.result_tables import grids
from amun_dp.comparing.runs import AllRuns
from amun_dp.comparing.table_formats import as_csv, as_latex, as_markdown
from amun_dp.errors import InputError, ParameterError
from amun_dp.folder.held import held
from amun_dp.folder.placing import output_errors
from amun_dp.noise.sources import SeededNoise, derived_seed
from amun_dp.reading.as_event_log import LogLike, as_event_log

if TYPE_CHECKING:
    pass

NOT_PUBLISHED = (
    "A comparison runs every method on the original again and again. It spends no budget only because nothing of it is "
    "published: its figures, too, come from the original. Keep them inside."
)


@dataclass(frozen=True, slots=True, eq=False)
class MethodComparison(AllRuns):
    """All runs of a comparison, and the tables made of them. Every figure depends on the original logs."""

    def markdown(self) -> str:
        """All tables as Markdown: the article's, with our figures and theirs, then errors by edge, variants, links and
        times."""
        return as_markdown(grids(self))

    def latex(self) -> str:
        """All tables, the same as in Markdown, as LaTeX (booktabs and graphicx are needed)."""
        return as_latex(grids(self))

    def csv(self) -> str:
        """All measures as CSV: one line for each method, advantage and ε on each log."""
        return as_csv(self)


def compare(
    logs: Mapping[str, LogLike],
    methods: Sequence[str] = OWN_METHODS,
    advantages: Sequence[float] = ADVANTAGES,
    runs: int = RUNS,
    conventions: str | Conventions = CORRECTED,
    *,
    seed: int | None = None,
    progress: Progress = silent,
) -> Confidential[MethodComparison]:
    """Run each method ``runs`` times at each of the ``advantages`` on each of the ``logs``, given by name, in this
    process, and measure what became of the log.

    ``methods`` are registered ones, ``certified:threshold``, ``certified:public``, ``certified:generated``, and the
    baselines ``sacofa`` and ``pripel``. ``conventions`` are those of the article's methods. With a ``seed`` the runs of
    this package's methods are repeatable; those of baselines are not. ``progress`` is called with the name of each
    cell.

    Returns a ``MethodComparison`` wrapped as confidential. No budget is charged, because nothing is published:
    publishing its figures would spend what the runs cost. Raises ``ParameterError`` for unknown or repeated methods,
    repeated advantages, or fewer than one run, and ``InputError`` if a log cannot be read. The command ``amun-dp
    compare`` does the same in parallel, with limits of time and memory for every method, and can be resumed.
    """
    rules = conventions_named(conventions)
    check_request(tuple(logs), methods, advantages, runs, rules)
    columns = {name: as_event_log(log) for name, log in logs.items()}
    facts = {name: facts_of(log, advantages, rules) for name, log in columns.items()}
    done: dict[Cell, list[Run]] = {}
    for number, task in enumerate(tasks_of(tuple(logs), methods, advantages)):
        for cell in task:
            progress(cell.name)
            log = columns[cell.log]
            if cell.phi is not None:
                epsilon = facts[cell.log]["phi"][f"{cell.advantage:g}"][cell.phi]
                found = baseline_runs(log, cell, epsilon, runs, BaselineLimits(Limits().seconds))
            else:
                source = None if seed is None else SeededNoise(derived_seed(seed, number))
                found = own_runs(log, cell, rules, runs, source)
            done[cell] = list(found)
            if exceeded(done[cell]):
                break
    return Confidential(MethodComparison(facts, tuple(methods), tuple(advantages), rules, done))


def compare_files(
    paths: Mapping[str, Path],
    journal: Path,
    *,
    reading: Mapping[str, Any],
    methods: Sequence[str],
    advantages: Sequence[float],
    runs: int,
    conventions: Conventions,
    limits: Limits,
    workers: int,
    python: str,
    progress: Progress = silent,
) -> Confidential[MethodComparison]:
    """Do what ``compare`` does on files: each cell runs in a process with limits, several at once. Finished runs stay
    in the ``journal``, so a comparison that was stopped can be resumed with the same settings."""
    check_request(tuple(paths), methods, advantages, runs, conventions)
    settings = {
        "logs": {name: _fingerprint(path) for name, path in paths.items()},
        "reading": dict(reading),
        "conventions": asdict(conventions),
        "limits": asdict(limits),
        "software": software_versions(),
    }
    with opened(journal, settings) as noted, _scratch(journal.with_name(".amun-dp-scratch")) as scratch:
        work = Work(paths, reading, advantages, conventions, runs, limits, scratch, python)
        carry_on(work, tasks_of(tuple(paths), methods, advantages), noted, workers, progress)
        found = MethodComparison(
            {name: noted.facts[name] for name in paths},
            tuple(methods),
            tuple(advantages),
            conventions,
            dict(noted.runs),
        )
    return Confidential(found)


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Releases are written here, to see how long it takes, and must not stay: not those of a killed run either. The
    journal's lock says that nobody else is using it."""
    shutil.rmtree(folder, ignore_errors=True)
    with output_errors(folder):
        folder.mkdir(mode=0o700)
    try:
        with held(folder):  # so that it is not taken for one that was left
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_request(
    logs: Sequence[str], methods: Sequence[str], advantages: Sequence[float], runs: int, conventions: Conventions
) -> None:
    """Refuse (``ParameterError``) a comparison that cannot be run, before anything is run."""
    if not logs:
        raise ParameterError("There is no log to compare methods on.")
    check_methods(methods)
    if not advantages or len({f"{advantage:g}" for advantage in advantages}) != len(advantages):  # as they are shown
        raise ParameterError("Name the advantages, each once.")
    if runs < 1:
        raise ParameterError("There must be one run at least.")
    for advantage in advantages:
        parameters_of("sampling", advantage, conventions)


def _fingerprint(path: Path) -> str:
    """Whether it is still the same file: a comparison does not go on with another."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
