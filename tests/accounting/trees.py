"""Random trees of privacy events."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    GaussianHistogram,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PerEventNoise,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedGaussian,
    ThresholdedHistogram,
    WeightedHistogram,
)


def noise_columns(
    scale: list[float],
    value_range: list[int] | None = None,
    copies: list[int] | None = None,
    origin: list[int] | None = None,
) -> PerEventNoise:
    """Columns with one copy of each case unless said otherwise; each event is a case of its own unless said
    otherwise."""
    n = len(scale)
    cases = np.array(origin if origin is not None else range(n), dtype=np.int64)
    return PerEventNoise(
        case=cases,
        value_range=np.array(value_range if value_range is not None else [1000] * n, dtype=np.int64),
        scale=np.array(scale, dtype=np.float64),
        copies=np.array(copies if copies is not None else [1] * n, dtype=np.int64),
        origin=cases,
        individual=cases,
    )


scales = st.floats(min_value=0.01, max_value=1e6)
facts = st.one_of(st.none(), st.integers(1, 200), st.integers(1, 200).map(Confidential))
bounded_leaves: st.SearchStrategy[PrivacyEvent] = st.one_of(
    st.builds(LaplaceCount, scales, st.integers(1, 5), st.integers(1, 200)),
    st.builds(ThresholdedHistogram, scales, st.integers(2, 500)),
    st.builds(NoisyMax, scales, st.integers(1, 5), st.sampled_from(["control flow", "times"])),
    st.builds(WeightedHistogram, scales, st.integers(1, 50), st.sampled_from(["control flow", "times"])),
    st.just(PostProcessing("order", "random")),
    st.builds(TakenAsPublic, st.sampled_from(["labels", "number of cases"]), st.booleans()),
)
variances = st.one_of(st.integers(5, 10**12), st.fractions(5, 10**12))
gaussian_leaves: st.SearchStrategy[PrivacyEvent] = st.one_of(
    st.builds(
        GaussianHistogram,
        variances,
        st.integers(1, 50),
        st.sampled_from(["control flow", "times"]),
        st.integers(1, 1000),
        st.booleans(),
    ),
    st.builds(ThresholdedGaussian, variances, st.integers(1, 50), st.integers(51, 10**6)),
)
any_leaves: st.SearchStrategy[PrivacyEvent] = st.one_of(
    bounded_leaves,
    gaussian_leaves,
    st.builds(LaplaceCount, scales, st.integers(1, 5), facts),
    st.builds(OneSidedCount, scales),
    st.just(CaseMoves()),
    st.builds(
        lambda scale, public, declared: BoundedLaplace(
            0.2, Confidential(noise_columns([scale, 2 * scale])), public, 2_000 / scale if declared else None, 2
        ),
        st.floats(min_value=1, max_value=1e6),
        st.sampled_from(["public", "data"]),
        st.booleans(),
    ),
    st.builds(DataDependentSelection, st.sampled_from(["variants", "groups", "cases"])),
    st.builds(DataDependentSelection, st.sampled_from(["variants", "groups"]), st.none(), st.just(True)),
    st.just(NonPrivate("a seed")),
)


def composed(leaves: st.SearchStrategy[PrivacyEvent]) -> st.SearchStrategy[PrivacyEvent]:
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.lists(parts, min_size=1, max_size=3).map(lambda found: Sequential(tuple(found))),
            st.builds(
                lambda found, partition: Parallel(tuple(found), partition),
                st.lists(parts, min_size=1, max_size=3),
                st.sampled_from(["public", "value-dependent"]),
            ),
            st.builds(Replicated, parts, st.integers(1, 4)),
            st.builds(RepeatedRelease, parts, st.integers(1, 4)),
            st.builds(SharedByIndividual, parts, facts),
        ),
        max_leaves=6,
    )


bounded_trees = composed(bounded_leaves)
average_trees = composed(st.one_of(bounded_leaves, gaussian_leaves))
"""Of parts that all have a bound on the average, if not on every output."""
any_trees = composed(any_leaves)
