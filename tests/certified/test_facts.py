"""Public facts: what is given counts, the rest is taken from the log, rounded outward, and said to be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from amun_dp._base.units import DAY, HOUR
from amun_dp.certified import CertifiedChoices, GivenFacts, public_facts, read_given_facts
from amun_dp.certified.cases import first_cases, prepare
from amun_dp.certified.public_facts import LARGEST_TIME
from amun_dp.errors import AmunError, ParameterError
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, END, ordinary_cases, timed, with_individuals
from tests.logs import log_of, words_log

GENERATED = CertifiedChoices("generated")


def test_times_from_the_log_are_rounded_outward_to_days() -> None:
    log = log_of([timed("ab", BEGIN + 3 * HOUR, 50 * HOUR)])
    facts = public_facts(log, None, GENERATED)
    assert (facts.first, facts.last) == (BEGIN, BEGIN + 3 * DAY - 1)
    assert facts.longest == 3 * DAY - 1  # the frame's width: the longest duration is not taken from the log
    assert facts.from_log == {"time frame", "number of cases", "labels"}
    midnight = public_facts(log_of([timed("a", BEGIN, 0)]), None, GENERATED)
    assert (midnight.first, midnight.last) == (BEGIN, BEGIN + DAY - 1)


def test_a_file_of_facts_is_read(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(
        json.dumps(
            {
                "activities": ["b", "a"],
                "first": "2020-01-01",
                "last": "2020-12-31",
                "longest_days": 1.5,
                "cases": 1050,
                "individuals": 900,
                "variants": [["a", "b"], ["a"], ["a", "b"]],
            }
        ),
        encoding="utf-8",
    )
    given = read_given_facts(path)
    assert (given.first, given.last, given.longest) == (BEGIN, END, 36 * HOUR)
    facts = public_facts(words_log(["ab", "zz"]), given, CertifiedChoices("public"))
    assert facts.activities == ("a", "b")
    assert facts.cases == 1050
    assert facts.from_log == set()
    assert facts.variants is not None
    assert facts.variants.count == 2
    path.write_text(json.dumps({"last": "2020-12-31T12:00:00+02:00"}), encoding="utf-8")
    assert read_given_facts(path).last == END + 1 - 14 * HOUR


def test_a_log_gives_its_variants_and_activities(tmp_path: Path) -> None:
    for name in ("past.xes.gz", "past.csv", "past.parquet"):
        write_log(words_log(["ab", "abc", "ab"]), tmp_path / name)
        given = read_given_facts(tmp_path / name)
        assert given == GivenFacts(activities=("a", "b", "c"), variants=(("a", "b"), ("a", "b", "c")))


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({"activities": ["a"], "alphabet": ["a"], "Cases": 3}, "Cases, alphabet"),
        ({"cases": "many"}, "cases"),
        ({"cases": 0}, "cases"),
        ({"cases": True}, "cases"),
        ({"activities": "abc"}, "activities"),
        ({"activities": []}, "activities"),
        ({"variants": [["a"], []]}, "variants"),
        ({"variants": ["ab"]}, "variants"),
        ({"activities": ["a"], "variants": [["a", "b"]]}, "1 labels"),
        ({"first": "yesterday"}, "first"),
        ({"first": 2014}, "first"),
        ({"first": "2020-02-01", "last": "2020-01-31"}, "ends before"),
        ({"longest_days": -1}, "longest_days"),
        ([], "object"),
    ],
)
def test_facts_that_make_no_sense_are_refused(stated: object, named: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(ParameterError, match=named):
        read_given_facts(path)


def test_files_that_are_no_facts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "facts.txt").write_text("{}", encoding="utf-8")
    for name in ("broken.json", "facts.txt", "missing.json", "missing.xes"):
        with pytest.raises(AmunError):
            read_given_facts(tmp_path / name)


def test_a_log_outside_the_given_facts_is_no_error() -> None:
    log = log_of([timed("abc", BEGIN, 10 * DAY), timed("xyz", BEGIN, DAY), timed("axc", END, DAY)])
    given = GivenFacts(activities=("a", "b", "c", "q"), first=BEGIN + DAY, last=BEGIN + 12 * DAY, cases=7)
    cases = prepare(log, public_facts(log, given, GENERATED), GENERATED)
    assert cases.flow.activity.tolist() == [0, 1, 2, 0, 2]  # the unknown labels are dropped, the empty case with them
    assert cases.flow.offsets.tolist() == [0, 3, 5]
    assert ((cases.time - BEGIN) / DAY).tolist() == [1, 10, 12, 12, 12]
    threshold = CertifiedChoices("threshold")
    whole = prepare(log, public_facts(log, given, threshold), threshold)
    assert whole.flow.offsets.tolist() == [0, 3]  # "ac" is no variant of the log
    public = public_facts(log, GivenFacts(activities=("a", "b", "c")), CertifiedChoices("public"))
    assert public.variants is not None
    assert public.variants.count == 1


def test_a_frame_given_in_part_is_completed_whatever_the_log_says() -> None:
    log = log_of([timed("ab", BEGIN, HOUR)])
    for given in (GivenFacts(first=END), GivenFacts(last=0), GivenFacts(first=BEGIN, last=BEGIN)):
        facts = public_facts(log, given, GENERATED)
        assert facts.first <= facts.last
        assert facts.longest >= 1
        assert (given.first is None or facts.first == given.first) and (given.last is None or facts.last == given.last)


def test_times_of_any_age_are_clamped() -> None:
    log = log_of([[("a", -(1 << 62)), ("b", 1 << 62)]])
    facts = public_facts(log, None, GENERATED)
    assert -LARGEST_TIME <= facts.first < facts.last <= LARGEST_TIME


def test_an_individual_is_truncated_to_its_first_cases_in_the_input_whatever_they_are_called() -> None:
    cases = ordinary_cases(60)
    owner = [number % 7 for number in range(60)]
    log = with_individuals(cases, owner)
    renamed = replace(log, case_names=log.case_names[::-1])
    for most in (1, 3, 100):
        kept = first_cases(log, most)
        for individual in range(7):
            own = np.flatnonzero(log.individuals == individual)
            expected = sorted(own, key=lambda case: log.sequence[log.offsets[case] : log.offsets[case + 1]].min())
            assert set(np.flatnonzero(kept & (log.individuals == individual))) == set(expected[:most])
        # Readers number traces without a name by their place in the file, which depends on other people's.
        assert (first_cases(renamed, most) == kept).all()
