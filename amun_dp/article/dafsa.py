"""The minimal DAFSA of a log's variants (Def. 4 of the article; Daciuk et al. 2000).

States are the classes of prefixes that can be continued in the same ways. They are found exactly and in bulk: build
the prefix tree of the sorted variants, then, from the leaves upward, give nodes the same state when they agree on
being final and on their (label, state) edges. Nodes of equal height (longest continuation) are interned together.

Cost: O(T log T) for variants of total length T, plus one vectorised step for each distinct height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.arrow import to_numpy
from amun_dp._base.arrays import BoolArray, IntArray, offsets_of, ragged_positions
from amun_dp._base.sorting import order_of_codes
from amun_dp.eventlog.variants import Variants


@dataclass(frozen=True, slots=True, eq=False)
class Dafsa:
    """D = (S, s0, A, Sf): states 0 … n_states-1, 0 the initial one; transitions as three columns."""

    n_states: int
    final: BoolArray
    source: IntArray
    activity: IntArray
    target: IntArray
    path: IntArray
    """Transition taken at each position of each variant, in the order of ``variants.activity``."""
    variants: Variants

    @property
    def n_transitions(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class _PrefixTree:
    node: IntArray
    """Node reached at each position of each variant."""
    parent: IntArray
    label: IntArray
    height: IntArray
    final: BoolArray


def build_dafsa(variants: Variants) -> Dafsa:
    """The minimal DAFSA that accepts exactly the given variants."""
    tree = _prefix_tree(variants)
    state, n_states = _number_by_first_visit(_merge_equivalent(tree))
    n_nodes = len(tree.parent)

    # A transition is determined by its source and label; the tree's edges show each at least once.
    child = np.arange(1, n_nodes)
    n_labels = int(tree.label.max(initial=0)) + 1
    keys = state[tree.parent[child]] * n_labels + tree.label[child]
    unique, first, transition_of_node = np.unique(keys, return_index=True, return_inverse=True)
    final = np.zeros(n_states, dtype=np.bool_)
    final[state] = tree.final
    return Dafsa(
        n_states=n_states,
        final=final,
        source=unique // n_labels,
        activity=unique % n_labels,
        target=state[child[first]],
        path=transition_of_node[tree.node - 1].astype(np.int64, copy=False),
        variants=variants,
    )


def _prefix_tree(variants: Variants) -> _PrefixTree:
    """The prefix tree of lexicographically sorted variants; node 0 is the root, nodes are numbered in preorder."""
    lengths = variants.lengths
    total = len(variants.activity)
    position = np.arange(total) - np.repeat(variants.offsets[:-1], lengths)
    shared = _shared_prefix_lengths(variants)
    is_new = position >= np.repeat(shared, lengths)

    # A position that is not new lies on the path of the preceding variant. Sorted by depth (stable), the node wanted
    # is the last new one at the same depth.
    by_depth = order_of_codes(position, int(lengths.max(initial=0)))
    number = np.cumsum(is_new)
    newest = np.maximum.accumulate(np.where(is_new[by_depth], np.arange(total), -1))
    node = np.empty(total, dtype=np.int64)
    node[by_depth] = number[by_depth[newest]]

    n_nodes = int(number[-1]) + 1 if total else 1
    created = np.flatnonzero(is_new)
    parent = np.zeros(n_nodes, dtype=np.int64)
    parent[1:] = np.where(position[created] == 0, 0, node[created - 1])
    label = np.zeros(n_nodes, dtype=np.int64)
    label[1:] = variants.activity[created]
    height = np.zeros(n_nodes, dtype=np.int64)
    np.maximum.at(height, node, np.repeat(lengths, lengths) - position - 1)
    height[0] = lengths.max(initial=0)
    final = np.zeros(n_nodes, dtype=np.bool_)
    final[node[variants.offsets[1:][lengths > 0] - 1]] = True
    return _PrefixTree(node=node, parent=parent, label=label, height=height, final=final)


def _shared_prefix_lengths(variants: Variants) -> IntArray:
    """Length of the prefix that each variant shares with the one before it."""
    lengths = variants.lengths
    shared = np.zeros(variants.count, dtype=np.int64)
    if variants.count < 2:
        return shared
    overlap = np.minimum(lengths[1:], lengths[:-1])
    before = variants.activity[ragged_positions(variants.offsets[:-2], overlap)]
    after = variants.activity[ragged_positions(variants.offsets[1:-1], overlap)]
    pair = np.repeat(np.arange(len(overlap)), overlap)
    place = ragged_positions(np.zeros(len(overlap), dtype=np.int64), overlap)
    differs = np.flatnonzero(before != after)
    shared[1:] = overlap
    # Written from the last difference to the first, so the first one stays.
    shared[1:][pair[differs][::-1]] = place[differs][::-1]
    return shared


def _merge_equivalent(tree: _PrefixTree) -> IntArray:
    """Class of each node: equal if and only if the sets of continuations are equal."""
    import pyarrow as pa

    n_nodes = len(tree.parent)
    merged = np.zeros(n_nodes, dtype=np.int64)  # every leaf is final and has no edge: class 0
    nodes = order_of_codes(tree.height, int(tree.height[0]) + 1)
    levels, level_start = np.unique(tree.height[nodes], return_index=True)
    rank = np.empty(n_nodes, dtype=np.int64)
    rank[nodes] = np.arange(n_nodes)

    # Edges in the order of their parents above; preorder numbering keeps the labels of one parent ascending.
    child = np.arange(1, n_nodes)
    child = child[order_of_codes(rank[tree.parent[child]], n_nodes)]
    degree = np.bincount(rank[tree.parent[1:]], minlength=n_nodes)
    edge_start = offsets_of(degree)
    signature = np.empty((len(child), 2), dtype=np.int64)
    signature[:, 0] = tree.label[child] * 2 + tree.final[tree.parent[child]]

    classes = 1
    bounds = np.append(level_start, n_nodes)
    for level, low, high in zip(levels, bounds[:-1], bounds[1:], strict=True):
        if level == 0:
            continue
        first, last = edge_start[low], edge_start[high]
        signature[first:last, 1] = merged[child[first:last]]
        rows = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            int(high - low),
            [
                None,
                pa.py_buffer(np.ascontiguousarray((edge_start[low : high + 1] - first) * 16)),
                pa.py_buffer(signature[first:last]),
            ],
        ).dictionary_encode()
        merged[nodes[low:high]] = classes + to_numpy(rows.indices)
        classes += len(rows.dictionary)
    return merged


def _number_by_first_visit(merged: IntArray) -> tuple[IntArray, int]:
    """Renumber classes by their first node in preorder, so that the root's class is state 0."""
    classes, first, inverse = np.unique(merged, return_index=True, return_inverse=True)
    number = np.empty(len(classes), dtype=np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(len(classes))
    return number[inverse], len(classes)
