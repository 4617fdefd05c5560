"""The steps of each job, and what share of the time each usually takes.

The shares are processor seconds measured on a generated log of 944,166 events with 500 variants (``python -m
benchmarks.steps``). They only place the bar: which step is under way is always what the worker says.
"""

from __future__ import annotations

from collections.abc import Iterable

READ = "reading the log"
SWEEP_STEP = "planning for advantage {:g}"
INSPECT = ("building the automaton", "looking for cases that are one of a kind", "trying advantages")
_PLAN = ("building the automaton", "estimating prior knowledge", "estimating ε")
_FILTERING_PLAN = ("building the automaton", "estimating prior knowledge", "filtering cases", "estimating ε")
_CERTIFIED_PLAN = ("dividing ε",)
_BUDGET = ("looking at the budget",)
_CHARGE = ("charging the budget",)
_DRAW = ("sampling cases", "drawing time noise", "compressing timestamps", "accounting and comparing")
_CERTIFIED_DRAW = ("measuring and drawing", "comparing")
_WRITE = ("writing the release",)
_VERIFY = ("checking the report", "running the proofs", "checking the released log", "replaying the ledger")
_AGAINST_ORIGINAL = ("making the plan again", "comparing with the original", "attacking by gaps")

_SECONDS = {
    READ: 0.94,
    "building the automaton": 0.01,
    "looking for cases that are one of a kind": 1.05,
    "trying advantages": 0.61,
    "estimating prior knowledge": 0.32,
    "estimating ε": 0.06,
    "looking at the budget": 3.63,
    "sampling cases": 0.09,
    "drawing time noise": 6.66,
    "compressing timestamps": 0.13,
    "accounting and comparing": 1.6,
    "writing the release": 2.96,
    "checking the report": 0.13,
    "running the proofs": 2.77,
    "checking the released log": 6.25,
    "replaying the ledger": 2.09,
    "making the plan again": 1.11,
    "comparing with the original": 0.08,
    "attacking by gaps": 1.23,
    "charging the budget": 3.63,
    "filtering cases": 0.03,
    "dividing ε": 0.01,
    "measuring and drawing": 1.15,
    "comparing": 0.12,
}
_OTHERWISE = 0.5
"""Of a step that was not measured, as one advantage of several."""


def expected(steps: Iterable[str]) -> list[tuple[str, float]]:
    return [(step, _SECONDS.get(step, _OTHERWISE)) for step in steps]


def plan_steps(method: str, budget: bool) -> tuple[str, ...]:
    return _planning(method) + (_BUDGET if budget else ())


def release_steps(method: str, budget: bool) -> tuple[str, ...]:
    draw = _CERTIFIED_DRAW if method == "certified" else _DRAW
    return _planning(method) + (_CHARGE if budget else ()) + draw + _WRITE


def verify_steps(with_original: bool) -> tuple[str, ...]:
    return _VERIFY + (_AGAINST_ORIGINAL if with_original else ())


def _planning(method: str) -> tuple[str, ...]:
    return _CERTIFIED_PLAN if method == "certified" else _FILTERING_PLAN if method == "filtering" else _PLAN
