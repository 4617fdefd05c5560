"""Checks of the report: its form, and that it says nothing but what follows from the mechanisms it records."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from accounting.accountant import public_account
from accounting.errors import AccountingError
from accounting.events import NonPrivate
from accounting.guarantee import Guarantee
from accounting.trees import nodes
from amun_dp.conventions import ARTICLE, CORRECTED
from amun_dp.errors import AmunError
from amun_dp.report import PRIVATE_MEANS, SCHEMA, PublicReport, guarantee_as_dict, software_versions
from amun_dp.report_schema import schema_problems
from amun_dp.strict_json import strict_json
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.contents import Contents
from amun_dp.writing.folder import REPORT_FILE

LARGEST_REPORT = 1 << 24
"""Bytes; a report has some tens of thousands."""
MOST_MECHANISMS = 256
"""A release records about ten. Exact sums of many more would take hours, which is an attack."""
_WHOLE_NUMBERS = {
    "parameters": ("window_ms", "start_window_ms", "releases", "max_cases_per_individual", "max_case_length"),
    "released": ("cases", "events", "variants"),
}
_SOFTWARE = {"python", "amun-dp", "opendp", "numpy"}
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,39}")
_TITLE = re.compile(r"[0-9A-Za-z][0-9A-Za-z ._-]{0,39}")
_WORDING = ("statement", "why", "reference")


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The report twice: as it is written, and as what it means. Guarantees of the second are derived, not read."""

    data: dict[str, Any]
    report: PublicReport
    derived: tuple[Guarantee, ...]

    @property
    def same_version(self) -> bool:
        return self.report.software["amun-dp"] == software_versions()["amun-dp"]

    @property
    def version(self) -> str:
        return self.report.software["amun-dp"]


def read_report(contents: Contents) -> tuple[ReadReport, str]:
    """The report, if it is one."""
    path = contents.path(REPORT_FILE)
    require(path.stat().st_size <= LARGEST_REPORT, f"{REPORT_FILE} is too large to be a report")
    data = json_of(path.read_bytes(), REPORT_FILE)
    problems = schema_problems(data)
    require(not problems, f"{REPORT_FILE} is no report of schema {SCHEMA}: {problems[0] if problems else ''}")
    for section, names in _WHOLE_NUMBERS.items():
        for name in names:
            # JSON Schema takes 3.0 for an integer; whoever reads the report may not.
            require(data[section][name] is None or type(data[section][name]) is int, f"{name} is no whole number")
    require(
        len(data["mechanisms"]) <= MOST_MECHANISMS,
        f"the report records more than {MOST_MECHANISMS} mechanisms, which no release has",
    )
    try:
        report = PublicReport.from_dict(data)
        derived = public_account(report.mechanisms)
    except (AccountingError, AmunError, RecursionError) as error:
        raise Fault(f"the recorded mechanisms or parameters make no sense: {error}") from error
    require(
        json.dumps(report.mechanisms.records()) == json.dumps(data["mechanisms"]),
        "the report publishes parameters of mechanisms that are confidential, or not as this software writes them",
    )
    return ReadReport(data, report, derived), f"{SCHEMA}, {len(data['mechanisms'])} mechanisms"


def json_of(page: bytes, name: str) -> dict[str, Any]:
    """JSON that every reader reads alike: no key twice, no NaN, and formatted as this software does it."""
    try:
        data = strict_json(page)
        written = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (ValueError, RecursionError) as error:
        raise Fault(f"{name} is not JSON that can be read in one way only") from error
    require(isinstance(data, dict), f"{name} is no JSON object")
    require(written == page, f"{name} is not formatted as this software does it; such freedom can hide data")
    return dict(data)


def guarantees(read: ReadReport) -> str:
    """The accountant derives the guarantees again from the mechanisms; what is written must be that, line by line."""
    compare_lines(read.data["guarantees"], read.derived, wording=read.same_version)
    if not read.same_version:
        return f"{len(read.derived)} lines; wording not compared, because version {read.version} wrote it"
    return f"{len(read.derived)} lines"


def compare_lines(written: list[dict[str, Any]], derived: tuple[Guarantee, ...], wording: bool = True) -> None:
    expected = [guarantee_as_dict(line) for line in derived]
    for number, (found, due) in enumerate(zip(written, expected, strict=False), start=1):
        for field, value in due.items():
            if field in _WORDING and not wording:
                continue
            stated = found.get(field)
            only_names = field == "assumptions" and not wording
            # As text, because True == 1 == 1.0 in Python and not in JSON.
            if json.dumps(list(stated or ()) if only_names else stated) != json.dumps(
                list(value) if only_names else value
            ):
                place = f"line {number} ({due['claim']}, {due['scope']}, {due['relation']})"
                shown = f": {stated!r} is stated, {value!r} follows" if field not in (*_WORDING, "assumptions") else ""
                raise Fault(f"{place}: '{field}' is not what follows from the mechanisms{shown}")
    require(len(written) == len(expected), f"{len(written)} lines are stated where {len(expected)} follow")


def texts(read: ReadReport) -> str:
    """What people read first must be what the rest says, and no field is free for other texts."""
    report, data = read.report, read.data
    require(set(data["software"]) == _SOFTWARE, f"'software' must name {', '.join(sorted(_SOFTWARE))} and nothing else")
    require(all(map(_VERSION.fullmatch, data["software"].values())), "'software' holds something that is no version")
    for field in ("method", "conventions"):
        require(_TITLE.fullmatch(data[field]), f"'{field}' is no plain name")
    for known in (ARTICLE, CORRECTED):
        require(
            report.conventions.name != known.name or report.conventions == known,
            f"the conventions are called '{known.name}' but are not those of that name",
        )
    if not read.same_version:
        raise NotPossible(f"the sentences are those of version {read.version}, which is not installed here")
    require(data["private_means"] == PRIVATE_MEANS[report.private], "'private_means' is not what 'private' means")
    require(data["unprotected"] == list(report.unprotected), "'unprotected' is not what such a release leaves open")
    return "what is not protected, and what private means"


def seeded(report: PublicReport) -> bool:
    return any(isinstance(node, NonPrivate) for node in nodes(report.mechanisms.tree))


def predictability(report: PublicReport) -> str:
    """The flag that people read and the record that the accountant reads must agree."""
    require(
        report.private is not seeded(report),
        "the report says that the noise is unpredictable, but records that it was not"
        if report.private
        else "the report says that the noise is predictable, but does not record it as a mechanism",
    )
    return "unpredictable" if report.private else "seeded, and recorded as such"


def publishable(report: PublicReport) -> str:
    require(
        report.private and not seeded(report),
        "the noise came from a seed and can be subtracted: do not publish this release",
    )
    return "the noise is recorded as unpredictable"
