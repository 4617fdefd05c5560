"""Unique names for traces: in XES a name may be missing, or shared by traces that are different cases."""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import TextArray
from amun_dp.reading.coded import Coded, text_array


def name_traces(stated: Coded) -> tuple[TextArray, tuple[str, ...]]:
    """A name for each trace that no other has, and what to say about those that were changed.

    The first trace of a name keeps it, the second becomes "name (2)"; an unnamed one is called by its position.
    """
    unnamed = stated.missing
    _, first = np.unique(stated.codes, return_index=True)
    repeated = ~unnamed
    repeated[first] = False
    names = np.empty(len(stated.codes), dtype=object)
    names[~unnamed] = stated.labels[stated.codes[~unnamed]]

    used = set(stated.labels.tolist())
    next_number: dict[str, int] = {}
    changed = np.flatnonzero(repeated | unnamed).tolist()
    for trace in changed:
        base = f"trace {trace + 1}" if unnamed[trace] else names[trace]
        name, number = base, next_number.get(base, 2)
        while name in used:
            name, number = f"{base} ({number})", number + 1
        next_number[base] = number
        used.add(name)
        names[trace] = name

    notes = []
    if repeats := int(repeated.sum()):
        notes.append(
            f"Traces that have the name of an earlier one: {repeats}. Each trace is a case of its own; such names were "
            "given a number."
        )
    if gaps := int(unnamed.sum()):
        notes.append(f"Traces without a name: {gaps}. They were given one (trace 1, trace 2, …).")
    return text_array(names), tuple(notes)
