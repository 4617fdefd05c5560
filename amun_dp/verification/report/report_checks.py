"""Checks of the report: its form, and that it says nothing but what follows from the mechanisms it records."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from accounting.accountant import public_account, strictest
from accounting.errors import AccountingError
from accounting.guarantee import Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.parts import BOUNDED_VERDICTS
from amun_dp._base.messages import Message
from amun_dp._base.software import UNKNOWN
from amun_dp._base.strict_json import strict_json
from amun_dp.article.conventions import ARTICLE, CORRECTED
from amun_dp.errors import AmunError
from amun_dp.folder.names import REPORT_FILE, REPORT_SCHEMA_FAMILY
from amun_dp.report import formats
from amun_dp.report.parameters import ArticleParameters
from amun_dp.report.public_report import READABLE, SCHEMA, PublicReport, guarantee_as_dict
from amun_dp.report.schema import schema_problems
from amun_dp.report.terms import NOISE_MEANS
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.report.stated_formats import not_here, require_written_by, within_bounds

LARGEST_REPORT = 1 << 24
"""Bytes; a report has some tens of thousands."""
MOST_MECHANISMS = 256
"""A release records about ten. Exact sums of many more would take hours, which is an attack."""
_FRACTIONS = {"advantage", "delta"}
"""All other numbers of a report, apart from those of guarantees and mechanisms, are whole."""
_TITLE = re.compile(r"[0-9A-Za-z][0-9A-Za-z ._-]{0,39}")
_WORDING = ("statement", "why", "reference")
WHOLE = "whole-release"


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The report twice: as it is written, and as what it means. Guarantees of the second are derived, not read."""

    data: dict[str, Any]
    report: PublicReport
    derived: tuple[Guarantee, ...]

    @property
    def same_schema(self) -> bool:
        """Whether the report itself can be written again here, and its figures were derived by the same rules."""
        return self.report.formats.get("schema") == formats.SCHEMA

    @property
    def same_page(self) -> bool:
        """Whether the page, and the sentences that the report shares with it, can be."""
        return self.same_schema and self.report.formats.get("page") == formats.PAGE

    @property
    def same_drawing(self) -> bool:
        """Whether the log, before it is compressed, can be."""
        return self.report.formats.get("drawing") == formats.DRAWING


def read_report(contents: Contents) -> tuple[ReadReport, str]:
    """The report, if it is one."""
    path = contents.path(REPORT_FILE)
    require(path.stat().st_size <= LARGEST_REPORT, f"{REPORT_FILE} is too large to be a report")
    page = path.read_bytes()
    data = json_of(page, REPORT_FILE)
    _of_a_known_schema(data)
    problems = schema_problems(data)
    require(not problems, f"{REPORT_FILE} is no report of schema {SCHEMA}: {problems[0] if problems else ''}")
    _one_way_to_write_it(data)
    _is_a_date(data["release"]["made_on"])
    require(
        len(data["mechanisms"]) <= MOST_MECHANISMS,
        f"the report records more than {MOST_MECHANISMS} mechanisms, which no release has",
    )
    try:
        report = PublicReport.from_dict(data)
        derived = public_account(report.mechanisms)
    except (AccountingError, AmunError, RecursionError) as error:
        raise Fault(Message("the recorded mechanisms or parameters make no sense: {error}", error=error)) from error
    read = ReadReport(data, report, derived)
    _nothing_published_that_is_confidential(read)
    if read.same_schema:
        _written_as_here(read, page)
    numbers = "".join(f", {name} {number}" for name, number in read.report.formats.items() if isinstance(number, int))
    return read, f"{data['schema']} ({numbers.removeprefix(', ')}), {len(data['mechanisms'])} mechanisms"


def _one_way_to_write_it(data: dict[str, Any]) -> None:
    """JSON Schema takes 3.0 for an integer, and Python's "$" takes a line end at the end; others may not."""
    parts = ("parameters", "released", "formats", "earlier_releases")
    for name, value in (*data.items(), *(item for part in parts for item in data.get(part, {}).items())):
        require(name in _FRACTIONS or not isinstance(value, float), f"{name} is no whole number")
    for line in data.get("earlier_releases", {}).get("total", ()):
        # A whole number may have any number of digits.
        fractions = (line[name] for name in ("epsilon", "delta", "advantage"))
        require(all(type(each) is not int for each in fractions), "the total with earlier releases is no fraction")
    for name, version in data["software"].items():
        require("\n" not in version, f"the version of {name} is none")


def _of_a_known_schema(data: dict[str, Any]) -> None:
    """A report of a later schema is no forgery, unless it names a version that had none: a later one can judge it."""
    stated = data.get("schema")
    later = isinstance(stated, str) and re.fullmatch(re.escape(REPORT_SCHEMA_FAMILY) + "([0-9]{1,4})", stated)
    if later and stated not in READABLE:
        software = data.get("software")
        version = software.get("amun-dp") if isinstance(software, dict) else None
        require_written_by("schema", int(later[1]), version if isinstance(version, str) else UNKNOWN)
        raise NotPossible(f"the report is of schema {stated}, and here {', '.join(READABLE)} are known")


def _is_a_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise Fault("'made_on' is no date") from None


