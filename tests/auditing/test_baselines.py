"""pm4py's anonymisers under audit. What they release is known where noise is next to none (a large ε)."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from accounting.guarantee import Relation
from amun_dp._base.units import HOUR
from amun_dp.auditing.baselines import Pripel, SaCoFa
from amun_dp.auditing.goals import INSIDE, Goal
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases
from amun_dp.auditing.statistics import SIDES, Side, epsilon_bound
from amun_dp.baselines import parent
from amun_dp.errors import ParameterError
from amun_dp.eventlog.case_lists import CaseEvents, log_of_cases
from amun_dp.noise.sources import SystemNoise

NEXT_TO_NONE = 500.0
"""Laplace noise of scale 1/500 reaches 1, and so changes a count, once in e⁵⁰⁰ draws."""


def needs(package: str, extra: str, *, in_ci: bool) -> pytest.MarkDecorator:
    # Where everything is meant to be installed a missing package is a failure, not a skip.
    missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(
        missing and not (in_ci and os.environ.get("CI") == "true"),
        reason=f"{package} is not installed (extra: {extra})",
    )


needs_pm4py = needs("pm4py", "pm4py", in_ci=True)
needs_diffprivlib = needs("diffprivlib", "baselines", in_ci=False)


def case(path: str, start: int = 0, gap: int = HOUR) -> CaseEvents:
    return [(label, start * 24 * HOUR + number * gap) for number, label in enumerate(path)]


def pair_of(left: list[CaseEvents], right: list[CaseEvents], kind: Kind = Kind.CASE, individuals: bool = False) -> Pair:
    return Pair(
        name="made up",
        says="",
        left=log_of_cases(left),
        right=log_of_cases(right),
        relation=Relation.REPLACE if len(left) == len(right) else Relation.ADD_REMOVE,
        kind=kind,
        victim=(0, 0 if len(left) == len(right) else None),
        place=1 if kind is Kind.TIME else None,
        individuals=individuals,
    )


CASES = [case("abc", number) for number in range(5)] + [case("ab", number, 2 * HOUR) for number in range(5, 8)]
ONE_LESS = pair_of(CASES, CASES[1:])
REPLACED = pair_of(CASES, [case("ab"), *CASES[1:]])


def released(releases: Releases, run: int) -> Counter[str]:
    """How often each path was released in a run."""
    paths = [
        "".join(releases.activities[code] for code in releases.activity[begin:end])
        for begin, end, of in zip(releases.offsets[:-1], releases.offsets[1:], releases.run, strict=True)
        if of == run
    ]
    return Counter(paths)


# --- claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", [SaCoFa(0.7, 4, 2), Pripel(0.7, 4, 2)])
def test_a_case_more_or_less_is_claimed_at_epsilon_and_a_replaced_one_at_twice_that(mechanism: SaCoFa | Pripel) -> None:
    for pair, epsilon in ((ONE_LESS, 0.7), (REPLACED, 1.4)):
        claimed = mechanism.claim(pair, Goal.VARIANT)
        assert claimed is not None
        assert claimed.epsilon == epsilon
        assert claimed.delta == 0
        assert claimed.verdict is None


@pytest.mark.parametrize("mechanism", [SaCoFa(0.7, 4, 2), Pripel(0.7, 4, 2)])
def test_nothing_is_claimed_about_the_inside_or_about_all_cases_of_an_individual(mechanism: SaCoFa | Pripel) -> None:
    assert all(mechanism.claim(ONE_LESS, goal) is None for goal in INSIDE)
    assert mechanism.claim(pair_of(CASES, CASES[1:], individuals=True), Goal.VARIANT) is None


def test_pripel_claims_something_about_times_and_sacofa_which_releases_none_does_not() -> None:
    slower = pair_of(CASES, [case("abc", 0, 5 * HOUR), *CASES[1:]], kind=Kind.TIME)
    assert SaCoFa(1, 4, 2).claim(slower, Goal.DURATION) is None
    claimed = Pripel(1, 4, 2).claim(slower, Goal.DURATION)
    assert claimed is not None
    assert claimed.epsilon == 2


def test_pripel_claims_nothing_where_it_cannot_run() -> None:
    single = [case("a", number) for number in range(4)]
    assert Pripel(1, 4, 2).claim(pair_of(single, single[1:]), Goal.VARIANT) is None


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0.0}, {"epsilon": math.inf}, {"k": 0}, {"p": 0}, {"limit": 0.0}, {"limit": math.nan}]
)
def test_parameters_outside_their_domain_are_refused(wrong: dict[str, float]) -> None:
    for mechanism in (SaCoFa, Pripel):
        with pytest.raises(ParameterError):
            mechanism(**{"epsilon": 1.0, "k": 3, "p": 2, **wrong})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("missing", "mechanism", "remedy"),
    [
        ("pm4py", SaCoFa(1, 4, 2), "amun-dp[pm4py]"),
        ("pm4py", Pripel(1, 4, 2), "amun-dp[baselines]"),
        ("diffprivlib", Pripel(1, 4, 2), "amun-dp[baselines]"),
    ],
)
def test_what_is_not_installed_is_named_with_its_remedy(
    missing: str, mechanism: SaCoFa | Pripel, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amun_dp.auditing.baselines.find_spec", lambda name: None if name == missing else object())
    with pytest.raises(ParameterError) as refused:
        mechanism.run(ONE_LESS, 0, 1, SystemNoise())
    assert missing in str(refused.value)
    assert remedy in str(refused.value)


@pytest.fixture
def no_child() -> None:
    """The next run starts a process of its own."""
    if parent._started.cache_info().currsize:
        parent.process().close()


def test_what_is_installed_and_does_not_import_is_told_whatever_it_prints(
    no_child: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "pm4py"
    package.mkdir()
    (package / "__init__.py").write_text("print('Welcome!')\nraise ImportError('DOUBLE')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ParameterError, match=r"ImportError in __init__\.py, line 2.*amun-dp\[baselines\]"):
        SaCoFa(1, 4, 2).run(ONE_LESS, 0, 1, SystemNoise())
    assert capfd.readouterr() == ("", "")


# --- runs -----------------------------------------------------------------------------------------------------------


@needs_pm4py
def test_sacofa_releases_the_log_itself_where_there_is_next_to_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    for side, expected in zip(SIDES, ({"abc": 5, "ab": 3}, {"abc": 4, "ab": 3}), strict=True):
        releases = SaCoFa(NEXT_TO_NONE, 4, 2).run(ONE_LESS, side, 3, SystemNoise())
        assert releases.runs == 3
        assert [released(releases, run) for run in range(3)] == [expected] * 3
        assert releases.cases.tolist() == [sum(expected.values())] * 3
        assert not releases.time.any(), "pm4py dates every event 1970-01-01"
    said = capfd.readouterr()
    assert said.out == said.err == ""


@needs_pm4py
def test_sacofa_cuts_cases_at_k_and_labels_of_any_kind_come_back() -> None:
    labels = ["Überweisung, geprüft", "17", "x\ny"]
    cases: list[CaseEvents] = [[(label, number) for number, label in enumerate(labels)]] * 6
    pair = pair_of(cases, cases[1:])
    releases = SaCoFa(NEXT_TO_NONE, 2, 2).run(pair, 0, 1, SystemNoise())
    assert releases.activities == tuple(sorted(labels[:2]))
    assert [releases.activities[code] for code in releases.activity] == labels[:2] * 6


@needs_pm4py
def test_a_run_in_which_pm4py_leaves_nothing_has_no_cases() -> None:
    releases = SaCoFa(NEXT_TO_NONE, 4, 100).run(ONE_LESS, 0, 2, SystemNoise())
    assert releases.runs == 2
    assert releases.cases.tolist() == [0, 0]


@pytest.mark.slow
@needs_pm4py
def test_runs_differ_from_each_other_and_from_those_of_another_process() -> None:
    def drawn() -> tuple[int, ...]:
        return tuple(SaCoFa(1.0, 4, 2).run(ONE_LESS, 0, 200, SystemNoise()).cases.tolist())

    first = drawn()
    parent.process().close()
    # The two counts have noise of their own, each 0 with probability 1 - e⁻¹; no sum has one above 2/3. Two independent
    # sequences of 200 are the same with probability below (2/3)²⁰⁰ < 10⁻³⁵.
    assert len(set(first)) > 1
    assert first != drawn()


@pytest.mark.slow
@needs_pm4py
def test_sacofa_leaks_more_than_it_claims_as_truncated_noise_must() -> None:
    """int() of Laplace noise is 0 with probability 1 - e⁻¹ and -1 with (e⁻¹ - e⁻²)/2: ε is 1 + ln 2, not 1.

    The event, nine cases ⟨a⟩, is known beforehand, so all runs count. By the exact binomial probabilities the bound
    stays below the claim with probability 2·10⁻¹⁰ and exceeds the truth with probability 8·10⁻¹⁰.
    """
    nine = [case("a", number) for number in range(9)]
    pair = pair_of(nine, [*nine, case("a", 9)])
    mechanism = SaCoFa(1.0, 2, 1)

    def nine_of_one_event(side: Side) -> int:
        releases = mechanism.run(pair, side, 2_000, SystemNoise())
        return int((np.bincount(releases.run[np.diff(releases.offsets) == 1], minlength=2_000) == 9).sum())

    found = float(epsilon_bound(nine_of_one_event(0), nine_of_one_event(1), 2_000, alpha=1e-6))
    claimed = mechanism.claim(pair, Goal.VARIANT)
    assert claimed is not None
    assert claimed.epsilon < found < 1 + math.log(2)


@pytest.mark.slow
@needs_pm4py
def test_a_run_that_does_not_end_is_stopped_released_nothing_and_is_spoken_of() -> None:
    """Every prefix that conforms gets a count in half of all cases, and the tree of 6 activities 40 deep is not ended.
    The log's own prefixes are a hundred cases clear of noise of scale 20: it does not die out either."""
    endless = SaCoFa(0.05, 40, 1, limit=0.5)
    cases = [case(path) for path in ("abcdef", "fedcba", "abcabc", "defdef", "ffeeaa", "acebdf")] * 100
    pair = pair_of(cases, cases[1:])
    with pytest.warns(RuntimeWarning, match=r"2 of 2 runs .* stopped after 0.5 s"):
        releases = endless.run(pair, 0, 2, SystemNoise())
    assert releases.runs == 2
    assert releases.cases.tolist() == [0, 0]
    with pytest.raises(ParameterError, match="did not end within"):
        SaCoFa(0.05, 40, 1, limit=0.2, most_stopped=0).run(pair, 0, 5, SystemNoise())
    # The next question gets its own answer, from a process that was started for it.
    again = SaCoFa(NEXT_TO_NONE, 4, 2).run(ONE_LESS, 0, 1, SystemNoise())
    assert released(again, 0) == {"abc": 5, "ab": 3}


