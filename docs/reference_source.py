"""Public names as the source has them: signatures, docstrings and the texts under fields, without importing anything.

The source and not the running objects, because only it has what stands under a field, annotations as they are written,
and defaults without memory addresses; and because Spark need not be there. griffe reads source like this, too (pdoc
makes HTML from running objects). It would be one more dependency for a hundred lines of ``ast``; what is described too
little, and how the page looks, would be ours to say all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
OURS = ("amun_dp", "accounting", "proofs")
UNLISTED_BASES = {"AllRuns"}
"""Bases that are public but stand on no page: their members are shown with the class that inherits them."""

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True, slots=True)
class Member:
    """A field, property or method of a class, or a value of an enumeration."""

    name: str
    signature: str
    text: str
    kind: str
    """``field``, ``value`` or ``method`` (properties among them)."""
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One public name."""

    module: str
    """Where a user imports it from."""
    name: str
    signature: str
    text: str
    kind: str
    """``function``, ``class`` or ``constant``."""
    parameters: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One module and its public names, in the order in which it names them."""

    module: str
    text: str
    entries: tuple[Entry, ...]


def section(module: str, chosen: tuple[str, ...] = ()) -> Section:
    """What a module offers: the ``chosen`` names, or its ``__all__``, or all without an underscore that it defines."""
    tree = tree_of(module)
    listed = [ast.literal_eval(each.value) for each in tree.body if isinstance(each, ast.Assign) and _is_all(each)]
    names = (
        list(chosen or listed[0])
        if chosen or listed
        else [name for name in _defined(tree.body) if not name.startswith("_")]
    )
    entries = [_entry(module, name) for name in names]
    # A module's text is not indented; cleaning would move what is, an example, to the left.
    return Section(
        module,
        (ast.get_docstring(tree, clean=False) or "").strip(),
        tuple(each for each in entries if each is not None),
    )


def modules_of(package: str) -> list[str]:
    """The modules and packages directly in a package."""
    folder = ROOT / package
    found = [path.stem for path in folder.glob("*.py")] + [path.parent.name for path in folder.glob("*/__init__.py")]
    return [f"{package}.{name}" for name in sorted(found) if not name.startswith("_")]


@cache
def tree_of(module: str) -> ast.Module:
    """A module as it is written."""
    path = ROOT / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _is_all(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)


def _defined(body: list[ast.stmt]) -> dict[str, tuple[Definition, str]]:
    """What a body defines, each with its text: the docstring, or the string that stands under an assignment."""
    found: dict[str, tuple[Definition, str]] = {}
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name):
                found[target.id] = node, _string(after)
    return found


def _string(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(node.value.value.split())
    return ""


def _resolved(module: str, name: str) -> tuple[str, Definition, str] | None:
    """Where a name that a module offers is defined; None if that is not in our source."""
    tree = tree_of(module)
    if found := _defined(tree.body).get(name):
        return module, *found
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _resolved(node.module, alias.name)
    return None


def _entry(module: str, name: str) -> Entry | None:
    found = _resolved(module, name)
    if found is None:
        raise LookupError(f"{module} offers {name}, which is defined nowhere")
    home, node, text = found
    match node:
        case ast.FunctionDef():
            return Entry(module, name, _call(home, name, node), text, "function", _parameters(node))
        case ast.ClassDef():
            members = tuple(_members(home, node))
            return Entry(module, name, _class_signature(home, node, members), text, "class", (), members)
        case ast.Assign() | ast.AnnAssign():
            if _is_type_variable(node):
                return None
            return Entry(module, name, _assignment(name, node), text, "constant")


def _source(node: ast.AST) -> str:
    """As this project writes it: with double quotes."""
    text = ast.unparse(node)
    return text if '"' in text else text.replace("'", '"')


def _is_type_variable(node: ast.Assign | ast.AnnAssign) -> bool:
    return isinstance(node.value, ast.Call) and _source(node.value.func) == "TypeVar"


def _assignment(name: str, node: ast.Assign | ast.AnnAssign) -> str:
    annotation = f": {_source(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    value = "" if node.value is None else f" = {_source(node.value)}"
    return f"{name}{annotation}{value if len(value) < 120 else ' = …'}"


def _call(module: str, name: str, node: ast.FunctionDef, without_self: bool = False) -> str:
    """The call on one line; on several where it is long."""
    arguments = list(_arguments(module, node.args))[1 if without_self else 0 :]
    result = f" -> {_source(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(arguments)}){result}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){result}"


def _arguments(module: str, arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    yield from (_argument(module, *each) for each in zip(positional, defaults, strict=True))
    if arguments.vararg:
        yield f"*{_argument(module, arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    yield from (_argument(module, *each) for each in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    if arguments.kwarg:
        yield f"**{_argument(module, arguments.kwarg, None)}"


def _argument(module: str, node: ast.arg, default: ast.expr | None) -> str:
    named = f"{node.arg}: {_source(node.annotation)}" if node.annotation else node.arg
    if default is None:
        return named
    return f"{named}{' = ' if node.annotation else '='}{_value(module, default)}"


def _value(module: str, default: ast.expr) -> str:
    """What a default is: of a named number or list of literals, these."""
    found = _resolved(module, default.id) if isinstance(default, ast.Name) else None
    value = getattr(found[1], "value", None) if found else None
    if value is not None and all(
        isinstance(each, ast.Constant | ast.Tuple | ast.expr_context) for each in ast.walk(value)
    ):
        return _source(value)
    return _source(default)


def _parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return tuple(each.arg for each in every if each.arg not in ("self", "cls"))


def _members(module: str, node: ast.ClassDef) -> Iterator[Member]:
    """Of the class and of its bases that nobody could look up: private ones, and those on no page."""
    documented_elsewhere = set()
    for base in node.bases:
        name = _source(base).partition("[")[0]
        found = _resolved(module, name)
        if found is None or not isinstance(found[1], ast.ClassDef):
            continue
        inherited = list(_members(found[0], found[1]))
        if _is_unlisted(name):
            yield from inherited
        else:
            documented_elsewhere |= {each.name for each in inherited}
    for name, (each, text) in _defined(node.body).items():
        if name.startswith("_") or (name in documented_elsewhere and not text):
            continue
        yield _member(module, node, name, each, text)


def _is_unlisted(base: str) -> bool:
    return base.startswith("_") or base in UNLISTED_BASES


def _member(module: str, owner: ast.ClassDef, name: str, node: Definition, text: str) -> Member:
    if isinstance(node, ast.FunctionDef):
        decorators = {_source(each).rpartition(".")[2] for each in node.decorator_list}
        if decorators & {"property", "cached_property"}:
            return Member(name, f"{name}: {_source(node.returns) if node.returns else ''}", text, "method")
        signature = _call(module, name, node, without_self="staticmethod" not in decorators)
        return Member(name, " ".join(signature.split()).replace("( ", "("), text, "method", _parameters(node))
    assert isinstance(node, ast.Assign | ast.AnnAssign), f"{owner.name}.{name} is of a sort that the page does not know"
    is_enumeration = any(_source(base) in ("Enum", "StrEnum") for base in owner.bases)
    return Member(name, _assignment(name, node), text, "value" if is_enumeration else "field")


def _class_signature(module: str, node: ast.ClassDef, members: tuple[Member, ...]) -> str:
    bases = [_source(each) for each in node.bases if not _is_unlisted(_source(each))]
    made_from = next(
        (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None
    )
    line = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    if made_from is not None:
        return f"{line}\n{_call(module, node.name, made_from, without_self=True).removesuffix(' -> None')}"
    if not any("dataclass" in _source(each) for each in node.decorator_list):
        return line
    names = [each.name for each in members if each.kind == "field"]
    return f"{line}\n{node.name}({', '.join(names)})"
