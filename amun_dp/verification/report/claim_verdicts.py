"""Claims: that the report gives none a better verdict than the machine checks of ``amun-dp prove`` find."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from accounting.claims import CLAIMS
from accounting.claims.composition import COMPOSITION_CLAIMS
from accounting.guarantee import AVERAGE_RELEASE, WHOLE_RELEASE, Verdict
from amun_dp.verification.checks import Fault, NotPossible, listed, require

if TYPE_CHECKING:
    from proofs.registry import Outcome

_FROM_EPSILON_TO_ADVANTAGE = ("any-prior-advantage", "numeric-advantage")
_WHOLE = (WHOLE_RELEASE, AVERAGE_RELEASE)
"""Their verdicts follow from the parts of each release and the rules of composition; they have no checkers."""
_STRENGTH = {Verdict.PROVED: 2, Verdict.PROVED_UNDER_ASSUMPTIONS: 1, Verdict.REFUTED: 0, Verdict.NOT_PROVED: 0}


def claims(lines: list[dict[str, Any]], prove: bool) -> str:
    """Every claim that the report names is known, and is not called better proved than its checkers find it."""
    named = sorted({line["claim"] for line in lines})
    unknown = [name for name in named if name not in CLAIMS]
    require(not unknown, f"the report names claims that do not exist: {listed(unknown)}")
    for line in lines:
        recorded, stated = CLAIMS[line["claim"]].verdict, Verdict(line["verdict"])
        if line["claim"] not in _WHOLE and _STRENGTH[stated] > _STRENGTH[recorded]:
            raise Fault(f"{line['claim']} is called {stated.value}, but is {recorded.value}")
    if not prove:
        raise NotPossible("the verdicts agree with the registry of claims; the proofs were not run, as asked")
    if find_spec("sympy") is None:
        raise NotPossible(
            "the verdicts agree with the registry of claims; to run the proofs: pip install amun-dp[proofs]"
        )
    return _proved(named)


def _proved(named: list[str]) -> str:
    from proofs.arguments import ARGUMENT_ONLY

    # Also what the account uses without naming it: how losses add up, and how an ε becomes an advantage.
    used = dict.fromkeys((*named, *(rule.id for rule in COMPOSITION_CLAIMS), *_FROM_EPSILON_TO_ADVANTAGE))
    machine = [name for name in used if name not in ARGUMENT_ONLY]
    outcomes = {name: _outcomes(name) for name in machine}
    differing = [name for name in machine if not all(each.agrees or each.undecided for each in outcomes[name])]
    require(not differing, f"the proofs find another verdict than the recorded one: {listed(differing)}")
    # A solver that is missing, or comes to no answer here, says nothing against a release.
    idle = [name for name in machine if all(each.skipped or each.undecided for each in outcomes[name])]
    if idle:
        raise NotPossible(f"for want of solvers nothing checked {listed(idle)} here; see amun-dp prove")
    ran = sum(not (each.skipped or each.undecided) for found in outcomes.values() for each in found)
    argued = [name for name in named if name in ARGUMENT_ONLY and name not in _WHOLE]
    return f"{ran} checkers of {len(machine)} claims agree" + (
        f"; by argument only: {', '.join(argued)}" if argued else ""
    )


@cache
def _outcomes(name: str) -> tuple[Outcome, ...]:
    """What the checkers of a claim find. They check formulas, not releases, so once is enough."""
    from proofs.registry import checkers, run

    return tuple(run(one) for one in checkers([name]))