@pytest.mark.slow
@needs_pm4py
def test_who_stops_listening_does_not_get_old_answers_to_a_new_question() -> None:
    job: parent.Job = {
        "pripel": False,
        "epsilon": NEXT_TO_NONE,
        "k": 3,
        "p": 2,
        "memory": None,
        "processor": None,
        "cases": [[("z", 0)]] * 9,
    }
    for outcome in parent.outcomes(job, 50, 10.0):
        assert len(outcome.cases) == 9
        break
    again = SaCoFa(NEXT_TO_NONE, 4, 2).run(ONE_LESS, 0, 1, SystemNoise())
    assert released(again, 0) == {"abc": 5, "ab": 3}


@needs_pm4py
def test_a_failure_inside_pm4py_is_told_by_kind_and_place_and_not_by_its_words() -> None:
    job: parent.Job = {
        "pripel": False,
        "epsilon": 1.0,
        "k": 3,
        "p": 2,
        "memory": None,
        "processor": None,
        "cases": [[]],
    }
    (outcome,) = parent.outcomes(job, 1, 10.0)
    assert outcome.failed is not None
    assert outcome.failed.startswith("IndexError in sacofa.py, line ")


@needs_pm4py
def test_a_mechanism_that_always_fails_is_not_taken_for_a_private_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amun_dp.auditing.baselines.cases_of", lambda log: [[]])
    with pytest.raises(ParameterError, match=r"Every run of SaCoFa .* fails inside pm4py"):
        SaCoFa(1.0, 3, 2).run(ONE_LESS, 0, 3, SystemNoise())


