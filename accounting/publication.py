"""What of a tree of events may be published: everything but its confidential parameters.

A published release repeats its mechanisms in this form, so that an outsider can account for it again and needs to
trust no figure. The public account of a release is by definition the account of this tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from accounting.confidential import WITHHELD, Confidential
from accounting.errors import AccountingError
from accounting.events import PrivacyEvent, SharedByIndividual, Undisclosed, kind_of
from accounting.ledger.records import Ledger, LedgerError, chained
from accounting.ledger.trees import decoded, ledger_of
from accounting.rules import is_known, rule_of
from accounting.trees import check, is_composition


@dataclass(frozen=True, slots=True)
class PublicTree:
    """A tree without confidential parameters. Made by ``public_tree`` and ``tree_from_records`` only."""

    tree: PrivacyEvent
    """The tree, every confidential parameter ``WITHHELD``."""

    def records(self) -> list[dict[str, Any]]:
        """One record an event, each after its parts, as JSON data (the form of a ledger, without hashes)."""
        return [{"kind": each.kind, "parameters": dict(each.parameters)} for each in ledger_of(self.tree).records]


def public_tree(tree: PrivacyEvent) -> PublicTree:
    """The tree with every confidential parameter withheld."""
    check(tree)
    return PublicTree(_published(tree, scales_confidential=False))


def tree_from_records(records: Sequence[Mapping[str, Any]]) -> PublicTree:
    """The tree that ``PublicTree.records`` wrote, or LedgerError. What should have been withheld is dropped."""
    ledger = Ledger()
    for index, record in enumerate(records):
        if record.keys() != {"kind", "parameters"} or not isinstance(record["parameters"], Mapping):
            raise LedgerError(f"mechanism {index} does not consist of a kind and its parameters.")
        kind, parameters = str(record["kind"]), dict(record["parameters"])
        ledger = Ledger((*ledger.records, chained(ledger.head, kind, parameters, {})))
    return public_tree(decoded(ledger))


def _published(event: PrivacyEvent, scales_confidential: bool) -> PrivacyEvent:
    if not is_composition(event) and not isinstance(event, Undisclosed) and not is_known(event):
        return Undisclosed(_name(event))
    if isinstance(event, SharedByIndividual) and isinstance(event.cases, Confidential):
        # The noise inside was scaled by that number, so its scale would betray it.
        scales_confidential = True
    if scales_confidential and not is_composition(event) and not isinstance(event, Undisclosed):
        without = rule_of(event).without_scale(event)
        if without is None:  # nobody knows which of its parameters would betray it
            return Undisclosed(_name(event))
        event = without
    return type(event)(
        **{item.name: _value(getattr(event, item.name), scales_confidential) for item in fields(event) if item.init}
    )


def _value(value: Any, scales_confidential: bool) -> Any:
    if isinstance(value, Confidential):
        return WITHHELD
    if isinstance(value, PrivacyEvent):
        return _published(value, scales_confidential)
    if isinstance(value, tuple):
        return tuple(_value(part, scales_confidential) for part in value)
    return value


def _name(event: PrivacyEvent) -> str:
    try:
        return kind_of(event)
    except AccountingError:  # not registered: no ledger could carry it either
        return type(event).__name__
