"""Logs that are too small are refused before anything is reserved, by numbers that follow from the noise."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from amun_dp._base.units import DAY, HOUR
from amun_dp.budgets.spending import open_registry
from amun_dp.certified.draft import plan_certified
from amun_dp.errors import ReleaseError
from amun_dp.noise.sources import SeededNoise
from amun_dp.release.article import draw
from amun_dp.release.too_small import (
    SMALLEST_SHARE,
    chance_of_nothing,
    coming_through,
    deviation,
    least_cases,
    least_certified_cases,
    one_sided_deviation,
)
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, timed
from tests.certified.frequent import UNIQUE, certified, frequent_log
from tests.commandline import run
from tests.logs import log_of, variants_of, words_log

METHODS: tuple[Any, ...] = ("filtering", "sampling", "oversampling")


@pytest.mark.parametrize("method", METHODS)
def test_a_log_of_one_case_is_refused_and_nothing_is_reserved(method: Any, tmp_path: Path) -> None:
    log, registry = log_of([timed("abc", BEGIN, HOUR)]), open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ReleaseError, match=r"(?s)allow_too_small=True|filtered"):
        amun_dp.anonymize(log, 0.2, method, registry=registry)
    assert registry.logs() == ()


@pytest.mark.parametrize("form", ["public", "generated", "threshold"])
def test_a_log_of_one_case_is_nothing_but_noise_to_the_certified_method(form: Any) -> None:
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
def test_the_boundary_is_where_it_is_said_to_be(method: Any) -> None:
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


@pytest.mark.parametrize(("advantage", "too_many", "shared"), [(0.1, 1, 0), (0.2, 2, 0), (0.5, 3, 0), (0.6, 4, 2)])
def test_variants_of_one_case_come_through_together_as_often_as_is_said_at_least(
    advantage: float, too_many: int, shared: int
) -> None:
    """400 draws: a true probability of at least the bound falls 5 standard deviations short once in a million times.
    Of five cases, to guess one of k paths is right with k/5; a and b are shared by two of them, nothing else is."""
    log, runs = words_log(["abx", "aby", "cd", "ef", "gh"]), 400
    plan = amun_dp.plan(log, advantage, "sampling")
    found = coming_through(plan)
    q = math.exp(-4 * math.atanh(advantage))
    assert (found.variants, found.of) == (too_many, 5)
    assert found.variants / found.of > advantage >= (found.variants - 1) / found.of
    assert found.chance == pytest.approx((1 + q) ** -shared)
    drawn = [draw(plan, SeededNoise(seed)).copies > 0 for seed in range(runs)]
    spared = [number for number, word in enumerate(["abx", "aby", "cd", "ef", "gh"]) if shared or word[0] != "a"]
    through = sum(bool(copies[spared].all()) for copies in drawn)
    assert through / runs >= found.chance - 5 * math.sqrt(found.chance * (1 - found.chance) / runs)
    with pytest.raises(ReleaseError, match=f"{too_many} of 5 cases have.*at least {found.chance:.0%}"):
        amun_dp.anonymize(log, advantage, "sampling")


def test_in_a_log_of_a_few_nobody_s_variant_comes_through_unseen() -> None:
    """The third case shares no step with the others: no noise removes it. Of four, one to be guessed is within 0.3."""
    with pytest.raises(ReleaseError, match=r"1 of 3 cases have a variant of their own.*at least 100%"):
        amun_dp.anonymize(words_log(["ab", "ab", "cd"]), 0.3, "sampling")
    release = amun_dp.anonymize(words_log(["ab", "ab", "ab", "cd"]), 0.3, "sampling")
    found = release.internals.reveal().one_of_a_kind
    assert (found.variants, found.released) == (1, 1)  # counted instead


def test_oversampling_is_refused_where_a_single_variant_is_too_many() -> None:
    """It deletes none, of however many cases: only the size at which one gains more than the advantage decides."""
    words = ["ab"] * 18 + ["cd"]
    assert coming_through(amun_dp.plan(words_log(words), 0.05, "oversampling")).chance == 1.0
    assert coming_through(amun_dp.plan(words_log(["ab", *words]), 0.05, "oversampling")).chance == 0.0


_FEW = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=7)


@given(_FEW, st.sampled_from([0.05, 0.2, 0.3, 0.45]))
def test_what_comes_through_is_counted_as_sets_count_it(words: list[str], advantage: float) -> None:
    """By all sets of so many variants of one case alone, and the steps that any of them shares with another case: the
    bound is that of some set. (A step is told by where it leads from and to: here by all that is before and after.)"""
    found = coming_through(amun_dp.plan(words_log(words), advantage, "sampling"))
    alone = [word for word in words if words.count(word) == 1]
    too_many = math.floor(Fraction(str(advantage)) * len(words)) + 1
    if len(alone) < too_many:
        assert (found.variants, found.chance) == (0, 0.0)
        return
    q = math.exp(-4 * math.atanh(advantage))
    steps = {word: _steps(word, set(words)) for word in words}
    shared = {step for step, cases in Counter(step for word in words for step in steps[word]).items() if cases > 1}
    chances = [
        (1 + q) ** -len(shared & set().union(*(steps[word] for word in chosen)))
        for chosen in combinations(alone, too_many)
    ]
    assert found.variants == too_many
    assert any(found.chance == pytest.approx(chance) for chance in chances)
    if too_many == 1:
        assert found.chance == pytest.approx(max(chances))


def _steps(word: str, words: set[str]) -> set[tuple[frozenset[str], str, frozenset[str]]]:
    """Transitions of the minimal automaton on the path of a word: states are told by how they can be continued."""

    def continued(prefix: str) -> frozenset[str]:
        return frozenset(other[len(prefix) :] for other in words if other.startswith(prefix))

    return {(continued(word[:place]), word[place], continued(word[: place + 1])) for place in range(len(word))}


def test_cases_that_are_alike_may_have_few_steps() -> None:
    """A variant of many cases discloses none of them."""
    amun_dp.anonymize(words_log(["a"] * 40), 0.2, "sampling")


def test_a_threshold_that_would_probably_leave_nothing_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"no variant would reach the threshold.*allow_too_small=True"):
        certified(log_of(UNIQUE), 0.2)


def test_a_threshold_that_keeps_hardly_any_case_is_refused_and_says_what_would_help(tmp_path: Path) -> None:
    """A variant of 150 cases among 2,000 that have one of their own."""
    frequent = [timed("ab", BEGIN + number * HOUR, HOUR) for number in range(150)]
    log = log_of([*frequent, *(timed("c" * number, BEGIN, HOUR) for number in range(1, 2_001))])
    kept = amun_dp.plan(log, 0.3, "certified").summary.reveal().expected_kept
    assert 0.05 < kept < SMALLEST_SHARE
    registry = open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(
        ReleaseError, match=r"keep 7\.0% of 2,150 cases, less than 10%.*variants='generated'"
    ) as refused:
        certified(log, 0.3, registry=registry)
    for help in ("a larger advantage lowers the threshold", "a smaller `dp_delta` raises it", "allow_too_small=True"):
        assert help in str(refused.value)
    assert registry.logs() == ()
    with pytest.warns(amun_dp.PublisherWarning, match=r"expected to keep 7\.0% of the cases"):
        certified(log, 0.3, allow_too_small=True)


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
def test_one_of_a_kind_variants_that_came_through_are_counted(method: Any) -> None:
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
