"""The result of an audit as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from amun_dp.auditing.results import UNPROTECTED, Audit, ClaimResult, Finding, TestResult
from amun_dp.cli.text.results import columns, table
from amun_dp.folder.names import BANNER

_WIDTH = 110


def describe_audit(log: str | None, audit: Audit) -> str:
    lines = [BANNER, ""] if audit.confidential else []
    lines += [_heading(log, audit), "", *table(_figures(audit)), "", *_controls(audit), ""]
    if audit.void:
        return "\n".join([*lines, *_paragraph(_VOID)])
    lines += ["Claims, each by its strongest test:", *_claims(audit.claims), ""]
    if audit.rederived:
        lines += [*_facts(audit.rederived), ""]
    lines += ["Not looked at:", *(f"  - {each}" for each in UNPROTECTED), ""]
    return "\n".join([*lines, *_verdict(audit)])


def _heading(log: str | None, audit: Audit) -> str:
    what = ", ".join(f"{name} {value}" for name, value in audit.subject.items())
    return f"Audit of {what}, on pairs made of {log} and made-up ones" if log else f"Audit of {what}, on made-up pairs"


def _figures(audit: Audit) -> list[tuple[str, str]]:
    rules = audit.rules
    return [
        ("pairs of logs", f"{len({each.pair for each in audit.results}):,}, and the controls"),
        ("runs", f"{rules.runs:,} on each log of a pair, {rules.runs - rules.runs // 2:,} of them for testing"),
        ("tests", f"{audit.tests:,}, at level {audit.alpha:.2g} each"),
        ("confidence", f"{rules.confidence:.6g} that no bound exceeds the truth (attempt {rules.attempt})"),
        ("could refute", f"an ε of up to {audit.refutable:.3g}"),
        ("seed", "none: the system's noise" if rules.system_noise else str(rules.seed)),
        ("time", f"{audit.seconds:.1f} s"),
    ]


def _controls(audit: Audit) -> list[str]:
    sound, halved = audit.controls
    passed, caught = sound.finding is Finding.NOT_REJECTED, halved.finding is Finding.BROKEN
    return [
        f"Controls (ε = {sound.claimed.epsilon:g}):",
        f"  {_tick(passed)} with its noise: bound {sound.tested.epsilon_low:.3f}, "
        + ("not rejected, as it must be" if passed else "REJECTED, and it must not be"),
        f"  {_tick(caught)} with half its noise: bound {halved.tested.epsilon_low:.3f}, "
        + ("caught, as it must be" if caught else "NOT CAUGHT, and it must be"),
    ]


def _tick(good: bool) -> str:
    return "✓" if good else "✗"


def _claims(claims: Sequence[ClaimResult]) -> list[str]:
    rows = []
    for each in claims:
        test = each.strongest
        rows.append(
            (
                _tick(each.finding is Finding.NOT_REJECTED),
                test.claimed.claim,
                f"{test.claimed.epsilon:.3f}" + (f" (δ {test.claimed.delta:.1g})" if test.claimed.delta else ""),
                f"{test.advantage_claimed:.3f}",
                f"{test.tested.epsilon_low:.3f}",
                f"{test.advantage_low:.3f}",
                _finding(each),
                f"{test.pair}: {test.goal.value}",
                "" if test.claimed.verdict is None else test.claimed.verdict.value,
            )
        )
    header = ("", "claim", "claimed ε", "adv.", "at least ε", "adv.", "finding", "by", "recorded verdict")
    return columns(header, rows)


def _finding(claim: ClaimResult) -> str:
    if claim.finding is Finding.NOT_REJECTED:
        return f"not rejected ({_tests(len(claim.tests))})"
    return f"BROKEN, {chance_in_words(claim.strongest.chance)} ({claim.broken} of {_tests(len(claim.tests))})"


def _tests(number: int) -> str:
    return f"{number:,} test" if number == 1 else f"{number:,} tests"


def chance_in_words(chance: float) -> str:
    """How surely: what such a result has for a chance if the claim holds."""
    return "chance < 1e-100" if chance < 1e-100 else f"chance < {chance:.0e}"


def _facts(tests: Sequence[TestResult]) -> list[str]:
    """What it costs to read public facts off the log, one line per pair."""
    strongest: dict[str, TestResult] = {}
    for test in tests:
        if test.pair not in strongest or test.tested.epsilon_low > strongest[test.pair].tested.epsilon_low:
            strongest[test.pair] = test
    rows = [
        (test.pair, f"{test.claimed.epsilon:.3f}", f"{test.tested.epsilon_low:.3f}", test.goal.value)
        for test in strongest.values()
    ]
    text = (
        "With the public facts of each log read off it, and not held fixed. No claim is held against this; it shows "
        "what taking them from the log is worth to an attacker:"
    )
    return [*_paragraph(text), *columns(("pair", "claimed ε", "at least ε", "by"), rows)]


_VOID = (
    "VOID: the controls are not what they must be, so nothing else is told. Run it again with --attempt and the next "
    "number, with more runs if the weak control was not caught: looking again is another test."
)


def _verdict(audit: Audit) -> list[str]:
    if not audit.broken:
        return _paragraph(
            "No claim is rejected. That is no proof: an audit finds leaks or does not, and this one could not have "
            f"found any ε above {audit.refutable:.3g}."
        )
    names = ", ".join(each.strongest.claimed.claim for each in audit.broken)
    number = len(audit.broken)
    return _paragraph(f"{number} {'claim is' if number == 1 else 'claims are'} BROKEN: {names}.")


def _paragraph(text: str) -> list[str]:
    return wrap(text, width=_WIDTH)
