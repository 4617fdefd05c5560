"""Messages name options, and every option is something that each front end has."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import accounting
import amun_dp
import proofs
from amun_dp._base.options import OPTIONS, Mention, Option, in_python
from amun_dp.auditing.run import Options as AuditOptions
from amun_dp.cli.parser import build_parser
from amun_dp.reading.columns import ACTIVITY, CASE, LIFECYCLE, TIMESTAMP
from amun_dp.release.requests import ReleaseOptions
from amun_dp.serve.as_fields import FIELDS

PACKAGES = [Path(package.__file__ or "").parent for package in (amun_dp, accounting, proofs)]
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND_LINES = ("amun_dp/cli/", "amun_dp/synthetic/__main__.py")
"""Front ends whose users do type flags."""
SHELL_COMMANDS = ("amun_dp/budgets/advice.py", "amun_dp/budgets/on_average.py", "amun_dp/budgets/registry_file.py")
"""Where commands of ``amun-dp registry`` are put together, to be run in a shell."""


def sources() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            yield str(path.relative_to(package.parent)), ast.parse(path.read_text(encoding="utf-8"))


def strings_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def flags_in(tree: ast.AST) -> list[str]:
    return [flag for text in strings_in(tree) for flag in FLAG.findall(text)]


def messages_in(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message":
            yield node


def faults_of(message: ast.Call) -> list[str]:
    """What is wrong with how a message is written."""
    (template,) = message.args
    if not (isinstance(template, ast.Constant) and isinstance(template.value, str)):
        return ["the template is not written out"]  # what a user typed may hold braces
    given_values = {str(keyword.arg) for keyword in message.keywords}
    fields = fields_of(template.value)
    return [
        *(f"{name} is given and not used" for name in given_values - fields),
        *(f"{name} is neither given nor an option" for name in fields - given_values - OPTIONS.keys()),
        *(f"the value {name} hides an option" for name in given_values & OPTIONS.keys()),
    ]


def messages() -> Iterator[tuple[str, ast.Call]]:
    for name, tree in sources():
        for message in messages_in(tree):
            yield f"{name}:{message.lineno}", message


def fields_of(template: str) -> set[str]:
    """Names in a template, also those within the values that are advised."""
    names: set[str] = set()
    for _, name, form, _ in Formatter().parse(template):
        if name is not None:
            names |= {name, *fields_of(form or "")}
    return names


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


def flags() -> dict[str, argparse.Action]:
    return {
        flag: action for one in parsers(build_parser()) for action in one._actions for flag in action.option_strings
    }


def parameters() -> dict[str, str]:
    """Those of the public functions, with their types as they are written."""
    public: list[Callable[..., Any]] = [
        *(getattr(amun_dp, name) for name in ("read_log", "inspect", "plan", "anonymize", "verify", "evaluate")),
        amun_dp.Release.save,
    ]
    found = {name: each.annotation for one in public for name, each in inspect.signature(one).parameters.items()}
    for options in (ReleaseOptions, AuditOptions):
        found |= {name: kind.__forward_arg__ for name, kind in options.__annotations__.items()}
    return found


def test_no_text_outside_the_command_line_names_a_flag() -> None:
    elsewhere = (one for one in sources() if not one[0].startswith((*COMMAND_LINES, *SHELL_COMMANDS)))
    assert not [f"{name}: {found}" for name, tree in elsewhere if (found := flags_in(tree))]


def test_a_flag_in_a_text_would_be_seen() -> None:
    assert flags_in(ast.parse("""raise E(f"Raise --max-case-length {n}, or {m}; --public.")""")) == [
        "--max-case-length",
        "--public",
    ]
    assert flags_in(ast.parse("""say("var(--c) -- a dash, release--x---release")""")) == []


def test_what_is_drawn_names_flags_only_in_commands_for_a_shell() -> None:
    for package in PACKAGES:
        for path in package.rglob("*.html"):
            page = re.sub(r"<code>amun-dp [^<]*</code>", "", path.read_text(encoding="utf-8"))
            assert FLAG.search(page) is None, path


def test_commands_for_a_shell_have_flags_that_amun_dp_registry_has() -> None:
    (top,) = (one for one in build_parser()._actions if isinstance(one, argparse._SubParsersAction))
    known = {flag for one in parsers(top.choices["registry"]) for each in one._actions for flag in each.option_strings}
    trees = dict(sources())
    named = {flag for name in SHELL_COMMANDS for text in strings_in(trees[name]) for flag in FLAG.findall(text)}
    assert named
    assert named <= known


def test_a_message_is_written_out_and_all_that_it_names_is_given_or_an_option() -> None:
    found = list(messages())
    assert len(found) > 80
    assert not [f"{where}: {faults}" for where, message in found if (faults := faults_of(message))]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('Message("{n} events, {scope:{unit}}", n=1, unit="case")', []),
        ('Message(f"{path} is damaged.")', ["the template is not written out"]),
        ('Message("Raise {longest}.")', ["longest is neither given nor an option"]),
        ('Message("Use {scope:{unit}}.")', ["unit is neither given nor an option"]),
        ('Message("Too much.", most=1)', ["most is given and not used"]),
        ('Message("{scope}", scope=1)', ["the value scope hides an option"]),
    ],
)
def test_a_message_that_is_written_wrongly_would_be_seen(written: str, fault: list[str]) -> None:
    (message,) = messages_in(ast.parse(written))
    assert faults_of(message) == fault


def test_every_option_is_named_somewhere() -> None:
    named = {field for _, call in messages() for field in fields_of(str(getattr(call.args[0], "value", "")))}
    by_role = {role.option for role in (CASE, ACTIVITY, TIMESTAMP, LIFECYCLE)}
    assert OPTIONS.keys() <= named | by_role | {"same_log_as"}  # which has a list of values


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_every_option_is_a_parameter_in_python_and_a_flag_of_the_command_line(option: Option) -> None:
    known, action = parameters(), flags()[option.flag]
    assert option.name in known
    assert (option.kind == "switch") == (known[option.name] == "bool") == (action.nargs == 0)
    several = known[option.name].startswith("Sequence")
    assert (option.kind == "texts") == several == isinstance(action, argparse._AppendAction)
    assert (option.kind == "number") == known[option.name].startswith(("int", "float"))
    assert option.unknown == option.unknown.upper()


@pytest.mark.parametrize("name", OPTIONS)
def test_the_page_names_a_field_if_it_has_one_for_an_option(name: str) -> None:
    folder = PACKAGES[0] / "serve" / "templates"
    pages = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.html"))
    inputs = set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', pages))
    inputs |= set(re.findall(r'\("(\w+)", "[^"]*", "[^"]*"\)', pages))  # those that log.html makes in a loop
    answers = {"same_log_as": 'value="same"', "new_log": 'value="other"'}  # to the question whose log it is
    has = name in inputs or answers.get(name, "\0") in pages
    if name in ("method", "variants"):  # one choice on the page
        assert "method" in inputs
        assert name not in FIELDS
        return
    assert has == (name in FIELDS)
    assert not has or FIELDS[name] in pages


values = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


@given(st.sampled_from([one for one in OPTIONS.values() if one.kind == "text"]), values)
def test_python_s_spelling_is_an_argument_with_that_value(option: Option, value: str) -> None:
    if value != option.unknown:
        (argument,) = ast.parse(f"f({in_python(Mention(option, (value,)))})").body
        assert isinstance(argument, ast.Expr)
        assert isinstance(argument.value, ast.Call)
        (keyword,) = argument.value.keywords
        assert (keyword.arg, ast.literal_eval(keyword.value)) == (option.name, value)
