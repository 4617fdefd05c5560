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
    starts = range(0, max(len(columns[0]), 1), _ROWS)
    parts = [formula(*(column[start : start + _ROWS] for column in columns)) for start in starts]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