def _nothing_published_that_is_confidential(read: ReadReport) -> None:
    again, found = read.report.mechanisms.records(), read.data["mechanisms"]
    if not read.same_schema:
        # A record may have got further parameters since; those that it had must be the same.
        again = [
            {"kind": due["kind"], "parameters": {name: due["parameters"].get(name) for name in record["parameters"]}}
            for due, record in zip(again, found, strict=False)
        ] + again[len(found) :]
    require(
        json.dumps(again) == json.dumps(found),
        "the report publishes parameters of mechanisms that are confidential, or not as this software writes them",
    )


def _written_as_here(read: ReadReport, page: bytes) -> None:
    """Byte for byte what this software writes of such a report: the order of fields, for instance, says nothing.

    What other checks hold against the mechanisms, line by line and sentence by sentence, stands here as it is written.
    """
    data, due = read.data, read.report.as_dict()
    fields = guarantee_as_dict(read.derived[0]) if read.derived else {}
    due["guarantees"] = [{name: line[name] for name in fields} for line in data["guarantees"]]
    due |= {name: data[name] for name in due if name in data and (name.endswith("_means") or name == "unprotected")}
    if "from_log" in due["parameters"]:
        due["parameters"]["from_log"] = sorted(due["parameters"]["from_log"])
    require(
        as_written(due) == page,
        f"{REPORT_FILE} is not what this software writes of such a release: its fields stand in another order, or say "
        "it in another way; such freedom can hide data",
    )


def as_written(data: Any) -> bytes:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def json_of(page: bytes, name: str) -> dict[str, Any]:
    """JSON that every reader reads alike: no key twice, no NaN, and formatted as this software does it."""
    try:
        data = strict_json(page)
        written = as_written(data)
    except (ValueError, RecursionError) as error:
        raise Fault(f"{name} is not JSON that can be read in one way only") from error
    require(isinstance(data, dict), f"{name} is no JSON object")
    require(written == page, f"{name} is not formatted as this software does it; such freedom can hide data")
    return dict(data)


def guarantees(read: ReadReport) -> str:
    """The accountant derives the guarantees again from the mechanisms; what is written must be that, line by line."""
    compare_lines_of(read, read.data["guarantees"], read.derived)
    _check_total(read)
    if not read.same_page:
        return f"{len(read.derived)} lines; their wording is of another format and was not compared"
    return f"{len(read.derived)} lines"


def _check_total(read: ReadReport) -> None:
    """What earlier releases cost nobody here can see, but together with this one they cost no less than it alone."""
    for line in read.report.earlier_releases.total:
        alone = strictest(read.derived, Scope(line.unit), Relation.REPLACE)
        stated = alone.epsilon.stated() if alone.verdict in BOUNDED_VERDICTS else None
        least = None if stated is None else stated / read.report.releases
        require(
            line.epsilon is None or (least is not None and least <= line.epsilon * (1 + 1e-6)),
            f"the total with earlier releases is less than this release alone costs one {line.unit}",
        )


def compare_lines_of(read: ReadReport, written: list[dict[str, Any]], derived: tuple[Guarantee, ...]) -> None:
    """The same, unless the report is of an older schema, whose accountant may have derived other lines, and none on
    average over the noise."""
    if not read.same_schema:
        derived = tuple(line for line in derived if line.kind is not Kind.ON_AVERAGE)
    try:
        compare_lines(written, derived, wording=read.same_page)
    except Fault as fault:
        if read.same_schema:
            raise
        raise NotPossible(
            f"the lines are those of an older accountant ({read.data['schema']}); what counts is what follows here: "
            f"{fault}"
        ) from fault


def states_more(read: ReadReport) -> list[str]:
    """For a report of an older schema: where it states a bound that today's accountant does not derive."""
    if read.same_schema:
        return []
    found = []
    for line in read.data["guarantees"]:
        stated = Verdict(line["verdict"]) in BOUNDED_VERDICTS and line["bounded"] is True
        if line["claim"] != WHOLE or line["reading"] != Reading.STRICT.value or not stated:
            continue
        scope, relation = Scope(line["scope"]), Relation(line["relation"])
        today = strictest(read.derived, scope, relation)
        holds = today.verdict in BOUNDED_VERDICTS and today.epsilon.value is not None
        if not holds or not _at_most(today.epsilon.stated(), line["epsilon"]):
            derives = f"ε {today.epsilon}" if holds else "none"
            found.append(
                f"the report, of an older schema, states ε {line['epsilon']} about one {scope.value} "
                f"({relation.value}), and the accountant of today derives {derives}: rely on the latter"
            )
    return found


def _at_most(today: float | None, stated: float | None) -> bool:
    return today is not None and stated is not None and today <= stated


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
    if not read.same_page:
        due = len(as_written(report.as_dict()))
        within_bounds(REPORT_FILE, len(as_written(data)), due)
        raise not_here(report, "page")
    require(
        data["noise"]["means"] == NOISE_MEANS[report.unpredictable],
        "what is said about the noise is not what its flag means",
    )
    require(data["unprotected"] == list(report.unprotected), "'unprotected' is not what such a release leaves open")
    return "what is not protected, and what is said about the noise"
