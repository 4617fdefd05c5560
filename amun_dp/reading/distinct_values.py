"""The distinct values of a pandas column, such that no row decides how another one is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp._base.arrays import IntArray

if TYPE_CHECKING:
    import pandas as pd


def distinct_values(series: pd.Series[Any]) -> tuple[IntArray, Any]:
    """The values of a pandas column that are spelled differently, and which of them each row has, -1 for missing.

    Python takes 1, 1.0 and True for the same, as it does two hours of one clock that is set back: in a column of mixed
    objects the one that comes first would decide how the others are read.
    """
    import pandas as pd

    if not pd.api.types.is_object_dtype(series.dtype) or pd.api.types.infer_dtype(series, skipna=True) == "string":
        return pd.factorize(series)
    values = series.to_numpy()
    missing = np.asarray(pd.isna(series), dtype=np.bool_)
    kind, _ = pd.factorize(np.frompyfunc(type, 1, 1)(values))
    spelling, spellings = pd.factorize(np.frompyfunc(str, 1, 1)(values))
    _, first, codes = np.unique(kind * (len(spellings) + 1) + spelling, return_index=True, return_inverse=True)
    # In the order of their first rows, as cases are numbered.
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.where(missing, -1, rank[codes]), [None if missing[row] else values[row] for row in first[order].tolist()]
