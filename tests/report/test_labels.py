"""Labels may be anything and logs any size: nothing of a label is markup, and no page reaches a megabyte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.units import DAY, HOUR
from amun_dp.drawing.model import Label
from amun_dp.drawing.numbers import LONGEST_TITLE, in_full, printable, shorten, width_of
from amun_dp.drawing.render import LARGEST_PAGE
from amun_dp.eventlog.log import EventLog, build_event_log, declared_public
from amun_dp.internals.page import internal_page
from amun_dp.report.page import public_page
from amun_dp.synthetic import LogShape, generate_log
from tests.drawing.html import read
from tests.logs import log_of
from tests.report.reports import compared, comparison_of, hospital_release

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></svg></style><b>bold</b>",
    "{{ report }}{% raw %}",
    "\u202eright to left\u202c",
    "\u2067ישר\u2069",
    "line\nbreak\r\ttab\x00null\x1b[31m",
    "e" + "\u0301" * 400,
    "x" * 5_000,
    "&" * 5_000,
    "\x01" * 5_000,
    "漢字" * 2_000,
    "👩‍👩‍👧‍👦" * 1_000,
    " ",
    "\u00a0\u2003",
    "'; DROP TABLE logs; --",
)
SURROGATE = "\ud800 alone"
"""No file can hold it, and no ledger; a DataFrame can."""


def hostile_log(labels: Sequence[str] = HOSTILE) -> EventLog:
    """Every label in every case, in turning order: many edges, all between hostile labels."""
    n = len(labels)
    return log_of(
        [[(labels[(case + place) % n], DAY * case + HOUR * place) for place in range(n)] for case in range(40)]
    )


def huge_log(activities: int, cases: int) -> EventLog:
    return generate_log(
        LogShape(cases=cases, variants=cases, activities=activities, mean_length=6, max_length=20, seed=3)
    )


def with_long_labels(log: EventLog) -> EventLog:
    """The same log with labels of 5,000 characters, each of which takes most bytes when it is escaped."""
    labels = np.array([f"{code:06d}" + '"' * 4_994 for code in range(len(log.activities))], dtype=object)
    return build_event_log(log.case, log.case_names, log.activity, labels, log.time, log.sequence)


def page_of(log: EventLog) -> str:
    return public_page(hospital_release().report, declared_public(log))


def test_hostile_labels_are_text_and_never_markup() -> None:
    text = page_of(hostile_log((*HOSTILE, SURROGATE)))
    text.encode()  # no lone surrogate is left
    page = read(text)  # fails where tags do not match
    clean = read(page_of(log_of([[("a", 0), ("b", 1)]])))
    assert {each.tag for each in page.all()} <= {each.tag for each in clean.all()} | {"bdi"}
    assert all(not name.startswith("on") for each in page.all() for name in each.attributes)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_hostile_labels_leave_no_character_that_turns_or_hides_text() -> None:
    for text in (page_of(hostile_log()), internal_page(comparison_of(*compared(hostile_log())[:2])).reveal()):
        assert not set(text) & set("\x00\x01\x1b\r\u202e\u202c\u2067\u2069")
        assert "⟨U+202E⟩" in text
        assert "\u0301" * 3 not in text
        assert len(text.encode()) < LARGEST_PAGE


def test_arrows_keep_their_direction_between_labels_written_from_right_to_left() -> None:
    hebrew = [[("\u05d0\u05d1", DAY * case), ("\u05d2\u05d3", DAY * case + 5_000_000 * case)] for case in range(30)]
    text = internal_page(comparison_of(*compared(log_of(hebrew), 0.2, "sampling")[:2])).reveal()
    # A mark of left-to-right text on both sides of the arrow: without it a browser shows the two the other way round.
    assert "\u05d0\u05d1 \u200e→\u200e \u05d2\u05d3" in text
    assert "\u05d0\u05d1 → \u05d2\u05d3" not in text


def test_a_report_with_hostile_words_is_text_as_well() -> None:
    release = hospital_release()
    nasty = replace(
        release.report,
        method=HOSTILE[0],
        made_on=HOSTILE[1],
        software={HOSTILE[2]: HOSTILE[0]},
        files={HOSTILE[0]: HOSTILE[1]},
        released=replace(release.report.released, file=HOSTILE[2]),
    )
    page = read(public_page(nasty, release.event_log))
    assert not page.all("script")
    assert not page.all("img")
    assert not page.all("b")


@pytest.mark.slow
def test_pages_of_a_hundred_thousand_long_labels_stay_below_a_megabyte() -> None:
    log = with_long_labels(huge_log(activities=100_000, cases=30_000))
    assert len(log.activities) == 100_000
    text = page_of(log)
    assert len(text.encode()) < LARGEST_PAGE
    page = read(text)
    assert "And 99,988 more, together" in page.by_id("activities").text
    assert "more arrows, together" in page.by_id("follows").text


@pytest.mark.slow
def test_the_internal_page_of_a_huge_log_stays_below_a_megabyte() -> None:
    log = with_long_labels(huge_log(activities=2_000, cases=2_000))
    planned, release, _ = compared(log, 0.4, "sampling")
    text = internal_page(comparison_of(planned, release)).reveal()
    assert len(text.encode()) < LARGEST_PAGE
    read(text)


@pytest.mark.parametrize(
    "cases",
    [
        [[("a", 0)]],
        [[("a", 0)], [("a", 0)]],
        [[("a", 0), ("a", 0), ("a", 0)]],
        [[("a", -(1 << 50)), ("b", 1 << 50)]],
        [[("a", 0), ("b", 1), ("a", 2), ("b", 3)], [("b", 0), ("a", 5)]],
        [[(chr(97 + place), place) for place in range(26)]],
    ],
    ids=["one event", "one instant", "only loops", "millions of years", "a cycle", "one long chain"],
)
def test_odd_logs_have_a_page(cases: list[list[tuple[str, int]]]) -> None:
    read(page_of(log_of(cases)))


def test_what_a_shortened_label_leaves_out_is_in_its_title() -> None:
    long = "Request For Payment SUBMITTED by the EMPLOYEE who also APPROVED it"
    label = Label(long, 30)
    assert "…" in label.short
    assert label.full == long
    assert Label("short").full == ""
    assert in_full("x" * 5_000).endswith("(5,000 characters in all)")


@given(st.text(max_size=300), st.integers(8, 80))
def test_a_shown_label_is_printable_and_no_wider_than_its_room(label: str, columns: int) -> None:
    short = shorten(label, columns)
    assert short
    assert width_of(short) <= columns
    assert all(character.isprintable() or character in "\u200c\u200d\u200e" for character in short)
    assert len(in_full(label)) <= LONGEST_TITLE + 40


@given(st.text(alphabet=st.characters(codec="ascii", categories=("L", "N", "P", "S")), max_size=300))
def test_plain_labels_are_shown_as_they_are(label: str) -> None:
    assert printable(label) == label
