"""The published page: drawn again from report and log, and compared byte by byte."""

from __future__ import annotations

from amun_dp.eventlog.figures import PublicFigures
from amun_dp.eventlog.log import PublicLog
from amun_dp.verification.checks import require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.report.report_checks import ReadReport
from amun_dp.verification.report.stated_formats import not_here, within_bounds


def page(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    """The page says what report and log say: it is drawn again from them and must be the same, byte for byte."""
    return page_of_figures(contents, read, log)


def page_of_figures(contents: Contents, read: ReadReport, log: PublicLog | PublicFigures) -> str:
    """The page, drawn again from the report and from figures of the log, must be the published one, byte for byte."""
    from dataclasses import replace

    from amun_dp.folder.names import PAGE_FILE
    from amun_dp.report.page import public_page

    name = str(read.report.released.file)
    # When the page was drawn, its own hash was not known.
    known = {file: digest for file, digest in read.report.files.items() if file == name}
    again = public_page(replace(read.report, files=known), log).encode()
    path = contents.path(PAGE_FILE)
    size = path.stat().st_size
    if not read.same_page:
        within_bounds(PAGE_FILE, size, len(again))
        raise not_here(read.report, "page")
    same = size == len(again) and path.read_bytes() == again
    require(same, f"{PAGE_FILE} is not the page that report and log give")
    return f"{PAGE_FILE}, every byte"
