"""Keeping the length of what a case adds within a bound, in whole units and without a square root of a float.

A case adds a vector of whole numbers to a table: how often it is in each cell. Counted in fine units (U to a case) it
is multiplied by a whole number t ≤ U, the same for all its cells, so that its length is at most R·U. The vector is that
of the whole case: a cell that it is in twice counts 2, not twice 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

from accounting.errors import AccountingError


def whole_units(units: int, limit_squared: Fraction, sum_of_squares: int) -> int:
    """t = min(U, ⌊√(R²U²/Σc²)⌋): how many units each of a case's counts is worth, for ``units`` U, ``limit_squared``
    R² and ``sum_of_squares`` Σc².

    Σ(t·c)² ≤ R²U² by construction, and t is the largest such number up to U. A case that adds nothing keeps U.
    """
    if units < 1 or limit_squared <= 0 or sum_of_squares < 0:
        raise AccountingError("units and the limit of a length are positive, and a sum of squares is not negative.")
    if sum_of_squares == 0:
        return units
    limit = Fraction(limit_squared) * units**2 / sum_of_squares
    # ⌊√x⌋ = ⌊√⌊x⌋⌋, because whether a whole number's square is at most x is seen from ⌊x⌋.
    return min(units, math.isqrt(math.floor(limit)))
