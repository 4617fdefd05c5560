"""How many cases people have, and what a declared largest number would cover. Figures of the original log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.messages import Message
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog

NUMBERS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""Largest numbers of cases that are tried, as far as somebody has so many."""


@dataclass(frozen=True, slots=True)
class DeclaredNumber:
    """What would become of the log if at most so many cases of an individual were declared."""

    cases_of_one: int
    """The number."""
    individuals_within: int
    """Individuals who have no more: the declaration is true of them."""
    cases_counted: int
    """Cases that would count at scope individual, where of each individual only so many do."""


@dataclass(frozen=True, slots=True)
class CasesPerIndividual:
    """The individuals behind the cases, as the named column has them."""

    individuals: int
    """How many there are."""
    with_several: int
    """… and have more than one case."""
    median: float
    """Cases of one of them, half have no more."""
    ninth_decile: float
    """Cases of one of them, nine of ten have no more."""
    largest: int
    """Most cases of one of them."""
    cases_of_nobody: int
    """Cases for which the column names nobody: each is taken for an individual of its own."""
    numbers: tuple[DeclaredNumber, ...]
    """What declared numbers would cover, up to one that holds of everybody."""


def cases_per_individual(log: EventLog) -> CasesPerIndividual | None:
    """None where the log was read without saying who stands behind a case."""
    if log.individual is None:
        return None
    cases = np.unique(log.individual, return_counts=True)[1]
    largest = int(cases.max())
    tried = [number for number in NUMBERS if number < largest]
    return CasesPerIndividual(
        individuals=len(cases),
        with_several=int(np.count_nonzero(cases > 1)),
        median=float(np.median(cases)),
        ninth_decile=float(np.quantile(cases, 0.9, method="inverted_cdf")),
        largest=largest,
        cases_of_nobody=0 if log.individual_name is None else int(np.count_nonzero(log.individual_name == "")),
        numbers=tuple(
            DeclaredNumber(number, int(np.count_nonzero(cases <= number)), int(np.minimum(cases, number).sum()))
            for number in (*tried, largest)
        ),
    )


def check_declared_cases(found: int | None, declared: int | None, instead: str) -> None:
    """Refuse a declaration that the log contradicts. ``found``: largest number of cases of one individual in it."""
    if declared is not None and found is not None and found > declared:
        raise ParameterError(
            Message(
                "Some individual has more than the declared {cases}, so nothing was released. Declare a number that is "
                "right ({max_cases_per_individual}), or {instead}. How many cases people have is shown by inspect, "
                "with {individual:COLUMN}.",
                cases="1 case" if declared == 1 else f"{declared} cases",
                instead=instead,
            )
        )
