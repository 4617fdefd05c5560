"""Budgets in the library: reserved before noise is drawn, confirmed when the release is in place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from accounting.registry import Amount, DamagedRegistry, Registry, key_file
from amun_dp.article.methods import article_method_named
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.budgets.refusals import SameLogQuestion
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused, ReleaseError
from amun_dp.noise.sources import NoiseSource
from amun_dp.reading import read_log
from amun_dp.release.methods import method_named, register_method, unregister_method
from amun_dp.synthetic import hospital_log
from tests.budgets.releases import LOG, release
from tests.budgets.test_fingerprint import joined, rebuilt

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
        return article_method_named("sampling").sample(control_flow, epsilon, source)

    register_method(replace(article_method_named("sampling"), name="looking", sample=looking))
    try:
        amun_dp.anonymize(LOG, 0.3, method_named("looking"), registry=registry)
    finally:
        unregister_method("looking")
    assert seen == [Amount(Fraction(0))]


def test_what_would_overspend_is_refused_before_any_noise_is_drawn(registry: Registry) -> None:
    def never(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        raise AssertionError("noise was drawn")

    release(registry)
    register_method(replace(article_method_named("sampling"), name="never", sample=never))
    try:
        with pytest.raises(BudgetError, match="nothing left"):
            amun_dp.anonymize(LOG, 0.3, method_named("never"), registry=registry)
    finally:
        unregister_method("never")


def test_a_release_that_would_only_fill_the_memory_spends_nothing(registry: Registry) -> None:
    with pytest.raises(ReleaseError):
        amun_dp.anonymize(LOG, 1e-6, "oversampling", registry=registry)
    assert registry.logs() == ()


def test_a_certified_release_of_nothing_but_noise_spends_nothing(registry: Registry) -> None:
    rows = LOG.to_pandas().assign(patient=LOG.case)
    options: dict[str, Any] = {"variants": "generated", "scope": "individual", "max_cases_per_individual": 100}
    with pytest.raises(ReleaseError, match="number of cases"):
        amun_dp.anonymize(read_log(rows, individual="patient"), 0.0001, "certified", registry=registry, **options)
    assert registry.logs() == ()


def test_a_seeded_release_is_not_recorded(registry: Registry) -> None:
    with pytest.raises(ParameterError, match="seed"):
        release(registry, seed=1)
    assert registry.logs() == ()


def test_whose_log_it_is_can_be_said_in_python(registry: Registry) -> None:
    release(registry, 3)
    part = rebuilt(LOG, rows=LOG.case < 30)
    said: dict[str, Any] = {"registry": registry, "allow_too_small": True}
    with pytest.raises(SameLogQuestion, match=r"Every case of this log \(30\) is in"):
        amun_dp.anonymize(part, 0.3, "sampling", releases=3, **said)
    (known,) = (log.log for log in registry.logs())
    amun_dp.anonymize(part, 0.3, "sampling", releases=3, **said, same_log_as=[known])
    with pytest.raises(ParameterError):
        amun_dp.anonymize(part, 0.3, "sampling", **said, same_log_as=["L-none"])
    with pytest.raises(RegistryRefused, match="the same people"):
        amun_dp.anonymize(rebuilt(LOG, rows=LOG.case < 20), 0.3, "sampling", **said, new_log=True)
    overlapping = joined(rebuilt(LOG, rows=LOG.case < 20), hospital_log(30, seed=3))
    amun_dp.anonymize(overlapping, 0.3, "sampling", **said, new_log=True)
    assert [len(log.releases) for log in registry.logs()] == [2, 1]


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

    from amun_dp.release.save import save_release as save

    monkeypatch.setattr("amun_dp.release.made.save_release", damage)
    with pytest.raises(RegistryRefused, match="Do not release again") as refusal:
        made.save(tmp_path / "out")
    assert str(tmp_path / "out") in str(refusal.value)
    assert (tmp_path / "out" / "report.json").exists()
    registry.path.write_bytes(content)
    assert key.exists()
    assert registry.logs()[0].left == Amount(Fraction(1, 2))
