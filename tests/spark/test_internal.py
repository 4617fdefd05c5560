"""What stays inside is, on Spark, what one machine finds: the plan exactly, and the release from its log and ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise
from accounting.ledger import read_ledger, tree_of
from accounting.personalised import personalised_account
from accounting.trees import leaves
from amun_dp import verify
from amun_dp._base.units import DAY
from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import plan_article
from amun_dp.eventlog.figures import figures_of
from amun_dp.eventlog.log import EventLog, declared_public
from amun_dp.folder.names import BANNER
from amun_dp.internals.comparison import Comparison, compare_logs
from amun_dp.internals.figures import Internals
from amun_dp.internals.page import internal_page
from amun_dp.noise.sources import noise_source
from amun_dp.reading import read_log
from amun_dp.release.methods import carry_out
from amun_dp.release.save import as_plain
from amun_dp.spark import plan_on_spark
from amun_dp.spark import release as on_spark
from amun_dp.spark.engine.spreads import AMOUNTS, spread_of
from amun_dp.spark.inside import before_and_after
from amun_dp.spark.inside.before_and_after import planned_amounts, removed_on_spark, summarise_on_spark
from amun_dp.spark.inside.original_figures import figures_on_spark
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.verification.checks import Outcome
from tests.logs import log_of
from tests.spark.conftest import MakeStages

GENERATED = LogShape(cases=300, activities=6, variants=12, mean_length=5, max_length=9, seed=5)


def same(found: Any, expected: Any, where: str = "") -> None:
    """Exactly, field by field; NaN is NaN."""
    assert type(found) is type(expected), where
    if is_dataclass(expected):
        for field in fields(expected):
            same(getattr(found, field.name), getattr(expected, field.name), f"{where}.{field.name}")
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        np.testing.assert_array_equal(found, expected, err_msg=where)
    else:
        assert found == expected, where


def same_plan(log: EventLog, path: str, rules: Parameters, stages: MakeStages) -> None:
    """The summary, the figures of the original, and what filtering removed."""
    plan, due = plan_on_spark(stages(), path, rules), plan_article(log, rules)
    same(summarise_on_spark(plan, spread_of(plan.stages, "spreads", planned_amounts(plan))), due.summary.reveal())
    span = (int(log.time.min()) - DAY, int(log.time.max()) + 500 * DAY)
    same(figures_on_spark(plan.stages, plan.all_cases, plan.automaton, span), figures_of(log, span))
    release = carry_out(due, noise_source(None, "exact"))
    same(removed_on_spark(plan), release.comparison.reveal().removed)


@pytest.mark.parametrize(
    ("method", "conventions", "advantage"),
    [("sampling", CORRECTED, 0.3), ("sampling", ARTICLE, 0.4), ("filtering", CORRECTED, 0.3)],
)
def test_the_summary_of_a_plan_is_that_of_one_machine(
    method: str, conventions: Conventions, advantage: float, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    log = generate_log(GENERATED)
    rules = Parameters(advantage, method, conventions, max_cases_per_individual=2, releases=3)
    same_plan(log, parquet(log), rules, stages)


@pytest.mark.real_logs
@pytest.mark.parametrize(("name", "method"), [("Sepsis", "sampling"), ("Unrineweginfectie", "filtering")])
def test_the_summary_of_a_plan_of_a_real_log_is_that_of_one_machine(
    name: str, method: str, real_logs: Path, stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    log = read_log(real_logs / f"{name}.xes.gz")
    same_plan(log, parquet(log), Parameters(0.2, method), stages)


def noise_in(folder: Path) -> PerEventNoise:
    """The noise of every released event, from the ledger."""
    (times,) = (leaf for leaf in leaves(tree_of(read_ledger(folder))) if isinstance(leaf, BoundedLaplace))
    assert isinstance(times.columns, Confidential)
    columns = times.columns.reveal()
    assert isinstance(columns, PerEventNoise)
    return columns


def branching_log() -> pd.DataFrame:
    """The generated log, and 60 variants of two steps of their own, an hour apart, of two cases each.

    What is drawn on the later visited step of such a variant is positive with probability 1/(e^ε + 1) ≥ 0.35, and the
    variant then gains cases: all 60 fail to in one run of 10¹¹. They are not filtered, and in the article's
    conventions their second steps have no noise; that no case of any of them is left is less likely still.
    """
    generated, day = generate_log(GENERATED), DAY
    first = int(generated.time.min())
    own = log_of(
        [
            [(f"branch {branch}", first + start * day), (f"branch {branch}", first + start * day + day // 24)]
            for branch in range(60)
            for start in (branch, branch + 60)
        ]
    ).to_pandas()
    own["case:concept:name"] = "own " + own["case:concept:name"]
    return pd.concat([generated.to_pandas(), own])


@pytest.mark.parametrize(
    ("method", "conventions", "advantage", "passes"),
    # Three passes, each of which finds other priors; and events without noise, whose losses have no bound.
    [("filtering", CORRECTED, 0.9, 3), ("filtering", ARTICLE, 0.5, 2)],
)
def test_what_stays_inside_is_what_one_machine_finds_in_the_release(
    method: str,
    conventions: Conventions,
    advantage: float,
    passes: int,
    session: Any,
    tmp_path: Path,
    parquet: Callable[[Any], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("amun_dp.folder.parts.EVENTS_A_PART", 300)
    seen: list[tuple[Internals, Comparison]] = []

    def watched(*given: Any) -> tuple[Internals, Comparison]:
        seen.append(before_and_after.look_inside(*given))
        return seen[-1]

    monkeypatch.setattr(on_spark, "look_inside", watched)
    # Ten releases: so little ε each that cases are copied.
    path, out, rules = (
        parquet(branching_log()),
        tmp_path / "out",
        Parameters(advantage, method, conventions, releases=10),
    )
    report = on_spark.anonymize_on_spark(session, path, out, rules, noise="exact", partitions=3)
    ((internals, comparison),) = seen

    original, released, noise = (
        read_log(path),
        declared_public(read_log(out / "log.parquet")),
        noise_in(out / "internal"),
    )
    plan = plan_article(original, rules)
    assert plan.filtered.passes == passes
    copies = np.bincount(noise.origin[released.offsets[:-1]], minlength=original.n_cases)
    due = compare_logs(plan, released, Confidential(noise), copies, comparison.report)
    same(comparison, due.reveal())
    assert comparison.removed is not None and comparison.removed.causes
    page = (out / "internal" / "report.html").read_text()
    assert page == internal_page(due).reveal() and BANNER in page.rpartition("</style>")[2]

    same(internals.plan, plan.summary.reveal())
    same(internals.reading, original.facts)
    same(internals.losses, personalised_account(noise))
    kept = copies[plan.filtered.kept_case]
    assert internals.cases_copied == np.count_nonzero(kept > 1) > 0
    assert internals.cases_deleted == np.count_nonzero(kept == 0)
    assert internals.largest_copies == copies.max()
    assert internals.events_without_noise == np.count_nonzero(noise.scale == 0)
    assert (internals.events_without_noise > 0) == (conventions is ARTICLE)
    assert internals.variants_lost == comparison.before.variants - comparison.after.variants

    written = json.loads((out / "internal" / "report.json").read_text())
    assert {name: written[name] for name in as_plain(internals)} == as_plain(internals)
    # The folder of one machine has the same files, and the same names in the report.
    carry_out(plan, noise_source(None, "exact")).save(tmp_path / "one", format="parquet")
    one = json.loads((tmp_path / "one" / "internal" / "report.json").read_text())
    assert list(written) == list(one)
    for folder in ("", "internal"):
        ours, theirs = ({each.name for each in (base / folder).iterdir()} for base in (out, tmp_path / "one"))
        assert ours == theirs
    assert (out / "internal").stat().st_mode & 0o777 == 0o700

    # What is public follows from the released log and the report alone: every byte of the page is derived again.
    found = verify(out, original, prove=False)
    assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []
    for name in ("report.html", "report.json"):
        text = (out / name).read_text()
        assert report.release_id in text and BANNER not in text.rpartition("</style>")[2]
        assert not any(each in text for each in original.case_names)


def test_spreads_are_those_of_numpy_wherever_the_series_are_cut(
    session: Any, stages: MakeStages, taken: list[tuple[set[str], Any]]
) -> None:
    rng = np.random.Generator(np.random.PCG64(7))
    sizes = {(0, 0): 1, (0, 3): 2, (1, 0): 101, (1, 1): 100, (2, 5): 37}
    rows, series = [], {}
    for (figure, member), size in sizes.items():
        # Many equal ones, some without bound, and each number in as many rows as it has copies.
        amounts = np.where(rng.random(size) < 0.1, np.inf, rng.integers(0, 30, size) / 7)
        series[figure, member] = np.sort(amounts)
        copies = rng.integers(1, 4, size)
        for amount, repeated in zip(amounts.tolist(), copies.tolist(), strict=True):
            rows += [(figure, member, amount, repeated, 1)] * repeated
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    names = [field.split()[0] for field in AMOUNTS.split(", ")]
    frame = session.createDataFrame(pa.table(columns, names=names)).selectExpr("int(figure) AS figure", *names[1:])
    made = stages(partitions=5)
    found = spread_of(made, "spreads", frame)
    # To the driver: a row a partition, a row a series, and at most two numbers of each.
    assert len(taken) == 3 and max(len(found) for _, found in taken) <= 2 * len(sizes)
    assert made.session.read.parquet(f"{made.folder}/spreads").select("part").distinct().count() == 5
    for figure in (0, 1, 2):
        spread = found.by_member(figure, 6)
        for member in range(6):
            due = series.get((figure, member), np.empty(0))
            assert spread.size[member] == len(due)
            if len(due):
                assert spread.smallest[member] == due[0] and spread.largest[member] == due[-1]
                assert spread.median[member] == due[(len(due) - 1) // 2]
            else:
                assert np.isnan([spread.smallest[member], spread.median[member], spread.largest[member]]).all()
    assert found.median(2) == np.median(series[2, 5]) and found.ends(2) == (series[2, 5][0], series[2, 5][-1])
    only = spread_of(stages(), "spreads", frame.where("figure = 1 AND member = 1"))
    assert only.median(1) == np.median(series[1, 1]) and only.median(0) == 0
