"""What is compared: one cell is a method with all its parameters on one log, run several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, cast, get_args

from amun_dp.article.conventions import Conventions
from amun_dp.certified.choices import VariantForm
from amun_dp.errors import ParameterError
from amun_dp.release.methods import method_named, requested
from amun_dp.release.requests import CERTIFIED, VariantsName
from amun_dp.report.parameters import Asked

Phi = Literal["average", "minimum", "maximum"]
"""Which of the ε of a release by ``sampling`` a baseline gets: it knows one for all events."""
PHIS: tuple[Phi, ...] = get_args(Phi)
BASELINES = ("sacofa", "pripel")
PRUNINGS = (0.05, 0.01, 0.005)
"""Shares of the cases below which a baseline does not follow a prefix, as in the article; the fastest first."""
FORMS: tuple[VariantForm, ...] = get_args(VariantForm)
OWN_METHODS = ("sampling", "filtering", "oversampling", *(f"{CERTIFIED}:{form}" for form in FORMS))
ADVANTAGES = (0.2, 0.3, 0.4)
RUNS = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """Everything that decides what a run does, but its noise."""

    log: str
    method: str
    advantage: float
    phi: Phi | None = None
    """Which ε a baseline gets; None for other methods."""
    pruning: float | None = None
    """The share of the cases below which a baseline does not follow a prefix; None for other methods."""

    @property
    def baseline(self) -> bool:
        return self.method in BASELINES

    @property
    def name(self) -> str:
        more = "" if self.phi is None else f", {self.phi} ε, pruning at {self.pruning:.1%}"
        return f"{self.log}: {self.method} at {self.advantage:g}{more}"


Task = tuple[Cell, ...]
"""Cells that are run one after the other: if one exceeds a limit, those after it would, too."""


def tasks_of(logs: Sequence[str], methods: Sequence[str], advantages: Sequence[float]) -> list[Task]:
    """Own methods first, then baselines at the average ε; what may never end comes last."""
    own = [method for method in methods if method not in BASELINES]
    tasks: list[Task] = [(Cell(log, method, advantage),) for log, advantage, method in product(logs, advantages, own)]
    tasks += [
        tuple(Cell(log, method, advantage, phi, pruning) for pruning in PRUNINGS)
        for phi, log, method, advantage in product(PHIS, logs, [m for m in methods if m in BASELINES], advantages)
    ]
    return tasks


def parameters_of(method: str, advantage: float, conventions: Conventions) -> Asked:
    """The parameters of a run of one of this package's methods. ``certified`` is named with its form and has no
    conventions."""
    name, _, form = method.partition(":")
    if name == CERTIFIED:
        return requested(advantage, name, variants=cast(VariantsName | None, form or None))
    return requested(advantage, method, conventions)


def check_methods(methods: Sequence[str]) -> None:
    """Refuse (``ParameterError``) methods that are unknown or named twice, before anything is run."""
    if not methods:
        raise ParameterError("There is no method to compare.")
    twice = sorted({method for method in methods if methods.count(method) > 1})
    if twice:
        raise ParameterError(f"Named twice: {', '.join(twice)}.")
    for method in methods:
        name, _, form = method.partition(":")
        if name == CERTIFIED:
            if form not in FORMS:
                raise ParameterError(f"'{method}': write {', '.join(f'{CERTIFIED}:{form}' for form in FORMS)}.")
        elif method not in BASELINES:
            method_named(method)
