"""How a plan is shown in the terminal, by the family of its method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amun_dp.cli.text.certified import describe_certified_plan
from amun_dp.cli.text.results import describe_plan


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """What is printed of a plan."""

    describe: Callable[[str, Any, Any], str]
    """From the name of the log, the parameters and the summary to the text."""
    chosen: Callable[[Any], dict[str, Any]]
    """Parameters that JSON names beside method and advantage."""


PLANS = {
    "article": ShownPlan(describe_plan, lambda parameters: {"conventions": parameters.conventions.name}),
    "certified": ShownPlan(describe_certified_plan, lambda _: {}),
}
"""By family."""
