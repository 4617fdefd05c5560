"""The declared types of an event's fields, at run time: a ledger carries no value that its field could not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from accounting.confidential import Confidential, Withheld
from accounting.events import PrivacyEvent


def hints_of(cls: type) -> dict[str, Any]:
    """The declared type of each field; nothing where names are known to the type checker only."""
    try:
        return get_type_hints(cls)
    except (NameError, TypeError):
        return {}


def conforms(value: object, hint: Any) -> bool:
    """Whether the value has the declared type. An int is a float, a bool no number; unknown hints admit all."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(conforms(value, option) for option in args)
    if origin is Literal:
        return any(type(value) is type(option) and value == option for option in args)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = args[:1] * len(value) if args[-1:] == (...,) else args
        return len(kinds) == len(value) and all(map(conforms, value, kinds))
    if origin is Confidential:
        return isinstance(value, Withheld) or (isinstance(value, Confidential) and conforms(value.reveal(), args[0]))
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _same_family(value, args)
    if hint is Any or getattr(hint, "_is_protocol", False):
        return True
    if hint in (None, NoneType):
        return value is None
    if hint in (int, float):
        numbers = (int, np.integer) if hint is int else (int, np.integer, float, np.floating)
        return isinstance(value, numbers) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    return isinstance(value, hint) if isinstance(hint, type) else True


def records_in(hint: Any) -> dict[str, type]:
    """The plain dataclasses (no events) that a declared type mentions, by name."""
    return {cls.__name__: cls for cls in _classes(hint) if is_dataclass(cls) and not issubclass(cls, PrivacyEvent)}


def _classes(hint: Any) -> Iterator[type]:
    if isinstance(hint, type):
        yield hint
    for part in get_args(hint):
        yield from _classes(part)


def _same_family(array: np.ndarray[Any, Any], args: tuple[Any, ...]) -> bool:
    """Whole numbers where whole numbers are declared, whatever their width."""
    declared = [scalar for part in args[1:] for scalar in get_args(part) if isinstance(scalar, type)]
    families = [
        family for family in (np.integer, np.floating, np.bool_) for scalar in declared if issubclass(scalar, family)
    ]
    return not families or any(issubclass(array.dtype.type, family) for family in families)
