"""The budget on Spark: the same fingerprint as on one machine, and charged before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounting.registry import Declared, Registry
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp import anonymize, open_registry
from amun_dp.article.parameters import Parameters
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.spending import reserve_plan
from amun_dp.errors import BudgetError, RegistryRefused
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log
from amun_dp.spark import plan_on_spark
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.logs import log_of
from tests.spark.conftest import MakeStages

HASHER = Hasher(bytes(range(32)))
RULES = Parameters(0.3, "sampling", releases=2)


def same(found: Fingerprint, expected: Fingerprint) -> None:
    assert found.whole == expected.whole
    np.testing.assert_array_equal(found.tokens, expected.tokens)
    assert len(found.alike) == len(expected.alike)
    for one, other in zip(found.alike, expected.alike, strict=True):
        np.testing.assert_array_equal(one.tokens, other.tokens)
        assert (one.share, one.least) == (other.share, other.least)


@pytest.mark.parametrize(
    ("log", "rules"),
    [
        (hospital_log(80, seed=1), Parameters(0.5, "filtering")),
        (generate_log(LogShape(cases=200, activities=300, variants=80, mean_length=6, max_length=9, seed=5)), RULES),
        (log_of([[("ä", 0), ("b", 0), ("ä", 0)], [("c", 5)], [("b", -1), ("a", 10**9)]]), RULES),
    ],
    ids=["filtered", "many labels", "ties"],
)
def test_the_fingerprint_is_that_of_one_machine(
    log: EventLog, rules: Parameters, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    path = parquet(log)
    read = read_log(path)
    plan = plan_on_spark(stages(), path, rules)
    # Of all cases, also of those that filtering removes.
    assert (rules.method == "filtering") == (plan.kept_variant_cases.sum() < read.n_cases)
    same(plan.fingerprint(HASHER), fingerprint(read, HASHER))
    same(plan.fingerprint(HASHER), fingerprint(read, HASHER))  # asked twice
    other = Hasher(bytes(32))  # that of another registry
    same(plan.fingerprint(other), fingerprint(read, other))


@pytest.mark.real_logs
def test_the_fingerprint_of_a_real_log_is_that_of_one_machine(
    real_logs: Path, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    log = read_log(real_logs / "Unrineweginfectie.xes.gz")
    path = parquet(log)
    same(plan_on_spark(stages(), path, RULES).fingerprint(HASHER), fingerprint(read_log(path), HASHER))


def test_a_log_with_more_cases_than_a_registry_can_know_is_refused(
    stages: MakeStages, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_on_spark(stages(), parquet(hospital_log(10)), RULES)
    monkeypatch.setattr("amun_dp.spark.read.case_fingerprints.MOST_TOKENS", 9 * 9)
    with pytest.raises(RegistryRefused, match="up to 9 cases"):
        plan.fingerprint(HASHER)


def release(session: Any, path: str, out: Path, registry: Registry) -> None:
    reserve = partial(reserve_plan, registry, declared=Declared())
    anonymize_on_spark(session, path, out, RULES, noise="exact", partitions=2, reserve=reserve)


def test_releases_of_either_engine_are_charged_to_one_budget(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str]
) -> None:
    path, registry = parquet(hospital_log(30)), open_registry(tmp_path / "registry.sqlite")
    release(session, path, tmp_path / "first", registry)
    (log,) = registry.logs()
    assert [each.published_at is None for each in log.releases] == [False]
    log_read = read_log(path)
    anonymize(log_read, 0.3, "sampling", releases=2, noise="exact", registry=registry).save(tmp_path / "second")
    with pytest.raises(BudgetError, match="nothing left"):
        release(session, path, tmp_path / "third", registry)
    assert not (tmp_path / "third").exists() and len(registry.logs()) == 1
    # Nothing of the stages is left where it was refused.
    assert not list(tmp_path.glob(".amun-dp-*"))


def test_what_was_reserved_stays_spent_when_the_release_fails(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, registry = parquet(hospital_log(30)), open_registry(tmp_path / "registry.sqlite")

    def fail(*_: object) -> None:
        # By now it is on the disk: whoever opens the registry sees it.
        (log,) = open_registry(registry.path).logs()
        assert [each.published_at for each in log.releases] == [None]
        raise RuntimeError("no noise today")

    monkeypatch.setattr("amun_dp.spark.release.draw_release", fail)
    with pytest.raises(RuntimeError, match="no noise"):
        release(session, path, tmp_path / "out", registry)
    (log,) = registry.logs()
    assert [each.published_at for each in log.releases] == [None] and not (tmp_path / "out").exists()
