"""Every relative link and anchor in the README and in docs/ leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)")


def without_code(text: str) -> str:
    """Prose alone: what looks like a link in code is none."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text: str) -> set[str]:
    """As GitHub makes them from headings: lower case, no punctuation, hyphens for spaces, a number for a second one."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (name := anchor if not number else f"{anchor}-{number}") in found:
            number += 1
        found.add(name)
    return found


def leads_somewhere(page: Path, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return True  # somebody else's page; nothing here asks the network
    name, _, anchor = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    if not file.is_relative_to(ROOT) or not file.exists():
        return False
    return not anchor or anchor in anchors(file.read_text(encoding="utf-8"))


def broken_links(page: Path) -> list[str]:
    targets = LINK.findall(without_code(page.read_text(encoding="utf-8")))
    return [target for target in targets if not leads_somewhere(page, target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.documentation.test_links.ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# Two `words`, one\n\n## Same\n\n## Same\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md#two-words-one) [b](other.md#same-1) [c](https://example.org/x) `[code](nowhere.md)`\n"
        "[d](missing.md) [e](other.md#absent) [f](#absent) [g](../outside.md)\n\n    [code](nowhere.md)\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["missing.md", "other.md#absent", "#absent", "../outside.md"]


def test_each_reader_finds_their_guide_on_the_first_screen_of_the_readme() -> None:
    top = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    begin = "\n".join(top[: top.index("## Where to begin")])
    assert begin.index("make demo") < begin.index("make test")
    for reader in ("steward", "auditor", "researcher"):
        assert any(
            f"**{reader}**" in line or f"data {reader}**" in line for line in top if f"guides/{reader}.md" in line
        )


def test_every_page_of_the_documentation_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
            file = (page.parent / target.partition("#")[0]).resolve()
            if not re.match(r"[a-z]+:", target) and file.is_file():
                waiting.append(file)
    decisions = ROOT / "docs" / "adr"  # the folder is linked as a whole
    assert {page for page in PAGES if page.parent != decisions} - reached == set()
