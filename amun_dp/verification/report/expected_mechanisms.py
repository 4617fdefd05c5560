"""What the stated method and parameters must have recorded, derived without the log.

The article's methods record the same mechanisms whatever the log is, and their count noise has a scale that follows
from public parameters. So a record that is left out to make the account look better, or a scale below what the
parameters call for, shows without the original. Derived here a second time on purpose, not with the code that releases.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from accounting.confidential import WITHHELD
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
)
from accounting.formulas import oversampling_epsilon, worst_case_loss
from accounting.publication import public_tree
from accounting.trees import nodes
from amun_dp.article.parameters import Parameters
from amun_dp.report.parameters import ArticleParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import SLACK, Fault, NotPossible, require
from amun_dp.verification.report.expected_certified import certified_mechanisms
from amun_dp.verification.report.predictability import seeded

_COMPRESSION = PostProcessing("timestamps", "a function of noised times and of a time frame that is taken as public")
_RENAMING = PostProcessing("case identifiers and order", "random identifiers and a random order that depend on no data")
_SEEDED = NonPrivate("the noise came from a seeded generator: who knows the seed can subtract it")


@dataclass(frozen=True, slots=True)
class KnownMethod:
    """What a method of the article does to every log."""

    filters: bool
    count: type[LaplaceCount] | type[OneSidedCount]
    epsilon: Callable[[float], float]
    """ε of a count cell for an advantage."""


ARTICLE_METHODS = {
    "filtering": KnownMethod(True, LaplaceCount, lambda advantage: float(worst_case_loss(advantage))),
    "sampling": KnownMethod(False, LaplaceCount, lambda advantage: float(worst_case_loss(advantage))),
    "oversampling": KnownMethod(False, OneSidedCount, lambda advantage: float(oversampling_epsilon(advantage))),
}


def moves_up_only(method: str) -> bool:
    """Whether a method of the article adds to counts and never takes away."""
    return ARTICLE_METHODS[method].count is OneSidedCount


def chosen_of(report: PublicReport) -> ArticleParameters:
    if not isinstance(report.parameters, ArticleParameters):
        raise Fault("the report states the parameters of another method")
    return report.parameters


def parameters_of(report: PublicReport) -> Parameters:
    """The parameters that the report states, or an error that says which of them is none."""
    chosen = chosen_of(report)
    return Parameters(
        advantage=report.advantage,
        method=report.method,
        conventions=chosen.conventions,
        max_cases_per_individual=report.max_cases_per_individual,
        releases=report.releases,
        public_variants=chosen.public_variants,
        scope=chosen.scope,
        max_case_length=chosen.max_case_length,
    )


def mechanisms(report: PublicReport) -> str:
    """The recorded mechanisms are those of the method, with no less noise than the parameters call for."""
    if report.method not in KNOWN_METHODS:
        # No demand can be met then: whoever makes up a method could make up mechanisms that cost nothing.
        raise NotPossible("the method is none of this package, so what it must record is not known here")
    return KNOWN_METHODS[report.method](report)


def article_mechanisms(report: PublicReport) -> str:
    """Each record of the method, in its place."""
    parameters_of(report)
    due = public_tree(expected(report)).records()
    found = report.mechanisms.records()
    for number, (one, other) in enumerate(zip(found, due, strict=False)):
        _compare(number, one, other)
    if len(found) != len(due):
        raise Fault(f"{len(found)} mechanisms are recorded where method '{report.method}' has {len(due)}")
    return f"{len(due)} records of method '{report.method}'; count noise at least as the parameters call for"


def _compare(number: int, found: dict[str, Any], due: dict[str, Any]) -> None:
    where = f"mechanism {number} ({due['kind']})"
    if found["kind"] != due["kind"]:
        raise Fault(f"mechanism {number} is a {found['kind']} where the stated method has a {due['kind']}")
    for name, value in due["parameters"].items():
        stated = found["parameters"].get(name)
        if name == "scale" and stated != {"withheld": True} and value != {"withheld": True}:
            drawn, called_for = _number(stated), _number(value)
            require(
                at_least(drawn, called_for),
                f"{where}: the noise has scale {drawn:.6g}, and the parameters call for at least {called_for:.6g}",
            )
        elif json.dumps(stated) != json.dumps(value):
            raise Fault(f"{where}: '{name}' is not what the stated method and parameters make it")


def _number(written: Any) -> float:
    """A number as a record has it: exact, in hexadecimal, unless it is whole."""
    return float(written) if isinstance(written, int) else float.fromhex(written["float"])


def at_least(scale: float, called_for: float) -> bool:
    """Whether a scale is no smaller than called for, but for what math libraries differ by."""
    return Fraction(scale) >= Fraction(called_for) * (1 - SLACK)


def expected(report: PublicReport) -> PrivacyEvent:
    """The tree of the method, confidential parameters withheld."""
    method, declared, chosen = ARTICLE_METHODS[report.method], report.max_cases_per_individual, chosen_of(report)
    # Whether the log names individuals cannot be known without it: it shows in the records.
    from_the_log = declared is None and any(
        isinstance(node, SharedByIndividual) for node in nodes(report.mechanisms.tree)
    )
    length = WITHHELD if chosen.max_case_length is None else chosen.max_case_length
    count = method.count(WITHHELD if from_the_log else count_scale(report), cells_per_case=length)
    parts: tuple[PrivacyEvent, ...] = (
        Sequential((count, CaseMoves())),
        BoundedLaplace(report.advantage, WITHHELD),
    )
    if declared is not None or from_the_log:
        parts = tuple(SharedByIndividual(part, WITHHELD if declared is None else declared) for part in parts)
    if report.releases > 1:
        parts = tuple(RepeatedRelease(part, report.releases) for part in parts)
    return Sequential(
        (
            DataDependentSelection("variants", declared_public=chosen.public_variants),
            DataDependentSelection("groups", declared_public=chosen.public_variants),
            *((DataDependentSelection("cases"),) if method.filters else ()),
            *parts,
            _COMPRESSION,
            _RENAMING,
            *((_SEEDED,) if seeded(report) else ()),
        )
    )


def count_scale(report: PublicReport) -> float:
    """The scale that the parameters call for: moved cells, cases and releases over the ε of one cell."""
    chosen = chosen_of(report)
    cells = 2 * (chosen.max_case_length or 1) if chosen.scope == "case" else 1
    shares = cells * report.releases * (report.max_cases_per_individual or 1)
    return float(shares / Fraction(ARTICLE_METHODS[report.method].epsilon(report.advantage)))


KNOWN_METHODS: dict[str, Callable[[PublicReport], str]] = {
    **dict.fromkeys(ARTICLE_METHODS, article_mechanisms),
    "certified": certified_mechanisms,
}
"""How to hold the records of a method against what it must have recorded. A method that is not here meets no demand."""
