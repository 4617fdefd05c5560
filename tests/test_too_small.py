"""Logs that are too small are refused before anything is reserved, by numbers that follow from the noise."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from amun_dp.article_release import draw
from amun_dp.certified.planning import plan_certified
from amun_dp.errors import ReleaseError
from amun_dp.noise import SeededNoise
from amun_dp.spending import open_registry
from amun_dp.too_small import (
    chance_of_coming_through,
    chance_of_nothing,
    deviation,
    least_cases,
    least_certified_cases,
    one_sided_deviation,
)
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, DAY, HOUR, timed
from tests.certified.frequent import UNIQUE, certified, frequent_log
from tests.commandline import run
from tests.logs import log_of, variants_of, words_log

METHODS = ("filtering", "sampling", "oversampling")


@pytest.mark.parametrize("method", METHODS)
def test_a_log_of_one_case_is_refused_and_nothing_is_reserved(method: str, tmp_path: Path) -> None:
    log, registry = log_of([timed("abc", BEGIN, HOUR)]), open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ReleaseError, match=r"(?s)--allow-too-small|filtered"):
        amun_dp.anonymize(log, 0.2, method, registry=registry)
    assert registry.logs() == ()


@pytest.mark.parametrize("form", ["public", "generated", "threshold"])
def test_a_log_of_one_case_is_nothing_but_noise_to_the_certified_method(form: str) -> None:
    with pytest.raises(ReleaseError, match=r"fewer than the \d+ by which noise alone moves a count"):
        certified(log_of([timed("abc", BEGIN, HOUR)]), 0.2, form)


def test_who_insists_gets_the_release_and_nothing_public_tells_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(log_of([timed("abc", BEGIN, HOUR)]), tmp_path / "log.csv")
    flags = ["anonymize", tmp_path / "log.csv", "--advantage", 0.2, "--method", "sampling", "--out", tmp_path / "out"]
    code, out, err = run(capsys, *flags)
    assert (code, out) == (2, "")
    assert "1 case would be released" in err
    code, out, err = run(capsys, *flags, "--allow-too-small")
    assert code == 0
    assert "stand in the release: 1 of 1 (100.0%)" in err
    for name in ("report.json", "report.html", "log.csv"):
        published = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert not {word for word in ("too small", "too-small", "too_small") if word in published}
    inside = json.loads((tmp_path / "out" / "internal" / "report.json").read_text(encoding="utf-8"))
    assert inside["one_of_a_kind"] == {"variants": 1, "released": 1}
    page = (tmp_path / "out" / "internal" / "report.html").read_text(encoding="utf-8")
    assert "Variants that one original case alone has" in page


@given(st.floats(0.05, 50))
def test_deviations_are_those_of_the_law(scale: float) -> None:
    """Against the sum over the law, as far as it matters."""
    numbers = np.arange(-int(60 * scale) - 60, int(60 * scale) + 61)
    weights = np.exp(-np.abs(numbers) / scale)
    two_sided = math.sqrt(weights @ numbers**2 / weights.sum())
    above = numbers >= 0
    mean = weights[above] @ numbers[above] / weights[above].sum()
    one_sided = math.sqrt(weights[above] @ (numbers[above] - mean) ** 2 / weights[above].sum())
    assert deviation(scale) == pytest.approx(two_sided, rel=1e-6)
    assert one_sided_deviation(scale) == pytest.approx(one_sided, rel=1e-6)


@pytest.mark.parametrize(("advantage", "least"), [(0.2, 2), (0.5, 3), (0.75, 5), (0.9, 11)])
def test_the_number_of_cases_leaves_room_for_the_advantage(advantage: float, least: int) -> None:
    """1/N + A < 1: at the boundary with one case less there is none."""
    plan = amun_dp.plan(frequent_log(50), advantage, "sampling")
    assert least_cases(plan) == least
    assert 1 / least + advantage < 1 <= 1 / (least - 1) + advantage


@pytest.mark.parametrize("method", ["sampling", "oversampling"])
def test_the_boundary_is_where_it_is_said_to_be(method: str) -> None:
    """At a small advantage the noise decides."""
    least = least_cases(amun_dp.plan(frequent_log(50), 0.02, method))
    assert least > 10
    alike = [timed("abc", BEGIN + number * DAY, HOUR) for number in range(least)]
    amun_dp.anonymize(log_of(alike), 0.02, method)
    with pytest.raises(ReleaseError, match=f"cannot protect fewer than {least}"):
        amun_dp.anonymize(log_of(alike[1:]), 0.02, method)


def test_the_certified_boundary_is_the_noise_on_one_count() -> None:
    alike = [timed("abc", BEGIN + number * DAY, HOUR) for number in range(60)]
    least = least_certified_cases(amun_dp.plan(log_of(alike), 0.1, "certified", variants="generated").plan)
    scale = 2 / (0.45 * 4 * math.atanh(0.1))
    assert least == math.ceil(math.sqrt(2 * math.exp(-1 / scale)) / (1 - math.exp(-1 / scale))) == 16
    certified(log_of(alike[:least]), 0.1, "generated")
    with pytest.raises(ReleaseError, match="fewer than the 16"):
        certified(log_of(alike[: least - 1]), 0.1, "generated")


def test_a_log_of_unlike_cases_comes_through_as_often_as_is_said_at_least() -> None:
    """400 draws: a true probability of at least the bound falls 5 standard deviations short once in a million times."""
    log, runs = words_log(["abx", "aby", "cd", "ef", "gh"]), 400
    plan = amun_dp.plan(log, 0.2, "sampling")
    bound = chance_of_coming_through(plan)
    q = math.exp(-4 * math.atanh(0.2))
    assert bound == pytest.approx((1 + q) ** -2)  # a and b are shared by two cases, nothing else is
    through = sum(bool((draw(plan, SeededNoise(seed)).copies > 0).all()) for seed in range(runs))
    assert through / runs > bound - 5 * math.sqrt(bound * (1 - bound) / runs)
    with pytest.raises(ReleaseError, match=f"at least {bound:.0%}"):
        amun_dp.anonymize(log, 0.2, "sampling")


def test_cases_that_are_alike_may_have_few_steps() -> None:
    """A variant of many cases discloses none of them."""
    amun_dp.anonymize(words_log(["a"] * 40), 0.2, "sampling")


def test_a_threshold_that_would_probably_leave_nothing_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"no variant would reach the threshold.*--allow-too-small"):
        certified(log_of(UNIQUE), 0.2)


def test_the_chance_of_nothing_is_that_of_the_law() -> None:
    """Every variant by itself, by the sum over the law."""
    log = frequent_log(200)
    planned = amun_dp.plan(log, 0.2, "certified")
    plan = plan_certified(planned.facts, planned.parameters.choices, 0.2)
    assert plan.threshold is not None
    scale = float(2 / plan.budget.flow)
    noise = np.arange(-2_000, 2_001)
    law = np.exp(-np.abs(noise) / scale)
    law /= law.sum()
    counts = np.array([1, 30, plan.threshold, plan.threshold + 20])
    expected = np.prod([law[count + noise < plan.threshold].sum() for count in counts])
    assert chance_of_nothing(counts, plan) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_one_of_a_kind_variants_that_came_through_are_counted(method: str) -> None:
    """As plain Python counts them."""
    log = words_log(["abc"] * 60 + ["abd"] * 50 + ["ad"] * 40 + ["abcd", "bcd", "dcba", "cab", "ba", "bb"])
    release = amun_dp.anonymize(log, 0.3, method, allow_too_small=True)
    words = Counter(
        tuple(log.activities[code] for code in log.activity[start:stop])
        for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True)
    )
    alone = {word for word, number in words.items() if number == 1}
    found = release.internals.reveal().one_of_a_kind
    assert (found.variants, found.released) == (len(alone), len(alone & variants_of(release.event_log)))
    assert release.comparison.reveal().variants.one_of_a_kind == found
    if method == "oversampling":
        assert found.share == 1
