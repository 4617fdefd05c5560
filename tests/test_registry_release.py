"""Budgets in the library: reserved before noise is drawn, checked against what was done, confirmed when in place."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.accountant import account
from accounting.events import (
    LaplaceCount,
    OneSidedCount,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    register_event,
)
from accounting.quantities import UNBOUNDED, Epsilon
from accounting.registry import (
    Amount,
    Budget,
    Cost,
    DamagedRegistry,
    Declared,
    PublishedBudget,
    Registry,
    StrictBudget,
    key_file,
)
from accounting.registry.budgets import epsilon_of
from accounting.registry.views import PUBLISHED_FACT
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused, ReleaseError
from amun_dp.fingerprint import fingerprint
from amun_dp.generator import hospital_log
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.mechanisms.sampling import ControlFlow, Sampled
from amun_dp.methods import method_named, register_method, unregister_method
from amun_dp.noise import NoiseSource
from amun_dp.planning import _divided
from amun_dp.spending import SameLogQuestion, Spending, alone, open_registry, reserve
from tests.test_fingerprint import joined, rebuilt

ROOT = Path(__file__).parents[1]
LOG = hospital_log(60)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(tmp_path / "registry.sqlite")


def release(registry: Registry | None, releases: int = 1, **arguments: Any) -> amun_dp.Release:
    return amun_dp.anonymize(LOG, 0.3, "sampling", releases=releases, registry=registry, **arguments)


# --- in order -------------------------------------------------------------------------------------------------------


def test_without_a_registry_nothing_is_recorded(data_folder: Path) -> None:
    assert release(None).spending is None
    assert list(data_folder.iterdir()) == []


def test_a_release_is_reserved_when_it_is_made_and_confirmed_when_it_is_saved(
    registry: Registry, tmp_path: Path
) -> None:
    made = release(registry, 2)
    (log,) = registry.logs()
    assert (log.left, log.releases[0].published_at) == (Amount(Fraction(1, 2)), None)
    assert log.releases[0].release == made.report.release_id
    report = made.save(tmp_path / "out")
    (log,) = registry.logs()
    assert (log.left, log.releases[0].release) == (Amount(Fraction(1, 2)), report.release_id)
    assert log.releases[0].published_at is not None
    made.save(tmp_path / "again")  # the same release in another place costs nothing more
    assert registry.logs()[0].left == log.left


def test_the_reservation_is_on_the_disk_before_any_noise_is_drawn(registry: Registry) -> None:
    seen = []

    def looking(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        seen.append(registry.logs()[0].left)
        return method_named("sampling").sample(control_flow, epsilon, source)

    register_method(replace(method_named("sampling"), name="looking", sample=looking))
    try:
        amun_dp.anonymize(LOG, 0.3, "looking", registry=registry)
    finally:
        unregister_method("looking")
    assert seen == [Amount(Fraction(0))]


def test_what_would_overspend_is_refused_before_any_noise_is_drawn(registry: Registry) -> None:
    def never(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        raise AssertionError("noise was drawn")

    release(registry)
    register_method(replace(method_named("sampling"), name="never", sample=never))
    try:
        with pytest.raises(BudgetError, match="nothing left"):
            amun_dp.anonymize(LOG, 0.3, "never", registry=registry)
    finally:
        unregister_method("never")


def test_a_release_that_would_only_fill_the_memory_spends_nothing(registry: Registry) -> None:
    with pytest.raises(ReleaseError):
        amun_dp.anonymize(LOG, 1e-6, "oversampling", registry=registry)
    assert registry.logs() == ()


def test_a_seeded_release_is_not_recorded(registry: Registry) -> None:
    with pytest.raises(ParameterError, match="seed"):
        release(registry, seed=1)
    assert registry.logs() == ()


def test_whose_log_it_is_can_be_said_in_python(registry: Registry) -> None:
    release(registry, 3)
    part = rebuilt(LOG, rows=LOG.case < 30)
    with pytest.raises(SameLogQuestion, match=r"Every case of this log \(30\) is in"):
        amun_dp.anonymize(part, 0.3, "sampling", releases=3, registry=registry)
    (known,) = (log.log for log in registry.logs())
    amun_dp.anonymize(part, 0.3, "sampling", releases=3, registry=registry, same_log_as=[known])
    with pytest.raises(ParameterError):
        amun_dp.anonymize(part, 0.3, "sampling", registry=registry, same_log_as=["L-none"])
    with pytest.raises(RegistryRefused, match="the same people"):
        amun_dp.anonymize(rebuilt(LOG, rows=LOG.case < 20), 0.3, "sampling", registry=registry, new_log=True)
    overlapping = joined(rebuilt(LOG, rows=LOG.case < 20), hospital_log(30, seed=3))
    amun_dp.anonymize(overlapping, 0.3, "sampling", registry=registry, new_log=True)
    assert [len(log.releases) for log in registry.logs()] == [2, 1]


# --- what was really done -------------------------------------------------------------------------------------------


@register_event("test-unknown-step")
@dataclass(frozen=True, slots=True)
class UnknownStep(PrivacyEvent):
    """Nobody told the accountant."""


@pytest.mark.parametrize("fault", ["an unknown step", "less noise"])
def test_a_method_that_costs_more_than_was_reserved_is_refused_and_stays_spent(registry: Registry, fault: str) -> None:
    def faulty(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        more = UnknownStep() if fault == "an unknown step" else LaplaceCount(0.9 / epsilon)
        return Sampled(cases=control_flow.cases, event=Sequential((LaplaceCount(1 / epsilon), more)))

    register_method(replace(method_named("sampling"), name="faulty", sample=faulty))
    try:
        with pytest.raises(BudgetError, match="more than was reserved"):
            amun_dp.anonymize(LOG, 0.3, "faulty", registry=registry)
    finally:
        unregister_method("faulty")
    (log,) = registry.logs()
    assert log.left == Amount(Fraction(0))


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
@pytest.mark.parametrize("conventions", ["article", "corrected"])
@pytest.mark.parametrize("individuals", [None, 3])
def test_the_articles_methods_cost_what_they_reserve(
    method: str, conventions: str, individuals: int | None, registry: Registry
) -> None:
    for number in range(2):
        amun_dp.anonymize(
            LOG, 0.37, method, conventions, releases=2, max_cases_per_individual=individuals, registry=registry
        )
        assert registry.logs()[0].left == Amount(Fraction(1 - number, 2))


@given(
    st.one_of(st.floats(1e-6, 1 - 1e-6), st.integers(1, 99).map(lambda percent: percent / 100)),
    st.sampled_from([1, 2, 3, 7, 1000]),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["sampling", "oversampling"]),
)
def test_counts_calibrated_as_planned_are_never_taken_for_dearer(
    advantage: float, releases: int, individuals: int | None, method: str
) -> None:
    """A false alarm would cost the steward a budget, so none is allowed at any advantage."""
    whole = np.array([method_named(method).control_flow_epsilon(advantage)])
    epsilon = float(_divided(whole, releases * (individuals or 1))[0])
    tree: PrivacyEvent = (LaplaceCount if method == "sampling" else OneSidedCount)(count_scale(epsilon))
    tree = tree if individuals is None else SharedByIndividual(tree, individuals)
    tree = Sequential((tree if releases == 1 else RepeatedRelease(tree, releases),))
    cost = Cost(UNBOUNDED, advantage=Fraction(repr(advantage)), releases=releases)
    pending(cost).check(tree, account(tree))


def pending(cost: Cost) -> Spending:
    """A reservation that is in no registry: enough for what is checked without one."""
    from accounting.registry import Hasher, Reservation

    return Spending(Registry(Path("none"), Hasher(bytes(32))), Reservation("name", (), cost))


def test_a_strict_release_is_held_to_the_bound_that_was_reserved() -> None:
    tree = Sequential((RepeatedRelease(LaplaceCount(10.0, cells_per_case=1), 4),))
    for epsilon, fits in ((Fraction(1, 5), True), (Fraction(19, 100), False)):  # 2 cells of 1/10, in this one release
        spending = pending(Cost(Epsilon(epsilon), releases=4))
        if fits:
            spending.check(tree, account(tree))
        else:
            with pytest.raises(BudgetError):
                spending.check(tree, account(tree))
    assert alone(tree) == Sequential((LaplaceCount(10.0, cells_per_case=1),))


def test_a_strict_budget_is_spent_by_a_method_that_has_a_bound(registry: Registry) -> None:
    cost = Cost(Epsilon(Fraction(1, 2)), Fraction("1e-7"), releases=2)
    spending = charge(registry, cost, "one", {"method": "certified"}, Declared())
    assert spending.reservation.charges[0].budget == StrictBudget(Fraction(1), Fraction("2e-7"))
    with pytest.raises(BudgetError, match=r"has ε 0\.5, δ 1e-07 left, and this release would spend ε 0\.6"):
        charge(registry, Cost(Epsilon(Fraction(3, 5))), "two", {}, Declared())
    with pytest.raises(BudgetError, match="no release without a strict bound"):
        release(registry)


def charge(registry: Registry, cost: Cost, release: str, details: dict[str, Any], declared: Declared) -> Spending:
    return reserve(registry, fingerprint(LOG, registry.hasher), cost, release, details, declared)


UNCALIBRATED = Cost(Epsilon(Fraction(1, 2)))
APPROXIMATE = Cost(Epsilon(Fraction(1, 2)), Fraction("1e-7"))
THIRD = Cost(UNBOUNDED, advantage=Fraction(1, 5), releases=3)
WHOLE = Cost(UNBOUNDED, advantage=Fraction(1, 5))
STRICT, PUBLISHED = StrictBudget(Fraction(1), Fraction("1e-6")), PublishedBudget(Fraction(1, 5))


@pytest.mark.parametrize(
    ("budget", "before", "asked", "says", "never"),
    [
        (PUBLISHED, [WHOLE], THIRD, "cannot be released again", "set-budget"),
        (PUBLISHED, [WHOLE], UNCALIBRATED, "cannot be released again", "set-budget"),
        (PUBLISHED, [WHOLE], APPROXIMATE, "cannot be released again", "set-budget"),
        (PUBLISHED, [THIRD], WHOLE, "--releases 2", "set-budget"),
        (PUBLISHED, [THIRD], APPROXIMATE, "Nor would a budget in the strict reading", "set-budget"),
        (PUBLISHED, [], APPROXIMATE, "--reading strict --epsilon E --dp-delta D", "Nor would"),
        (
            PUBLISHED,
            [THIRD],
            Cost(UNBOUNDED, advantage=Fraction(1, 2)),
            "0.2 or less, or raise the budget with amun-dp registry set-budget; either way with --releases 2",
            "strict",
        ),
        (STRICT, [APPROXIMATE], WHOLE, "no way out", "set-budget"),
        (STRICT, [Cost(Epsilon(Fraction(9, 10)))], WHOLE, "larger than advantage 0.2", "set-budget"),
        (STRICT, [], WHOLE, "--reading published --advantage 0.2", "no way out"),
        (STRICT, [Cost(Epsilon(Fraction(9, 10)))], UNCALIBRATED, "raise the budget", "published"),
    ],
)
def test_a_refusal_advises_only_what_helps(
    registry: Registry, budget: Budget, before: list[Cost], asked: Cost, says: str, never: str
) -> None:
    registry.set_budget(fingerprint(LOG, registry.hasher), budget)
    for number, cost in enumerate(before):
        charge(registry, cost, str(number), {}, Declared())
    with pytest.raises(BudgetError) as refusal:
        charge(registry, asked, "asked", {}, Declared())
    assert says in str(refusal.value)
    assert never not in str(refusal.value).replace(PUBLISHED_FACT, "")


def test_a_spent_published_budget_of_releases_with_a_strict_bound_can_be_raised(registry: Registry) -> None:
    """Their part of a larger budget is smaller; that of a calibrated release is not."""
    log = registry.set_budget(fingerprint(LOG, registry.hasher), PUBLISHED)
    bound = Cost(Epsilon(epsilon_of(PUBLISHED.advantage) / 2))
    for number, cost in enumerate((bound, bound)):
        charge(registry, cost, str(number), {}, Declared())
    with pytest.raises(BudgetError, match="--reading strict"):
        charge(registry, bound, "more", {}, Declared())
    registry.set_budget(log, PublishedBudget(Fraction(1, 2)))
    charge(
        registry,
        Cost(UNBOUNDED, advantage=Fraction(1, 5), releases=2),
        "calibrated",
        {},
        Declared(),
    )
    left = registry.log(log).left
    assert left is not None
    charge(
        registry,
        Cost(Epsilon(left.value * epsilon_of(Fraction(1, 2)))),
        "rest",
        {},
        Declared(),
    )
    with pytest.raises(BudgetError, match="leaves some again, though never more than 1/2 of it"):
        charge(registry, bound, "more", {}, Declared())


def test_a_certified_release_sets_a_strict_budget_and_spends_its_part(registry: Registry, tmp_path: Path) -> None:
    made = amun_dp.anonymize(hospital_log(600), 0.5, "certified", variants="generated", releases=2, registry=registry)
    (log,) = registry.logs()
    assert isinstance(log.budget, StrictBudget)
    assert log.strictly_bounded
    assert log.spent == log.left
    assert log.releases[0].details["method"] == "certified"
    made.save(tmp_path / "out")
    assert registry.logs()[0].releases[0].published_at is not None


# --- a registry that goes away --------------------------------------------------------------------------------------


def test_a_release_is_not_put_in_place_if_its_entry_is_gone(registry: Registry, tmp_path: Path) -> None:
    release(registry, 3)
    older = registry.path.read_bytes()
    made = release(registry, 3)
    registry.path.write_bytes(older)
    with pytest.raises(RegistryRefused, match="not in the registry any more"):
        made.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_release_is_not_put_in_place_if_its_registry_is_gone(registry: Registry, tmp_path: Path) -> None:
    made = release(registry)
    registry.path.rename(tmp_path / "away")
    with pytest.raises(RegistryRefused, match="is gone") as refusal:
        made.save(tmp_path / "out")
    assert isinstance(refusal.value.__cause__, DamagedRegistry)
    assert not (tmp_path / "out").exists()
    (tmp_path / "away").rename(registry.path)
    made.save(tmp_path / "out")
    assert registry.logs()[0].releases[0].published_at is not None


def test_a_release_that_cannot_be_confirmed_says_where_it_is_and_stays_spent(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = release(registry, 2)
    key, content = key_file(registry.path), registry.path.read_bytes()

    def damage(*arguments: Any, **named: Any) -> Any:
        found = save(*arguments, **named)
        registry.path.write_bytes(content[:-1])
        return found

    from amun_dp.folder import save_release as save

    monkeypatch.setattr("amun_dp.folder.save_release", damage)
    with pytest.raises(RegistryRefused, match="Do not release again") as refusal:
        made.save(tmp_path / "out")
    assert str(tmp_path / "out") in str(refusal.value)
    assert (tmp_path / "out" / "report.json").exists()
    registry.path.write_bytes(content)
    assert key.exists()
    assert registry.logs()[0].left == Amount(Fraction(1, 2))


# --- kills ----------------------------------------------------------------------------------------------------------

DRIVER = """
import json, os, signal, sys
from pathlib import Path

