"""Distances between two logs, in one call."""

from __future__ import annotations

from amun_dp.evaluation.distances import Distances, distances_between, edge_table, steps_of
from amun_dp.eventlog.log import EventLog


def distances(original: EventLog, released: EventLog) -> Distances:
    return distances_between(edge_table(steps_of(original, released)))
