"""Words that say no more than is proved: of δ, of noise, of choices, and of the two meanings of a delta."""

from __future__ import annotations

import gzip
import json
import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.accountant import account, strictest
from accounting.assumptions import Assumption
from accounting.claims import claim
from accounting.events import ThresholdedHistogram
from accounting.guarantee import Relation, Scope, Verdict
from amun_dp.certified.split import default_delta
from amun_dp.cli import main
from amun_dp.errors import ParameterError
from amun_dp.release.policies import advantage_of_epsilon
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.card import card_of
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log
from amun_dp.verification.report.older import facts_in_log
from amun_dp.verification.report.report_checks import ReadReport

GOLDEN = Path(__file__).parent.parent / "golden"
EXAMPLE = GOLDEN / "log.csv"


def threshold_release() -> amun_dp.Release:
    return amun_dp.anonymize(hospital_log(cases=500), 0.3, "certified")


def test_nothing_that_is_printed_of_a_threshold_says_except_with_probability_delta() -> None:
    report = threshold_release().report
    card = card_of(report)
    printed = " ".join([card.sentence, *(words for _, words in card.remarks), report.to_json()])
    assert "except with probability" not in printed
    assert "(1-δ)·(P + 30" in card.sentence
    assert "on average by at most δ·(1 - P - A)" in dict(card.remarks)["What δ means"]
    assert "knows all other cases" in dict(card.remarks)["What δ means"]
    assert claim("mixture-exception").verdict is Verdict.REFUTED


def test_the_bound_for_who_knows_the_others_is_stated_only_under_its_condition() -> None:
    def stated(scale: float, threshold: int) -> tuple[float, str]:
        line = strictest(account(ThresholdedHistogram(scale, threshold)).public, Scope.CASE, Relation.REPLACE)
        return line.delta, line.statement

    delta, words = stated(4.0, 60)
    assert delta < 1 - math.exp(-1 / 4)
    assert "whoever knows all other cases" in words
    delta, words = stated(1000.0, 2_000)  # so much noise that not to be shown says more than the noise hides
    assert delta > 1 - math.exp(-1 / 1000)
    assert "whoever knows all other cases" not in words


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
def test_the_label_says_that_reading_and_choices_must_not_depend_on_one_case(form: Any) -> None:
    own = form == "public"
    release = amun_dp.anonymize(hospital_log(cases=500), 0.3, "certified", variants=form, variants_from_log=own)
    report = release.report
    provided = " ".join(card_of(report).provided)
    assert "how the other cases are read" in provided
    assert "were not made by looking at one case" in provided
    assert "reading left a case out" in provided  # the number of cases was taken from the log
    assert {Assumption.READING.value, Assumption.CHOICES.value} <= set(report.as_dict()["guarantees"][0]["assumptions"])


def test_a_release_that_guarantees_nothing_is_not_called_private() -> None:
    report = amun_dp.anonymize(hospital_log(cases=200), 0.3, "filtering").report
    facts = privacy_attributes(report)
    assert facts["privacy:unit"] == "none"
    assert "privacy:private" not in facts
    assert facts["privacy:noise"] == "unpredictable"
    stated = report.as_dict()
    assert not {"private", "private_means"} & set(stated)
    assert stated["noise"]["predictable"] is False


@pytest.mark.parametrize("name", ["sampling", "generated", "threshold"])
def test_a_report_of_schema_2_is_read_with_its_old_words(name: str) -> None:
    data = json.loads((GOLDEN / "schema-2" / name / "report.json").read_text(encoding="utf-8"))
    report = PublicReport.from_dict(data)
    assert report.unpredictable is data["private"]
    assert report.sampler == data.get("sampler")


@pytest.mark.parametrize("name", ["sampling", "generated"])
def test_a_log_of_schema_2_is_held_against_the_words_that_it_was_written_with(name: str) -> None:
    folder = GOLDEN / "schema-2" / name
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    report = PublicReport.from_dict(data)
    wanted = facts_in_log(ReadReport(data, report, report.guarantees))
    root = ET.fromstring(gzip.decompress((folder / "log.xes.gz").read_bytes()))
    written = {each.get("key"): each.get("value") for each in root if str(each.get("key")).startswith("privacy:")}
    assert {key: repr(value) if isinstance(value, float) else value for key, value in wanted.items()} == written
    assert written["privacy:private"] == "yes"
    assert "privacy:noise" not in written


@pytest.mark.parametrize("command", ["plan", "anonymize", "audit", "compare"])
def test_delta_is_an_error_that_names_both_meanings(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = [] if command == "compare" else ["--advantage", "0.3"]
    with pytest.raises(SystemExit) as stopped:
        main([command, str(EXAMPLE), *more, "--delta", "1e-5", "--out", "never"])
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert "--advantage" in told
    assert "--dp-delta" in told


@given(st.floats(1e-5, 25.0))
def test_an_epsilon_becomes_the_largest_advantage_that_keeps_it(epsilon: float) -> None:
    advantage = advantage_of_epsilon(epsilon)
    assert 4 * math.atanh(advantage) <= epsilon * (1 + 1e-14)
    assert advantage == pytest.approx(math.tanh(epsilon / 4), rel=1e-12)


def test_an_epsilon_is_kept_by_the_release_and_said_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    release = amun_dp.anonymize(hospital_log(cases=500), method="certified", variants="generated", epsilon=1.0)
    line = strictest(release.report.guarantees, Scope.CASE, Relation.REPLACE)
    assert line.delta == 0
    assert line.epsilon.value is not None
    assert 0.99 < line.epsilon.value <= 1
    asked = ["plan", str(EXAMPLE), "--method", "certified", "--epsilon", "1", "--no-registry"]
    assert main([*asked, "--variants", "generated"]) == 0
    assert "ε 1 for one case, replaced by another, with δ = 0, is an advantage of 0.244919" in capsys.readouterr().err
    assert main([*asked, "--dp-delta", "1e-6"]) == 0
    assert "with δ = 1e-06" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"method": "sampling", "epsilon": 1.0}, "method='certified'"),
        ({"method": "certified", "epsilon": 1.0}, "dp_delta=D"),
        ({"method": "certified", "variants": "generated", "epsilon": 1.0, "advantage": 0.2}, "one of the two"),
        ({"method": "certified", "variants": "generated"}, "one of the two"),
        ({"method": "certified", "variants": "generated", "epsilon": math.nan}, "above 0"),
        ({"method": "certified", "variants": "generated", "epsilon": 80.0}, "another `epsilon`"),
    ],
)
def test_an_epsilon_that_would_say_more_than_is_kept_is_refused(asked: dict[str, object], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        amun_dp.plan(hospital_log(cases=50), **asked)  # type: ignore[call-overload]  # of any kind


@given(st.integers(1, 10**8))
def test_the_default_delta_is_the_power_of_ten_below_and_tells_no_number_of_cases(cases: int) -> None:
    delta = default_delta(cases)
    assert delta.numerator == 1
    assert set(str(delta.denominator)) <= {"1", "0"}
    assert str(delta.denominator).count("1") == 1
    assert delta <= Fraction(1, 1_000 * cases) < 10 * delta


def test_logs_of_about_one_size_have_one_delta() -> None:
    found = {
        amun_dp.plan(hospital_log(cases=cases), 0.3, "certified").summary.reveal().delta for cases in (400, 500, 999)
    }
    assert len(found) == 1
