"""``python -m amun_dp.evaluation.discovery``: pm4py at work. Logs come on standard input, figures go to the last line.

Called by ``amun_dp.evaluation.models`` and by nobody else: what comes on standard input is trusted.
"""

from __future__ import annotations

import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.evaluation.models import NOISE_THRESHOLD
from amun_dp.eventlog.log import ACTIVITY_COLUMN, CASE_COLUMN, TIME_COLUMN, times_to_pandas

if TYPE_CHECKING:
    import pandas as pd


def main() -> None:
    original, released = (as_frame(*columns) for columns in pickle.load(sys.stdin.buffer))
    found = {"released": fit_of(released, original), "original": fit_of(original, original)}
    sys.stdout.write(f"\n{json.dumps(found)}\n")


def as_frame(activity: IntArray, offsets: IntArray, activities: tuple[str, ...]) -> pd.DataFrame:
    """The log as pm4py likes it. Events of a case are a second apart: to a model only their order matters."""
    import pandas as pd

    case = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return pd.DataFrame(
        {
            CASE_COLUMN: case.astype(str).astype(object),
            ACTIVITY_COLUMN: np.array(activities, dtype=object)[activity],
            TIME_COLUMN: times_to_pandas(1_000 * (np.arange(len(activity)) - offsets[case])),
        }
    )


def fit_of(log: pd.DataFrame, original: pd.DataFrame) -> tuple[float, float, float]:
    """How the model that is discovered from a log fits the original: the fields of ``Fit``."""
    import pm4py

    model: tuple[Any, Any, Any] = pm4py.discover_petri_net_inductive(log, noise_threshold=NOISE_THRESHOLD)
    known = original[ACTIVITY_COLUMN].isin([transition.label for transition in model[0].transitions]).mean()
    fitness = pm4py.fitness_token_based_replay(original, *model)["log_fitness"]
    return float(known), float(fitness), float(pm4py.precision_token_based_replay(original, *model))


if __name__ == "__main__":
    main()
