"""Good releases to verify, made once, and copied before they are broken."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from accounting.events import PerEventNoise
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import Sampler, SeededNoise
from amun_dp.release.certified import carry_out_certified
from amun_dp.release.made import Release
from amun_dp.release.methods import carry_out
from amun_dp.release.plan import plan
from amun_dp.synthetic import hospital_log
from amun_dp.verification import Name, Outcome, Verification, verify

ADVANTAGE = 0.5
"""At which filtering removes ten cases of the log below: four variants whole, and one in part."""


class Repeatable(SeededNoise):
    """Seeded, and passed off as private: tests do not depend on chance. (Verification cannot tell: it says so.)"""

    unpredictable = True  # that is the lie
    sampler: Sampler = "opendp"  # and so is that


@cache
def original() -> EventLog:
    return hospital_log(cases=80, seed=1)


def made(
    method: Any = "filtering", conventions: str = "corrected", log: EventLog | None = None, **more: Any
) -> Release:
    chosen = original() if log is None else log
    return carry_out(plan(chosen, more.pop("advantage", ADVANTAGE), method, conventions, **more), Repeatable(11))


def noise_of(release: Release) -> PerEventNoise:
    assert release.noise is not None  # only the certified method has none
    return release.noise.reveal()


def certified(form: Any = "generated", **more: Any) -> Release:
    """By the certified method; of a log that is large enough for variants above a threshold."""
    log = hospital_log(cases=300, seed=1) if form == "threshold" else original()
    return carry_out_certified(plan(log, ADVANTAGE, "certified", variants=form, **more), Repeatable(12))


class Shelf:
    """Keeps one release of each kind; ``copy`` gives one away to be broken."""

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="amun-dp-tests-"))

    def kept(self, format: str = "xes", method: Any = "filtering", conventions: str = "corrected") -> Path:
        folder = self._folder / f"{method}-{conventions}-{format}"
        if not folder.exists():
            release = certified() if method == "certified" else made(method, conventions)
            release.save(folder, format=format)
        return folder

    def copy(self, to: Path, format: str = "xes", method: Any = "filtering", internal: bool = True) -> Path:
        shutil.copytree(self.kept(format, method), to)
        if not internal:  # as everybody but the publisher gets it
            shutil.rmtree(to / "internal")
        return to

    def close(self) -> None:
        shutil.rmtree(self._folder)


def failing(folder: Path, with_original: bool = False, **options: Any) -> set[Name]:
    """The checks that a folder fails. Proofs check formulas, not folders; they run where a test is about them."""
    return failed_in(checked(folder, with_original, **options))


def checked(folder: Path, with_original: bool = False, log: EventLog | None = None, **options: Any) -> Verification:
    """``log``: another original than the usual one."""
    chosen = original() if log is None else log
    return verify(folder, chosen if with_original else None, **({"prove": False} | options))


def individuals(log: EventLog, cases_each: int) -> EventLog:
    """The same log, by somebody who knows who stands behind each case."""
    return replace(log, individual=np.arange(log.n_cases) // cases_each)


def failed_in(found: Verification) -> set[Name]:
    return {check.name for check in found.failed}


def outcome(found: Verification, name: Name) -> Outcome:
    return next(check.outcome for check in found.checks if check.name is name)
