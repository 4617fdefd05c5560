"""What process mining makes of a release: a model discovered from it, held against the original log. Needs pm4py.

pm4py works in a process of its own (``amun_dp.evaluation.discovery``): it prints to standard output, and on some logs
it takes hours, so that it must be possible to end it. The logs go there through a pipe; nothing is written to a disk.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from amun_dp._base.worker import own_environment
from amun_dp.errors import AmunError, ParameterError
from amun_dp.eventlog.log import EventLog

NOISE_THRESHOLD = 0.2
"""Share of rare behaviour that the inductive miner leaves out (IMf), as is usual."""
MODEL_SECONDS = 300.0
LONGEST = 1_000_000.0
"""Seconds, eleven days: no operating system waits for ever."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A model against the original log, by token-based replay; all figures are between 0 and 1."""

    known: float
    """Share of the original's events whose activity the model has. Token-based replay passes over the others, so that
    fitness says nothing of them."""
    fitness: float
    """How much of the original's behaviour the model replays."""
    precision: float
    """How much of what the model allows is in the original; a model that allows everything has nearly 0."""


@dataclass(frozen=True, slots=True)
class ModelQuality:
    """Models of the inductive miner, discovered from either log."""

    released: Fit
    original: Fit
    """Fitness and precision of the model discovered from the original itself, for comparison."""


class ModelError(AmunError):
    """pm4py did not come to an end, or failed."""


def check_model(seconds: float) -> None:
    """Refuse before any work is done; pm4py is not imported for that."""
    if not 0 < seconds <= LONGEST:
        raise ParameterError(f"The time for models must be above 0 and at most {LONGEST:,.0f} seconds.")
    if find_spec("pm4py") is None:
        raise ParameterError(
            "Models are discovered by pm4py, which is not installed. Install it (pip install 'amun-dp[pm4py]'; its "
            "licence is AGPL-3.0), or evaluate without a model."
        )


def model_quality(original: EventLog, released: EventLog, seconds: float = MODEL_SECONDS) -> ModelQuality:
    """Discover a model from each log and hold it against the original; ModelError if that takes longer."""
    check_model(seconds)
    logs = pickle.dumps([(log.activity, log.offsets, log.activities) for log in (original, released)])
    command = [sys.executable, "-m", "amun_dp.evaluation.discovery"]
    try:
        done = subprocess.run(
            command, input=logs, capture_output=True, timeout=seconds, check=True, env=own_environment()
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"pm4py was not done with the models after {seconds:g} seconds, and was ended.") from error
    except subprocess.CalledProcessError as error:
        raise ModelError(f"pm4py failed (exit code {error.returncode}), so there are no models.") from error
    # pm4py prints what it likes before.
    found = json.loads(done.stdout.splitlines()[-1])
    return ModelQuality(released=Fit(*found["released"]), original=Fit(*found["original"]))
