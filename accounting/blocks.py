"""Long columns a block at a time.

What a formula computes on the way is as long as its columns. For millions of rows that is fresh memory for every step,
which the kernel fills with zeros first; a block's stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_ROWS = 1 << 17
Number = TypeVar("Number", np.int64, np.float64)


def in_blocks(formula: Callable[..., npt.NDArray[Number]], *columns: npt.NDArray[Any]) -> npt.NDArray[Number]:
    """The formula of the columns, which are equally long; each row of its result must depend on its own row alone."""
    rows = len(columns[0])
    if rows <= _ROWS:
        return formula(*columns)
    result: npt.NDArray[Number] | None = None
    for start in range(0, rows, _ROWS):
        block = formula(*(column[start : start + _ROWS] for column in columns))
        if result is None:
            result = np.empty(rows, dtype=block.dtype)
        result[start : start + _ROWS] = block
    assert result is not None  # there are more rows than a block has
    return result
