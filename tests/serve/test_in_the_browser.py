"""The page as its users meet it: in headless Chromium, served by ``amun-dp serve``."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import FilePayload

import amun_dp
from accounting.registry import open_registry
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.serve.page import server
from tests.serve.visiting import Visitor, releases_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_from_a_log_to_a_verified_release_that_the_library_accepts(
    visitor: Visitor, tmp_path: Path, data_folder: Path
) -> None:
    page = visitor.page
    visitor.read_log()
    visitor.planned()
    # The figures are those of the library.
    found = amun_dp.inspect(hospital_log()).reveal()
    log_figures = page.inner_text("#log .figures")
    assert f"{found.events:,}" in log_figures
    assert f"({found.cases_with_own_variant} of {found.cases})" in page.inner_text("#exposure")
    assert page.locator("#exposure svg").count() == 1
    assert "0.811" in page.inner_text("#advantage-says")
    visitor.release()
    assert "A guarantee about one case" in page.inner_text("#release .amun-card")
    # What lies in the folder is a release like any other, and noted in the registry.
    made = visitor.folder / "log-release"
    assert amun_dp.verify(made, hospital_log(), prove=False).passed
    report = amun_dp.load_release(made).report
    assert (report.method, report.advantage) == ("certified", 0.2)
    assert [confirmed for _, confirmed in releases_in(data_folder)] == [True]
    # Downloads are the same bytes.
    with page.expect_download() as caught:
        page.click("text=report.json")
    caught.value.save_as(tmp_path / "report.json")
    assert (tmp_path / "report.json").read_bytes() == (made / "report.json").read_bytes()
    # The report is shown in a frame that can run nothing.
    frame = page.frame_locator("#release iframe")
    frame.locator("h1").wait_for()  # it is loaded once more when the plan is made again
    assert frame.locator("h1").count() == 1
    assert page.get_attribute("#release iframe", "sandbox") == ""
    # The budget is gone, and the page says so before anybody tries.
    page.wait_for_selector("#release >> text=This release would be refused")
    assert page.locator('form[data-post="release"]').count() == 0
    page.fill("#require", "0.2")
    page.click('form[data-post="verify"] button')
    page.wait_for_selector("#verify .checks >> text=required guarantee")
    assert "no check failed" in page.inner_text("#verify .passed")
    assert page.locator("#verify .outcome.failed").count() == 0
    assert "certified" in page.inner_text("#history")
    assert visitor.wrong == []
    assert {address.split("/")[2] for address in visitor.asked if not address.startswith("data:")} == {
        visitor.server.address.split("/")[2]
    }


@pytest.mark.slow
def test_the_slider_plans_again_and_the_release_is_the_plan_that_is_shown(visitor: Visitor) -> None:
    page = visitor.page
    visitor.read_log()
    visitor.planned()
    visitor.choose_method("sampling")
    before = page.get_attribute("#outcome", "data-plan")
    page.focus("#advantage")
    for _ in range(10):
        page.keyboard.press("ArrowRight")  # the keyboard alone
    assert page.inner_text("#advantage-value") == "0.30"
    assert "30 points" in page.inner_text("#advantage-says")
    summary = amun_dp.plan(hospital_log(), 0.3, "sampling").summary.reveal()
    # Of a slow series of keys there may be other plans on the way.
    page.wait_for_selector(f"#outcome:not(.stale) .figures >> text={summary.control_flow_epsilon:.3g}")
    assert page.get_attribute("#outcome", "data-plan") != before
    visitor.idle()
    page.click("text=What would other advantages cost?")
    page.wait_for_selector("#sweep-picture svg")
    visitor.idle()
    visitor.release()
    report = amun_dp.load_release(visitor.folder / "log-release").report
    assert (report.method, report.advantage) == ("sampling", 0.3)
    assert "No guarantee about a whole case" in page.inner_text("#release .amun-card")
    assert visitor.wrong == []


@pytest.mark.slow
def test_a_broken_file_and_a_column_that_is_not_found_are_explained_and_can_be_mended(visitor: Visitor) -> None:
    page = visitor.page
    (visitor.folder / "broken.xes.gz").write_bytes(b"\x1f\x8b broken")
    (visitor.folder / "odd.csv").write_text("who,what,when\n1,a,2020-01-01\n1,b,2020-01-02\n2,a,2020-01-03\n")
    page.reload()
    visitor.read_log("broken.xes.gz")
    page.wait_for_selector("#log .problem")
    assert "broken.xes.gz is" in page.inner_text("#log .problem")
    visitor.idle()
    visitor.read_log("odd.csv")
    page.wait_for_selector("#log .problem >> text=recognised as the case")
    assert "“Case”" in page.inner_text("#log .problem")
    visitor.idle()
    assert page.locator("#columns option").evaluate_all("all => all.map(one => one.value)") == ["who", "what", "when"]
    for field, column in (("case_id", "who"), ("activity", "what"), ("timestamp", "when")):
        page.fill(f"#read-{field}", column)
    page.click("text=Read the log")
    page.wait_for_selector("#exposure svg")
    assert page.inner_text("#log summary") == "Columns: who, what, when"
    visitor.idle()
    assert visitor.wrong == []


@pytest.mark.slow
def test_a_file_dropped_with_a_script_in_its_name_is_shown_as_text(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    name = "<img src=x onerror=alert(1)>.csv"
    page.set_input_files("#log-file", files=FilePayload(name=name, mimeType="text/csv", buffer=b"nothing\nof use\n"))
    page.wait_for_selector("#log .problem")
    visitor.idle()
    assert page.locator("main img").count() == 0
    assert name in page.inner_text("#log-choice option:checked")
    assert visitor.wrong == []


@pytest.mark.slow
def test_labels_with_markup_are_shown_as_text_everywhere(visitor: Visitor) -> None:
    page = visitor.page
    rows = [
        f'{case},"<b onclick=alert(1)>{step}</b>",2020-01-{case % 28 + 1:02d}T{step:02d}:00:00Z'
        for case in range(40)
        for step in range(3)
    ]
    (visitor.folder / "hostile.csv").write_text("case,activity,<i>time</i>\n" + "\n".join(rows) + "\n")
    page.reload()
    page.select_option("#log-choice", "hostile.csv")
    page.click("#log summary")
    page.fill("#read-timestamp", "<i>time</i>")
    page.click("text=Read the log")
    visitor.planned()
    visitor.choose_method("sampling")
    visitor.release()
    assert page.locator("main [onclick], main i, main section b").count() == 0
    assert "<i>time</i>" in page.inner_text("#log summary")
    assert visitor.wrong == []


@pytest.mark.slow
def test_code_that_lies_beside_the_logs_is_not_run(visitor: Visitor, tmp_path: Path) -> None:
    marker = tmp_path / "it was run"
    for module in ("numpy", "amun_dp", "json", "sitecustomize"):
        (visitor.folder / f"{module}.py").write_text(f"open({str(marker)!r}, 'w')\n")
    visitor.read_log()
    visitor.planned()
    assert not marker.exists()


@pytest.mark.slow
def test_a_log_that_changed_after_it_was_planned_is_not_released(visitor: Visitor, data_folder: Path) -> None:
    page = visitor.page
    visitor.read_log()
    visitor.planned()
    write_log(hospital_log(100), visitor.folder / "log.xes.gz")
    page.click('form[data-post="release"] button')
    page.wait_for_selector("#release .problem >> text=changed since it was planned")
    assert "Nothing was spent" in page.inner_text("#release .problem")
    assert releases_in(data_folder) == []


@pytest.mark.slow
def test_a_release_dropped_as_an_archive_is_verified_and_a_damaged_one_fails(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    made = folder / "release"
    amun_dp.anonymize(hospital_log(), 0.2, "sampling").save(made)
    with server(folder, "--read-only") as served:
        context = browser.new_context(accept_downloads=True)
        visitor = Visitor(context.new_page(), served, folder)
        page = visitor.page
        assert page.locator("section").count() == 1
        page.select_option("#verify-choice", "release")
        page.click('form[data-post="verify"] button')
        page.wait_for_selector("#verify .passed")
        visitor.idle()
        packed = tmp_path / "release.zip"
        _pack(made, packed, {"report.json": (made / "report.json").read_bytes().replace(b"0.2", b"0.1")})
        page.set_input_files("#verify-file", packed)
        page.wait_for_selector("#verify .outcome.failed")
        assert "Rely on nothing" in page.inner_text("#verify .problem")
        page.fill("#require", "0.2")
        page.select_option("#verify-choice", "release")
        page.click('form[data-post="verify"] button')
        page.wait_for_selector("#verify .checks >> text=required guarantee")
        assert "failed" in page.inner_text("#verify .checks tbody tr:last-child")
        assert visitor.wrong == []
        context.close()


def _pack(folder: Path, archive: Path, changed: dict[str, bytes]) -> None:
    import zipfile

    with zipfile.ZipFile(archive, "w") as packed:
        for path in folder.iterdir():
            if path.is_file():
                packed.writestr(f"release/{path.name}", changed.get(path.name, path.read_bytes()))


@pytest.mark.slow
def test_the_same_log_that_grew_is_asked_about(visitor: Visitor, data_folder: Path) -> None:
    page = visitor.page
    events = hospital_log().to_pandas()
    cases = events["case:concept:name"].unique()
    events.to_csv(visitor.folder / "grown.csv", index=False)
    events[events["case:concept:name"].isin(cases[:250])].to_csv(visitor.folder / "earlier.csv", index=False)
    page.reload()
    visitor.read_log("earlier.csv")
    visitor.planned()
    page.click("text=Scope, persons and number of releases")
    before = page.get_attribute("#outcome", "data-plan")
    page.fill("#releases", "2")
    page.wait_for_selector(f"#outcome:not([data-plan='{before}']):not(.stale) .figures")
    visitor.idle()
    visitor.release()
    visitor.read_log("grown.csv")
    page.wait_for_selector("#whose")
    visitor.idle()
    assert "Whose log is it?" in page.inner_text("#release")
    page.check("#whose input[value=same]")
    page.click("text=Say so")
    page.wait_for_selector('form[data-post="release"] button:not([disabled])')
    visitor.idle()
    visitor.release()
    assert len(releases_in(data_folder)) == 2
    logs = open_registry(data_folder / "amun-dp" / "registry.sqlite", create=False).logs()
    assert len(logs) == 1
    assert visitor.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1200, False)])
def test_the_page_fits_narrow_screens_and_every_field_has_a_name(
    browser: Browser, folder: Path, width: int, dark: bool
) -> None:
    with server(folder) as served:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
        )
        visitor = Visitor(context.new_page(), served, folder)
        page = visitor.page
        visitor.read_log()
        visitor.planned()
        visitor.choose_method("sampling")
        visitor.release()
        page.click('form[data-post="verify"] button')
        page.wait_for_selector("#verify .checks")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), select, iframe, button, progress')]"
            ".filter(one => !(one.labels?.length || one.title || one.ariaLabel || one.textContent.trim()))"
            ".map(one => one.outerHTML)"
        )
        assert unnamed == []
        headings = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(one => Number(one.tagName[1]))")
        assert headings[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(headings))
        assert page.evaluate("document.querySelectorAll('[id]').length") == page.evaluate(
            "new Set([...document.querySelectorAll('[id]')].map(one => one.id)).size"
        )
        assert visitor.wrong == []
        context.close()


def test_what_goes_wrong_in_the_page_would_be_seen(visitor: Visitor) -> None:
    page = visitor.page
    for deed in (
        "setTimeout(() => missing())",  # an exception that nobody catches
        "fetch('no-such-address')",
        "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">refused by the policy</p>')",
    ):
        before = len(visitor.wrong)
        page.evaluate(f"() => {{ {deed} }}")
        page.wait_for_timeout(100)
        while len(visitor.wrong) == before:
            page.wait_for_timeout(100)
    assert len(visitor.wrong) == 3
