"""What the page says in its own words, held against what the library does."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any, get_args

import pytest

import amun_dp
from amun_dp._base.messages import Message
from amun_dp.cli.parser import build_parser
from amun_dp.cli.reading_options import reading_of
from amun_dp.report.card import Tone, card_of
from amun_dp.serve.as_fields import FIELDS, in_fields
from amun_dp.serve.sections import closed_forms, size, static
from amun_dp.serve.state import READING, READING_CHECKS
from amun_dp.serve.wording import METHODS, MethodChoice
from amun_dp.synthetic import hospital_log


@pytest.mark.parametrize("choice", METHODS.values(), ids=METHODS)
def test_the_verdict_beside_a_method_is_that_of_its_releases(choice: MethodChoice) -> None:
    method: Any
    variants: Any
    method, _, variants = choice.value.partition(":")
    release = amun_dp.anonymize(
        hospital_log(3000), 0.2, method, variants=variants or None, variants_from_log=variants == "public"
    )
    card = card_of(release.report)
    assert choice.tone == card.tone
    assert choice.tone in get_args(Tone)
    # Words that stand for something the label says, or must not be there.
    assert (choice.verdict.startswith("Proved, under assumptions: nobody")) == (card.tone == "good")
    assert ("(1-δ)" in choice.verdict) == ("(1-δ)" in card.sentence)
    assert ("which variants occur" in choice.verdict) == (card.tone == "partial")
    assert choice.verdict.startswith("No guarantee") == (card.tone == "none")


def test_epsilon_at_every_place_of_the_slider_is_four_times_the_inverse_tangens_hyperbolicus() -> None:
    shown = closed_forms()
    assert list(shown) == [f"{place / 100:.2f}" for place in range(5, 51)]
    for advantage, epsilon in shown.items():
        assert float(epsilon) == pytest.approx(4 * math.atanh(float(advantage)), rel=5e-3)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("Name it with {case_id}, or use {timestamp_format}.", "Name it with “Case”, or use “Format of times”."),
        ("Say so: {activity:event:x}.", "Say so: “Activity” (event:x)."),
        (
            "{scope:individual} and {max_cases_per_individual:C}",
            "“Protect” (a person with all their cases) and “Cases of one person”",
        ),
        ("insist with {allow_too_small}", "insist with “Release even if the log is too small”"),
        (
            "{variants:generated} and {method:sampling}",
            "the method “New cases from a private model” and the method “Sampling (Amun_s)”",
        ),
        ("{method:certified}, {method}", "a certified method, the method"),
        ("Try {advantage:0.2}.", "Try “Guessing advantage” (0.2)."),
        ("Give {public:FILE}.", "Give --public FILE of the command line."),
    ],
)
def test_an_option_is_a_field_of_the_page_or_said_to_be_the_command_line_s(template: str, shown: str) -> None:
    assert in_fields(Message(template)) == shown


def test_a_command_for_a_shell_stays_as_it_is_on_the_page() -> None:
    command = "amun-dp registry set-budget L-1 --reading published --advantage 0.3"
    said = Message("Use {releases:2}, and {command}.", command=command)
    assert in_fields(said) == f"Use “Releases planned” (2), and {command}."


def test_the_worker_answers_in_the_words_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("who,what,when\n1,a,2024-01-01\n", encoding="utf-8")
    asked = {"task": "inspect", "log": {"path": str(tmp_path / "log.csv"), "reading": {}}}
    command = [sys.executable, "-m", "amun_dp.serve.worker_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(asked) + "\n")
        worker.stdin.flush()
        answers = (json.loads(line) for line in worker.stdout)
        refused = next(answer["refused"] for answer in answers if "refused" in answer)
    assert refused.startswith("No column is recognised as the case. Name it with “Case”. The columns are: 'who'")


def test_all_that_can_be_said_about_reading_has_a_field() -> None:
    options = build_parser().parse_args(["inspect", "log.csv"])
    said = dict.fromkeys(vars(options), "x")
    names = set(reading_of(Namespace(**said)))
    assert names == {*READING, *READING_CHECKS}
    template = (Path(amun_dp.__file__).parent / "serve" / "templates" / "log.html").read_text(encoding="utf-8")
    for name in names:
        if name in READING:
            assert f'("{name}", "{FIELDS[name]}", ' in template
        else:
            assert re.search(f'<input type="checkbox" name="{name}".*> {re.escape(FIELDS[name])}</label>', template)


@pytest.mark.parametrize(("number", "shown"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2e9, "2 GB")])
def test_sizes_are_for_people(number: float, shown: str) -> None:
    assert size(int(number)) == shown


def test_the_page_asks_for_nothing_outside() -> None:
    folder = Path(amun_dp.__file__).parent / "serve"
    texts = [static("page.js"), static("page.css"), *(page.read_text() for page in folder.glob("templates/*.html"))]
    for text in texts:
        assert "http:" not in text
        assert "https:" not in text
        assert "//cdn" not in text
