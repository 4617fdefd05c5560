"""From a tree of events to records and back.

A value is written as JSON data with a tag where JSON has no such thing: ``{"float": "0x1.8p+1"}`` (exact),
``{"fraction": "1/3"}``, ``{"tuple": […]}``, ``{"event": index of an earlier record}``, ``{"confidential": …}``,
``{"withheld": true}``, ``{"dataclass": {"type": …, "fields": …}}``, ``{"column": name}``. Columns are named by their
path (``columns.scale``), annotations by ``annotation:`` and their name. A numpy number among the parameters comes back
as the Python number of the same value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from accounting.arrow import to_numpy
from accounting.confidential import WITHHELD, Confidential, Withheld
from accounting.errors import AccountingError
from accounting.events import PrivacyEvent, Sequential, event_class, kind_of
from accounting.ledger.hints import conforms, hints_of, records_in
from accounting.ledger.records import Column, Ledger, LedgerError, Numbers, Record, chained, read_only, type_name
from accounting.ledger.texts import TextColumn, text_column, text_column_of_arrow

NO_ANNOTATIONS: Final[Mapping[str, Any]] = MappingProxyType({})
ANNOTATION: Final = "annotation:"
_LARGEST_INT: Final = 1024
"""Bits. JSON readers refuse numbers of thousands of digits, so such a ledger could not be read back."""


def ledger_of(tree: PrivacyEvent, annotations: Mapping[str, Any] = NO_ANNOTATIONS) -> Ledger:
    """The ledger of one release, from its tree of events.

    ``annotations`` (``TextColumn``, numpy or pyarrow arrays of numbers or text) are further columns parallel to the
    per-event rows: stored and hashed, not interpreted. An unregistered event, or one with a field no ledger can carry,
    is refused.
    """
    return append(Ledger(), tree, annotations)


def append(ledger: Ledger, event: PrivacyEvent, annotations: Mapping[str, Any] = NO_ANNOTATIONS) -> Ledger:
    """A ledger that goes on with this event; the records so far are the same objects. ``annotations`` as for
    ``ledger_of``."""
    encoder = _Encoder(len(ledger.records))
    try:
        encoder.event(event)
    except RecursionError as error:
        raise AccountingError("a tree of events is nested too deeply for a ledger.") from error
    if annotations:
        columns = {ANNOTATION + name: _annotation(name, column) for name, column in annotations.items()}
        encoder.annotate(columns)
    records = list(ledger.records)
    for kind, parameters, columns in encoder.drafts:
        records.append(chained(records[-1].hash if records else ledger.head, kind, parameters, columns))
    return Ledger(tuple(records))


def tree_of(ledger: Ledger) -> PrivacyEvent:
    """The tree of events, after the whole chain is verified. Several roots become one sequential composition."""
    ledger.verify()
    return decoded(ledger)


def decoded(ledger: Ledger) -> PrivacyEvent:
    """The tree of a ledger that is known to be whole."""
    roots: dict[int, PrivacyEvent] = {}
    for index, record in enumerate(ledger.records):
        where = f"record {index} ({record.kind})"
        try:
            roots[index] = _Decoder(record, where, roots).event()
        except LedgerError:
            raise
        except (AccountingError, TypeError, ValueError) as error:
            # The event's own validation speaks of its parameters; the ledger adds the place.
            raise LedgerError(f"{where}: {error}") from error
    if not roots:
        raise LedgerError("an empty ledger has no tree of events.")
    trees = tuple(roots.values())
    return trees[0] if len(trees) == 1 else Sequential(trees)


class _Encoder:
    def __init__(self, first: int) -> None:
        self.first = first
        self.drafts: list[tuple[str, dict[str, Any], dict[str, Column]]] = []

    def event(self, event: PrivacyEvent) -> int:
        """Record the event after its parts; returns its index."""
        kind, columns = kind_of(event), dict[str, Column]()
        parameters = self._fields(event, "", columns)
        self.drafts.append((kind, parameters, columns))
        return self.first + len(self.drafts) - 1

    def annotate(self, annotations: dict[str, Column]) -> None:
        lengths = {len(column) for column in annotations.values()}
        fitting = [columns for *_, columns in self.drafts if columns and {len(c) for c in columns.values()} == lengths]
        if len(fitting) != 1:
            raise AccountingError("annotations are as long as the per-event columns of exactly one event.")
        fitting[0].update(annotations)

    def _fields(self, holder: Any, path: str, columns: dict[str, Column]) -> dict[str, Any]:
        cls = type(holder)
        if "__dataclass_fields__" not in vars(cls):
            # Fields inherited from a dataclass would be carried and the class's own state silently lost.
            raise AccountingError(f"{cls.__name__} is not a dataclass, so a ledger cannot carry it.")
        hints, result = hints_of(cls), {}
        for item in fields(holder):
            if item.init:  # the others are computed from these
                value, where = getattr(holder, item.name), f"{cls.__name__}.{item.name}"
                hint = hints.get(item.name, Any)
                if not conforms(value, hint):
                    raise AccountingError(f"{where} is not of its declared type.")
                result[item.name] = self._value(value, where, path + item.name, hint, columns)
        return result

    def _value(self, value: Any, where: str, path: str, hint: Any, columns: dict[str, Column]) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or type(value) is bool:
            return value
        if type(value) is int and value.bit_length() <= _LARGEST_INT:
            return value
        if type(value) is str and _is_text(value):
            return value
        if type(value) is float and not math.isnan(value):
            return {"float": value.hex()}
        if type(value) is Fraction and max(map(int.bit_length, value.as_integer_ratio())) <= _LARGEST_INT:
            return {"fraction": str(value)}
        if type(value) is tuple:
            parts = [self._value(part, where, f"{path}.{i}", hint, columns) for i, part in enumerate(value)]
            return {"tuple": parts}
        if isinstance(value, PrivacyEvent):
            return {"event": self.event(value)}
        if isinstance(value, Withheld):
            return {"withheld": True}
        if type(value) is Confidential:
            return {"confidential": self._value(value.reveal(), where, path, hint, columns)}
        if type(value) is np.ndarray:
            columns[path] = _column(value, where)
            return {"column": path}
        if is_dataclass(value) and type(value) in records_in(hint).values():
            content = self._fields(value, f"{path}.", columns)
            return {"dataclass": {"type": type(value).__name__, "fields": content}}
        raise AccountingError(f"{where} holds a {type(value).__name__} that a ledger cannot carry.")


class _Decoder:
    """Turns one record back into its event; takes the events it refers to from among the roots so far."""

    def __init__(self, record: Record, where: str, roots: dict[int, PrivacyEvent]) -> None:
        self.record, self.where, self.roots = record, where, roots
        self.unused = {name for name in record.columns if not name.startswith(ANNOTATION)}

    def event(self) -> PrivacyEvent:
        cls = event_class(self.record.kind)
        event: PrivacyEvent = self._built(cls, self.record.parameters)
        if self.unused:
            raise LedgerError(f"{self.where} has a column that none of its parameters names.")
        return event

    def _built(self, cls: type, content: Mapping[str, Any]) -> Any:
        names = {item.name for item in fields(cls) if item.init}
        if content.keys() != names:
            wrong = sorted(content.keys() ^ names)
            raise LedgerError(f"{self.where}: parameters missing or unknown: {', '.join(map(ascii, wrong))}.")
        hints, values = hints_of(cls), {}
        for name, data in content.items():
            hint = hints.get(name, Any)
            values[name] = self._value(data, hint)
            if not conforms(values[name], hint):
                raise LedgerError(f"{self.where}: '{name}' is not of its declared type.")
        return cls(**values)

    def _value(self, data: Any, hint: Any) -> Any:
        match data:
            case None | bool() | int() | str():
                return data
            case {"float": str() as text, **rest} if not rest and _is_canonical_float(text):
                return float.fromhex(text)
            case {"fraction": str() as text, **rest} if not rest and _is_canonical_fraction(text):
                return Fraction(text)
            case {"tuple": list() as parts, **rest} if not rest:
                return tuple(self._value(part, hint) for part in parts)
            case {"event": int() as index, **rest} if not rest and type(index) is int and index in self.roots:
                return self.roots.pop(index)
            case {"withheld": True, **rest} if not rest:
                return WITHHELD
            case {"confidential": content, **rest} if not rest:
                return Confidential(self._value(content, hint))
            case {"column": str() as name, **rest} if not rest and name in self.unused:
                self.unused.remove(name)
                return self.record.columns[name]
            case {"dataclass": {"type": str() as name, "fields": dict() as content, **more}, **rest} if not (
                rest or more
            ):
                if name in (known := records_in(hint)):
                    return self._built(known[name], content)
        raise LedgerError(f"{self.where} holds a value that is not one of a ledger's, or refers to what is not there.")


def _column(array: Numbers, where: str) -> Numbers:
    try:
        type_name(array)
    except LedgerError as error:
        raise AccountingError(f"{where}: {error}") from error
    return read_only(array.astype(array.dtype.newbyteorder("="), copy=False))


def _annotation(name: str, column: Any) -> Column:
    """An annotation as a column of a ledger: numbers, or text without gaps."""
    if not _is_text(name):
        raise AccountingError("an annotation has a name in plain Unicode.")
    if isinstance(column, TextColumn):
        return column
    try:
        if type(column).__module__.startswith("pyarrow"):
            if column.null_count:
                raise AccountingError(f"the annotation '{name}' has gaps.")
            if hasattr(column, "dictionary") or "string" in str(column.type):
                return text_column_of_arrow(column)
            column = to_numpy(column)
        if not isinstance(column, np.ndarray):
            raise AccountingError(f"the annotation '{name}' is no numpy or pyarrow array.")
        return text_column(column.tolist()) if column.dtype.kind in "UOT" else _column(column, name)
    except (ValueError, TypeError) as error:
        if isinstance(error, AccountingError):
            raise
        raise AccountingError(f"the annotation '{name}' is not numbers, nor text without gaps.") from error


def _is_text(value: str) -> bool:
    """Half a surrogate pair is no character, and two halves would come back as one."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_canonical_fraction(text: str) -> bool:
    """Two whole numbers, or one, as Python writes them: no other text for the same number."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return str(value) == text and max(map(int.bit_length, value.as_integer_ratio())) <= _LARGEST_INT


def _is_canonical_float(text: str) -> bool:
    try:
        value = float.fromhex(text)
    except (ValueError, OverflowError):
        return False
    return not math.isnan(value) and value.hex() == text
