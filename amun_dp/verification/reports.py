"""Checks of the report: its form, and that it says nothing but what follows from the mechanisms it records."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from accounting.accountant import public_account
from accounting.assumptions import SINCE_SCHEMA_3
from accounting.errors import AccountingError
from accounting.events import NonPrivate
from accounting.guarantee import Guarantee
from accounting.trees import nodes
from amun_dp.conventions import ARTICLE, CORRECTED
from amun_dp.errors import AmunError
from amun_dp.report import (
    NOISE_MEANS,
    PRIVATE_MEANS_OF_SCHEMA_2,
    SCHEMA,
    PublicReport,
    guarantee_as_dict,
    software_versions,
)
from amun_dp.report_parameters import ArticleParameters
from amun_dp.report_schema import schema_problems
from amun_dp.strict_json import strict_json
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.contents import Contents
from amun_dp.writing.folder import REPORT_FILE

LARGEST_REPORT = 1 << 24
"""Bytes; a report has some tens of thousands."""
MOST_MECHANISMS = 256
"""A release records about ten. Exact sums of many more would take hours, which is an attack."""
_FRACTIONS = {"advantage", "delta"}
"""All other numbers of a report, apart from those of guarantees and mechanisms, are whole."""
_TITLE = re.compile(r"[0-9A-Za-z][0-9A-Za-z ._-]{0,39}")
_UNWRITTEN = frozenset(assumption.value for assumption in SINCE_SCHEMA_3)
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
    for name, value in (*data.items(), *data["parameters"].items(), *data["released"].items()):
        # JSON Schema takes 3.0 for an integer; whoever reads the report may not.
        require(name in _FRACTIONS or not isinstance(value, float), f"{name} is no whole number")
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
    compare_lines(read.data["guarantees"], read.derived, wording=read.same_version, schema=read.data["schema"])
    if not read.same_version:
        return f"{len(read.derived)} lines; wording not compared, because version {read.version} wrote it"
    return f"{len(read.derived)} lines"


def compare_lines(
    written: list[dict[str, Any]], derived: tuple[Guarantee, ...], wording: bool = True, schema: str = SCHEMA
) -> None:
    expected = [guarantee_as_dict(line) for line in derived]
    if schema != SCHEMA:
        for due in expected:
            due["assumptions"] = {name: text for name, text in due["assumptions"].items() if name not in _UNWRITTEN}
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


def version(read: ReadReport) -> str:
    """Page, sentences and bytes are made again and compared, which only the version that made them can do.

    To pass over them because of a version that anybody can write into a report would let anything pass as a page.
    """
    here = software_versions()["amun-dp"]
    require(
        read.same_version,
        f"the report names version {read.version}, and this is {here}: page, sentences and bytes cannot be made again "
        f"here. Verify with that version (pip install amun-dp=={read.version}), and rely on nothing until then",
    )
    return here


def texts(read: ReadReport) -> str:
    """What people read first must be what the rest says, and no field is free for other texts.

    (Versions, names of conventions and windows have no room for any: the schema sees to that.)
    """
    report, data = read.report, read.data
    require(_TITLE.fullmatch(report.method), "'method' is no plain name")
    if isinstance(report.parameters, ArticleParameters):
        rules = report.parameters.conventions
        for known in (ARTICLE, CORRECTED):
            require(
                rules.name != known.name or rules == known,
                f"the conventions are called '{known.name}' but are not those of that name",
            )
    if not read.same_version:
        raise NotPossible(f"the sentences are those of version {read.version}, which is not the one here")
    if data["schema"] == SCHEMA:
        means, due = data["noise"]["means"], NOISE_MEANS[report.unpredictable]
    else:
        means, due = data["private_means"], PRIVATE_MEANS_OF_SCHEMA_2[report.unpredictable]
    require(means == due, "what is said about the noise is not what its flag means")
    require(data["unprotected"] == list(report.unprotected), "'unprotected' is not what such a release leaves open")
    return "what is not protected, and what is said about the noise"


def seeded(report: PublicReport) -> bool:
    return any(isinstance(node, NonPrivate) for node in nodes(report.mechanisms.tree))


def predictability(report: PublicReport) -> str:
    """The flag that people read and the record that the accountant reads must agree."""
    require(
        report.unpredictable is not seeded(report),
        "the report says that the noise is unpredictable, but records that it was not"
        if report.unpredictable
        else "the report says that the noise is predictable, but does not record it as a mechanism",
    )
    require(
        report.sampler is None or (report.sampler == "seeded") is seeded(report),
        "the named sampler of the noise is not one for noise of the recorded predictability",
    )
    return f"unpredictable{_sampler(report)}" if report.unpredictable else "seeded, and recorded as such"


def _sampler(report: PublicReport) -> str:
    return "" if report.sampler is None else f" (sampler: {report.sampler})"


def not_seeded(report: PublicReport) -> str:
    require(
        report.unpredictable and not seeded(report),
        "the noise came from a seed and can be subtracted: do not publish this release",
    )
    return "the noise is recorded as unpredictable"
