"""Pages whose sections different commands generate."""

from __future__ import annotations

from pathlib import Path


def put_section(page: Path, heading: str, text: str) -> None:
    """Replace the section under ``# heading`` (up to the next one of its level), or add it at the end."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    before, found, rest = old.partition(f"# {heading}\n")
    before = before if found or not old else old.rstrip("\n") + "\n\n"
    after = rest[rest.index("\n# ") + 1 :] if "\n# " in rest else ""
    page.write_text(f"{before}# {heading}\n\n{text.strip()}\n" + (f"\n{after}" if after else ""), encoding="utf-8")