@needs_pm4py
def test_the_process_ends_with_the_one_that_asked_even_amid_a_run() -> None:
    program = """
import os
from amun_dp.baselines import parent
cases = [[(label, 0) for label in path] for path in ("abcdef", "fedcba", "abcabc", "defdef", "ffeeaa", "acebdf")]
child = parent.process()
child.ask([{"pripel": False, "epsilon": 0.001, "k": 40, "p": 1, "memory": None, "processor": None, "cases": cases}, 1])
print(child._process.pid, flush=True)
os._exit(0)
"""
    asked = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert ended(int(asked.stdout))


def ended(process: int, seconds: float = 120.0) -> bool:
    for _ in range(int(seconds * 20)):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@needs_pm4py
@needs_diffprivlib
def test_pripel_releases_the_gaps_of_the_log_as_they_are() -> None:
    """Its control flow is the log's at such an ε, its noise moves whole cases: gaps stay true to the millisecond."""
    cases = [case("ab", 10 * number, HOUR + number) for number in range(8)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        releases = Pripel(NEXT_TO_NONE, 3, 2).run(pair_of(cases, cases[1:]), 0, 3, SystemNoise())
    assert [released(releases, run) for run in range(3)] == [{"ab": 8}] * 3
    gaps = np.diff(releases.time)[::2].reshape(3, 8)
    assert (np.sort(gaps) == HOUR + np.arange(8)).all()


@needs_pm4py
@needs_diffprivlib
def test_pripel_fails_where_no_case_has_two_events_and_so_claims_nothing_there() -> None:
    single = [case("a", number) for number in range(4)]
    with pytest.raises(ParameterError, match="Every run of Pripel"):
        Pripel(NEXT_TO_NONE, 3, 2).run(pair_of(single, single[1:]), 0, 2, SystemNoise())
