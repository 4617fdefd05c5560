"""All runs of a comparison, as the tables take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amun_dp.article.conventions import Conventions
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import Run


@dataclass(frozen=True, slots=True, eq=False)
class AllRuns:
    """All runs, and what the tables need beside them."""

    facts: Mapping[str, dict[str, Any]]
    """Of each log: its size, and the ε that baselines get."""
    methods: tuple[str, ...]
    """In the order of the columns."""
    advantages: tuple[float, ...]
    """In the order of the rows."""
    conventions: Conventions
    """Those under which the article's methods ran."""
    runs: Mapping[Cell, Sequence[Run]]
    """By log, method and advantage, and for baselines also by ε and pruning."""
