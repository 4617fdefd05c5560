"""What the page says in its own words, held against what the library does."""

from __future__ import annotations

import math
from argparse import Namespace
from pathlib import Path
from typing import get_args

import pytest

import amun_dp
from amun_dp.cli.parser import build_parser
from amun_dp.cli.reading_options import reading_of
from amun_dp.generator import hospital_log
from amun_dp.pages.card import Tone, card_of
from amun_dp.serve.desk import READING
from amun_dp.serve.sections import closed_forms, size, static
from amun_dp.serve.words import METHODS, MethodChoice, in_page_words


@pytest.mark.parametrize("choice", METHODS.values(), ids=METHODS)
def test_the_verdict_beside_a_method_is_that_of_its_releases(choice: MethodChoice) -> None:
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


def test_a_flag_in_a_message_becomes_the_field_of_the_page() -> None:
    said = in_page_words("Name it with --case-id, or use --timestamp-format; --timestamp is known.")
    assert said == "Name it with “Case”, or use “Format of times”; “Time” is known."


def test_all_that_can_be_said_about_reading_has_a_field() -> None:
    options = build_parser().parse_args(["inspect", "log.csv"])
    said = dict.fromkeys(vars(options), "x")
    names = set(reading_of(Namespace(**said)))
    assert names == {*READING, "drop_incomplete"}
    template = (Path(amun_dp.__file__).parent / "serve" / "templates" / "log.html").read_text(encoding="utf-8")
    for name in names - {"drop_incomplete"}:
        flag = f"--{name.replace('_', '-')}"
        assert in_page_words(flag) != flag
        assert f'("{name}", "{in_page_words(flag).strip("“”")}", ' in template


def test_a_message_names_the_log_and_not_where_it_lies() -> None:
    assert in_page_words("/private/x/upload.csv is empty.", "/private/x/upload.csv", "my.csv") == "my.csv is empty."


def test_every_flag_that_has_a_field_is_a_flag() -> None:
    from amun_dp.serve.words import _FIELDS

    known = build_parser().format_help()
    commands = ("anonymize", "plan")
    for command in commands:
        actions = build_parser()._subparsers
        assert actions is not None
        known += actions._group_actions[0].choices[command].format_help()  # type: ignore[index]
    assert all(flag in known for flag in _FIELDS)


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
