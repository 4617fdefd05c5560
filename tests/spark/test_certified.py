"""The certified method on Spark measures what one machine measures, and its release is one like any other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounting.registry import Declared
from accounting.registry.keys import Hasher
from amun_dp import anonymize, load_release, open_registry, verify
from amun_dp._base.units import DAY
from amun_dp.auditing.tape import Recorder
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.spending import reserve_plan
from amun_dp.certified import GivenFacts
from amun_dp.certified.cases import Cases, prepare, variant_of
from amun_dp.certified.choices import VariantForm
from amun_dp.certified.draw import Certified, certify_cases
from amun_dp.certified.errors import SensitivityExceededError
from amun_dp.certified.flow.generated import _Activities
from amun_dp.certified.flow.weighting import WeightedBySteps
from amun_dp.certified.plan import Certifiable, PlannedCertified, plan_release
from amun_dp.certified.population import InMemory
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.cli import main
from amun_dp.errors import BudgetError, EngineError, ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms.histograms import UNITS
from amun_dp.noise.sources import SeededNoise
from amun_dp.reading import read_log
from amun_dp.release.methods import requested
from amun_dp.spark.certified.certified_plan import CertifiedSparkPlan, plan_certified_on_spark
from amun_dp.spark.certified.worker_population import _Then
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.verification.checks import Outcome
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, EXTREMES, ordinary_cases, timed
from tests.certified.frequent import frequent_log
from tests.logs import log_of
from tests.spark.conftest import MakeStages
from tests.spark.test_individuals import WHO, rows_of_people

FORMS: tuple[VariantForm, ...] = ("threshold", "public", "generated")


def settings(form: Any, advantage: float = 0.6, given: GivenFacts | None = None) -> CertifiedSettings:
    own = form == "public" and (given is None or given.variants is None)
    rules = requested(advantage, "certified", variants=form, public=given, variants_from_log=own)
    assert isinstance(rules, CertifiedSettings)
    return rules


def drawn(plan: Certifiable) -> tuple[Recorder, Certified]:
    """What a seeded release measures, and the release."""
    rules, tape = plan.parameters, Recorder(SeededNoise(11))
    return tape, certify_cases(plan.population(), plan.facts, rules.choices, rules.advantage, rules.releases, tape)


def measured_alike(found: Certifiable, expected: Certifiable) -> int:
    """The sums before noise, one by one. All else is post-processing on the driver, and with a seed it is the same."""
    (here, released), (there, known) = drawn(found), drawn(expected)
    assert len(here.measurements) == len(there.measurements)
    for ours, theirs in zip(here.measurements, there.measurements, strict=True):
        np.testing.assert_array_equal(ours.values, theirs.values)
        assert ours.scale == theirs.scale
    assert released.events == known.events and released.plan == known.plan
    for column in ("case", "activity", "time", "offsets", "case_names"):
        np.testing.assert_array_equal(getattr(released.log, column), getattr(known.log, column))
    assert released.log.activities == known.log.activities
    return len(here.measurements)


def planned_alike(found: CertifiedSparkPlan, expected: PlannedCertified) -> None:
    assert (found.plan, found.cost, found.details) == (expected.plan, expected.cost, expected.details)
    ours, theirs = found.facts, expected.facts
    for name in ("activities", "first", "last", "longest", "cases", "individuals", "from_log", "given"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert (ours.variants is None) == (theirs.variants is None)
    if ours.variants is not None and theirs.variants is not None:
        np.testing.assert_array_equal(ours.variants.activity, theirs.variants.activity)
        np.testing.assert_array_equal(ours.variants.offsets, theirs.variants.offsets)
    assert found.summary.reveal() == expected.summary.reveal()
    hasher = Hasher(bytes(range(32)))
    one, other = found.fingerprint(hasher), fingerprint(expected.log, hasher)
    assert one.whole == other.whole
    np.testing.assert_array_equal(one.tokens, other.tokens)


def odd_log() -> EventLog:
    """With ``ODD`` it has labels that are not public, cases beyond the frame and the longest duration, one of 9,000
    events, and so few activities that what follows two of them is measured."""
    return log_of([*ordinary_cases(1_000, letters="ab"), *EXTREMES.values()])


ODD = GivenFacts(activities=("a", "b"), first=BEGIN + 30 * DAY, longest=40 * DAY, cases=990)


@pytest.mark.parametrize(
    ("form", "given"),
    [("threshold", None), ("public", None), ("threshold", ODD), ("generated", ODD)],
    ids=["threshold", "public", "threshold, given facts", "generated, given facts"],
)
def test_spark_plans_and_measures_what_one_machine_does(
    form: VariantForm, given: GivenFacts | None, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    path = parquet(odd_log())
    rules = settings(form, given=given)
    plan, expected = plan_certified_on_spark(stages(), path, rules), plan_release(read_log(path), rules)
    planned_alike(plan, expected)
    assert measured_alike(plan, expected) >= {"threshold": 6, "public": 6, "generated": 10}[form]


def test_many_pairs_and_wide_codes_are_measured_alike(stages: MakeStages, parquet: Callable[[EventLog], str]) -> None:
    shape = LogShape(cases=400, activities=300, variants=80, mean_length=6, max_length=9, seed=5)
    path = parquet(generate_log(shape))  # two bytes a code, and so many pairs that there is a grand total
    rules = settings("public")
    plan, expected = plan_certified_on_spark(stages(), path, rules), plan_release(read_log(path), rules)
    measured_alike(plan, expected)


@pytest.mark.real_logs
@pytest.mark.parametrize("form", FORMS)
def test_a_real_log_is_measured_alike(
    real_logs: Path, form: VariantForm, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    path = parquet(read_log(real_logs / "Unrineweginfectie.xes.gz"))
    rules = settings(form, 0.9)
    plan, expected = plan_certified_on_spark(stages(), path, rules), plan_release(read_log(path), rules)
    planned_alike(plan, expected)
    measured_alike(plan, expected)


def test_a_log_without_a_public_label_is_measured_alike(stages: MakeStages, parquet: Callable[[EventLog], str]) -> None:
    path = parquet(log_of([timed("xyz", BEGIN + number * DAY, DAY) for number in range(20)]))
    rules = settings("generated", given=GivenFacts(activities=("a", "b")))
    plan, expected = plan_certified_on_spark(stages(), path, rules), plan_release(read_log(path), rules)
    assert measured_alike(plan, expected) > 5


def test_a_release_passes_every_check_says_what_one_machine_says_and_collects_no_cases(
    session: Any, tmp_path: Path, taken: list[tuple[set[str], Any]]
) -> None:
    path = tmp_path / "log.parquet"
    write_log(frequent_log(), path)
    for form in FORMS:
        out = tmp_path / form
        report = anonymize_on_spark(session, str(path), out, settings(form), noise="exact", partitions=2)
        own = form == "public"
        one = anonymize(
            read_log(path), 0.6, "certified", variants=form, variants_from_log=own, allow_too_small=True, noise="exact"
        ).report
        # Which single steps are on record may depend on what they measured; the whole release does not.
        whole = [[line for line in each.guarantees if line.claim == "whole-release"] for each in (report, one)]
        assert whole[0] == whole[1] and whole[0]
        assert report.parameters == one.parameters
        loaded = load_release(out)
        assert loaded.report == report and loaded.event_log.n_events == report.released.events
        found = verify(out, read_log(path), prove=False)
        assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []
        inside = json.loads((out / "internal" / "report.json").read_bytes())
        assert (inside["cases"], inside["variants_kept"] + inside["variants_lost"]) == (2_000, 4)
        assert (out / "internal" / "report.html").exists()
    # What the driver takes has a row a file, a label, a variant, a cell that is measured, a partition.
    names = [columns for columns, _ in taken]
    assert {"tally", "cell", "amount"} in names and {"word", "cases"} in names
    assert not {"time", "times", "start", "last", "number", "name"} & set().union(*names)
    assert max(len(found) for _, found in taken) < 300  # of 2,000 cases
    assert sorted(each.name for each in tmp_path.iterdir()) == ["generated", "log.parquet", "public", "threshold"]


def test_the_budget_is_charged_before_anything_is_measured_and_stays_spent(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, registry = parquet(frequent_log(200)), open_registry(tmp_path / "registry.sqlite")
    reserve = partial(reserve_plan, registry, declared=Declared())

    def fail(*_: object) -> None:
        (log,) = open_registry(registry.path).logs()  # by now it is on the disk
        assert [each.published_at for each in log.releases] == [None]
        raise RuntimeError("no noise today")

    with monkeypatch.context() as patched:
        patched.setattr("amun_dp.release.certified.certify_cases", fail)
        with pytest.raises(RuntimeError, match="no noise"):
            anonymize_on_spark(session, path, tmp_path / "out", settings("generated"), partitions=2, reserve=reserve)
    (log,) = registry.logs()
    assert [each.published_at for each in log.releases] == [None] and not (tmp_path / "out").exists()
    # One machine knows the log again, and that nothing is left.
    with pytest.raises(BudgetError):
        anonymize(read_log(path), 0.6, "certified", variants="generated", registry=registry)


def test_a_worker_that_fails_while_measuring_releases_nothing_and_quotes_nothing(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Callable[[Any], Any]:
        def run(batches: Any) -> Any:
            raise ValueError("SECRET")

        return run

    monkeypatch.setattr("amun_dp.spark.certified.worker_population._summed", broken)
    with pytest.raises(EngineError, match="Spark failed while measuring") as failed:
        anonymize_on_spark(session, parquet(frequent_log(50)), tmp_path / "out", settings("generated"), partitions=2)
    assert "SECRET" not in str(failed.value) and not (tmp_path / "out").exists()


def test_a_case_that_adds_more_than_a_tally_states_is_found_by_the_workers(
    stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    """And the same error is raised as on one machine: a worker reports it, because what it raises is not quoted."""
    plan = plan_certified_on_spark(stages(), parquet(odd_log()), settings("generated", given=ODD))
    cases = plan.population()
    weighted = cases.each(WeightedBySteps(4))
    within, beyond = _Activities(4 * UNITS), _Activities(3 * UNITS - 1)
    (found,) = weighted.totals(within)
    assert found.any()
    for population in (weighted, InMemory((one_machine(plan),)).each(WeightedBySteps(4))):
        with pytest.raises(SensitivityExceededError, match=r"Activities.*stays spent"):
            population.totals(within, beyond)
    with pytest.raises(SensitivityExceededError, match="cases of each key"):
        cases.histogram(_Then(variant_of, methodcaller("slice", 1)))


def one_machine(plan: CertifiedSparkPlan) -> Cases:
    return prepare(odd_log(), plan.facts, plan.parameters.choices)


@pytest.mark.parametrize("form", ["public", "generated"])
def test_individuals_are_cut_to_their_first_cases_as_on_one_machine(
    form: VariantForm, stages: MakeStages, parquet: Callable[[Any], str]
) -> None:
    rows = rows_of_people()
    nobodys = rows.groupby(rows.columns[0])["patient"].transform(lambda names: names.isna().all())
    path, most = parquet(rows[~nobodys]), 2  # cases that are nobody's would be refused
    log = read_log(path, individual="patient")
    assert int(np.bincount(log.individuals).max()) > most  # somebody is cut
    rules = requested(0.6, "certified", variants=form, scope="individual", max_cases_per_individual=most)
    assert isinstance(rules, CertifiedSettings)
    plan = plan_certified_on_spark(stages(), path, rules, WHO)
    expected = plan_release(log, rules)
    planned_alike(plan, expected)
    measured_alike(plan, expected)
    assert plan.reading.notes == expected.reading.notes


def test_individuals_that_nobody_knows_are_refused(session: Any, tmp_path: Path) -> None:
    rules = requested(0.3, "certified", scope="individual", max_cases_per_individual=2)
    path = tmp_path / "log.parquet"
    write_log(frequent_log(20), path)
    with pytest.raises(ParameterError, match="Name the column with `individual`"):
        anonymize_on_spark(session, str(path), tmp_path / "out", rules, partitions=2)


def test_the_command_releases_with_given_facts_and_the_release_verifies(session: Any, tmp_path: Path) -> None:
    path, facts = tmp_path / "log.parquet", tmp_path / "facts.json"
    write_log(frequent_log(300), path)
    facts.write_text(json.dumps({"variants": [["a", "b"], ["a", "b", "c", "d"]], "cases": 300}), encoding="utf-8")
    command = [sys.executable, "-m", "amun_dp.cli", "anonymize", str(path), "--advantage", "0.5"]
    options = ["--method", "certified", "--variants", "public", "--public", str(facts), "--json"]
    where = ["--out", str(tmp_path / "out"), "--registry", str(tmp_path / "registry.sqlite")]
    engine = ["--engine", "spark", "--master", "local[2]"]
    done = subprocess.run([*command, *options, *where, *engine], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stated = json.loads(done.stdout)
    assert stated["released"]["cases"] == 300 and len(stated["budget"]) == 1
    assert stated["parameters"]["from_log"] == ["time frame"]
    assert main(["verify", str(tmp_path / "out"), "--no-prove"]) == 0
