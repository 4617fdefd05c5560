"""How probable it is that a noised time is released as it was: bounds against the released times themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.article.step7_compression import PublicFacts, rebuild_times
from amun_dp.release.plan import plan
from amun_dp.verification.original.gaps import chance_of_equal, compression_of
from tests.logs import log_of
from tests.verification.releases import made, original

FRAME = PublicFacts(first_start=0, last_start=40, last_time=10_000)
FACTOR = 0.3


def released(start: int, gap: int, conventions: Conventions) -> tuple[int, int]:
    """What becomes of a noised start and a noised gap; in a log whose compression factor is as set above."""
    if conventions is CORRECTED:
        times, _ = rebuild_times(np.array([start, gap]), np.array([0, 2]), FRAME, conventions)
        return int(times[0]), int(times[1] - times[0])
    # f = OR/(AR+OR)/2 = 0.3 for a range of AR = 80/3 among the starts: so scale by hand, as the code does.
    return min(int(np.floor(max(start, 0) * FACTOR)), 40), int(np.floor(max(gap, 0) * FACTOR))


@pytest.mark.parametrize("scale", [2.0, 15.0, 300.0])
@pytest.mark.parametrize("conventions", [CORRECTED, ARTICLE], ids=["fold", "factor"])
def test_the_probability_of_an_equal_time_is_bounded(conventions: Conventions, scale: float) -> None:
    from amun_dp.verification.original.gaps import Compression

    how = Compression(True, 40, 1.0, 1.0) if conventions is CORRECTED else Compression(False, 40, FACTOR, FACTOR)
    law = stats.dlaplace(1 / scale)
    furthest = int(min(25 * scale, 2_000))
    reach = np.arange(-furthest, furthest + 1)
    masses = law.pmf(reach)
    for value in (1, 2, 7, 25, 39):
        starts = np.array([released(value + int(z), 0, conventions)[0] for z in reach])
        gaps = np.array([released(0, value + int(z), conventions)[1] for z in reach])
        for first, equal in ((True, starts == value), (False, gaps == value)):
            exact = masses[equal].sum()
            bound = chance_of_equal(np.array([value]), np.array([scale]), np.array([first]), how)[0]
            assert bound >= exact - 1e-9  # of what is left out beyond the reach
            assert bound <= 1


def test_the_factor_is_found_from_the_released_starts() -> None:
    """Against the factor that the release really used, computed from its noised starts."""
    release = made("sampling", "article")
    planned = plan(original(), 0.5, "sampling", "article")
    found = compression_of(release.event_log, planned)
    starts = release.event_log.starts - planned.public.first_start
    # f·AR is the range of the released starts but for rounding, and AR = OR·(1/(2f) - 1).
    for factor in (found.least, found.most):
        anonymised = planned.public.start_span * (0.5 / factor - 1)
        assert abs(factor * anonymised - np.ptp(starts)) <= 2
    assert 0 < found.least <= found.most <= 0.5
    assert found.most - found.least < 1e-8


def test_logs_with_one_start_have_no_factor_to_find() -> None:
    from amun_dp.verification.checks import NotPossible

    log = log_of([[("a", 0), ("b", 1_000 * number)] for number in range(1, 9)])
    planned = plan(log, 0.3, "sampling", "article")
    release = made("sampling", "article", log=log, advantage=0.3)
    with pytest.raises(NotPossible):
        compression_of(release.event_log, planned)
