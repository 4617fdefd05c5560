"""Logs of which a threshold keeps something, what may be known of them, and certified releases of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import amun_dp
from accounting.accountant import strictest
from accounting.guarantee import Guarantee, Relation, Scope
from amun_dp._base.units import DAY, HOUR
from amun_dp.certified import GivenFacts
from amun_dp.eventlog.log import EventLog
from amun_dp.release.made import Release
from amun_dp.report.parameters import CertifiedParameters
from tests.certified.cases import BEGIN, END, timed, with_individuals
from tests.logs import Case, log_of

FORMS: tuple[Any, ...] = ("threshold", "public", "generated")
FREQUENT = ("abcd", "ab", "ad", "abcddcba")


def frequent_cases(number: int = 2_000, seed: int = 1) -> list[Case]:
    """So many cases of four variants that a threshold keeps some, whatever the noise; the frame is the year 2020."""
    random = np.random.default_rng(seed)
    cases: list[Case] = [timed("abcd", BEGIN, HOUR), timed("abcd", END - 3 * HOUR, HOUR)]
    while len(cases) < number:
        word = FREQUENT[random.integers(4)]
        gaps = [int(gap) for gap in random.exponential(DAY, len(word) - 1)]
        cases.append(timed(word, BEGIN + int(random.integers(300 * DAY)), gaps))
    return cases


def frequent_log(number: int = 2_000, seed: int = 1) -> EventLog:
    return log_of(frequent_cases(number, seed))


def people_log(number: int = 2_400, each: int = 3) -> EventLog:
    return with_individuals(frequent_cases(number), [case // each for case in range(number)])


GIVEN = GivenFacts(
    activities=("a", "b", "c", "d"),
    first=BEGIN,
    last=END,
    longest=60 * DAY,
    cases=2_000,
    variants=tuple(tuple(word) for word in (*FREQUENT, "adcb")),
)
"""Known from outside: one variant more than these logs have, for their own list would be refused."""


def certified(log: EventLog, advantage: float = 0.2, variants: Any = "threshold", **options: Any) -> Release:
    """``public`` takes the log's own variants unless others are given."""
    given = options.get("public")
    own = variants == "public" and (given is None or (isinstance(given, GivenFacts) and given.variants is None))
    return amun_dp.anonymize(log, advantage, "certified", variants=variants, variants_from_log=own, **options)


def whole(release: Release, scope: Scope = Scope.CASE) -> Guarantee:
    return strictest(release.report.guarantees, scope, Relation.REPLACE)


def chosen(release: Release) -> CertifiedParameters:
    assert isinstance(release.report.parameters, CertifiedParameters)
    return release.report.parameters


UNIQUE: list[Case] = [timed("ab"[number % 2] * (1 + number // 2), BEGIN + number * DAY, HOUR) for number in range(20)]
