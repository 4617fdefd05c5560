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
    """For each log: its size, and the ε that baselines get."""
    methods: tuple[str, ...]
    """The methods, in the order of the columns of the tables."""
    advantages: tuple[float, ...]
    """The advantages, in the order of the rows of the tables."""
    conventions: Conventions
    """The conventions under which the article's methods ran."""
    runs: Mapping[Cell, Sequence[Run]]
    """The runs of each cell: by log, method and advantage, and for baselines also by ε and pruning."""
