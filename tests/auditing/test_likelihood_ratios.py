"""What a certified release measured, played back on the neighbouring log."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from amun_dp.article.conventions import CORRECTED
from amun_dp.auditing.certified_mechanism import CertifiedMechanism, _drawn, _prepared, _ratio
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.log_pairs import individual_pairs_from_log, pairs_from_log
from amun_dp.auditing.pairs import Pair
from amun_dp.auditing.tape import NotAlikeError, Playback, Recorder
from amun_dp.auditing.worst_cases import worst_case_pairs
from amun_dp.certified.choices import CertifiedChoices, VariantForm
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.mechanisms.gaussian_histogram import noisy_gaussian_sums
from amun_dp.mechanisms.histograms import noisy_counts
from amun_dp.noise.sources import SeededNoise
from tests.certified.cases import ordinary_cases, with_individuals
from tests.logs import log_of

FORMS: tuple[VariantForm, ...] = ("threshold", "public", "generated")


def everything() -> Pair:
    return next(pair for pair in worst_case_pairs(0.3, CORRECTED) if pair.everything)


def settings(form: VariantForm, advantage: float = 0.3, individuals: int | None = None) -> CertifiedSettings:
    return CertifiedSettings(advantage, CertifiedChoices(form, individuals=individuals))


@pytest.mark.parametrize("form", FORMS)
def test_a_log_is_as_likely_as_itself(form: VariantForm) -> None:
    rules, pair = settings(form), everything()
    for seed in range(20):
        tape = Recorder(SeededNoise(seed))
        _drawn(rules, _prepared(rules, pair, 0), tape)
        assert _ratio(rules, _prepared(rules, pair, 0), tape) == 0


@pytest.mark.parametrize("form", FORMS)
def test_the_ratio_of_one_histogram_is_that_of_its_cells(form: VariantForm) -> None:
    """Computed again from the recorded values, cell by cell, with the mass of the discrete Laplace law."""
    rules, pair = settings(form), everything()
    tape = Recorder(SeededNoise(4))
    _drawn(rules, _prepared(rules, pair, 0), tape)
    other = Recorder(SeededNoise(4))
    _drawn(rules, _prepared(rules, pair, 1), other)
    first, there = tape.measurements[0], other.measurements[0]
    if first.chosen:  # of a noisy choice nothing is counted
        first, there = tape.measurements[1], other.measurements[1]
    playback = Playback(tape)
    playback._place = tape.measurements.index(first)
    playback.plus_noise(there.values, first.scale, chosen=False)
    expected = sum(
        np.log(mass(noisy - here, first.scale) / mass(noisy - elsewhere, first.scale))
        for noisy, here, elsewhere in zip(first.noisy, first.values, there.values, strict=True)
    )
    assert playback.ratio == pytest.approx(expected)


@pytest.mark.parametrize("sigma_squared", [Fraction(7, 2), Fraction(1 << 60)])
def test_the_ratio_of_gaussian_sums_is_that_of_their_law(sigma_squared: Fraction) -> None:
    """ln of exp(-a²/2σ²)/exp(-b²/2σ²), cell by cell, in fractions."""
    here, there = np.array([5, 1 << 20, 0]), np.array([6, 1 << 20, 3])
    tape = Recorder(SeededNoise(4))
    measured = noisy_gaussian_sums(here, 3, sigma_squared, "times", tape)
    playback = Playback(tape)
    assert (noisy_gaussian_sums(there, 3, sigma_squared, "times", playback).values == measured.values).all()
    squares = [
        (int(z) - int(b)) ** 2 - (int(z) - int(a)) ** 2 for z, a, b in zip(measured.values, here, there, strict=True)
    ]
    assert playback.ratio == pytest.approx(float(sum(squares) / (2 * measured.record.sigma_squared)))


def test_a_tape_of_another_law_or_sigma_is_not_alike() -> None:
    tape = Recorder(SeededNoise(4))
    noisy_gaussian_sums(np.array([5]), 1, Fraction(4), "times", tape)
    with pytest.raises(NotAlikeError):
        noisy_gaussian_sums(np.array([5]), 1, Fraction(9), "times", Playback(tape))
    with pytest.raises(NotAlikeError):
        noisy_counts(np.array([5]), 1, Fraction(1), "times", Playback(tape))  # of scale 2, too


def mass(k: int, scale: float) -> float:
    q = np.exp(-1 / scale)
    return float((1 - q) / (1 + q) * q ** abs(int(k)))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_no_run_ever_exceeds_the_claimed_epsilon(form: VariantForm) -> None:
    """Not a statistical statement: each outcome's ratio is bounded, so one that exceeds it would refute the claim."""
    rules = settings(form)
    for pair in (everything(), next(pair for pair in pairs_from_log(log_of(ordinary_cases(30))) if pair.everything)):
        mechanism = CertifiedMechanism(rules)
        claimed = mechanism.claim(pair, Goal.MEASUREMENTS)
        if claimed is None:
            assert form == "threshold"  # a variant of its own is another cell there
            continue
        for side in (0, 1):
            ratios = mechanism.run(pair, 0 if side == 0 else 1, 150, SeededNoise(side)).inside[Goal.MEASUREMENTS]
            assert np.abs(ratios).max() <= claimed.epsilon
            assert np.abs(ratios).max() > 0.1 * claimed.epsilon  # and it is no idle bound


@pytest.mark.slow
def test_the_same_holds_for_an_individual_with_several_cases() -> None:
    rules = settings("generated", individuals=3)
    log = with_individuals(ordinary_cases(30), [number // 3 for number in range(30)])
    pair = next(pair for pair in individual_pairs_from_log(log) if pair.everything)
    claimed = CertifiedMechanism(rules).claim(pair, Goal.MEASUREMENTS)
    assert claimed is not None
    assert claimed.epsilon == pytest.approx(4 * np.arctanh(0.3))
    ratios = CertifiedMechanism(rules).run(pair, 0, 100, SeededNoise(2)).inside[Goal.MEASUREMENTS]
    assert np.abs(ratios).max() <= claimed.epsilon


def test_a_tape_that_does_not_fit_is_no_ratio() -> None:
    """Under a threshold the cells are the variants that occur; one more variant is another measurement."""
    rules = settings("threshold")
    pair = next(pair for pair in pairs_from_log(log_of(ordinary_cases(30))) if pair.everything)
    tape = Recorder(SeededNoise(1))
    _drawn(rules, _prepared(rules, pair, 0), tape)
    assert _ratio(rules, _prepared(rules, pair, 1), tape) is None
    assert CertifiedMechanism(rules).claim(pair, Goal.MEASUREMENTS) is None