from amun_dp.cli import main
from accounting.registry import open_registry

log, folder, stride = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
WATCHED = ("accounting/registry", "amun_dp/spending", "amun_dp/release", "amun_dp/folder", "amun_dp/writing/folder")
figures = {"kills": 0, "published": 0, "only_reserved": 0, "untouched": 0}


def die_at_step(left):
    def count(frame, event, argument):
        nonlocal left
        if any(part in frame.f_code.co_filename for part in WATCHED):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def run(number):
    place = folder / str(number)
    place.mkdir()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        die_at_step(number * stride)
        flags = ["--advantage", "0.3", "--method", "sampling", "--registry", f"{place}/r", "--out", f"{place}/out"]
        os._exit(main(["anonymize", log, *flags]))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    logs = open_registry(place / "r").logs()
    (state,) = [one for found in logs for one in found.releases] or [None]
    report = place / "out" / "report.json"
    if report.exists():
        # Whole, and the very release that is in the registry.
        assert json.loads(report.read_text())["release"]["id"] == state.release
        assert {"log.csv", "internal"} <= {one.name for one in (place / "out").iterdir()}
    else:
        assert not (place / "out").exists()
        assert state is None or state.published_at is None
    for found in logs:
        assert found.left is None or found.left.value >= 0
    if status:
        figures["kills"] += 1
        figures["published" if report.exists() else "untouched" if state is None else "only_reserved"] += 1
    return status == 0


# Once in this process, so that its children have everything imported.
sys.stdout, shown = open(os.devnull, "w"), sys.stdout
main(["anonymize", log, "--advantage", "0.3", "--method", "sampling", "--no-registry", "--out", f"{folder}/first"])
sys.stdout = shown
number = 1
while not run(number):
    number += 1
print(json.dumps(figures))
"""


def test_the_command_killed_at_any_step_never_publishes_what_is_not_in_the_registry(tmp_path: Path) -> None:
    from amun_dp.writing import write_log

    write_log(hospital_log(30), tmp_path / "log.csv")
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "log.csv"), str(tmp_path), "131"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["kills"] > 15
    assert min(figures["untouched"], figures["only_reserved"], figures["published"]) > 0
