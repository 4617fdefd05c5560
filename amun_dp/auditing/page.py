"""The page of an audit: its verdict, the controls, every claim, and a picture of each test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from accounting.guarantee import Relation, Verdict
from amun_dp.auditing.charts import apart, chart_of
from amun_dp.auditing.results import UNPROTECTED, Audit, ClaimResult, Finding, TestResult
from amun_dp.auditing.verdict import outcome_of
from amun_dp.drawing.model import Badge, Label, Table
from amun_dp.drawing.numbers import and_more, at_least, at_most, capital, count, counted, number, shorten
from amun_dp.drawing.render import LARGEST_PAGE, render_page, render_part
from amun_dp.report.claims import Ruling

CONTENTS = (
    ("verdict", "Verdict"),
    ("size", "Size"),
    ("controls", "Controls"),
    ("claims", "Claims"),
    ("tests", "Tests"),
    ("facts", "Public facts"),
    ("unprotected", "Not looked at"),
    ("method", "How to read it"),
)
MOST_CLAIMS = 16
_SPARE = 20_000
"""Bytes that are left for what stands around pictures."""
_WITH_TIPS = 12
"""Pictures that tell the numbers of each column when it is pointed at; the others have their table alone."""
_BADGES = {
    Finding.BROKEN: Badge("broken", "✗", "refuted"),
    Finding.NOT_REJECTED: Badge("not rejected", "?", "not-proved"),
}
"""Nothing here is ever called proved."""
_ABOVE = Badge("above the claimed ε", "!", "not-proved")
_VOID = "⚠"
_CHANGES = {Relation.ADD_REMOVE: "one added or removed", Relation.REPLACE: "one replaced"}


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One row of the table of claims: its strongest test."""

    claim: Label
    statement: Label
    recorded: Ruling | None
    claimed: tuple[str, ...]
    measured: tuple[str, ...]
    badge: Badge
    surely: str
    remark: str
    link: str
    by: Label
    goal: str
    pair: str
    breaking: str
    runs: str


def audit_page(audit: Audit) -> str:
    """The page as text. The same audit gives the same bytes. Figures of the given log are in it: keep it inside."""
    claims = _listed(audit)
    values = {
        "subject": _subject(audit),
        "confidential": audit.confidential,
        "void": audit.void,
        "contents": CONTENTS,
        "outcome": outcome_of(audit),
        "size": _size(audit),
        "controls": _controls(audit),
        "claims": [_claim_line(audit, each) for each in claims],
        "more_claims": len(audit.claims) - len(claims),
        "confidence": _percent(audit.rules.confidence),
        "facts": _facts(audit),
        "unprotected": [capital(each) for each in UNPROTECTED],
    }
    without = render_page("audit.html", {**values, "pictures": NO_PICTURES})
    room = LARGEST_PAGE - _SPARE - len(without.encode())
    return render_page("audit.html", {**values, "pictures": _pictures(audit, claims, room)})


def _listed(audit: Audit) -> list[ClaimResult]:
    """Broken claims first, so that none of them is left out."""
    return sorted(audit.claims, key=lambda each: each.finding is not Finding.BROKEN)[:MOST_CLAIMS]


def _subject(audit: Audit) -> str:
    """What was audited, as one line."""
    return ", ".join(
        f"{shorten(str(name), 40)} {number(value, 6) if isinstance(value, float) else shorten(str(value), 80)}"
        for name, value in audit.subject.items()
    )


def _percent(share: float) -> str:
    return f"{number(100 * share, 6)} %"


def _size(audit: Audit) -> tuple[tuple[str, str], ...]:
    rules = audit.rules
    choosing = rules.runs // 2
    random = "drawn from the system, as a release draws it: not repeatable"
    return (
        (
            "Runs",
            f"{count(rules.runs)} on each log of a pair: {count(choosing)} to choose an event, "
            f"{count(rules.runs - choosing)} to test it",
        ),
        ("Pairs of logs", f"{count(len({each.pair for each in audit.results}))}, and that of the controls"),
        ("Tests", f"{count(audit.tests)}, with the two controls, each at level {at_most(audit.alpha)}"),
        (
            "Confidence",
            f"{_percent(rules.confidence)} that no bound exceeds the truth, in all tests and attempts together",
        ),
        ("Attempt", count(rules.attempt)),
        ("Noise", random if rules.system_noise else f"seed {rules.seed}: the same seed repeats the audit"),
        ("Time", f"{number(audit.seconds)} seconds"),
        ("Largest ε that could have been refuted", at_least(audit.refutable)),
    )


# --- findings -------------------------------------------------------------------------------------------------------


def _badge(audit: Audit, result: TestResult) -> Badge:
    """What a test found. Nothing counts where the controls failed, and every finding says so."""
    badge = _BADGES[result.finding]
    if audit.void:
        return Badge(f"void ({badge.words})", _VOID, "not-proved")
    return _ABOVE if result.rederived and result.finding is Finding.BROKEN else badge


def _controls(audit: Audit) -> tuple[tuple[TestResult, str, str, str, Badge], ...]:
    lines = []
    for result, must in zip(audit.controls, (Finding.NOT_REJECTED, Finding.BROKEN), strict=True):
        low, claimed = apart(result.tested.epsilon_low, result.claimed.epsilon, result.finding)
        good = result.finding is must
        expected = "must not be rejected" if must is Finding.NOT_REJECTED else "must be caught"
        found = {
            (Finding.NOT_REJECTED, True): "not rejected, as it should",
            (Finding.BROKEN, True): "caught, as it should",
            (Finding.NOT_REJECTED, False): "FAILED: not caught",
            (Finding.BROKEN, False): "FAILED: rejected",
        }[result.finding, good]
        badge = Badge(found, "✓", "proved") if good else Badge(found, "✗", "refuted")
        lines.append((result, claimed, low, expected, badge))
    return tuple(lines)


