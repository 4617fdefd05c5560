"""docs/api.md is what the docstrings make, and the docstrings leave nothing public out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import accounting
import amun_dp
import amun_dp.auditing
import amun_dp.spark
from docs import make_reference, reference_source
from docs.make_reference import FLAT, PAGE, WORKINGS, gaps, page, sections

ROOT = Path(__file__).parent.parent.parent
AGAIN = "run: python -m docs.make_reference"


def test_the_committed_page_is_the_one_that_the_docstrings_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), AGAIN


def test_everything_public_is_described() -> None:
    assert gaps() == []


@pytest.mark.parametrize("module", [amun_dp, amun_dp.auditing, amun_dp.spark, accounting])
def test_every_name_that_a_package_offers_has_a_heading(module: object) -> None:
    text = PAGE.read_text(encoding="utf-8")
    name = getattr(module, "__name__", "")
    for offered in getattr(module, "__all__", ()):
        assert f"\n### {name}.{offered}\n" in text, AGAIN


def test_every_module_of_accounting_is_on_the_page_or_called_a_working() -> None:
    shown = {each.module for each in sections()}
    found = {f"accounting.{path.stem}" for path in (ROOT / "accounting").glob("[!_]*.py")}
    found |= {f"accounting.{path.parent.name}" for path in (ROOT / "accounting").glob("*/__init__.py")}
    assert found == {each for each in shown if each.startswith("accounting.")} | WORKINGS | FLAT


@pytest.mark.slow
def test_names_that_docstrings_mention_exist_in_the_code() -> None:
    """A parameter or function that was renamed is found where a docstring still has the old name."""
    known = set()
    for package in ("amun_dp", "accounting", "proofs"):
        for path in (ROOT / package).rglob("*.py"):
            known |= _words_of_the_code(path)
    mentioned = set()
    for section in sections():
        for entry in section.entries:
            for text in (entry.text, *(member.text for member in entry.members)):
                mentioned |= set(re.findall(r"``([A-Za-z_]\w*)``", text))
    assert len(mentioned) > 100
    assert mentioned - known == set()


def _words_of_the_code(path: Path) -> set[str]:
    """Names, attributes, arguments, and words of strings that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    words = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word) | ast.alias(name=word):
                words.add(word)
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                words.add(word)
            case ast.Constant(value=str(word)) if id(node) not in documentation:
                words |= set(re.findall(r"\w+", word))
            case _:
                pass
    return words


MODULE = '''
"""A module."""
from dataclasses import dataclass

__all__ = ["Thing", "do", "CONSTANT"]

CONSTANT = 5
{constant}

@dataclass(frozen=True)
class Thing:
    {thing}

    size: int
    {size}

    def grow(self, by: int, again: bool = False) -> None:
        {grow}

def do(what: str, how: str = "so") -> str:
    {do}
'''
WHOLE = {
    "constant": '"""Five."""',
    "thing": '"""A thing."""',
    "size": '"""How large."""',
    "grow": '"""Larger ``by`` so much, and perhaps ``again``."""',
    "do": '"""Do ``what`` is to be done, and say how."""',
}


@pytest.mark.parametrize(
    ("left_out", "instead", "found"),
    [
        ("nothing", "", set()),
        ("constant", "", {"package.CONSTANT: not described"}),
        ("thing", "", {"package.Thing: not described"}),
        ("size", "", {"package.Thing.size: not described"}),
        ("grow", "...", {"package.Thing.grow: not described"}),
        ("grow", '"""Larger ``by`` so much."""', {"package.Thing.grow: parameter again is not named"}),
        ("do", '"""How."""', {"package.do: parameter what is not named"}),
        (
            "do",
            "return what",
            {"package.do: not described"} | {f"package.do: parameter {n} is not named" for n in ("what", "how")},
        ),
    ],
)
def test_what_is_left_out_is_found(
    left_out: str, instead: str, found: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package.py").write_text(MODULE.format(**{**WHOLE, left_out: instead}), encoding="utf-8")
    monkeypatch.setattr(reference_source, "ROOT", tmp_path)
    reference_source.tree_of.cache_clear()
    try:
        assert set(make_reference.gaps_of(reference_source.section("package"))) == found
    finally:
        reference_source.tree_of.cache_clear()
