"""Facts "from outside" that are the log's own are refused, or counted as taken from the log and said to be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.assumptions import Assumption
from amun_dp.certified import GivenFacts
from amun_dp.certified.given import facts_of_log
from amun_dp.certified.own_facts import are_own_variants
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.generator import hospital_log
from amun_dp.languages import language_of
from amun_dp.pages.card import card_of
from amun_dp.spending import open_registry
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, DAY, HOUR, timed
from tests.certified.frequent import FORMS, GIVEN, certified, chosen, frequent_cases, frequent_log, whole
from tests.commandline import refused, run
from tests.logs import log_of, variants_of, words_log

ALONE = [timed("a" * length + "d", BEGIN + length * DAY, HOUR) for length in range(2, 12)]
"""Ten cases of which no other has the variant."""


def mixed_log() -> Any:
    return log_of([*frequent_cases(400), *ALONE])


@pytest.mark.parametrize("form", FORMS)
def test_the_log_itself_is_no_public_log_and_nothing_is_reserved(form: str, tmp_path: Path) -> None:
    write_log(frequent_log(400), tmp_path / "log.csv")
    log, registry = amun_dp.read_log(tmp_path / "log.csv"), open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ReleaseError, match=r"in the public log as well \(400\).*--public-from-log"):
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
def test_declared_as_the_log_s_own_the_facts_count_as_taken_from_it(form: str) -> None:
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
    for given_ in (variants, (*variants, ("z",)), variants[1:]):
        with pytest.raises(ReleaseError, match="10 of 410 cases have a variant of their own"):
            certified(log, 0.4, "public", public=GivenFacts(variants=given_))
    for given_ in (variants[4:], (*variants, ("z",), ("y",), ("x",))):
        certified(log, 0.4, "public", public=GivenFacts(variants=given_))


def test_usual_variants_that_are_nearly_those_of_the_log_are_taken_where_nobody_has_one_alone() -> None:
    certified(frequent_log(400), 0.4, "public", public=GivenFacts(variants=GIVEN.variants))


_WORDS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12)


@given(_WORDS, st.sets(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12))
def test_own_lists_are_those_that_sets_say_are_own(words: list[str], listed: set[str]) -> None:
    own = set(words)
    alone = {word for word in own if words.count(word) == 1}
    nearly = 10 * len(own & listed) >= 9 * len(own | listed) and alone & listed
    found = are_own_variants(GivenFacts(variants=tuple(map(tuple, listed))), language_of(words_log(words)))
    assert found == (own == listed or bool(nearly))
    assert are_own_variants(GivenFacts(variants=tuple(map(tuple, own))), language_of(words_log(words)))


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
    assert "discloses that 10 of 410 cases have a variant of their own" in err
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
    with pytest.raises(ParameterError, match="-from-log"):
        amun_dp.plan(hospital_log(), 0.2, **options)