def _claim_line(audit: Audit, claim: ClaimResult) -> ClaimLine:
    test = claim.strongest
    low, claimed = apart(test.tested.epsilon_low, test.claimed.epsilon, test.finding)
    advantages = apart(100 * test.advantage_low, 100 * test.advantage_claimed, test.finding)
    powerless = all(each.claimed.epsilon >= audit.refutable for each in claim.tests)
    return ClaimLine(
        claim=Label(test.claimed.claim),
        statement=Label(test.claimed.statement, 300),
        recorded=None if test.claimed.verdict is None else Ruling(test.claimed.verdict),
        claimed=(
            f"ε = {claimed}",
            *([f"δ = {at_most(test.claimed.delta)}"] if test.claimed.delta else []),
            f"{advantages[1]} points",
            *([f"at prior {number(test.claimed.prior)}"] if test.claimed.prior is not None else []),
        ),
        measured=(f"ε ≥ {low}", f"{advantages[0]} points"),
        badge=_badge(audit, test),
        surely=f"chance if it held: at most {at_most(test.chance, 2)}" if test.finding is Finding.BROKEN else "",
        remark=_remark(audit, test, powerless),
        link=f"test-{audit.results.index(test) + 1}",
        by=Label(test.pair),
        goal=test.goal.value,
        pair=f"{'made-up logs' if test.worst_case else 'given log'}, {_CHANGES[test.relation]}",
        breaking=f"{count(claim.broken)} of {count(len(claim.tests))}",
        runs=count(test.tested.runs),
    )


def _remark(audit: Audit, test: TestResult, powerless: bool) -> str:
    proved = test.claimed.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)
    if test.finding is Finding.BROKEN:
        return "recorded as proved: proof, code or audit is wrong" if proved and not audit.void else ""
    return "so few runs could not have refuted it" if powerless else ""


def _facts(audit: Audit) -> Table:
    """What it costs to read public facts off the log: one row per pair, by its strongest test."""
    strongest: dict[str, TestResult] = {}
    for test in sorted(audit.rederived, key=lambda each: -each.tested.epsilon_low):
        strongest.setdefault(test.pair, test)
    rows = []
    for test in list(strongest.values())[:MOST_CLAIMS]:
        low, claimed = apart(test.tested.epsilon_low, test.claimed.epsilon, test.finding)
        rows.append((Label(test.pair), test.goal.value, claimed, low))
    return Table(
        columns=("Pair", "Strongest by", "Claimed ε, with these facts public", "ε at least, with facts of each log"),
        rows=tuple(rows),
        words=2,
        note=and_more(len(strongest) - len(rows), "pair", ending=", each weaker"),
    )


# --- pictures -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """Pictures that are shown when they are asked for."""

    says: str
    pictures: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Each claim's strongest test for everybody to see, others on demand."""

    controls: tuple[Markup, ...]
    strongest: tuple[Markup, ...]
    groups: tuple[Group, ...]
    facts: tuple[Markup, ...]
    left_out: int


NO_PICTURES = Pictures((), (), (), (), 0)


def _pictures(audit: Audit, claims: Sequence[ClaimResult], room: int) -> Pictures:
    """As many as there is room for (bytes), the strongest tests first."""
    number_of = {test: place for place, test in enumerate(audit.results, 1)}
    controls = tuple(
        render_part("chart", chart_of(each, f"control-{place}", capital(each.claimed.claim), _badge(audit, each)))
        for place, each in enumerate(audit.controls, 1)
    )

    def drawn_one(test: TestResult, first: bool = False, tips: bool = False) -> Markup:
        words = f"{test.goal.value} ({shorten(test.pair, 60)})"
        title = f"{shorten(test.claimed.claim, 60)}: {words}" if first else capital(words)
        return render_part("chart", chart_of(test, f"test-{number_of[test]}", title, _badge(audit, test), tips))

    first = [each.strongest for each in claims]
    strongest = tuple(drawn_one(each, True, place < _WITH_TIPS) for place, each in enumerate(first))
    room -= sum(len(picture.encode()) for picture in (*controls, *strongest))
    others = {*audit.rederived, *(test for each in claims for test in each.tests)}.difference(first)
    drawn: dict[TestResult, Markup] = {}
    for test in sorted(others, key=lambda each: (*_strength(each), number_of[each])):
        picture = drawn_one(test)
        room -= len(picture.encode())
        if room < 0:
            break
        drawn[test] = picture
    return Pictures(
        controls,
        strongest,
        groups=tuple(group for each in claims if (group := _group(each, drawn)).pictures),
        facts=tuple(picture for test, picture in drawn.items() if test.rederived),
        left_out=len(audit.results) - len(first) - len(drawn),
    )


def _strength(result: TestResult) -> tuple[bool, float, float]:
    """Smaller is stronger: the most surely broken, then the closest to its claim; with facts of each log last."""
    return result.rederived, result.chance, result.claimed.epsilon - result.tested.epsilon_low


def _group(claim: ClaimResult, drawn: Mapping[TestResult, Markup]) -> Group:
    mine = set(claim.tests)
    tests = [each for each in drawn if each in mine]
    above = sum(each.finding is Finding.BROKEN for each in tests)
    name = shorten(claim.strongest.claimed.claim, 60)
    says = f"{name}: {counted(len(tests), 'more test')}, {count(above)} of them above the claim"
    return Group(says, tuple(drawn[each] for each in tests))
