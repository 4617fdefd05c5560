"""The page of an audit: its verdict is plain, its figures are the audit's, and every test has a picture."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounting.guarantee import Verdict
from amun_dp.auditing import Audit, Finding
from amun_dp.auditing.page import audit_page
from amun_dp.auditing.results import UNPROTECTED, TestResult
from tests.auditing.audits import attacked, claim_rows, figure_in, from_the_log, held, nothing_rejected, page_of, spaced
from tests.drawing.html import Element, read
from tests.report.test_public_page import check_charts, check_policy, check_skeleton

SECTIONS = ["verdict", "size", "controls", "claims", "tests", "facts", "unprotected", "method"]


# --- what any page of this package has ------------------------------------------------------------------------------


def test_the_page_has_its_sections_in_order_text_alternatives_and_the_policy() -> None:
    text = audit_page(attacked())
    check_policy(text)
    page = read(text)
    check_charts(page)
    check_skeleton(page)
    assert [each.attributes["id"] for each in page.all("section")] == SECTIONS
    assert [each.attributes["href"] for each in page.one("nav").all("a")] == [f"#{name}" for name in SECTIONS]


def test_the_same_audit_gives_the_same_bytes() -> None:
    assert audit_page(attacked()) == audit_page(attacked())


def test_an_audit_of_a_log_is_confidential_in_banner_title_print_and_footer() -> None:
    page = page_of(from_the_log(attacked()))
    body = [each for each in page.one("body").children if isinstance(each, Element)]
    assert [each.attributes.get("class") for each in body[:2]] == ["skip", "banner"]
    assert "CONFIDENTIAL: computed from the original log" in body[1].text
    assert page.one("head").one("title").text.startswith("CONFIDENTIAL")
    assert "internal" in page.one("body").attributes["class"].split()  # the class with the banner on printed pages
    assert "CONFIDENTIAL" in page.one("footer").text


def test_an_audit_on_made_up_logs_does_not_claim_to_come_from_one() -> None:
    page = page_of(attacked())
    assert not page.all(css="banner")
    assert "CONFIDENTIAL" not in page.one("main").text
    assert "nothing on this page comes from a log" in page.one("header").text
    one_pair = replace(attacked(), results=(replace(attacked().results[0], worst_case=False), *attacked().results[1:]))
    assert page_of(one_pair).all(css="banner")


def test_the_heading_says_what_was_audited() -> None:
    header = spaced(page_of(attacked()).one("header"))
    assert "method sampling, advantage 0.3, conventions corrected, scope event" in header
    foreign = replace(attacked(), subject={"mechanism": "<b>Mine</b>"})
    assert "mechanism <b>Mine</b>" in page_of(foreign).one("header").text


# --- the verdict ----------------------------------------------------------------------------------------------------


def verdict(found: Audit) -> str:
    return spaced(page_of(found).by_id("verdict"))


def test_broken_claims_are_counted_and_named() -> None:
    found = attacked()
    text = verdict(found)
    assert f"{len(found.broken)} of {len(found.claims)} claims broken" in text
    for each in found.broken:
        assert each.strongest.claimed.claim in text


def test_nothing_rejected_is_never_called_proved_or_passed() -> None:
    found = nothing_rejected(attacked())
    page = page_of(found)
    text = spaced(page.by_id("verdict"))
    assert "Nothing rejected, which proves nothing" in text
    assert "can only find leaks" in text
    refutable = figure_in(text, r"no ε above (\d[\d.]*\d)")
    assert refutable <= found.refutable < refutable + 0.01
    assert "amun-good" not in page.by_id("verdict").attributes["class"]
    badges = [spaced(row.all("td")[2].one(css="amun-badge")) for row in page.by_id("claims").all("tr")[1:]]
    assert badges == ["? not rejected"] * len(found.claims)


@pytest.mark.parametrize("control", [0, 1])
def test_a_void_audit_is_said_loudly_and_no_finding_stands_without_it(control: int) -> None:
    sound, halved = attacked().controls
    rejected = replace(sound, finding=Finding.BROKEN, tested=replace(sound.tested, epsilon_low=1.1), chance=0.01)
    controls = (rejected, halved) if control == 0 else (sound, held(halved))
    found = replace(attacked(), controls=controls)
    assert found.void
    page = page_of(found)
    card = page.by_id("verdict")
    assert card.attributes["role"] == "alert"
    assert "amun-void" in card.attributes["class"].split()
    assert "Void: a control failed, so nothing on this page counts" in spaced(card)
    assert ("was rejected" if control == 0 else "was not caught") in card.text
    assert "another attempt: number 2" in spaced(card)
    assert page.one("h1").text.startswith("VOID")
    assert page.one("head").one("title").text.startswith("VOID")
    assert "claims broken" not in card.text
    for badge in page.by_id("tests").all(css="amun-badge"):
        assert badge.text.startswith("⚠ void (")
    for row in page.by_id("claims").all("tr")[1:]:
        assert row.all("td")[2].one(css="amun-badge").text.startswith("⚠ void (")
    rows = page.by_id("controls").all("tr")[1:3]
    assert [("FAILED" in row.text) for row in rows] == [control == 0, control == 1]


def test_a_broken_claim_that_is_recorded_as_proved_is_an_alarm_and_one_that_is_refuted_is_known() -> None:
    found = attacked()
    assert "recorded as proved" not in verdict(found)
    broken = found.broken[0].strongest.claimed.claim
    news = replace(found, results=tuple(recorded(each, broken, Verdict.PROVED) for each in found.results))
    assert "1 broken claim is recorded as proved: the proof, the code or this audit is wrong" in verdict(news)
    row = claim_rows(page_of(news))[broken]
    assert "recorded as proved" in row.all("td")[2].one("strong").text


def recorded(result: TestResult, claim: str, verdict: Verdict | None) -> TestResult:
    if result.claimed.claim != claim:
        return result
    return replace(result, claimed=replace(result.claimed, verdict=verdict))


def test_a_claim_that_so_few_runs_could_not_have_refuted_by_any_test_says_so() -> None:
    found = nothing_rejected(attacked())
    name = found.claims[0].strongest.claimed.claim
    beyond, within = found.refutable + 1, found.refutable / 2
    for epsilon, of_last, said in ((beyond, beyond, True), (within, within, False), (beyond, within, False)):
        mine = [each for each in found.results if each.claimed.claim == name and not each.rederived]
        changed = {each: replace(each, claimed=replace(each.claimed, epsilon=epsilon)) for each in mine}
        changed[mine[-1]] = replace(mine[-1], claimed=replace(mine[-1].claimed, epsilon=of_last))
        results = tuple(changed.get(each, each) for each in found.results)
        row = claim_rows(page_of(replace(found, results=results)))[name]
        assert ("could not have refuted" in row.text) == said


# --- figures --------------------------------------------------------------------------------------------------------


def test_the_size_of_the_audit_is_on_the_page() -> None:
    found = replace(attacked(), rules=replace(attacked().rules, attempt=3, seed=987_654))
    page = page_of(found).by_id("size")
    shown = dict(zip([each.text for each in page.all("dt")], [each.text for each in page.all("dd")], strict=True))
    assert shown["Runs"].startswith("1,000 on each log of a pair: 500 to choose an event, 500 to test it")
    assert shown["Tests"].startswith(f"{found.tests}, ")
    assert shown["Confidence"].startswith("95 % ")
    assert shown["Attempt"] == "3"
    assert "seed 987654" in shown["Noise"]
    assert float(shown["Time"].split()[0]) == pytest.approx(found.seconds, rel=0.01)
    assert 0 <= found.refutable - float(shown["Largest ε that could have been refuted"]) < 0.01
    system = replace(found, rules=replace(found.rules, system_noise=True))
    assert "not repeatable" in page_of(system).by_id("size").text
    assert "987654" not in page_of(system).by_id("size").text


def test_every_figure_of_the_table_of_claims_is_the_audits_rounded_to_the_safe_side() -> None:
    found = attacked()
    rows = claim_rows(page_of(found))
    broken = {each.strongest.claimed.claim for each in found.broken}
    assert list(rows) == sorted(
        (each.strongest.claimed.claim for each in found.claims), key=lambda name: name not in broken
    )
    for each in found.claims:
        test = each.strongest
        row = rows[test.claimed.claim]
        claimed, measured, finding, by, above, runs = map(spaced, row.all("td"))
        assert test.claimed.statement in row.one("th").text
        assert test.claimed.verdict is not None
        assert test.claimed.verdict.value in row.one("th").text
        epsilon = figure_in(claimed, r"ε = ([\d.]+)")
        assert test.claimed.epsilon * (1 - 1e-9) <= epsilon < test.claimed.epsilon * 1.01
        low = figure_in(measured, r"ε ≥ ([\d.]+)")
        assert low <= test.tested.epsilon_low * (1 + 1e-9)
        assert low == pytest.approx(test.tested.epsilon_low, rel=0.01)
        points = figure_in(claimed, r"([\d.]+) points")
        assert points / 100 == pytest.approx(test.advantage_claimed, rel=0.01)
        assert figure_in(measured, r"([\d.]+) points") / 100 == pytest.approx(test.advantage_low, rel=0.01)
        assert ("prior" in claimed) == (test.claimed.prior is not None)
        assert finding.endswith(test.finding.value) or test.finding is Finding.BROKEN
        if test.finding is Finding.BROKEN:
            assert low > epsilon
            assert finding.startswith("✗ broken")
            chance = figure_in(finding, r"at most (\S+)$")
            assert test.chance <= chance <= test.chance * 1.1
        assert test.pair in by
        assert test.goal.value in by
        assert above == f"{sum(one.finding is Finding.BROKEN for one in each.tests)} of {len(each.tests)}"
        assert runs == "500"


def test_a_break_by_a_hair_is_seen_in_the_figures() -> None:
    """Three digits would show the bound below the claim: one is rounded down, the other up."""
    test = attacked().broken[0].strongest
    close = replace(
        test,
        claimed=replace(test.claimed, epsilon=1.234567),
        tested=replace(test.tested, epsilon_low=1.2345678),
        finding=Finding.BROKEN,
    )
    (row,) = claim_rows(page_of(replace(attacked(), results=(close,)))).values()
    claimed, measured = (spaced(each) for each in row.all("td")[:2])
    assert figure_in(claimed, r"ε = ([\d.]+)") == 1.234567
    assert figure_in(measured, r"ε ≥ ([\d.]+)") == 1.2345678


def test_a_claim_with_a_delta_and_one_that_nobody_recorded_are_shown_as_such() -> None:
    test = attacked().results[0]
    foreign = replace(test, claimed=replace(test.claimed, claim="mine", delta=1.23e-6, verdict=None))
    row = claim_rows(page_of(replace(attacked(), results=(foreign, *attacked().results))))["mine"]
    assert "δ = 1.23e-06" in row.all("td")[0].text
    assert "Recorded verdict: none" in spaced(row.one("th"))


def test_the_controls_are_two_rows_with_what_must_be_and_what_was_found() -> None:
    rows = page_of(attacked()).by_id("controls").all("tr")[1:3]
    sound, halved = ([spaced(cell) for cell in row.all("td")] for row in rows)
    assert sound[0] == halved[0] == "1"
    assert float(sound[1]) <= 1 < float(halved[1])
    assert sound[2:] == ["must not be rejected", "✓ not rejected, as it should"]
    assert halved[2:] == ["must be caught", "✓ caught, as it should"]


def test_public_facts_of_each_log_are_told_apart_from_claims() -> None:
    found = attacked()
    assert found.rederived
    section = page_of(found).by_id("facts")
    assert "break no claim" in spaced(section)
    rows = section.all("table")[0].all("tr")[1:]
    assert {row.one("th").text for row in rows} == {each.pair for each in found.rederived}
    for row in rows:
        largest = max(each.tested.epsilon_low for each in found.rederived if each.pair == row.one("th").text)
        assert float(row.all("td")[2].text) == pytest.approx(largest, abs=0.01)
    assert "broken" not in {spaced(each)[2:] for each in section.all(css="amun-badge")}
    names = {each.pair for each in found.rederived}
    assert not any(name in page_of(found).by_id("claims").text for name in names)
    without = replace(found, results=tuple(each for each in found.results if not each.rederived))
    assert "No pair of this audit differs in a public fact" in page_of(without).by_id("facts").text


def test_what_no_audit_looks_at_is_listed_in_full() -> None:
    listed = [each.text for each in page_of(attacked()).by_id("unprotected").all("li")]
    assert [each[0].lower() + each[1:] for each in listed] == list(UNPROTECTED)
