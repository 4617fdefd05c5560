"""Gaps between events: true ones survive no more often than the noise predicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import amun_dp
import amun_dp.article.methods
from accounting.events import PerEventNoise
from amun_dp._base.units import DAY, HOUR
from amun_dp.article.conventions import CORRECTED
from amun_dp.eventlog.log import EventLog
from amun_dp.internals.figures import Internals
from amun_dp.release.made import Release
from amun_dp.synthetic import LogShape, generate_log
from tests.logs import log_of
from tests.release.test_release import METHODS


def noise_of(release: Release) -> PerEventNoise:
    assert release.noise is not None
    return release.noise.reveal()


def surplus_of_true_gaps(log: EventLog, release: Release) -> float:
    """Upper bound (Bernstein) on the probability of so many released gaps that equal their original.

    Under the noise the ledger states, the gap g of an event stays exactly g with probability P(Z=0) for g > 0, and
    with P(Z≤0) for g = 0 (negative durations become 0). Events at the public last timestamp were cut there: left out.
    """
    released = release.event_log
    scale, origin = noise_of(release).scale, noise_of(release).origin
    position = np.arange(released.n_events) - released.offsets[released.case]
    original_row = log.offsets[origin] + position
    true_gap = np.diff(log.time, prepend=0)[original_row]
    gap = np.diff(released.time, prepend=0)
    counted = (position > 0) & (released.time < log.time.max())
    with np.errstate(divide="ignore"):
        stays = np.tanh(1 / (2 * scale))
    chance = np.where(true_gap > 0, stays, (1 + stays) / 2)[counted]
    surplus = np.count_nonzero((gap == true_gap)[counted]) - chance.sum()
    if surplus <= 0:
        return 1.0
    variance = (chance * (1 - chance)).sum()
    return float(np.exp(-(surplus**2) / (2 * (variance + surplus / 3))))


@pytest.mark.slow
def test_true_gaps_are_no_more_frequent_than_the_noise_predicts() -> None:
    # False alarm below 1e-9: the bound holds for every sum of independent indicators.
    log = generate_log(LogShape(cases=2_000, variants=60, activities=10, mean_length=8, max_length=20, seed=4))
    for method in METHODS:
        assert surplus_of_true_gaps(log, amun_dp.anonymize(log, 0.2, method)) > 1e-9


@pytest.mark.real_logs
@pytest.mark.parametrize("name", ["Sepsis", "Unrineweginfectie", "BPIC20_PermitLog"])
def test_true_gaps_of_a_real_log_are_no_more_frequent_than_the_noise_predicts(real_logs: Path, name: str) -> None:
    log = amun_dp.read_log(real_logs / f"{name}.xes.gz")
    for method in METHODS:
        assert surplus_of_true_gaps(log, amun_dp.anonymize(log, 0.2, method)) > 1e-9


def test_the_check_for_true_gaps_catches_noise_that_is_smaller_than_stated() -> None:
    # Durations of 1 to 19 ms and noise of scale near 20 ms: a gap stays what it is with probability of about 1/40. Of
    # 20,000 gaps some 500 do; a tenfold overstated scale predicts 50, and 500 is then 60 standard deviations away.
    generator = np.random.default_rng(1)
    gaps = generator.integers(1, 20, size=20_000).tolist()
    log = log_of([[("a", DAY * day), ("b", DAY * day + gap)] for day, gap in enumerate(gaps)])
    narrow = replace(CORRECTED, window=1, start_window=1)
    honest = amun_dp.anonymize(log, 0.2, "sampling", narrow)
    assert surplus_of_true_gaps(log, honest) > 1e-9
    tenfold = replace(noise_of(honest), scale=noise_of(honest).scale * 10)
    assert surplus_of_true_gaps(log, replace(honest, noise=amun_dp.Confidential(tenfold))) < 1e-9


def test_released_cases_are_in_an_order_that_says_nothing_about_the_original() -> None:
    log = generate_log(LogShape(cases=3_000, variants=20, activities=8, mean_length=5, max_length=12, seed=8))
    release = amun_dp.anonymize(log, 0.4, "sampling")
    origin = noise_of(release).origin[release.event_log.offsets[:-1]]
    # Rank correlation of a uniform permutation of 3,000: standard deviation 0.018; 6 of them fail by chance at 2e-9.
    assert abs(stats.spearmanr(np.arange(len(origin)), origin).statistic) < 6 / np.sqrt(len(origin) - 1)


def test_one_value_groups_keep_their_gap_under_the_article_s_conventions_and_not_under_the_corrected() -> None:
    cases = [[("a", DAY * day), ("b", DAY * day + HOUR)] for day in range(50)] + [[("z", DAY * 60)]]
    log = log_of(cases)
    article = amun_dp.anonymize(log, 0.3, "sampling", "article")
    figures = article.internals.reveal()
    assert isinstance(figures, Internals)
    assert figures.events_without_noise > 0
    corrected = amun_dp.anonymize(log, 0.3, "sampling", "corrected")
    gaps = np.diff(corrected.event_log.time)[corrected.event_log.case[1:] == corrected.event_log.case[:-1]]
    assert np.count_nonzero(gaps == HOUR) < 5  # each with probability 1e-7
