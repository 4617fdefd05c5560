"""Which checkers stand behind which claim, and how they are run.

A checker is a function of the subject that returns what it checked, in a sentence, or raises ``CheckFailed``. The
verdict that it establishes when it succeeds is declared with it; when it fails, it has found no verdict at all, which
never agrees with the recorded one.
"""

from __future__ import annotations

import importlib
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from accounting.claims import CLAIMS, checks_from_outside
from accounting.events import load_records_from_outside
from accounting.guarantee import Verdict
from proofs.subject import SHIPPED, Subject

Check = Callable[[Subject], str]

TOOLS = {"sympy": "sympy", "z3": "z3", "cvc5": "cvc5", "flint": "flint", "coq": None, "exact": None, "own": None}
"""Checker → the module it needs. ``coq`` needs the program ``coqc``; ``exact`` is plain Python with fractions; ``own``
is the function that came with a claim from outside the package."""

_MODULES = (
    "proofs.symbolic",
    "proofs.cubic",
    "proofs.noise",
    "proofs.smt",
    "proofs.coqcore",
    "proofs.published",
    "proofs.enclosures",
    "proofs.newton",
    "proofs.exact",
    "proofs.certified",
    "proofs.thresholds",
    "proofs.guessing",
    "proofs.curves",
    "proofs.gaussian",
    "proofs.pure_steps",
    "proofs.discrete",
    "proofs.lengths",
    "proofs.average_numbers",
    "proofs.refutations",
)


class CheckFailed(Exception):  # noqa: N818 -- it is the outcome of a check, not an error of the program
    """What was to be shown does not hold."""


class Undecided(CheckFailed):
    """The tool came to no answer here: in its time, in this version. That is neither for the claim nor against it."""


@dataclass(frozen=True, slots=True)
class Checker:
    claim: str
    tool: str
    establishes: Verdict
    check: Check

    @property
    def available(self) -> bool:
        if self.tool == "coq":
            return shutil.which("coqc") is not None
        module = TOOLS[self.tool]
        return module is None or find_spec(module) is not None


@dataclass(frozen=True, slots=True)
class Outcome:
    claim: str
    checker: str
    verdict: Verdict | None
    """What the checker found; None if its check failed or it was skipped."""
    seconds: float
    detail: str
    skipped: bool = False
    undecided: bool = False
    """Whether the tool could not be used or came to no answer: it agrees with nothing then, and contradicts nothing."""

    @property
    def recorded(self) -> Verdict:
        return CLAIMS[self.claim].verdict

    @property
    def agrees(self) -> bool:
        return self.skipped or self.verdict is self.recorded


_CHECKERS: list[Checker] = []


def checker(claim: str, tool: str, establishes: Verdict = Verdict.PROVED) -> Callable[[Check], Check]:
    """Bind a check to a claim."""
    if claim not in CLAIMS:
        raise KeyError(f"there is no claim called '{claim}'")
    if tool not in TOOLS:
        raise KeyError(f"there is no tool called '{tool}'")

    def bind(check: Check) -> Check:
        _CHECKERS.append(Checker(claim, tool, establishes, check))
        return check

    return bind


def require(condition: object, what: str) -> None:
    if not condition:
        raise CheckFailed(what)


def checkers(only: Iterable[str] = ()) -> list[Checker]:
    """All checkers in the order of the claims, or those of some claims."""
    for module in _MODULES:
        importlib.import_module(module)
    order = {identifier: place for place, identifier in enumerate(CLAIMS)}
    wanted = set(only)
    found = [one for one in (*_CHECKERS, *_from_outside()) if not wanted or one.claim in wanted]
    # Also by tool, because which module was imported first is chance.
    tools = list(TOOLS)
    return sorted(found, key=lambda one: (order[one.claim], tools.index(one.tool)))


def _from_outside() -> Iterable[Checker]:
    """Of claims that were registered from outside the package; installed packages are asked for theirs."""
    load_records_from_outside()
    for name, check in checks_from_outside().items():
        yield Checker(name, "own", CLAIMS[name].verdict, partial(_without_subject, check))


def _without_subject(check: Callable[[], str], _subject: Subject) -> str:
    return check()


def run(one: Checker, subject: Subject = SHIPPED) -> Outcome:
    if not one.available:
        return Outcome(one.claim, one.tool, None, 0.0, f"skipped: {one.tool} is not installed", skipped=True)
    begin, undecided = time.perf_counter(), False
    try:
        detail, verdict = one.check(subject), one.establishes
    except (Undecided, ImportError) as failure:
        detail, verdict, undecided = f"undecided: {failure}", None, True
    except MemoryError:  # which is no verdict on the claim
        raise
    except Exception as failure:  # noqa: BLE001 -- whatever stops a proof, it is then no proof
        detail, verdict = f"failed: {failure or type(failure).__name__}", None
    return Outcome(one.claim, one.tool, verdict, time.perf_counter() - begin, detail, undecided=undecided)


def prove(only: Iterable[str] = ()) -> tuple[Outcome, ...]:
    """Run the machine checks behind every claim, or behind those that are named; ``agrees`` of each outcome says
    whether it found the recorded verdict. Checkers whose tool is not installed are skipped, and say so."""
    named = tuple(only)
    unknown = [name for name in named if name not in CLAIMS]
    if unknown:
        raise ValueError(f"there is no claim called '{unknown[0]}'; docs/claims.md lists them.")
    return tuple(run(one) for one in checkers(named))
