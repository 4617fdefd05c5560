"""ε as a quantity: exact sums, rounding upward, and kinds that do not mix."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounting.errors import AccountingError
from accounting.quantities import (
    NO_MU,
    UNBOUNDED,
    ZERO,
    ZERO_MU,
    Epsilon,
    EpsilonPerMillisecond,
    MuSquared,
    largest,
    rounded_up,
    total,
    two_largest,
)

fractions = st.fractions(min_value=0, max_value=1000)
epsilons = st.one_of(fractions.map(Epsilon), st.just(UNBOUNDED))


@given(st.lists(epsilons, max_size=6))
def test_sums_are_exact_in_any_order(losses: list[Epsilon]) -> None:
    assert total(losses) == total(reversed(losses))
    bounded = [loss.value for loss in losses if loss.value is not None]
    expected = Epsilon(sum(bounded, Fraction(0))) if len(bounded) == len(losses) else UNBOUNDED
    assert total(losses) == expected


@given(st.lists(epsilons, max_size=6))
def test_the_largest_and_the_two_largest(losses: list[Epsilon]) -> None:
    ranked = sorted((math.inf if loss.value is None else loss.value for loss in losses), reverse=True)
    two = sum(ranked[:2])
    assert largest(losses) == (ZERO if not ranked else Epsilon.of(ranked[0]))
    assert two_largest(losses) == Epsilon.of(two if isinstance(two, float) else Fraction(two))


@given(fractions)
def test_what_is_stated_is_never_smaller_and_at_most_a_hair_larger(value: Fraction) -> None:
    stated = rounded_up(value)
    assert value <= Fraction(stated) <= value * (1 + Fraction(1, 10**5))


def test_ten_times_a_tenth_is_one() -> None:
    assert total([Epsilon(Fraction(1, 10))] * 10) == Epsilon(Fraction(1))


@pytest.mark.parametrize("wrong", [-1.0, math.nan, -math.inf])
def test_a_negative_or_undefined_epsilon_is_refused(wrong: float) -> None:
    with pytest.raises(AccountingError):
        Epsilon.of(wrong)


def test_infinity_is_unbounded_and_swallows_everything_but_none_of_it() -> None:
    assert Epsilon.of(math.inf) == UNBOUNDED
    assert UNBOUNDED + ZERO == UNBOUNDED
    assert UNBOUNDED * 0 == ZERO
    assert ZERO < UNBOUNDED
    assert str(UNBOUNDED) == "unbounded"


def test_an_epsilon_per_time_becomes_plain_only_over_a_range() -> None:
    rate = EpsilonPerMillisecond(Fraction(1, 1000))
    assert rate.over(500) == Epsilon(Fraction(1, 2))
    with pytest.raises(TypeError):
        rate + Epsilon(Fraction(1))  # type: ignore[operator]  # that it does not type-check is tested below
    with pytest.raises(TypeError):
        Epsilon(Fraction(1)) + rate  # type: ignore[operator]  # that it does not type-check is tested below


def test_squares_of_mu_add_up_and_a_group_counts_squared() -> None:
    assert MuSquared(Fraction(1, 4)) + MuSquared(Fraction(1, 2)) == MuSquared(Fraction(3, 4))
    assert MuSquared(Fraction(1, 4)) * 3 == MuSquared(Fraction(3, 4))
    assert MuSquared(Fraction(1, 4)).of_group(3) == MuSquared(Fraction(9, 4))
    assert NO_MU + ZERO_MU == NO_MU
    assert NO_MU * 0 == ZERO_MU
    assert ZERO_MU < NO_MU
    with pytest.raises(AccountingError):
        MuSquared(Fraction(-1))
    with pytest.raises(TypeError):
        ZERO + ZERO_MU  # type: ignore[operator]  # an ε and a μ² are never added


def type_check(program: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    root = Path(__file__).parent.parent.parent
    # pyarrow has no stubs; what is asked here is not about its types.
    flags = ["--strict", "--ignore-missing-imports", "--config-file=", f"--cache-dir={tmp_path}/cache"]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *flags, str(path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_mypy_rejects_adding_an_epsilon_per_time_to_a_plain_one(tmp_path: Path) -> None:
    program = """
from fractions import Fraction
from accounting.quantities import Epsilon, EpsilonPerMillisecond
plain, rate = Epsilon(Fraction(1)), EpsilonPerMillisecond(Fraction(1))
total = plain + {addend}
"""
    assert type_check(program.format(addend="plain"), tmp_path).returncode == 0
    wrong = type_check(program.format(addend="rate"), tmp_path)
    assert wrong.returncode == 1
    assert "Unsupported operand types" in wrong.stdout


@pytest.mark.slow
def test_mypy_rejects_a_confidential_value_in_a_public_report(tmp_path: Path) -> None:
    program = """
from accounting.confidential import Confidential
from amun_dp.report.public_report import ReleasedLog
secret = Confidential(7)
released = ReleasedLog(cases={cases}, events=1, variants=1)
"""
    assert "incompatible type" not in type_check(program.format(cases="7"), tmp_path).stdout
    wrong = type_check(program.format(cases="secret"), tmp_path)
    assert wrong.returncode == 1
    assert 'incompatible type "Confidential[int]"; expected "int"' in wrong.stdout


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
@example(Fraction(3, 25))
def test_rounding_up_twice_is_rounding_up_once_and_never_down(value: Fraction) -> None:
    once = rounded_up(value)
    assert Fraction(once) >= value
    assert rounded_up(Fraction(once)) == once
