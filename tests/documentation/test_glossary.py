"""The glossary: in order, linked, and of one mind about the two deltas."""

from __future__ import annotations

import re
from pathlib import Path

from accounting.guarantee import Relation, Scope, Verdict

PAGE = (Path(__file__).parent.parent.parent / "docs" / "glossary.md").read_text(encoding="utf-8")
GREEK = {"δ": "delta", "ε": "epsilon", "μ": "mu", "φ": "phi"}
ENTRIES = dict(re.findall(r"^### (.+)\n\n((?:.+\n)+)", PAGE, re.MULTILINE))


def test_terms_are_in_alphabetical_order_and_each_has_a_text() -> None:
    terms = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert terms == list(ENTRIES)
    assert terms == sorted(terms, key=lambda term: GREEK.get(term.lower(), term.lower()))


def test_what_the_accountant_tells_apart_is_explained() -> None:
    words = PAGE.lower()
    for sort in (Scope, Relation, Verdict):
        for each in sort:
            assert each.value in words


def test_the_two_deltas_are_kept_apart() -> None:
    assert "`--delta` is refused" in ENTRIES["Advantage"]
    assert "`--dp-delta`" in ENTRIES["δ"]
    for one, other in (("Advantage", "#δ"), ("δ", "#advantage")):
        assert f"({other})" in ENTRIES[one]
    # Nowhere else does δ stand for the advantage.
    for term, text in ENTRIES.items():
        if term not in ("Advantage", "δ"):
            assert "article's δ" not in text
