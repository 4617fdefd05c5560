"""The format numbers that a report states: whether the version that it names can have had them, and what follows where
they are not the ones here.

Whoever makes a folder can write any number and any version into it, and bytes of a number that is not known here are
not compared. So a number that the named version never had fails; and where one may be true, what it stands for was not
seen, of which nothing but the size is bounded, and the folder could not be judged.
"""

from __future__ import annotations

from amun_dp._base.software import UNKNOWN, age_of, software_versions
from amun_dp.report.formats import FIRST_WRITTEN_BY, formats_here
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import Fault, NotPossible, require

ROOM = 2
"""What cannot be compared may be larger than what is made here by one part in so many."""
ROOM_BYTES = 1_024


def formats_of_the_version(report: PublicReport) -> str:
    """Every number is one that the version named in the report can have written."""
    version = report.software["amun-dp"]
    for kind in FIRST_WRITTEN_BY:
        if kind in report.formats:
            require_written_by(kind, int(report.formats[kind]), version)
    if version == UNKNOWN:
        if others := other_numbers(report):
            raise NotPossible(f"the report does not say which version of amun-dp wrote {_stated(report, others)}")
        return "those of this version; the report does not say which one wrote it"
    return f"{_stated(report, list(FIRST_WRITTEN_BY))}, as amun-dp {version} can have written"


def require_written_by(kind: str, number: int, version: str) -> None:
    """A fault if the version, as far as it is known here, never wrote that number."""
    first = FIRST_WRITTEN_BY[kind]
    newest = max(first)
    require(number in first or number > newest, f"no version of amun-dp wrote {kind} {number}")
    if version == UNKNOWN:
        return
    age = age_of(version)
    if age is None:
        raise Fault("the report names a version of amun-dp that is none")
    if number > newest:
        require(age > _known_until(), f"amun-dp {version} never wrote {kind} {number}: it ends with {kind} {newest}")
        return
    begins, ends = _age(first[number]), _age(first.get(number + 1, version))
    # A version that is still in the making can have written two numbers.
    require(begins <= age <= ends, f"amun-dp {version} never wrote {kind} {number}")


def other_numbers(report: PublicReport) -> list[str]:
    """The kinds of which the report has another number than is written here, or none."""
    here = formats_here()
    return [kind for kind in FIRST_WRITTEN_BY if report.formats.get(kind) != here[kind]]


def not_here(report: PublicReport, *kinds: str) -> NotPossible:
    """Why bytes of another format are not compared, and who could."""
    here = ", ".join(f"{kind} {number}" for kind, number in formats_here().items() if kind in kinds)
    return NotPossible(f"the format is {_stated(report, list(kinds))}, and here it is {here}{_who_can(report)}")


def notes_on_formats(report: PublicReport) -> list[str]:
    """That not all of the release can be made again here, if that is so."""
    kinds = other_numbers(report)
    return [f"{not_here(report, *kinds)}; bytes that could not be compared were not checked"] if kinds else []


def within_bounds(what: str, size: int, due: int) -> None:
    """What is not compared is at least hardly larger than it would be here."""
    require(
        size <= due + due // ROOM + ROOM_BYTES,
        f"{what} has {size:,} bytes, and would have {due:,} here; such room can hide data",
    )


def _who_can(report: PublicReport) -> str:
    """Another version than this one, if the report names one; nobody may have made it, so that is all that is said."""
    version = report.software["amun-dp"]
    if age_of(version) in (None, age_of(_here())):
        return ""
    return f"; the report names amun-dp {version} as its maker: that version can compare"


def _stated(report: PublicReport, kinds: list[str]) -> str:
    return ", ".join(f"{kind} {report.formats.get(kind, 'without a number')}" for kind in kinds)


def _here() -> str:
    return software_versions()["amun-dp"]


def _known_until() -> tuple[int, ...]:
    """The newest version of which all numbers are known: this one, or, where it is not installed, the newest listed."""
    listed = (version for first in FIRST_WRITTEN_BY.values() for version in first.values())
    return max(age for version in (_here(), *listed) if (age := age_of(version)) is not None)


def _age(version: str) -> tuple[int, ...]:
    age = age_of(version)
    assert age is not None  # of a version of ours, or one that was just looked at
    return age
