"""The golden files of the format numbers: what this software writes of fixed inputs, the releases of schema 2.

    python -m tests.golden.make_formats            # for numbers that have no files yet
    python -m tests.golden.make_formats --open     # also for numbers that no published version has

Raise a number of ``amun_dp.report.formats`` first if a version with it was published: releases of that version are
compared with what its number stands for.
"""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

from amun_dp.release.load import load_release
from amun_dp.report import formats
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.page import public_page
from amun_dp.report.public_report import PublicReport
from amun_dp.writing.tables import write_csv
from amun_dp.writing.xes import write_xes

GOLDEN = Path(__file__).parent
RELEASES = ("filtering", "generated", "individual", "sampling", "threshold")
_NUMBERS: formats.Formats = {
    "schema": formats.SCHEMA,
    "page": formats.PAGE,
    "drawing": formats.DRAWING,
    "packing": "00000000",
}


def golden_files() -> dict[str, bytes]:
    """Each file by its name below ``formats``, which begins with the number that it belongs to."""
    files = {}
    for name in RELEASES:
        release = load_release(GOLDEN / "schema-2" / name)
        report: PublicReport = replace(release.report, formats=_NUMBERS)
        files[f"schema-{formats.SCHEMA}/{name}.json"] = report.to_json().encode()
        files[f"page-{formats.PAGE}/{name}.html"] = public_page(report, release.event_log).encode()
    log, facts = release.event_log, privacy_attributes(report)
    xes, csv = io.BytesIO(), io.BytesIO()
    write_xes(log, xes, facts)
    write_csv(log, csv)
    return files | {
        f"drawing-{formats.DRAWING}/log.xes": xes.getvalue(),
        f"drawing-{formats.DRAWING}/log.csv": csv.getvalue(),
    }


def main() -> None:
    for name, content in golden_files().items():
        path = GOLDEN / "formats" / name
        if path.exists() and "--open" not in sys.argv[1:]:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
