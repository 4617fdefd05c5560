"""Audits for tests of their page: a real one, and what others would have found."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from amun_dp.auditing import Audit, Finding, audit_release
from amun_dp.auditing.page import audit_page
from amun_dp.auditing.results import TestResult
from amun_dp.release.methods import requested
from tests.drawing.html import Element, read


@cache
def attacked() -> Audit:
    """A real audit: of a method with refuted claims, on made-up pairs."""
    return audit_release(None, requested(0.3, "sampling"), runs=1_000, seed=1)


def page_of(found: Audit) -> Element:
    return read(audit_page(found))


def nothing_rejected(found: Audit) -> Audit:
    """The same audit, had every bound been zero."""
    return replace(found, results=tuple(map(held, found.results)))


def held(result: TestResult) -> TestResult:
    return replace(result, tested=replace(result.tested, epsilon_low=0.0), finding=Finding.NOT_REJECTED, chance=1.0)


def from_the_log(found: Audit) -> Audit:
    return replace(found, results=tuple(replace(each, worst_case=False) for each in found.results))


def figure_in(text: str, pattern: str) -> float:
    (found,) = re.findall(pattern, text)
    return float(found.replace(",", ""))


def spaced(element: Element) -> str:
    return " ".join(element.text.split())


def claim_rows(page: Element) -> dict[str, Element]:
    return {row.one("th").one("code").text: row for row in page.by_id("claims").all("tr")[1:]}


def figures(page: Element) -> dict[str, Element]:
    return {each.attributes["id"]: each for each in page.all("figure")}
