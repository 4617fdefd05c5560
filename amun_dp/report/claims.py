"""The claims of a report as a table in groups, and an entry for the proof of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from accounting.assumptions import Assumption
from accounting.claims import CLAIMS, Claim, claim
from accounting.guarantee import AVERAGE_RELEASE, WHOLE_RELEASE, Guarantee, Kind, Reading, Verdict
from amun_dp.drawing.numbers import delta_text, epsilon_text, number, points, sentence
from amun_dp.report.terms import RELATIONS, SYMBOLS, UNITS, css_of, is_bounded
from proofs.arguments import ARGUMENT_ONLY

WHOLE = {
    WHOLE_RELEASE: "The whole release",
    AVERAGE_RELEASE: "The whole release, on average over the noise",
}
ADVANTAGE = "any-prior-advantage"
"""Every advantage in a report rests on this claim."""
MIXTURE = ("mixture-advantage", "mixture-excess", "threshold-known-others", "mixture-exception")
"""What one beside a δ means, and what not."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict with the symbol and the class that go with it."""

    verdict: Verdict

    @property
    def words(self) -> str:
        return self.verdict.value

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.verdict]

    @property
    def css(self) -> str:
        return css_of(self.verdict)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is, with the claim that it rests on where that is another one."""

    claim: str
    words: str


NO_REASON = Reason("", "")


@dataclass(frozen=True, slots=True)
class ClaimRow:
    claim: str
    """Identifier of the claim that the row rests on, to link to its proof."""
    statement: str
    unit: str
    relation: str
    epsilon: str
    advantage: str
    ruling: Ruling
    why: Reason
    """Empty where it is the one that the group gives."""


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    name: str
    explanation: str
    why: Reason
    """The reason that most rows share, said once; empty if there is none."""
    rows: tuple[ClaimRow, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    claim: Claim
    ruling: Ruling
    here: Ruling | None
    """What becomes of the claim in this release, where that differs from the registry, and why."""
    why_here: Reason
    assumptions: tuple[Assumption, ...]
    by_argument: str
    """Why no machine checks it; empty if one does."""


def claim_groups(guarantees: tuple[Guarantee, ...]) -> tuple[ClaimGroup, ...]:
    """Whole release first, as it can be proved and as it is claimed; then its parts in the same way."""
    strict = [line for line in guarantees if line.claim in WHOLE and line.reading is Reading.STRICT]
    published = [line for line in guarantees if line.claim in WHOLE and line.reading is Reading.PUBLISHED]
    parts = [line for line in guarantees if line.claim not in WHOLE]
    groups = (
        (
            "The whole release: what can be proved" if any(map(is_bounded, strict)) else "The whole release: no bound",
            "The losses of all parts added up (strict reading).",
            strict,
        ),
        (
            "The whole release: what the method's authors claim",
            "Control flow and times each have an ε of their own; moving cases, filtering and grouping are free "
            "(published reading).",
            published,
        ),
        (
            "Its parts: what can be proved",
            "Bounds of single steps (strict reading).",
            [line for line in parts if line.reading is Reading.STRICT],
        ),
        (
            "Its parts: what the method's authors claim, or take for granted",
            "Steps that the method counts as free or as covered (published reading).",
            [line for line in parts if line.reading is Reading.PUBLISHED],
        ),
    )
    return tuple(_group(name, explanation, lines) for name, explanation, lines in groups if lines)


def _group(name: str, explanation: str, lines: list[Guarantee]) -> ClaimGroup:
    merged: dict[ClaimRow, list[str]] = {}
    for line in lines:
        merged.setdefault(_row(line), []).append(RELATIONS[line.relation])
    # The same about both relations is said once, and so is a reason that rows share because they rest on one claim.
    rows = [replace(row, relation=", or ".join(relations)) for row, relations in merged.items()]
    common, times = Counter(row.why for row in rows).most_common(1)[0]
    if times == 1 or not (common.claim or lines[0].claim in WHOLE):
        return ClaimGroup(name, explanation, NO_REASON, tuple(rows))
    return ClaimGroup(
        name, explanation, common, tuple(replace(row, why=NO_REASON) if row.why == common else row for row in rows)
    )


def _row(line: Guarantee) -> ClaimRow:
    delta = f", δ = {delta_text(line.delta)}" if line.delta else ""
    size = epsilon_text(line.epsilon, line.withheld)
    if line.kind is Kind.ON_AVERAGE and line.curve is not None:
        size = f"μ = {number(line.curve.mu)}"
    rate = "" if line.rate is None else f" ({number(float(line.rate.value))} per ms)"
    return ClaimRow(
        claim=line.claim,
        statement=WHOLE.get(line.claim, line.statement.rstrip(".")),
        unit=UNITS[line.scope],
        relation="",
        epsilon=size + delta + rate,
        advantage="–" if line.advantage is None else points(line.advantage),
        ruling=Ruling(line.verdict),
        why=_counterexample(line) if line.verdict is Verdict.REFUTED else reason(line.why),
    )


def _counterexample(line: Guarantee) -> Reason:
    """Said to be one: its figures are not those of this release."""
    found = reason(line.why)
    return Reason(found.claim, f"Counterexample: {found.words[:1].lower()}{found.words[1:]}")


def reason(why: str) -> Reason:
    """A reason that begins with the name of a claim rests on that claim."""
    name, _, rest = why.partition(": ")
    return Reason(name, sentence(rest)) if name in CLAIMS else Reason("", sentence(why))


def proofs(guarantees: tuple[Guarantee, ...]) -> tuple[Proof, ...]:
    """One entry for each claim that the report uses, in the order of their first use; what all rest on comes last."""
    used = dict.fromkeys(line.claim for line in guarantees)
    # A verdict may rest on another claim, which its reason then names first.
    used |= dict.fromkeys(name for line in guarantees if (name := reason(line.why).claim))
    used |= {ADVANTAGE: None}
    used |= dict.fromkeys(MIXTURE) if any(line.delta and line.advantage is not None for line in guarantees) else {}
    return tuple(_proof(claim(name), [line for line in guarantees if line.claim == name]) for name in used)


def _proof(record: Claim, lines: list[Guarantee]) -> Proof:
    differing = [line for line in lines if line.verdict is not record.verdict]
    assumed = dict.fromkeys((*record.assumptions, *(each for line in lines for each in line.assumptions)))
    return Proof(
        claim=record,
        ruling=Ruling(record.verdict),
        here=Ruling(differing[0].verdict) if differing else None,
        why_here=reason(differing[0].why) if differing else NO_REASON,
        assumptions=tuple(assumed),
        by_argument=ARGUMENT_ONLY.get(record.id, ""),
    )


def assumptions_used(entries: tuple[Proof, ...]) -> tuple[Assumption, ...]:
    """Every assumption that a proof names, in the order of the list of assumptions."""
    named = {each for entry in entries for each in entry.assumptions}
    return tuple(each for each in Assumption if each in named)
