"""Runs a release, keeps what it measured, and runs it again on another log with the same noisy outputs.

Later measurements depend on earlier outputs, so neighbouring logs are compared given the same outputs, as in the
proof of adaptive composition.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import amun_dp.certified
from amun_dp._base.arrays import IntArray
from amun_dp.certified import Certified, CertifiedChoices, PublicFacts
from amun_dp.certified.flow import threshold
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences, spelled
from amun_dp.mechanisms import histograms
from amun_dp.mechanisms.histograms import Measured, MeasuredKeys
from amun_dp.noise.sources import NoiseSource, SeededNoise
from tests.certified.in_memory import certify

Histogram = dict[tuple[int, ...], int]


class PretendsPrivate(SeededNoise):
    """Repeatable, but accounted as if it were not."""

    unpredictable = True


@dataclass
class Measurement:
    """One call: what was measured, with which declared sensitivity, and what came out."""

    kind: str
    values: Any
    weight: int
    epsilon: Fraction
    output: Any
    event: object


@dataclass
class Change:
    """How one measurement of another log differs from the taped one."""

    index: int
    kind: str
    weight: int
    l1: int
    largest: int


@dataclass
class Tape:
    """Stands in for ``measuring``: records, or plays back what was recorded and notes the differences."""

    noise: NoiseSource
    measurements: list[Measurement] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    position: int | None = None
    """Next measurement to play back; None while recording."""
    variants: Sequences | None = None

    def noisy_counts(self, values: IntArray, weight: int, epsilon: Fraction, of: Any, _: NoiseSource) -> Measured:
        assert values.dtype == np.int64
        assert (values >= 0).all()
        if self.position is None:
            output = histograms.noisy_counts(values, weight, epsilon, of, self.noise)
            self.measurements.append(Measurement("counts", values.copy(), weight, epsilon, output, output.event))
            return output
        taped = self._next("counts", weight, epsilon)
        assert taped.values.shape == values.shape, "the cells depend on the log"
        self._note(taped, np.abs(taped.values - values))
        result: Measured = taped.output
        return result

    def noisy_choice(
        self, scores: IntArray, offsets: IntArray, sensitivity: int, epsilon: Fraction, of: Any, _: NoiseSource
    ) -> Any:
        assert scores.dtype == offsets.dtype == np.int64
        if self.position is None:
            output = histograms.noisy_choice(scores, offsets, sensitivity, epsilon, of, self.noise)
            taped = Measurement("choice", (scores.copy(), offsets.copy()), sensitivity, epsilon, output, output[1])
            self.measurements.append(taped)
            return output
        taped = self._next("choice", sensitivity, epsilon)
        assert (taped.values[1] == offsets).all(), "the offsets depend on the log"
        self._note(taped, np.abs(taped.values[0] - scores))
        return taped.output

    def thresholded_counts(self, counts: IntArray, threshold: int, epsilon: Fraction, _: NoiseSource) -> MeasuredKeys:
        keys = self._keys()
        histogram = dict(zip(keys, counts.tolist(), strict=True))
        if self.position is None:
            output = histograms.thresholded_counts(counts, threshold, epsilon, self.noise)
            kept = [key for key, seen in zip(keys, output.kept.tolist(), strict=True) if seen]
            self.measurements.append(Measurement("threshold", histogram, 1, epsilon, (kept, output), output.event))
            return output
        taped = self._next("threshold", 1, epsilon)
        every = sorted(histogram.keys() | taped.values.keys())
        moved = np.array([abs(histogram.get(key, 0) - taped.values.get(key, 0)) for key in every])
        self._note(taped, moved)
        kept, output = taped.output
        assert set(kept) <= set(keys), "this output has probability 0 here, but for the failure that δ bounds"
        return MeasuredKeys(np.array([key in set(kept) for key in keys]), output.values, output.event)

    def spelled(self, words: Any, activities: int) -> Sequences:
        self.variants = spelled(words, activities)
        return self.variants

    def _keys(self) -> list[tuple[int, ...]]:
        assert self.variants is not None
        bounds = self.variants.offsets
        return [tuple(self.variants.activity[a:b].tolist()) for a, b in pairwise(bounds)]

    def _next(self, kind: str, weight: int, epsilon: Fraction) -> Measurement:
        assert self.position is not None
        taped = self.measurements[self.position]
        self.position += 1
        assert (taped.kind, taped.weight, taped.epsilon) == (kind, weight, epsilon), (
            "what is measured depends on the log"
        )
        return taped

    def _note(self, taped: Measurement, moved: IntArray) -> None:
        assert self.position is not None
        l1, largest = int(moved.sum()), int(moved.max(initial=0))
        self.changes.append(Change(self.position - 1, taped.kind, taped.weight, l1, largest))

    def rewind(self) -> None:
        self.position = 0


def taped(monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> Tape:
    """Put a tape in the place of every use of ``histograms`` in the package."""
    tape = Tape(SeededNoise(seed))
    for module in pkgutil.walk_packages(amun_dp.certified.__path__, "amun_dp.certified."):
        loaded = importlib.import_module(module.name)
        if loaded is histograms:
            continue
        for name in ("noisy_counts", "noisy_choice", "thresholded_counts"):
            if hasattr(loaded, name):
                monkeypatch.setattr(loaded, name, getattr(tape, name))
    monkeypatch.setattr(threshold, "spelled", tape.spelled)
    return tape


def run(
    log: EventLog,
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float = 0.4,
    bits: int = 5,
    releases: int = 1,
) -> Certified:
    return certify(log, facts, choices, advantage, releases, SeededNoise(bits))
