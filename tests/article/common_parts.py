"""The common prefixes and suffixes of the article (Def. 5), read off an automaton."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.dafsa import Dafsa


def common_prefixes(dafsa: Dafsa) -> Iterator[tuple[int, ...]]:
    """Prefixes that lead to a state with more than one way on (Def. 5), as activity codes, each once, sorted."""
    branching = np.bincount(dafsa.source, minlength=dafsa.n_states) > 1
    found: set[tuple[int, ...]] = {()} if branching[0] else set()
    for codes, path in _words(dafsa):
        for end in np.flatnonzero(branching[dafsa.target[path]]):
            found.add(tuple(codes[: end + 1]))
    yield from sorted(found)


def common_suffixes(dafsa: Dafsa) -> Iterator[tuple[int, ...]]:
    """Suffixes that start at a state with more than one way in (Def. 5), as activity codes, each once, sorted."""
    joining = np.bincount(dafsa.target, minlength=dafsa.n_states) > 1
    found: set[tuple[int, ...]] = set()
    for codes, path in _words(dafsa):
        for end in np.flatnonzero(joining[dafsa.target[path]]):
            found.add(tuple(codes[end + 1 :]))
    yield from sorted(found)


def _words(dafsa: Dafsa) -> Iterator[tuple[list[int], IntArray]]:
    offsets = dafsa.variants.offsets
    for start, stop in pairwise(offsets):
        yield dafsa.variants.activity[start:stop].tolist(), dafsa.path[start:stop]
