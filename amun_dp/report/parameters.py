"""What the publisher chose for a release, as the public report states it.

Each family of methods has a type of its own; ``ReportParameters`` is what all of them say, so that nobody else needs to
know which family it is. What only one family has is looked up by its name, ``of``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions


class Asked(Protocol):
    """What is asked of every method, whichever it is."""

    @property
    def family(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def advantage(self) -> float: ...
    @property
    def scope(self) -> str: ...
    @property
    def releases(self) -> int: ...
    @property
    def max_cases_per_individual(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class PublicTimes:
    """Times that were taken as public, in milliseconds: no released event lies outside, no case lasts longer."""

    first: int
    last: int
    longest: int


class ReportParameters(Protocol):
    """What every method states of its choices."""

    @property
    def of(self) -> str:
        """The family, by which whatever is special about it is looked up."""

    @property
    def scope(self) -> str:
        """The unit that was asked for."""

    @property
    def counts_individuals(self) -> bool:
        """Whether of each individual only so many cases count, so that the individual is the unit."""

    @property
    def discloses_variants(self) -> bool:
        """Whether the log's own variants are taken as public: cases that have one alone are then disclosed."""

    @property
    def cases(self) -> int | None:
        """The number of cases, where it is taken as public."""

    @property
    def may_release_fewer(self) -> bool:
        """Whether a release may have fewer cases than the public number of cases."""

    @property
    def max_case_length(self) -> int | None:
        """Events of a case, at most, where that is declared."""

    @property
    def from_log(self) -> tuple[str, ...]:
        """What was taken as public and read off the log."""

    @property
    def public_times(self) -> PublicTimes | None:
        """Bounds of the released times, where they are public."""

    @property
    def public_sets(self) -> dict[str, int]:
        """Sizes of public sets that the released log keeps to: activities, variants."""

    @property
    def exposed(self) -> tuple[str, ...]:
        """Who is exposed by what was declared or taken from the log."""

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What is not protected, in words."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, in the order in which a reader wants it."""


_NAMED = (ARTICLE.name, CORRECTED.name)

COMMON = (
    "dependence: a case that depends on others (same person, same event) is protected less than one that does not",
    "running time of the anonymisation, and the size of the released log",
    "other releases: how often this log, or another one about the same people, is released is declared by the "
    "publisher and cannot be seen from a release",
)
_ARTICLE = (
    "activity labels: every label that the released log contains is taken as public",
    "time frame: the first start, the last start and the last timestamp of the original log are taken as public",
    "variants: only variants of the original log occur (R1), so a released variant is known to have occurred; a "
    "variant that one case alone has discloses that case",
)
_UNNOISED_GROUPS = (
    "times without noise: under these conventions (value_range: spread) the events of a group whose relative times "
    "are all equal are released with their exact relative time"
)
_DECLARED_VARIANTS = (
    "declared variants: the publisher declares that the variants of the log are no secret; a variant that one case "
    "alone has is disclosed by that choice"
)
_FROM_LOG = {
    "labels": "activity labels: taken from the log, so a label that one case alone has discloses that case",
    "variants": "variants: the log's own are taken as public; a variant that one case alone has is disclosed by that "
    "choice",
    "time frame": "time frame: taken from the log, rounded outward to whole days, so the first and the last case are "
    "exposed in that respect",
    "number of cases": "number of cases: taken from the log",
    "number of individuals": "number of individuals: taken from the log",
    "longest duration": "longest duration: taken from the log, so the case that has it is exposed in that respect",
}


