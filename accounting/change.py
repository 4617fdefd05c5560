"""What may change between two neighbouring logs, and for whom it is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from accounting.confidential import Confidential, Withheld
from accounting.events.base import Fact
from accounting.neighbours import Relation, Scope


class View(Enum):
    """For whom the figures are."""

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"


@dataclass(frozen=True, slots=True)
class Change:
    """One unit of a scope, changed in a relation; a unit may be several cases at once."""

    scope: Scope
    relation: Relation
    view: View
    cases: int | None = None
    """How many change at once: those of one individual, or that depend on each other; the scope is then a case. None:
    one case, by itself."""
    of_anybody: bool = False
    """Whether these are cases of anybody that depend on each other, and not all of one individual."""

    def __post_init__(self) -> None:
        if self.scope is Scope.EVENT and self.relation is Relation.LEAVE_OUT:
            # An event has a time: what stands in its place is another one, and the case's other events may weigh more.
            object.__setattr__(self, "relation", Relation.REPLACE)

    @property
    def number(self) -> int:
        """How many cases change at once."""
        return 1 if self.cases is None else self.cases

    @property
    def replaced(self) -> bool:
        """Whether the unit has other values, and does not come or go."""
        return self.relation is Relation.REPLACE

    def of(self, scope: Scope | None = None, relation: Relation | None = None, cases: int | None = None) -> Change:
        """The same, but for what is said."""
        return Change(scope or self.scope, relation or self.relation, self.view, cases or self.cases, self.of_anybody)

    @property
    def of_one(self) -> Change:
        """The same, but for one case."""
        return replace(self, cases=None, of_anybody=False)

    def known(self, fact: Fact) -> int | None:
        """The value of a fact, if it may be used in this view."""
        if isinstance(fact, Confidential):
            return fact.reveal() if self.view is View.CONFIDENTIAL and not isinstance(fact, Withheld) else None
        return fact
