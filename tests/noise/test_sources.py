"""Randomness has the law that it claims, and comes through one door.

Statistical tests run on the operating system's generator, so they can fail by chance; each states with what
probability. A χ² test at level 1e-11 fails a correct sampler once in 10¹¹ runs. That they would catch a
wrong scale is tested too, with the same number of draws. More of the exact samplers: test_exact.py,
test_exact_gaussian.py; of Gaussian noise: test_gaussian_draws.py.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import amun_dp
from amun_dp._base.arrays import IntArray
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.laplace_count import laplace_count_noise, one_sided_count_noise
from amun_dp.noise import opendp_draws
from amun_dp.noise.sources import (
    ExactNoise,
    NoiseSource,
    SeededNoise,
    SystemNoise,
    distinct_below,
    drawn_ahead,
    integers_below,
    noise_source,
    permutation,
    random_names,
    weighted_order,
)

LEVEL = 1e-11
DRAWS = 40_000
SOURCES: list[NoiseSource] = [SystemNoise(), ExactNoise(), SeededNoise(5)]


def laplace_pmf(k: npt.NDArray[np.int64], scale: float) -> npt.NDArray[np.float64]:
    """Exact: P(k) = (1-q)/(1+q)·q^|k|, q = exp(-1/scale)."""
    q = np.exp(-1 / scale)
    result: npt.NDArray[np.float64] = (1 - q) / (1 + q) * q ** np.abs(k)
    return result


def laplace_p_value(draws: IntArray, scale: float) -> float:
    """χ² of the draws against the exact law, in about 40 bins of comparable probability."""
    edges = np.unique(np.round(stats.laplace.ppf(np.linspace(0, 1, 41)[1:-1], scale=scale)).astype(np.int64))
    grid = np.arange(edges[0] - 60 * int(np.ceil(scale)), edges[-1] + 60 * int(np.ceil(scale)) + 1)
    bin_of = np.searchsorted(edges, grid, side="left")
    expected = np.bincount(bin_of, weights=laplace_pmf(grid, scale), minlength=len(edges) + 1) * len(draws)
    observed = np.bincount(np.searchsorted(edges, draws, side="left"), minlength=len(edges) + 1)
    return float(stats.chisquare(observed, expected * len(draws) / expected.sum()).pvalue)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", [0.6, 1.2331, 3.0, 37.0, 5000.0])
def test_discrete_laplace_noise_has_the_exact_law(source: NoiseSource, scale: float) -> None:
    """Among them 3: OpenDP before 0.14.2 divided fractions wrongly, which shows at small whole scales (1e-25)."""
    assert laplace_p_value(source.discrete_laplace(np.full(DRAWS, scale)), scale) > LEVEL


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", [1.2331, 37.0, 5000.0])
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_scale_off_by_a_tenth_would_be_noticed(source: NoiseSource, scale: float, factor: float) -> None:
    assert laplace_p_value(source.discrete_laplace(np.full(DRAWS, scale * factor)), scale) < LEVEL


@pytest.mark.parametrize("source", SOURCES)
def test_every_row_is_drawn_with_its_own_scale(source: NoiseSource) -> None:
    scales = np.tile([0.0, 2.0, 300.0], 20_000)
    draws = source.discrete_laplace(scales)
    assert (draws[::3] == 0).all()
    assert laplace_p_value(draws[1::3], 2.0) > LEVEL
    assert laplace_p_value(draws[2::3], 300.0) > LEVEL
    # Neighbouring rows are independent: correlation within 7 standard errors (3e-12).
    assert abs(np.corrcoef(draws[1::3], draws[2::3])[0, 1]) < 7 / np.sqrt(20_000)


@pytest.mark.parametrize("source", SOURCES)
def test_enormous_scales_saturate_and_do_not_wrap(source: NoiseSource) -> None:
    draws = source.discrete_laplace(np.full(1000, 1e36))
    assert (np.abs(draws.astype(np.float64)) > 2.0**60).all()  # but for 1e-15
    assert 300 < np.count_nonzero(draws > 0) < 700  # 1e-35 for a fair coin


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_one_sided_noise_is_geometric(source: NoiseSource) -> None:
    epsilon = 0.1777
    draws, event = one_sided_count_noise(DRAWS, None, epsilon, source)
    assert draws.min() == 0
    assert isinstance(event.scale, float)
    assert event.scale >= 1 / epsilon
    cells = np.append(np.arange(30), 30)
    expected = (1 - np.exp(-epsilon)) * np.exp(-epsilon * cells)
    expected[-1] = np.exp(-epsilon * 30)
    observed = np.bincount(np.minimum(draws, 30), minlength=31)
    assert stats.chisquare(observed, expected * DRAWS).pvalue > LEVEL
    # Folding |z| would give P(0) = (1-q)/(1+q), half of 1-q: this test tells the two laws apart.
    assert observed[0] > 0.75 * DRAWS * (1 - np.exp(-epsilon))


def test_count_noise_is_never_smaller_than_its_epsilon_asks_for() -> None:
    for epsilon in np.linspace(0.01, 3, 200):
        _, event = laplace_count_noise(1, None, float(epsilon), SeededNoise(1))
        assert isinstance(event.scale, float)
        assert 1 / event.scale <= epsilon


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bound", [1, 3, 6])
def test_integers_below_are_uniform(source: NoiseSource, bound: int) -> None:
    counts = np.bincount(integers_below(source, bound, 30_000), minlength=bound)
    assert len(counts) == bound
    assert bound == 1 or stats.chisquare(counts).pvalue > LEVEL


@pytest.mark.parametrize("source", SOURCES)
def test_a_bound_that_does_not_divide_two_to_the_64_is_not_favoured_at_its_lower_end(source: NoiseSource) -> None:
    # Three quarters of 2^64: without rejection the lowest third would come up twice as often as the others.
    drawn = integers_below(source, 3 << 62, 20_000).view(np.uint64).astype(np.float64)
    thirds = np.bincount((drawn // 2.0**62).astype(np.int64), minlength=3)
    assert stats.chisquare(thirds).pvalue > LEVEL


@pytest.mark.parametrize("source", SOURCES)
def test_permutations_are_uniform(source: NoiseSource) -> None:
    seen = [tuple(permutation(source, 4)) for _ in range(12_000)]
    _, counts = np.unique(np.array(seen), axis=0, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > LEVEL


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("bound", "n"), [(6, 2), (4, 2), (3, 3), (5, 0)])
def test_distinct_numbers_are_a_uniform_set(source: NoiseSource, bound: int, n: int) -> None:
    drawn = [distinct_below(source, bound, n) for _ in range(6_000)]
    assert all(len(set(sample.tolist())) == n for sample in drawn)
    if 0 < n < bound:
        counts = np.bincount(np.concatenate(drawn), minlength=bound)
        # Not a multinomial (members of a set repel), so compare each count with its normal range: 7 sigma, 3e-12 each.
        expected = 6_000 * n / bound
        assert np.abs(counts - expected).max() < 7 * np.sqrt(expected)


@pytest.mark.parametrize("source", SOURCES)
def test_weighted_order_starts_with_each_item_in_proportion_to_its_weight(source: NoiseSource) -> None:
    weights = np.array([1, 2, 7])
    orders = np.array([weighted_order(source, weights) for _ in range(10_000)])
    firsts = np.bincount(orders[:, 0], minlength=3)
    assert stats.chisquare(firsts, 10_000 * weights / weights.sum()).pvalue > LEVEL
    # Given that 2 came first, 1 comes next twice as often as 0.
    seconds = orders[orders[:, 0] == 2, 1]
    assert stats.binomtest(int(np.count_nonzero(seconds == 1)), len(seconds), 2 / 3).pvalue > LEVEL


def test_random_names_are_distinct_and_never_repeat() -> None:
    names = random_names(SystemNoise(), 1000) + random_names(SystemNoise(), 1000)
    assert len(set(names)) == 2000
    assert {len(name) for name in names} == {32}


def test_the_seeded_source_repeats_itself_and_is_not_private() -> None:
    scales = np.full(50, 3.0)
    assert (SeededNoise(9).discrete_laplace(scales) == SeededNoise(9).discrete_laplace(scales)).all()
    assert (SeededNoise(9).discrete_gaussian(scales) == SeededNoise(9).discrete_gaussian(scales)).all()
    assert (SeededNoise(9).bits(5) == SeededNoise(9).bits(5)).all()
    assert not SeededNoise(9).unpredictable
    assert SystemNoise().unpredictable
    assert ExactNoise().unpredictable


def test_noise_is_chosen_by_name_and_a_seed_goes_with_no_choice() -> None:
    assert noise_source(None).sampler == "opendp"
    assert noise_source(None, "exact").sampler == "exact"
    assert noise_source(3).sampler == "seeded"
    with pytest.raises(ParameterError, match="Choose opendp or exact"):
        noise_source(None, "gaussian")
    with pytest.raises(ParameterError, match="leave the seed or the choice of noise out"):
        noise_source(3, "exact")


def test_no_other_module_of_the_package_draws_randomness() -> None:
    package = Path(amun_dp.__file__).parent
    doors = {"random", "secrets", "opendp", "uuid"}
    for module in sorted(package.rglob("*.py")):
        place = module.relative_to(package).as_posix()
        # The generator of synthetic logs is no mechanism: what it draws protects nobody. The local page draws its keys.
        if place in ("noise/sources.py", "noise/opendp_draws.py", "serve/guard.py") or place.startswith("synthetic/"):
            continue
        tree = ast.parse(module.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found = {(node.module or "").split(".")[0]}
            elif isinstance(node, ast.Attribute):
                found = {node.attr} & {"random", "urandom"}
            else:
                continue
            assert not found & (doors | {"urandom"}), f"{module.name}:{node.lineno} draws randomness by itself"


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("failure", [RuntimeError("out of entropy"), IndexError("as from an empty list")])
def test_a_draw_that_fails_leaves_no_row_without_noise(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, law: str
) -> None:
    """Rows begin at zero: a failure that is passed over would release them as they are."""

    def failing(scale: float) -> Any:
        def draw(zeros: IntArray) -> IntArray:
            if scale == 3.0:
                raise failure
            return zeros

        return draw

    monkeypatch.setattr(opendp_draws, law, failing)
    with pytest.raises(type(failure)):
        getattr(SystemNoise(), f"discrete_{law}")(np.repeat(np.arange(1.0, 9.0), 10))


@pytest.mark.parametrize("law", ["discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", [-1.0, np.inf, np.nan])
def test_what_is_not_a_scale_is_refused_and_no_row_goes_without_noise(
    source: NoiseSource, law: str, scale: float
) -> None:
    with pytest.raises(ParameterError, match="finite number that is not negative"):
        getattr(source, law)(np.array([2.0, scale]))


def test_a_source_drawn_ahead_has_the_noise_of_the_source() -> None:
    ahead, source = drawn_ahead(SeededNoise(3)), SeededNoise(3)
    for law in ("discrete_laplace", "discrete_gaussian"):
        assert (getattr(ahead, law)(np.full(20, 5.0)) == getattr(source, law)(np.full(20, 5.0))).all()