@dataclass(frozen=True, slots=True)
class ArticleParameters:
    """Choices of the article's methods, and of outside methods that keep their shape, as the report states them."""

    conventions: Conventions
    public_variants: bool
    scope: str
    max_case_length: int | None

    of: ClassVar[str] = "article"
    counts_individuals: ClassVar[bool] = False
    cases: ClassVar[int | None] = None
    may_release_fewer: ClassVar[bool] = True
    from_log: ClassVar[tuple[str, ...]] = ()
    public_times: ClassVar[PublicTimes | None] = None

    @property
    def discloses_variants(self) -> bool:
        """Whether it is declared public which variants occur; variants that only one case has are then disclosed."""
        return self.public_variants

    @property
    def public_sets(self) -> dict[str, int]:
        """No sizes of public sets: the article's methods have none."""
        return {}

    @property
    def exposed(self) -> tuple[str, ...]:
        """Who is exposed by what is declared; without that declaration nothing is promised about a case anyway."""
        return (_DECLARED_VARIANTS,) if self.public_variants else ()

    @property
    def unprotected(self) -> tuple[str, ...]:
        spread = (_UNNOISED_GROUPS,) if self.conventions.value_range == "spread" else ()
        return (*_ARTICLE, *COMMON, *spread, *self.exposed)

    def as_dict(self) -> dict[str, Any]:
        rules = self.conventions
        return {
            "of": self.of,
            "conventions": rules.name if rules.name in _NAMED else "custom",
            "window_ms": rules.window,
            "start_window_ms": rules.start_window,
            "prior": rules.prior,
            "value_range": rules.value_range,
            "filtering": rules.filtering,
            "compression": rules.compression,
            "public_variants": self.public_variants,
            "scope": self.scope,
            "max_case_length": self.max_case_length,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ArticleParameters:
        return cls(
            conventions=Conventions(
                name=data["conventions"],
                window=data["window_ms"],
                start_window=data["start_window_ms"],
                prior=data["prior"],
                value_range=data["value_range"],
                filtering=data["filtering"],
                compression=data["compression"],
            ),
            public_variants=data["public_variants"],
            scope=data["scope"],
            max_case_length=data["max_case_length"],
        )


@dataclass(frozen=True, slots=True)
class CertifiedParameters:
    """Choices of the certified method, as the report states them: the form of control flow, the unit, and what was
    taken as public."""

    variants: str
    scope: str
    delta: float | None
    """δ for one unit, all releases together; None where there is none."""
    first_ms: int
    """The public time frame, in milliseconds since 1970."""
    last_ms: int
    longest_ms: int
    """The public bound on the duration of a case."""
    activities: int | None
    """How many labels the public alphabet has; None under ``threshold``, which needs none."""
    public_variants: int | None
    """How many variants the public set has, if there is one."""
    cases: int | None
    """The public number of cases; None where it was measured with noise."""
    from_log: tuple[str, ...]
    """Which public facts were taken from the log and not given from outside."""

    of: ClassVar[str] = "certified"
    max_case_length: ClassVar[int | None] = None

    @property
    def may_release_fewer(self) -> bool:
        """Whether a release may have fewer cases than the public number: under a threshold it may."""
        return self.variants == "threshold"

    @property
    def counts_individuals(self) -> bool:
        """Whether only so many cases of each individual count, as they do at scope individual."""
        return self.scope == "individual"

    @property
    def discloses_variants(self) -> bool:
        """Whether the variants that are taken as public were read off the log."""
        return "variants" in self.from_log

    @property
    def public_times(self) -> PublicTimes:
        """The public time frame and the longest duration."""
        return PublicTimes(self.first_ms, self.last_ms, self.longest_ms)

    @property
    def public_sets(self) -> dict[str, int]:
        """The public alphabet and the public variants, where the form has them."""
        sizes = {"activities": self.activities, "variants": self.public_variants}
        return {name: size for name, size in sizes.items() if size is not None}

    @property
    def exposed(self) -> tuple[str, ...]:
        """Who is exposed by what was taken from the log; a label says so, too."""
        return tuple(text for name, text in _FROM_LOG.items() if name in self.from_log)

    @property
    def unprotected(self) -> tuple[str, ...]:
        return (*self.exposed, *COMMON)

    def as_dict(self) -> dict[str, Any]:
        return {
            "of": self.of,
            "variants": self.variants,
            "scope": self.scope,
            "delta": self.delta,
            "first_ms": self.first_ms,
            "last_ms": self.last_ms,
            "longest_ms": self.longest_ms,
            "activities": self.activities,
            "public_variants": self.public_variants,
            "cases": self.cases,
            "from_log": list(self.from_log),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CertifiedParameters:
        chosen = {name: data[name] for name in data if name not in ("of", "from_log")}
        return cls(**chosen, from_log=tuple(data["from_log"]))


_FAMILIES: dict[str, Callable[[Mapping[str, Any]], ReportParameters]] = {
    ArticleParameters.of: ArticleParameters.from_dict,
    CertifiedParameters.of: CertifiedParameters.from_dict,
}


def parameters_from(data: Mapping[str, Any]) -> ReportParameters:
    """The parameters that ``as_dict`` wrote, of data that the schema admits."""
    return _FAMILIES[data["of"]](data)
