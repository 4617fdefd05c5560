"""The verdict of an audit in plain words. 'Not rejected' is never 'proved'."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.guarantee import Verdict
from amun_dp.auditing.results import Audit, Finding
from amun_dp.drawing.numbers import at_least, count, counted, number, shorten
from amun_dp.report.card import SYMBOL, Tone

_MOST_NAMES = 12
_PROVED = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)


@dataclass(frozen=True, slots=True)
class Outcome:
    tone: Tone
    symbol: str
    heading: str
    sentence: str
    remarks: tuple[str, ...]


def outcome_of(audit: Audit) -> Outcome:
    if audit.void:
        return _void(audit)
    size = (
        f"An audit can only find leaks, and at this size it could have refuted no ε above {at_least(audit.refutable)}."
    )
    if not audit.broken:
        return Outcome(
            "partial",
            "?",
            "Nothing rejected, which proves nothing",
            f"No attack found more than {'the claim allows' if len(audit.claims) == 1 else 'the claims allow'}. {size}",
            (),
        )
    broken, whole = len(audit.broken), len(audit.claims)
    names = [shorten(each.strongest.claimed.claim, 60) for each in audit.broken]
    more = [f"{count(broken - _MOST_NAMES)} more"] if broken > _MOST_NAMES else []
    rest = whole - broken
    return Outcome(
        "none",
        SYMBOL["none"],
        f"{count(broken)} of {counted(whole, 'claim')} broken",
        f"Attacks found more than is claimed, with confidence {number(100 * audit.rules.confidence, 6)} % in all tests "
        f"together: {', '.join([*names[:_MOST_NAMES], *more])}.",
        (
            *_recorded(audit),
            *(
                [f"{counted(rest, 'other claim was', 'other claims were')} not rejected, which proves nothing. {size}"]
                if rest
                else []
            ),
        ),
    )


def _recorded(audit: Audit) -> tuple[str, ...]:
    """What the registry of claims says of those that are broken: a break of a proved one is news."""
    verdicts = [each.strongest.claimed.verdict for each in audit.broken]
    proved = sum(each in _PROVED for each in verdicts)
    refuted = sum(each is Verdict.REFUTED for each in verdicts)
    if proved:
        return (
            f"{counted(proved, 'broken claim is', 'broken claims are')} recorded as proved: "
            "the proof, the code or this audit is wrong.",
        )
    if refuted == len(verdicts):
        return ("All that are broken are recorded as refuted: this audit found what is known.",)
    return ()


def _void(audit: Audit) -> Outcome:
    sound, halved = audit.controls
    failed = [
        *(["the one with its noise was rejected"] if sound.finding is Finding.BROKEN else []),
        *(["the one with half its noise was not caught"] if halved.finding is not Finding.BROKEN else []),
    ]
    return Outcome(
        "void",
        SYMBOL["void"],
        "Void: a control failed, so nothing on this page counts",
        f"Of the two controls, whose ε is known, {' and '.join(failed)}. Neither a broken claim below nor one that was "
        "not rejected means anything.",
        (
            f"Running it again is another attempt: number {count(audit.rules.attempt + 1)}, and the confidence is that "
            "of all attempts together.",
        ),
    )
