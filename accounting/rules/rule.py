"""What the accountant has to know of a kind of record: all of it in one place for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.confidential import WITHHELD
from accounting.events.base import PrivacyEvent
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope
from accounting.loss import NO_BOUND, Loss, of_group
from accounting.quantities import UNBOUNDED, ZERO, Epsilon

E = TypeVar("E", bound=PrivacyEvent)
Perspectives = tuple[Epsilon, Epsilon]
"""What the article claims of control flow and of times."""
NOTHING: Perspectives = (ZERO, ZERO)
NO_EPSILON = "average-to-each"
"""The claim, refuted, that what is bounded on average is bounded by some ε."""
EVERYTHING: Perspectives = (UNBOUNDED, UNBOUNDED)


@dataclass(frozen=True, slots=True)
class PartClaim:
    """A claim of the registry that a record makes of itself, at a scope, in a relation."""

    claim: str
    reading: Reading
    scope: Scope
    relation: Relation
    kind: Kind = Kind.PURE
    of_whole_tree: bool = False
    """The figure is that of everything beside it, too."""
    claimed: Loss | None = None
    """The figure, where it is not the accountant's; it counts as its author's claim."""
    adjusted: Callable[[Guarantee, int], Guarantee] | None = None
    """Last changes to the line; called with how many times the record counts (copies, releases)."""


def strict(claim: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> PartClaim:
    """A claim about what can be proved."""
    return PartClaim(claim, Reading.STRICT, scope, relation, kind)


def published(claim: str, scope: Scope, relation: Relation, kind: Kind = Kind.PURE) -> PartClaim:
    """A claim that the article makes, or takes for granted."""
    return PartClaim(claim, Reading.PUBLISHED, scope, relation, kind)


class Rule(Generic[E]):
    """What the accountant makes of one kind of record. A kind says what differs from this."""

    in_the_article = False
    """Whether the article's reading has anything to say of it."""
    costs_cases = True
    """Whether it costs a case anything, so that somebody with any number of cases has no bound."""
    made: tuple[PartClaim, ...] = ()
    """What is claimed of the record by itself."""
    stands_against: str | None = None
    """The claim that would have to hold for it to have a bound; None: none, or a fact that is not declared."""
    assumed: tuple[Assumption, ...] = ()
    """What a bound rests on."""
    scale: str | None = None
    """The parameter that says how much noise there is; withheld where it would betray a confidential number."""

    def costs_a_case(self, event: E) -> bool:
        """Whether this record costs a case anything."""
        return self.costs_cases

    def loss(self, event: E, change: Change) -> Loss:
        """What it loses, strictly; unbounded where nothing bounds it. Never asked about an individual: compositions
        turn that into so many cases."""
        return of_group(self.loss_of_one(event, change.of_one), change.number)

    def loss_of_one(self, event: E, change: Change) -> Loss:
        """``loss`` where one case changes. Several are a chain of neighbours, unless ``loss`` knows better."""
        return NO_BOUND

    def published(self, event: E, scope: Scope, view: View) -> Perspectives | None:
        """What the article claims; None: a figure that is not public."""
        return EVERYTHING

    def claims(self, event: E, view: View) -> Iterable[PartClaim]:
        """What is claimed of this record by itself."""
        return self.made

    def obstacle(self, event: E, on_average: bool) -> str | None:
        """The claim that stands against a bound, on every output or on the average over the noise."""
        return self.stands_against

    def why_not(self, event: E) -> str | None:
        """Why that claim does not hold of this record, where it is not the reason that the claim gives."""
        return None

    def voids(self, event: E) -> str | None:
        """The claim whose failure takes the bounds of all other records of the release away, too."""
        return None

    def assumptions(self, event: E, whole_case: bool) -> Iterable[Assumption]:
        """What a bound rests on, or would need; ``whole_case`` where it is about a case or an individual."""
        return self.assumed

    def without_scale(self, event: E) -> E | None:
        """The record without what would betray a confidential number by which its noise was scaled; None: nobody knows
        which of its parameters would."""
        return event if self.scale is None else replace(event, **{self.scale: WITHHELD})


class UnknownStep(Rule[PrivacyEvent]):
    """Of a record that nobody told the accountant about: no bound."""

    in_the_article = True  # it may be one of the article's: what that claims of it is asked as well
    made = (strict("unknown-step", Scope.CASE, Relation.REPLACE),)
    stands_against = "unknown-step"

    def without_scale(self, event: PrivacyEvent) -> PrivacyEvent | None:
        return None


UNKNOWN = UnknownStep()
