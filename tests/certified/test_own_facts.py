"""Facts "from outside" that are the log's own are refused, or counted as taken from the log and said to be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from accounting.assumptions import Assumption
from amun_dp._base.units import DAY, HOUR
from amun_dp.budgets.spending import open_registry
from amun_dp.certified import GivenFacts
from amun_dp.certified.given_facts import facts_of_log
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.report.card import card_of
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, timed
from tests.certified.frequent import FORMS, GIVEN, certified, chosen, frequent_cases, frequent_log, whole
from tests.commandline import refused, run
from tests.logs import log_of, variants_of

ALONE = [timed("a" * length + "d", BEGIN + length * DAY, HOUR) for length in range(2, 12)]
"""Ten cases of which no other has the variant."""


def mixed_log() -> Any:
    return log_of([*frequent_cases(400), *ALONE])


@pytest.mark.parametrize("form", FORMS)
def test_the_log_itself_is_no_public_log_and_nothing_is_reserved(form: Any, tmp_path: Path) -> None:
    write_log(frequent_log(400), tmp_path / "log.csv")
    log, registry = amun_dp.read_log(tmp_path / "log.csv"), open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ReleaseError, match=r"in the public log as well \(400\).*public_from_log=True"):
        certified(log, 0.4, form, public=tmp_path / "log.csv", registry=registry)
    assert registry.logs() == ()


def test_one_common_case_is_enough_whatever_it_is_called() -> None:
    own = frequent_cases(400)
    public = facts_of_log(log_of([timed("ab", 0, HOUR), own[77]]))  # another number, the same events
    with pytest.raises(ReleaseError, match=r"in the public log as well \(1\)"):
        certified(log_of(own), 0.4, "generated", public=public)


def test_a_public_log_about_others_is_taken() -> None:
    public = facts_of_log(frequent_log(300, seed=9))
    others = log_of([[(label, time + 1_000) for label, time in case] for case in frequent_cases(400)] + ALONE)
    release = certified(others, 0.4, "public", public=public)
    assert "variants" not in chosen(release).from_log
    assert card_of(release.report).tone == "good"


@pytest.mark.parametrize("form", ["public", "generated"])
def test_declared_as_the_log_s_own_the_facts_count_as_taken_from_it(form: Any) -> None:
    log = mixed_log()
    release = amun_dp.anonymize(
        log, 0.4, "certified", variants=form, public=replace(facts_of_log(log), longest=DAY), public_from_log=True
    )
    fact = {"public": "variants", "generated": "labels"}[form]
    assert {fact, "longest duration"} < set(chosen(release).from_log)
    assert Assumption.GIVEN_FACTS not in whole(release).assumptions
    assert {"public": Assumption.PUBLIC_VARIANTS, "generated": Assumption.PUBLIC_LABELS}[form] in whole(
        release
    ).assumptions
    if form == "public":
        assert card_of(release.report).tone == "partial"


def test_a_list_of_the_log_s_variants_is_refused_also_with_a_few_more_or_less() -> None:
    log = mixed_log()
    variants = tuple(sorted(variants_of(log)))
    assert len(variants) == 14
    with pytest.raises(ReleaseError, match="10 of 410 cases have a variant of their own"):
        certified(log, 0.4, "public", public=GivenFacts(variants=variants))
    for given_ in ((*variants, ("z",)), variants[1:], variants[4:], (*variants, ("z",), ("y",), ("x",))):
        with pytest.raises(ReleaseError, match=r"\d+ are those of one case of the log alone, which has 10 of them"):
            certified(log, 0.4, "public", public=GivenFacts(variants=given_))


def test_usual_variants_that_are_nearly_those_of_the_log_are_taken_where_nobody_has_one_alone() -> None:
    certified(frequent_log(400), 0.4, "public", public=GivenFacts(variants=GIVEN.variants))


def test_nine_tenths_of_the_log_s_variants_do_not_count_as_from_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As exported from the log by another tool and given as a list: no label promises anything about a case then."""
    log = mixed_log()
    write_log(log, tmp_path / "log.csv")
    listed = sorted(variants_of(log))[1:13]
    (tmp_path / "list.json").write_text(json.dumps({"variants": listed}), encoding="utf-8")
    flags = ["--advantage", 0.4, "--method", "certified", "--variants", "public", "--public", tmp_path / "list.json"]
    release = ["anonymize", tmp_path / "log.csv", *flags, "--out", tmp_path / "out"]
    message = refused(capsys, *release)
    assert "9 are those of one case of the log alone, which has 10 of them; 0 have two cases, 0 none" in message
    assert "--public-from-log" in message
    assert not (tmp_path / "out").exists()
    assert "9 are those of one case" in run(capsys, "plan", tmp_path / "log.csv", *flags, "--no-registry")[1]
    code, out, _ = run(capsys, *release, "--public-from-log")
    assert code == 0
    assert "◐ A guarantee about the counts and times of one case, not about which variants occur" in out
    assert run(capsys, "verify", tmp_path / "out", "--require", "case:0.4")[0] == 1


def test_the_log_s_variants_without_an_activity_are_still_its_own() -> None:
    """Events with labels that are not public are left out, and the cases then have the listed variants."""
    cases = [[*case, ("x", case[-1][1] + HOUR)] for case in [*frequent_cases(400), *ALONE]]
    own = tuple(sorted(variants_of(mixed_log())))
    with pytest.raises(ReleaseError, match="10 are those of one case of the log alone"):
        certified(log_of(cases), 0.4, "public", public=GivenFacts(variants=(*own, ("c",))))


# --- the log's own variants -----------------------------------------------------------------------------------------


def test_the_log_s_own_variants_need_a_word_and_it_says_what_they_disclose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(mixed_log(), tmp_path / "log.csv")
    flags = ["--advantage", 0.4, "--method", "certified", "--variants", "public"]
    release = ["anonymize", tmp_path / "log.csv", *flags, "--out", tmp_path / "out"]
    message = refused(capsys, *release)
    assert "10 of 410 cases have a variant of their own" in message
    assert "--variants-from-log" in message
    assert not (tmp_path / "out").exists()
    planned = json.loads(run(capsys, "plan", tmp_path / "log.csv", *flags, "--no-registry", "--json")[1])
    assert planned["cases_alone"] == 10
    assert "10 of 410" in planned["refused"]
    code, out, err = run(capsys, *release, "--variants-from-log")
    assert code == 0
    assert "discloses them: 10 of 410 cases have a variant of their own" in err
    assert "◐ A guarantee about the counts and times of one case, not about which variants occur" in out


@pytest.mark.parametrize(
    "options",
    [
        {"method": "certified", "variants": "generated", "variants_from_log": True},
        {"method": "certified", "variants": "public", "public": GIVEN, "variants_from_log": True},
        {"method": "certified", "public_from_log": True},
        {"method": "sampling", "public_from_log": True},
        {"method": "sampling", "variants": "public", "variants_from_log": True},
    ],
    ids="-".join,
)
def test_a_declaration_about_nothing_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="_from_log=True"):
        amun_dp.plan(hospital_log(), 0.2, **options)
