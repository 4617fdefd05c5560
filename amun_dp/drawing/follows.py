"""The directly-follows graph as a chart, alone or as the difference between two logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.drawing.graph import Arc, Node, draw
from amun_dp.drawing.log_charts import aligned_activities, signed
from amun_dp.drawing.model import LONGEST_TABLE, Cell, Chart, Label, Table, top
from amun_dp.drawing.numbers import ARROW, and_more, count, counted, in_full, share, shorten
from amun_dp.eventlog.figures import LogFigures

MOST_NODES, MOST_EDGES = 12, 24
START, END = "start", "end"
Key = tuple[str | None, str | None]
"""Labels of source and target; None is the start or the end of a case."""


@dataclass(frozen=True, slots=True)
class EdgeCounts:
    """How often one activity directly follows another, in one log or two."""

    key: Key
    after: int
    before: int

    @property
    def most(self) -> int:
        return max(self.after, self.before)

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """All edges of one log or two, as columns: there may be as many as events."""

    labels: tuple[str, ...]
    key: IntArray
    after: IntArray
    before: IntArray

    @property
    def most(self) -> IntArray:
        return np.maximum(self.after, self.before)

    def at(self, places: IntArray) -> list[EdgeCounts]:
        """Those in the given places, as objects."""
        n = len(self.labels)
        ends = [divmod(key, n + 1) for key in self.key[places].tolist()]
        return [
            EdgeCounts((None if a == n else self.labels[a], None if b == n else self.labels[b]), now, then)
            for (a, b), now, then in zip(ends, self.after[places].tolist(), self.before[places].tolist(), strict=True)
        ]

    def between(self, shown: IntArray) -> IntArray:
        """Places of the edges whose both ends are shown, starts and ends included."""
        n = len(self.labels)
        visible = np.zeros(n + 1, dtype=np.bool_)
        visible[shown] = visible[n] = True
        return np.flatnonzero(visible[self.key // (n + 1)] & visible[self.key % (n + 1)])


def edges_of(after: LogFigures, before: LogFigures | None = None) -> Edges:
    """All edges of either log, starts and ends included, the most frequent first; ties in the order of the labels."""
    labels = after.activities if before is None else tuple(sorted({*before.activities, *after.activities}))
    keys, counts = _keyed(after, labels)
    old_keys, old_counts = (keys[:0], counts[:0]) if before is None else _keyed(before, labels)
    every = np.union1d(keys, old_keys)
    now, then = np.zeros(len(every), dtype=np.int64), np.zeros(len(every), dtype=np.int64)
    now[np.searchsorted(every, keys)] = counts
    then[np.searchsorted(every, old_keys)] = old_counts
    order = np.lexsort((every, -np.maximum(now, then)))
    return Edges(labels, every[order], now[order], then[order])


def _keyed(log: LogFigures, labels: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    """Edges as single numbers, source · (n+1) + target in the codes of ``labels``; n is the start or the end."""
    n, follows = len(labels), log.follows
    code_of = {label: code for code, label in enumerate(labels)}
    code = np.array([code_of[label] for label in log.activities], dtype=np.int64)
    starting, ending = np.flatnonzero(follows.starts), np.flatnonzero(follows.ends)
    source = np.concatenate((code[follows.source], np.full(len(starting), n), code[ending]))
    target = np.concatenate((code[follows.target], code[starting], np.full(len(ending), n)))
    counts = np.concatenate((follows.count, follows.starts[starting], follows.ends[ending]))
    keys = source * (n + 1) + target
    order = np.argsort(keys, kind="stable")
    return keys[order], counts[order]


def follows_chart(log: LogFigures) -> Chart:
    """What directly follows what in one log."""
    edges = edges_of(log)
    labels, sizes, _ = aligned_activities(log, None)
    codes = top(sizes, MOST_NODES)
    shown = [labels[each] for each in codes]
    chosen = _choose(edges, codes)
    size = dict(zip(labels, sizes, strict=True))
    nodes = [Node(START), *(Node(name, count(size[name])) for name in shown), Node(END)]
    place = {name: number + 1 for number, name in enumerate(shown)}
    arcs = [
        Arc(*_ends(edge.key, place), edge.after, count(edge.after), f"{_sentence(edge.key)}: {count(edge.after)}")
        for edge in chosen
    ]
    return Chart(
        id="follows",
        title="Directly-follows graph",
        reading="An arrow from one activity to another counts how often the second directly follows the first in the "
        "same case; the wider, the more often. A box says how often its activity occurs.",
        drawing=draw(nodes, arcs),
        shows=f"A graph of {_extent(shown, chosen)}. The widest arrow is {_first(chosen)}.",
        table=_table(
            edges,
            edges.after,
            "steps",
            ("Count", "Share"),
            lambda edge: (count(edge.after), share(edge.after, int(edges.after.sum()))),
        ),
        wide=True,
        note=_left_out(len(labels) - len(shown), edges, chosen),
    )


def difference_chart(after: LogFigures, before: LogFigures) -> Chart:
    """What a release did to the edges: frequencies before, after, and the difference on each edge."""
    edges = edges_of(after, before)
    labels, now, then = aligned_activities(after, before)
    codes = top([max(pair) for pair in zip(now, then, strict=True)], MOST_NODES)
    shown = [labels[each] for each in codes]
    chosen = _choose(edges, codes)
    pairs = {name: f"{count(old)} → {count(new)}" for name, old, new in zip(labels, then, now, strict=True)}
    nodes = [Node(START), *(Node(name, pairs[name]) for name in shown), Node(END)]
    place = {name: number + 1 for number, name in enumerate(shown)}
    arcs = [
        Arc(
            *_ends(edge.key, place),
            edge.most,
            signed(edge.change),
            f"{_sentence(edge.key)}: {count(edge.before)} before, {count(edge.after)} after",
            _kind_of(edge),
        )
        for edge in chosen
    ]
    return Chart(
        id="follows",
        title="Directly-follows graph: what changed",
        reading="The number on an arrow is how much more (+) or less (−) often the second activity directly follows "
        "the first after the release. A dotted arrow occurs no more. The wider, the more frequent in either log.",
        drawing=draw(nodes, arcs),
        shows=f"A graph of {_extent(shown, chosen)}, each with its change.",
        table=_table(
            edges,
            np.abs(edges.after - edges.before),
            "changes",
            ("Before", "After", "Change"),
            lambda edge: (count(edge.before), count(edge.after), signed(edge.change)),
        ),
        wide=True,
        note=_left_out(len(labels) - len(shown), edges, chosen),
    )


def _kind_of(edge: EdgeCounts) -> str:
    if edge.change == 0:
        return "edge"
    return "edge-lost" if not edge.after else "edge-more" if edge.change > 0 else "edge-less"


def _choose(edges: Edges, codes: list[int]) -> list[EdgeCounts]:
    """The most frequent edges between the shown activities, and of each activity the best way in and out."""
    inside = edges.at(edges.between(np.array(codes, dtype=np.int64)))
    needed: dict[Key, EdgeCounts] = {}
    # The start and the end, which are None, are never left hanging either.
    for name in (*(edges.labels[code] for code in codes), None):
        for side in (0, 1):
            ways = [edge for edge in inside if edge.key[side] == name and edge.key[0] != edge.key[1]]
            needed |= {edge.key: edge for edge in ways[:1]}
    for edge in inside:
        if len(needed) < MOST_EDGES:
            needed.setdefault(edge.key, edge)
    return sorted(needed.values(), key=lambda edge: (-edge.most, edge.key[0] or "", edge.key[1] or ""))


def _ends(key: Key, place: dict[str, int]) -> tuple[int, int]:
    return (0 if key[0] is None else place[key[0]], len(place) + 1 if key[1] is None else place[key[1]])


def _names(key: Key) -> tuple[Cell, Cell]:
    return (
        "(start of the case)" if key[0] is None else Label(key[0]),
        "(end of the case)" if key[1] is None else Label(key[1]),
    )


def _sentence(key: Key) -> str:
    return f"{START if key[0] is None else in_full(key[0])}{ARROW}{END if key[1] is None else in_full(key[1])}"


def _first(chosen: list[EdgeCounts]) -> str:
    edge = chosen[0]
    source, target = (each if each is None else shorten(each, 30) for each in edge.key)
    return f"{source or START}{ARROW}{target or END} with {count(edge.after)}"


def _extent(shown: list[str], chosen: list[EdgeCounts]) -> str:
    return f"{counted(len(shown), 'activity', 'activities')} and {counted(len(chosen), 'arrow')}"


def _left_out(more_nodes: int, edges: Edges, chosen: list[EdgeCounts]) -> str:
    more = len(edges.key) - len(chosen)
    if not more:
        return ""
    whole = int(edges.most.sum())
    rest = whole - sum(edge.most for edge in chosen)
    activities = f"{counted(more_nodes, 'more activity', 'more activities')} and " if more_nodes else ""
    return f"Not drawn: {activities}{counted(more, 'more arrow')}, together {share(rest, whole)} of all steps."


def _table(
    edges: Edges, sizes: IntArray, of: str, columns: tuple[str, ...], figures: Callable[[EdgeCounts], tuple[str, ...]]
) -> Table:
    """The edges with the largest sizes; what is left out is a share ``of`` something."""
    listed = np.argsort(-sizes, kind="stable")[:LONGEST_TABLE]
    rest = share(int(sizes.sum() - sizes[listed].sum()), int(sizes.sum()))
    return Table(
        columns=("From", "To", *columns),
        words=2,
        rows=tuple((*_names(edge.key), *figures(edge)) for edge in edges.at(listed)),
        note=and_more(len(sizes) - len(listed), "arrow", ending=f", together {rest} of all {of}"),
    )
