"""What a release says of itself together with earlier ones: as much as the publisher's registry knew when it was made.

A later release changes nothing in an earlier one's report: the total is of the day on which the release was made. Where
several were planned it holds for all of them, those of the plan that are still to come included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounting.guarantee import Relation, Scope
from accounting.losses import Loss
from accounting.parts import implied_advantage
from accounting.quantities import rounded_up
from accounting.registry import Total

OTHERS_KNOWN, OTHERS_UNKNOWN = "With earlier releases", "Other releases"
"""How the label names what it says of them."""


@dataclass(frozen=True, slots=True)
class TotalLine:
    """What all these releases together cost one unit, replaced by another. Figures are rounded up."""

    unit: str
    """``case`` or ``individual``."""
    epsilon: float | None
    """None: nothing bounds it."""
    delta: float
    """The δ of approximate differential privacy; 0 where there is none, or no bound."""
    advantage: float | None
    """By how much a guess about the unit gains at most; None: no bound follows."""

    def as_dict(self) -> dict[str, Any]:
        """As it stands in ``report.json``."""
        return {
            "unit": self.unit,
            "relation": Relation.REPLACE.value,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "advantage": self.advantage,
            "bounded": self.epsilon is not None,
        }


@dataclass(frozen=True, slots=True)
class EarlierReleases:
    """Whether earlier releases of the log were looked at, and what they and this one cost together."""

    looked_at: bool = False
    """Whether a registry was asked."""
    others: int = 0
    """Earlier releases that it knows, confirmed or not; those that were voided do not count."""
    total: tuple[TotalLine, ...] = ()
    """For a case and for an individual: this release and those, together, and those that are planned with it."""

    def as_dict(self) -> dict[str, Any]:
        """As it stands in ``report.json``."""
        if not self.looked_at:
            return {"looked_at": False}
        return {"looked_at": True, "others": self.others, "total": [line.as_dict() for line in self.total]}


NOT_LOOKED_AT = EarlierReleases()
"""No registry was asked, or the report is from before that was recorded."""


def earlier_from(data: Mapping[str, Any] | None) -> EarlierReleases:
    """What ``as_dict`` wrote; older reports say nothing of it."""
    if data is None or not data["looked_at"]:
        return NOT_LOOKED_AT
    lines = (TotalLine(one["unit"], one["epsilon"], one["delta"], one["advantage"]) for one in data["total"])
    return EarlierReleases(True, data["others"], tuple(lines))


def earlier_of(total: Total | None) -> EarlierReleases:
    """What a registry knew when it reserved a release; None: none was asked."""
    if total is None:
        return NOT_LOOKED_AT
    return EarlierReleases(True, total.others, tuple(_line(unit, loss) for unit, loss in total.losses))


def _line(unit: Scope, loss: Loss) -> TotalLine:
    epsilon = loss.epsilon.stated()
    if epsilon is None:
        return TotalLine(unit.value, None, 0.0, None)
    delta = rounded_up(loss.delta) if loss.delta else 0.0
    return TotalLine(unit.value, epsilon, delta, implied_advantage(loss, unit, Relation.REPLACE))
