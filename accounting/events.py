"""Records of what a release did that bears on privacy.

A record holds parameters and no behaviour; its docstring states the mathematics. A mechanism returns its record with
its result, ``anonymize`` composes the records into a tree, and the accountant alone interprets it. What the accountant
does not know it reports as unbounded, never as zero, so a researcher can add a record of their own
(``register_event``) and the guarantee degrades honestly until the accountant learns it.

A parameter that is a ``Fact`` may be public (a number), confidential (taken from the log) or undeclared (None). A
public guarantee uses public facts only; in a tree made for the public (``accounting.publication``) a confidential
parameter is ``WITHHELD``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from accounting.confidential import Confidential, Withheld
from accounting.errors import AccountingError

Fact = int | Confidential[int] | None


@dataclass(frozen=True, slots=True)
class PrivacyEvent:
    """Anything that costs privacy, or claims not to."""


# --- mechanisms -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Count(PrivacyEvent):
    scale: float | Withheld
    sensitivity: int = 1
    """By how much adding or removing one case moves a cell, at most."""
    cells_per_case: Fact = None
    """How many cells one case moves, at most: 1 for a histogram of variants, its length for a table of transitions."""

    def __post_init__(self) -> None:
        _check_scale(self.scale)
        _check_number(self.sensitivity, "a sensitivity is a whole number of at least 1")
        _check_fact(self.cells_per_case, "a case moves at least one cell")


@dataclass(frozen=True, slots=True)
class LaplaceCount(_Count):
    """Each count cell c becomes c + Z with independent discrete Laplace noise, P(Z=k) ∝ exp(-|k|/scale).

    Loss for one cell: sensitivity/scale, also when a case is replaced. For the whole table a case that moves k cells
    costs k times that when added or removed; replaced by one that moves k' cells, k + k' times.
    """


@dataclass(frozen=True, slots=True)
class OneSidedCount(_Count):
    """Each count cell c becomes c + Z with independent geometric noise, P(Z=k) = (1-q)·q^k, q = exp(-1/scale), k ≥ 0.

    The supports for neighbouring logs differ, so no ε bounds it; the article bounds an average over outputs.
    """


@dataclass(frozen=True, slots=True)
class WeightedHistogram(PrivacyEvent):
    """Cells, fixed without looking at the log, each with independent discrete Laplace noise of one scale.

    A case adds whole numbers of a total of at most ``weight`` to the cells. The loss is weight/scale when it is added
    or removed and 2·weight/scale when it is replaced, however many cells it touches. ``of`` says what the cells count:
    control flow does not see a change of one relative time, times do.
    """

    scale: float | Withheld
    weight: int
    of: Literal["control flow", "times"]

    def __post_init__(self) -> None:
        _check_scale(self.scale)
        _check_number(self.weight, "a weight is a whole number of at least 1")
        _check_choice(self.of, ("control flow", "times"))


@dataclass(frozen=True, slots=True)
class ThresholdedHistogram(PrivacyEvent):
    """Counts with discrete Laplace noise, released only where they reach ``threshold``; each case is in one cell.

    Approximate: ε = 1/scale when a case is added or removed, 2/scale when replaced; δ = P(Z ≥ threshold - 1), the
    probability that a cell which only the changed case has is seen at all. For a unit of C cases C times that ε, and
    δ = C·P(Z ≥ threshold - C). About one unit it is a mixture: with probability 1 - δ a draw from a mechanism that has
    that ε.
    """

    scale: float | Withheld
    threshold: int

    def __post_init__(self) -> None:
        _check_scale(self.scale)
        _check_number(self.threshold, "a threshold exceeds 1", least=2)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
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
    origin: npt.NDArray[np.int64]
    """Index of the original case."""
    individual: npt.NDArray[np.int64]
    """Index of the individual behind it; the original case itself if nothing else is known."""

    def __post_init__(self) -> None:
        columns = (self.case, self.value_range, self.scale, self.copies, self.origin, self.individual)
        if len({len(column) for column in columns}) != 1:
            raise AccountingError("the columns of a per-event record have equal lengths.")
        if not len(self.case):
            raise AccountingError("a per-event record has at least one event.")
        if not np.all(np.isfinite(self.scale) & (self.scale >= 0)):
            raise AccountingError("scales are finite and not negative.")
        if (self.value_range < 0).any() or (self.copies < 1).any():
            raise AccountingError("ranges are not negative, and a released event has at least one copy.")
        self._check_cases()

    def _check_cases(self) -> None:
        """Each released case repeats one original, and no original is released more often than ``copies`` says."""
        n = len(self.case)
        if (
            min(int(column.min()) for column in (self.case, self.origin, self.individual)) < 0
            or int(self.case.max()) >= n
        ):
            raise AccountingError("released cases are numbered from 0, and none is empty.")
        origin_of = np.full(n, -1, dtype=np.int64)
        origin_of[self.case] = self.origin
        if (origin_of[self.case] != self.origin).any():
            raise AccountingError("a released case repeats one original case.")
        _, position, released = np.unique(origin_of[origin_of >= 0], return_inverse=True, return_counts=True)
        times_released = np.zeros(n, dtype=np.int64)
        times_released[origin_of >= 0] = released[position]
        if (self.copies < times_released[self.case]).any():
            raise AccountingError("an original case is released no more often than its copies say.")


@dataclass(frozen=True, slots=True, eq=False)
class BoundedLaplace(PrivacyEvent):
    """Each released value x in [0, r] becomes x + Z, discrete Laplace of its own scale b: the vector Φ.

    Loss of one event: D·r/b for a case with D copies. ``advantage`` is what the scales were calibrated for. Where scale
    or range were computed from private data (``scales`` is "data"), the likelihood ratio is unbounded, whatever b is.
    The columns are confidential even if the scales are public (they say which events there are), so a public bound
    needs a declared one: ``declared_loss`` for any one event over all its copies, ``events_per_case`` for how many a
    case has.
    """

    advantage: float
    columns: Confidential[PerEventNoise]
    scales: Literal["public", "data"] = "data"
    declared_loss: float | None = None
    events_per_case: Fact = None

    def __post_init__(self) -> None:
        if not isinstance(self.advantage, float | int) or not 0 < self.advantage < 1:
            raise AccountingError("an advantage lies strictly between 0 and 1.")
        if not isinstance(self.columns, Withheld) and not _holds_noise(self.columns):
            raise AccountingError("the columns of per-event noise are confidential.")
        _check_choice(self.scales, ("public", "data"))
        if self.declared_loss is not None and not 0 <= self.declared_loss < 1e300:
            raise AccountingError("a declared loss is finite and not negative.")
        _check_fact(self.events_per_case, "a case has at least one event")


def _holds_noise(columns: object) -> bool:
    return isinstance(columns, Confidential) and isinstance(columns.reveal(), PerEventNoise)


# --- what is no mechanism -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CaseMoves(PrivacyEvent):
    """Noise drawn for counts is carried out by copying and deleting whole cases.

    A moved case shifts every count on its path, so the released counts are not the true ones plus the noise, and the
    guarantee of the noisy counts does not carry over.
    """


@dataclass(frozen=True, slots=True)
class DataDependentSelection(PrivacyEvent):
    """Private data decided what is released: unbounded, unless the decision was itself made by a private step.

    Where the ``cases`` are selected, counts of them have no sensitivity of 1 any more. ``declared_public`` says that
    what was selected is known for reasons outside the log, which makes it free under that assumption.
    """

    of: Literal["variants", "groups", "cases"]
    made_by: PrivacyEvent | None = None
    declared_public: bool = False

    def __post_init__(self) -> None:
        _check_choice(self.of, ("variants", "groups", "cases"))
        if self.of == "cases" and self.declared_public:
            raise AccountingError("which cases a log has is never public.")
        if self.made_by is not None and self.declared_public:
            raise AccountingError("what a private step selected is not public beforehand.")


@dataclass(frozen=True, slots=True)
class TakenAsPublic(PrivacyEvent):
    """A fact that the mechanisms are given from outside: free, under the assumption that it is public.

    ``from_log`` says that nobody gave it and it was read off the log, rounded outward; the assumption is then a bold
    one, and the report says who is exposed by it.
    """

    what: Literal["labels", "time frame", "number of cases", "longest duration"]
    from_log: bool

    def __post_init__(self) -> None:
        _check_choice(self.what, ("labels", "time frame", "number of cases", "longest duration"))


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
class Undisclosed(PrivacyEvent):
    """A step of a kind that the accountant does not know, in what is made for the public: its kind and no parameter.

    Nobody but its author knows which of its parameters are private.
    """

    of_kind: str


# --- compositions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sequential(PrivacyEvent):
    """All parts are released together about the same people: losses add."""

    parts: tuple[PrivacyEvent, ...]


@dataclass(frozen=True, slots=True)
class Parallel(PrivacyEvent):
    """Each part is about cases of its own.

    The largest loss, if a case is added or removed, or if the partition is ``public`` and a replaced case stays in its
    part. If the part follows from the values (``value-dependent``), a replaced case leaves one part and enters
    another: the sum of the two largest.
    """

    parts: tuple[PrivacyEvent, ...]
    partition: Literal["public", "value-dependent"]

    def __post_init__(self) -> None:
        _check_choice(self.partition, ("public", "value-dependent"))


@dataclass(frozen=True, slots=True)
class Replicated(PrivacyEvent):
    """The same part is released ``copies`` times with noise of its own each time: losses add."""

    part: PrivacyEvent
    copies: int

    def __post_init__(self) -> None:
        _check_number(self.copies, "there is at least one copy")


@dataclass(frozen=True, slots=True)
class RepeatedRelease(PrivacyEvent):
    """``part`` is one of ``releases`` releases of the same log, each at most as costly: for all of them, losses add."""

    part: PrivacyEvent
    releases: int

    def __post_init__(self) -> None:
        _check_number(self.releases, "there is at least one release")


@dataclass(frozen=True, slots=True)
class SharedByIndividual(PrivacyEvent):
    """One individual may stand behind up to ``cases`` cases, so ``part`` costs them up to that many times its loss."""

    part: PrivacyEvent
    cases: Fact

    def __post_init__(self) -> None:
        _check_fact(self.cases, "an individual has at least one case")


SMALLEST_SCALE = 1e-9
"""Noise of a smaller scale changes a whole number with probability exp(-10⁹): that is none."""


LARGEST_NUMBER = 1 << 62


def _check_scale(scale: object) -> None:
    if isinstance(scale, Withheld):
        return
    if not isinstance(scale, float | int) or isinstance(scale, bool) or not SMALLEST_SCALE <= scale < 1e300:
        raise AccountingError("noise has a positive finite scale, and it is a number.")


def _check_number(value: object, rule: str, least: int = 1) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST_NUMBER:
        raise AccountingError(f"{rule}.")


def _check_fact(fact: object, rule: str) -> None:
    if fact is not None and not isinstance(fact, Withheld):
        _check_number(fact.reveal() if isinstance(fact, Confidential) else fact, rule)


def _check_choice(value: str, choices: tuple[str, ...]) -> None:
    """Types are checked by mypy; a ledger or a notebook is not."""
    if value not in choices:
        raise AccountingError(f"one of {', '.join(choices)} was expected.")


# --- names of kinds -------------------------------------------------------------------------------------------------

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


def event_class(kind: str) -> type[PrivacyEvent]:
    """The class of a registered kind; an unknown one is refused, not skipped."""
    if kind not in _KINDS:
        raise AccountingError(f"'{kind}' is not a registered kind of event.")
    return _KINDS[kind]


for _kind, _cls in {
    "laplace-count": LaplaceCount,
    "one-sided-count": OneSidedCount,
    "weighted-histogram": WeightedHistogram,
    "thresholded-histogram": ThresholdedHistogram,
    "bounded-laplace": BoundedLaplace,
    "case-moves": CaseMoves,
    "data-dependent-selection": DataDependentSelection,
    "taken-as-public": TakenAsPublic,
    "post-processing": PostProcessing,
    "non-private": NonPrivate,
    "undisclosed": Undisclosed,
    "sequential": Sequential,
    "parallel": Parallel,
    "replicated": Replicated,
    "repeated-release": RepeatedRelease,
    "shared-by-individual": SharedByIndividual,
}.items():
    register_event(_kind)(_cls)
