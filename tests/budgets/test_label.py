"""The label states this release and the total with earlier ones; it never states less than the registry knows."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.accountant import strictest
from accounting.guarantee import Relation, Scope
from accounting.losses import Loss
from accounting.quantities import Epsilon
from accounting.registry import Cost, Declared, Hasher, StrictBudget, UnitLoss
from accounting.registry.chain import Entry, entry
from accounting.registry.decisions import reserve, set_budget
from accounting.registry.outcomes import void
from amun_dp.budgets.earlier_releases import NOT_LOOKED_AT, earlier_from, earlier_of
from amun_dp.budgets.spending import open_registry
from amun_dp.report.card import card_of
from amun_dp.report.public_report import PublicReport
from amun_dp.report.schema import schema_problems
from amun_dp.synthetic import hospital_log
from tests.accounting.registry.helpers import prints
from tests.budgets.releases import alike, drawn, release
from tests.budgets.steward import Steward

GOLDEN = Path(__file__).parents[1] / "golden"


def test_the_label_of_a_second_release_knows_the_first(steward: Steward) -> None:
    """It said 20 points, while the registry knew 38."""
    log = steward.log(hospital_log(300), "log.csv")
    flags = ("--method", "certified", "--variants", "generated", "--advantage", 0.2)
    assert steward.release(log, *flags)[0] == 0
    first = json.loads((steward.folder / "release-1" / "report.json").read_text())
    assert first["earlier_releases"]["others"] == 0
    assert "None before this one" in (steward.folder / "release-1" / "report.html").read_text()
    code, _, err = steward.release(log, *flags)
    assert code == 1
    assert "both releases together cost a whole case ε 1.62187 then: a guess gains at most 38.5 points" in err
    command = err[err.index("set-budget") :].split(" (")[0].split(" --registry")[0].split()
    assert steward.run("registry", *command)[0] == 0
    code, out, err = steward.release(log, *flags)
    assert code == 0, err
    assert "Together with 1 earlier release of this log" in " ".join(out.split())
    report = json.loads((steward.folder / "release-3" / "report.json").read_text())
    assert schema_problems(report) == []
    assert report["earlier_releases"] == {
        "looked_at": True,
        "others": 1,
        "total": [
            {
                "unit": "case",
                "relation": "replace",
                "epsilon": pytest.approx(8 * math.atanh(0.2), rel=1e-5),
                "delta": 0.0,
                "advantage": pytest.approx(math.tanh(2 * math.atanh(0.2)), rel=1e-5),
                "bounded": True,
            },
            {
                "unit": "individual",
                "relation": "replace",
                "epsilon": None,
                "delta": 0.0,
                "advantage": None,
                "bounded": False,
            },
        ],
    }
    page = (steward.folder / "release-3" / "report.html").read_text()
    assert "38.5 points" in page
    assert "on the day of this release" in page
    assert PublicReport.from_dict(report).as_dict() == report


def test_releases_that_are_planned_add_to_one_that_was_not_part_of_the_plan(steward: Steward) -> None:
    """A first release for itself, then two of three: the label says what all three cost beside the first one."""
    log = steward.log(hospital_log(300), "log.csv")
    flags = ("--method", "certified", "--variants", "generated", "--advantage", 0.2)
    assert steward.release(log, *flags)[0] == 0
    name = steward.only_log()
    assert steward.run("registry", "set-budget", name, "--advantage", 0.9)[0] == 0
    alone = 4 * math.atanh(0.2)
    for made in (2, 3):
        assert steward.release(log, *flags, "--releases", 3)[0] == 0
        folder = steward.folder / f"release-{made}"
        report = json.loads((folder / "report.json").read_text())
        of_case = report["earlier_releases"]["total"][0]
        assert report["earlier_releases"]["others"] == made - 1
        assert of_case["epsilon"] == pytest.approx(2 * alone, rel=1e-5)  # before: 4/3, then 5/3 of one
        assert of_case["advantage"] == pytest.approx(math.tanh(2 * math.atanh(0.2)), rel=1e-5)
        number = "1 earlier release" if made == 2 else "2 earlier releases"
        assert f"Together with {number} of this log and all 3 that are planned" in (folder / "report.html").read_text()


def test_without_a_registry_the_label_says_that_none_was_looked_at() -> None:
    report = release(None).report
    assert report.as_dict()["earlier_releases"] == {"looked_at": False}
    assert dict(card_of(report).remarks)["Other releases"].startswith("None was looked at")


def test_reports_from_before_it_was_recorded_looked_at_none() -> None:
    data = json.loads((GOLDEN / "schema-2" / "generated" / "report.json").read_text())
    assert PublicReport.from_dict(data).earlier_releases == NOT_LOOKED_AT


# --- the property ---------------------------------------------------------------------------------------------------

HASHER = Hasher(bytes(range(32)))
LOGS = (("aaaa-1-aaaa", "aaaa-2-bbbb"), ("cccc-1-cccc", "cccc-2-dddd"))
small = st.fractions(0, 3, max_denominator=50)
losses = st.builds(
    Loss, small.map(Epsilon), st.sampled_from([Fraction(0), Fraction("1e-6"), Fraction("3e-4")]), st.booleans()
)
costs = st.builds(
    Cost,
    losses.map(UnitLoss),
    st.one_of(st.just(UnitLoss()), losses.map(UnitLoss)),
    st.sampled_from([Scope.CASE, Scope.INDIVIDUAL]),
    st.none(),
    st.integers(1, 7),
)


@given(st.lists(st.tuples(costs, st.sampled_from(["one", "two", "both"]), st.booleans()), max_size=8), costs)
def test_the_label_never_states_less_than_the_registry_knows(before: list[tuple[Cost, str, bool]], cost: Cost) -> None:
    """Random releases of two logs and of their union, some of them voided, against sums that are done here."""
    entries: list[Entry] = [entry("created")]
    names = []
    for cases in LOGS:
        budget = StrictBudget(Fraction(10**6), Fraction(99, 100))
        added, name = set_budget(entries, prints(HASHER, cases), Declared(), budget)
        entries += added
        names.append(name)
    places = {"one": LOGS[0], "two": LOGS[1], "both": (*LOGS[0], *LOGS[1])}
    counted: list[tuple[Cost, set[str]]] = []
    for number, (one, where, voided) in enumerate([*before, (cost, "both", False)]):
        said = Declared(same_as=tuple(names)) if where == "both" else Declared()
        added, made = reserve(entries, prints(HASHER, places[where]), said, one, f"r{number}", {})
        entries += added
        charged = set(names) if where == "both" else {names[("one", "two").index(where)]}
        # Logs that a release has joined count as one: whoever is in one of them may be in the other.
        linked = set(names) if any(logs == set(names) for _, logs in [*counted, (one, charged)]) else charged
        known = [c for c, logs in counted if logs & linked]
        _check(made.total, one, [known])
        assert made.total.others == len(known)
        if voided:
            entries += void(entries, f"r{number}", "a reason")[0]
        else:
            counted.append((one, charged))


def _check(total: Any, own: Cost, histories: list[list[Cost]]) -> None:
    """What was made adds up, and so do those that are planned with the last one and were not made: as many as it says,
    less those that were planned as often and cost the same."""
    lines = {line.unit: line for line in earlier_of(total).total}
    for name in ("case", "individual"):
        sums, line = [], lines[name]
        for history in histories:
            to_come = [own] * max(0, own.releases - 1 - history.count(own))
            parts = [getattr(one, name).replace for one in [*history, own, *to_come]]
            bounded = all(part.epsilon.value is not None for part in parts)
            sums.append((sum(part.epsilon.value for part in parts) if bounded else None, sum(p.delta for p in parts)))
        mine = getattr(own, name).replace
        if any(epsilon is None for epsilon, _ in sums) or any(delta >= 1 for _, delta in sums):
            assert line.epsilon is None
            assert line.advantage is None
            continue
        sums.append((mine.epsilon.value * own.releases, mine.delta * own.releases))  # what its own label states
        least, delta = (max(column) for column in zip(*sums, strict=True))
        assert line.epsilon is not None
        assert Fraction(line.epsilon) >= least
        assert line.epsilon <= float(least) * (1 + 1e-5)  # and hardly more
        assert Fraction(line.delta) >= delta
        if line.advantage is not None:
            assert line.advantage >= math.tanh(float(least) / 4) * (1 - 1e-12)
        if delta and not all(p.mixture for h in histories for p in (getattr(o, name).replace for o in [*h, own])):
            assert line.advantage is None


releases = st.fixed_dictionaries(
    {
        "advantage": st.sampled_from([0.3, 0.5, 0.8]),
        "variants": st.sampled_from(["threshold", "generated", "public"]),
        "releases": st.integers(1, 3),
    }
)
steps = st.tuples(releases, st.sampled_from([None, None, 2, 10]), st.booleans())


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=4))
def test_real_releases_state_no_less_than_the_sum_of_what_they_were_asked_for(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[dict[str, Any], int | None, bool]]
) -> None:
    registry = open_registry(tmp_path_factory.mktemp("registry") / "r")
    log = alike()
    from amun_dp.budgets.fingerprint import fingerprint

    registry.set_budget(fingerprint(log, registry.hasher), StrictBudget(Fraction(10**6), Fraction(99, 100)))
    case, person = 0.0, 0.0
    for options, members, voided in asked:
        more = {} if members is None else {"scope": "individual", "max_cases_per_individual": members}
        made = drawn(registry, log, "certified", **options, **more)
        whole = 4 * math.atanh(options["advantage"]) / options["releases"]
        of_case = whole if members is None else 2 * whole / members
        of_person = math.inf if members is None else whole
        stated = {line.unit: line.epsilon for line in made.report.earlier_releases.total}
        assert stated["case"] is not None
        assert stated["case"] >= (case + of_case) * (1 - 1e-9)
        assert (math.inf if stated["individual"] is None else stated["individual"]) >= (person + of_person) * (1 - 1e-9)
        for scope in (Scope.CASE, Scope.INDIVIDUAL):
            own = strictest(made.report.guarantees, scope, Relation.REPLACE).epsilon.stated()
            total = stated[scope.value]
            assert total is None or (own is not None and total >= own)
        if voided:
            registry.void(made.report.release_id, "not needed")
        else:
            case, person = case + of_case, person + of_person


def test_what_is_written_is_read_back() -> None:
    assert earlier_from({"looked_at": False}) == NOT_LOOKED_AT
    assert earlier_from(None) == NOT_LOOKED_AT
