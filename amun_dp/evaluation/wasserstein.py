"""Wasserstein distance of durations: how far one distribution must be shifted, on average, to become the other."""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray


def wasserstein(before: IntArray, after: IntArray) -> float:
    """Distance of two samples, in the unit of their values; NaN if one of them is empty."""
    samples = (before, np.zeros(len(before), dtype=np.int64)), (after, np.zeros(len(after), dtype=np.int64))
    return float(wasserstein_by_group(1, *samples)[0])


def wasserstein_by_group(
    groups: int, before: tuple[IntArray, IntArray], after: tuple[IntArray, IntArray]
) -> FloatArray:
    """Distance of two samples in each group; NaN for a group that one of them does not have.

    A sample is its values and the group of each. The distance is ∫ |F − G| over the two distribution functions, here
    taken n·m times, with n and m the sizes of the samples: whole numbers, so that equal samples are at exactly 0 and
    one running sum serves all groups (it is back at 0 where a group ends). One sort of all values.
    """
    value, group = (np.concatenate(pair) for pair in zip(before, after, strict=True))
    n, m = (np.bincount(sample[1], minlength=groups) for sample in (before, after))
    rise = np.concatenate((m[before[1]], -n[after[1]]))
    order = np.lexsort((value, group))
    value, group = value[order], group[order]
    height = np.abs(np.cumsum(rise[order])).astype(np.float64)
    area = np.bincount(group[:-1], weights=height[:-1] * np.diff(value), minlength=groups)
    result: FloatArray = np.divide(area, n * m, out=np.full(groups, np.nan), where=(n > 0) & (m > 0))
    return result
