"""Records of what a release did that bears on privacy.

A record holds parameters and no behaviour; its docstring states the mathematics. A mechanism returns its record with
its result, ``anonymize`` composes the records, and the accountant alone interprets them. What the accountant does not
know it reports as unbounded, never as zero, so a researcher can add a record of their own (``register_event``) and
the guarantee degrades honestly until the accountant learns it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from accounting.confidential import Confidential
from accounting.errors import AccountingError


@dataclass(frozen=True, slots=True)
class PrivacyEvent:
    """Anything that costs privacy, or claims not to."""


@dataclass(frozen=True, slots=True)
class _Count(PrivacyEvent):
    scale: float
    sensitivity: int = 1
    """By how much adding or removing one case moves a cell, at most."""

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf or self.sensitivity < 1:
            raise AccountingError("noise on counts has a positive finite scale and a sensitivity of at least 1.")


@dataclass(frozen=True, slots=True)
class LaplaceCount(_Count):
    """Each count cell c becomes c + Z with independent discrete Laplace noise, P(Z=k) ∝ exp(-|k|/scale).

    ε = sensitivity/scale for one cell and one case, if the counted cases were not themselves selected by private data.
    """


@dataclass(frozen=True, slots=True)
class OneSidedCount(_Count):
    """Each count cell c becomes c + Z with independent geometric noise, P(Z=k) = (1-q)·q^k, q = exp(-1/scale), k ≥ 0.

    The supports for neighbouring logs differ, so no ε bounds it; the article bounds an average over outputs.
    """


@dataclass(frozen=True, slots=True, eq=False)
class PerEventNoise:
    """Columns of a per-event Laplace mechanism: one row a released event."""

    case: npt.NDArray[np.int64]
    """Index of the released case."""
    value_range: npt.NDArray[np.int64]
    """r: the attribute is taken to lie in [0, r] (milliseconds)."""
    scale: npt.NDArray[np.float64]
    """Scale of the noise really drawn (milliseconds); 0 where none was."""
    copies: npt.NDArray[np.int64]
    """D: how many released cases repeat the original of this one."""

    def __post_init__(self) -> None:
        if len({len(self.case), len(self.value_range), len(self.scale), len(self.copies)}) != 1:
            raise AccountingError("the columns of a per-event record have equal lengths.")


@dataclass(frozen=True, slots=True, eq=False)
class BoundedLaplace(PrivacyEvent):
    """Each released value x in [0, r] becomes x + Z, discrete Laplace of its own scale b: loss r/b for one release.

    A case with D copies is released D times: its loss is D·r/b. ``advantage`` is what the scales were calibrated for.
    Range, prior and copies, and with them the scale, are computed from private data, so the likelihood ratio of the
    mechanism is unbounded, whatever b is.
    """

    advantage: float
    columns: Confidential[PerEventNoise]


@dataclass(frozen=True, slots=True)
class CaseMoves(PrivacyEvent):
    """Noise drawn for counts is carried out by copying and deleting whole cases.

    A moved case shifts every count on its path, so the released counts are not the true ones plus the noise, and the
    guarantee of the noisy counts does not carry over.
    """


@dataclass(frozen=True, slots=True)
class DataDependentSelection(PrivacyEvent):
    """Private data decided, without noise, what is released: unbounded.

    Where the ``cases`` are selected, counts of them have no sensitivity of 1 any more.
    """

    of: Literal["variants", "groups", "cases"]
    rule: str
    counterexample: str | None = None
    """Why no ε bounds it; without one it is merely not proved."""


@dataclass(frozen=True, slots=True)
class SharedByIndividual(PrivacyEvent):
    """One individual may stand behind up to ``cases`` cases, so ``part`` costs them up to that many times its ε."""

    part: PrivacyEvent
    cases: Confidential[int]


@dataclass(frozen=True, slots=True)
class PostProcessing(PrivacyEvent):
    """A function of already released or public things only: free. ``why`` says why it is one."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class NonPrivate(PrivacyEvent):
    """Randomness or a mechanism that gives no privacy at all (a seeded generator, for instance)."""

    why: str


@dataclass(frozen=True, slots=True)
class Sequential(PrivacyEvent):
    """All parts are released together about the same people."""

    parts: tuple[PrivacyEvent, ...] = field(default=())


_Event = TypeVar("_Event", bound=type[PrivacyEvent])
_KINDS: dict[str, type[PrivacyEvent]] = {}


def register_event(kind: str) -> Callable[[_Event], _Event]:
    """Class decorator that names a kind of event, so that ledgers can carry it. A taken name is refused."""

    def register(cls: _Event) -> _Event:
        if _KINDS.setdefault(kind, cls) is not cls:
            raise AccountingError(f"an event kind named '{kind}' is registered already.")
        return cls

    return register


def kind_of(event: PrivacyEvent) -> str:
    """The registered name of an event's kind; an unregistered one is refused, not skipped."""
    for kind, cls in _KINDS.items():
        if type(event) is cls:
            return kind
    raise AccountingError(f"{type(event).__name__} is not a registered kind of event; see register_event.")


for _kind, _cls in {
    "laplace-count": LaplaceCount,
    "one-sided-count": OneSidedCount,
    "bounded-laplace": BoundedLaplace,
    "case-moves": CaseMoves,
    "data-dependent-selection": DataDependentSelection,
    "shared-by-individual": SharedByIndividual,
    "post-processing": PostProcessing,
    "non-private": NonPrivate,
    "sequential": Sequential,
}.items():
    register_event(_kind)(_cls)
