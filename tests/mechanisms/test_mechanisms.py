"""Each mechanism draws the noise that it records: a scale off by a tenth is noticed.

Drawn from the operating system's generator; a correct mechanism fails a test here with probability below 1e-7.
"""

from __future__ import annotations

import numpy as np
import pytest

from amun_dp.mechanisms.bounded_laplace import RelativeTimes, bounded_laplace
from amun_dp.mechanisms.laplace_count import laplace_count_noise
from amun_dp.noise.sources import SystemNoise
from tests.noise.test_sources import DRAWS, LEVEL, laplace_p_value


@pytest.mark.parametrize("epsilon", [0.8109, 0.1777, 0.02])
def test_count_noise_has_the_recorded_scale_and_that_scale_is_one_over_epsilon(epsilon: float) -> None:
    drawn, event = laplace_count_noise(DRAWS, None, epsilon, SystemNoise())
    assert isinstance(event.scale, float)
    assert event.scale == pytest.approx(1 / epsilon, rel=1e-12)
    assert laplace_p_value(drawn, event.scale) > LEVEL
    assert laplace_p_value(drawn, event.scale * 1.1) < LEVEL
    assert laplace_p_value(drawn, event.scale * 0.9) < LEVEL


@pytest.mark.parametrize("copies", [1, 3])
def test_time_noise_has_the_recorded_scale_and_that_scale_is_range_times_copies_over_loss(copies: int) -> None:
    value = np.arange(DRAWS) % 1_000
    times = RelativeTimes(
        value=value,
        value_range=np.full(DRAWS, 1_000),
        loss=np.full(DRAWS, 0.8),
        copies=np.full(DRAWS, copies),
        case=np.zeros(DRAWS, dtype=np.int64),
        origin=np.zeros(DRAWS, dtype=np.int64),
        individual=np.zeros(DRAWS, dtype=np.int64),
    )
    noised = bounded_laplace(times, 0.2, SystemNoise())
    scale = noised.noise.reveal().scale
    assert len(set(scale.tolist())) == 1
    assert copies * 1_000 / 0.8 <= scale[0] <= copies * 1_000 / 0.8 * (1 + 1 / 32)
    assert laplace_p_value(noised.value - value, float(scale[0])) > LEVEL
    assert laplace_p_value(noised.value - value, float(scale[0]) * 1.1) < LEVEL
    assert laplace_p_value(noised.value - value, float(scale[0]) * 0.9) < LEVEL
