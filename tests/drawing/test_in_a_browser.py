"""The pages in a real browser: nothing is requested from outside, nothing refused by the policy, nothing overflows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from amun_dp.eventlog.log import declared_public
from amun_dp.internals.page import internal_page
from amun_dp.report.fragments import label_card
from amun_dp.report.page import public_page
from amun_dp.synthetic import hospital_log
from tests.browser import Browser, browser
from tests.report.reports import compared, comparison_of, hospital_release
from tests.report.test_labels import hostile_log

WIDTHS = (1200, 768, 390, 320)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both pages, of an ordinary log and of one whose labels are hostile."""
    folder = tmp_path_factory.mktemp("pages")
    release, hostile = hospital_release(), hostile_log()
    planned, own, _ = compared(hospital_log(), 0.3)
    hostile_plan, hostile_release, _ = compared(hostile, 0.2, "sampling")
    texts = {
        "public": public_page(release.report, release.event_log),
        "hostile": public_page(release.report, declared_public(hostile)),
        "internal": internal_page(comparison_of(planned, own)).reveal(),
        "hostile-internal": internal_page(comparison_of(hostile_plan, hostile_release)).reveal(),
        "seeded": public_page(hospital_release("sampling", seed=1).report, release.event_log),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("name", ["public", "hostile", "internal", "hostile-internal", "seeded"])
def test_a_page_asks_for_nothing_but_itself_and_nothing_goes_wrong(
    chromium: Browser, pages: dict[str, Path], name: str
) -> None:
    for dark in (False, True):
        visit = chromium.open(pages[name], dark=dark)
        assert visit.requests == [pages[name].as_uri()]
        assert visit.wrong == []


@pytest.mark.parametrize("name", ["public", "hostile", "internal", "hostile-internal"])
def test_a_page_is_never_wider_than_the_screen(chromium: Browser, pages: dict[str, Path], name: str) -> None:
    for width in WIDTHS:
        assert chromium.open(pages[name], width=width, evaluate=OVERFLOW).value <= 0, f"{name} at {width}"


def test_the_style_is_applied_so_the_hash_in_the_policy_is_right(chromium: Browser, pages: dict[str, Path]) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark, paper = (
        chromium.open(pages["public"], dark=dark, printed=printed, evaluate=ground).value
        for dark, printed in ((False, False), (True, False), (False, True))
    )
    assert len({light, dark, paper}) == 3


def test_the_card_stands_alone_in_a_page_of_somebody_else(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "notebook.html"
    card = label_card(hospital_release().report.card)
    page.write_text(f"<!doctype html><meta charset=utf-8><body><h2>theirs</h2>{card}</body>", encoding="utf-8")
    theirs = "getComputedStyle(document.querySelector('h2')).color + getComputedStyle(document.body).backgroundColor"
    plain = tmp_path / "plain.html"
    plain.write_text("<!doctype html><meta charset=utf-8><body><h2>theirs</h2></body>", encoding="utf-8")
    visit = chromium.open(page, evaluate=theirs)
    assert visit.requests == [page.as_uri()]
    assert visit.wrong == []
    assert visit.value == chromium.open(plain, evaluate=theirs).value


# --- the checks can fail --------------------------------------------------------------------------------------------


def test_a_request_to_the_outside_would_be_seen(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "control.html"
    page.write_text("<!doctype html><img src='https://outside.invalid/x.png'>", encoding="utf-8")
    assert "https://outside.invalid/x.png" in chromium.open(page).requests


def with_intruder(pages: dict[str, Path], folder: Path, intruder: str, *, policy: bool = True) -> Path:
    """The public page with something that is not ours in it, beside a picture and a page that it may try to load."""
    (folder / "picture.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "utf-8")
    (folder / "inner.html").write_text("<!doctype html><p>inner", "utf-8")
    text = pages["public"].read_text(encoding="utf-8")
    assert "</main>" in text and 'http-equiv="Content-Security-Policy"' in text
    if not policy:
        text = text.replace('http-equiv="Content-Security-Policy"', 'name="no-policy"')
    page = folder / "control.html"
    page.write_text(text.replace("</main>", f"{intruder}</main>"), encoding="utf-8")
    return page


RAN = "window.intruded === true"
RED = "getComputedStyle(document.querySelector('#intruder')).color === 'rgb(255, 0, 0)'"


@pytest.mark.parametrize(
    ("intruder", "effect"),
    [
        ("<script>window.intruded = true</script>", RAN),
        (
            "<p id='intruder' onclick='window.intruded = true'>x</p>",
            f"document.querySelector('#intruder').click(), {RAN}",
        ),
        ("<p id='intruder' style='color: rgb(255, 0, 0)'>x</p>", RED),
        ("<p id='intruder'>x</p><style>#intruder { color: rgb(255, 0, 0) !important }</style>", RED),
    ],
)
def test_the_policy_keeps_what_is_not_ours_from_taking_effect(
    chromium: Browser, pages: dict[str, Path], tmp_path: Path, intruder: str, effect: str
) -> None:
    assert chromium.open(with_intruder(pages, tmp_path, intruder), evaluate=effect).value is False
    # And it would have one without the policy.
    assert chromium.open(with_intruder(pages, tmp_path, intruder, policy=False), evaluate=effect).value is True


@pytest.mark.parametrize(
    ("intruder", "file"),
    [("<img src='picture.svg' alt=''>", "picture.svg"), ("<iframe src='inner.html'></iframe>", "inner.html")],
)
def test_the_policy_keeps_what_is_not_ours_from_being_loaded(
    chromium: Browser, pages: dict[str, Path], tmp_path: Path, intruder: str, file: str
) -> None:
    address = (tmp_path / file).as_uri()
    assert address not in chromium.open(with_intruder(pages, tmp_path, intruder)).received
    assert address in chromium.open(with_intruder(pages, tmp_path, intruder, policy=False)).received


@pytest.mark.parametrize(
    "intruder",
    [
        "<script>1</script>",
        "<p style='color: red'>styled</p>",
        "<style>p { color: red }</style>",
        "<img src='picture.svg' alt=''>",
        "<iframe src='inner.html'></iframe>",
    ],
)
def test_what_the_policy_refuses_while_loading_would_be_seen(
    chromium: Browser, pages: dict[str, Path], tmp_path: Path, intruder: str
) -> None:
    assert chromium.open(with_intruder(pages, tmp_path, intruder)).wrong


def test_a_script_error_would_be_seen(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "control.html"
    page.write_text("<!doctype html><script>missing()</script>", encoding="utf-8")
    assert chromium.open(page).wrong


def test_a_page_that_is_too_wide_would_be_seen(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "control.html"
    page.write_text("<!doctype html><pre>" + "x" * 500, encoding="utf-8")
    assert chromium.open(page, width=390, evaluate=OVERFLOW).value > 0
