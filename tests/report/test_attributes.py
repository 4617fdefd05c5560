"""The facts that a released log carries itself, read by our reader, pm4py and the standard library's parser."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import amun_dp
from accounting.events import (
    CaseMoves,
    LaplaceCount,
    NonPrivate,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    Undisclosed,
)
from accounting.publication import public_tree
from amun_dp.article.methods import article_method_named
from amun_dp.release.methods import register_method, unregister_method
from amun_dp.report.attributes import guaranteed_unit, privacy_attributes
from amun_dp.synthetic import hospital_log
from tests.release.test_release import METHODS

_OF_AN_INDIVIDUAL = "counts and times of an individual"
NAMESPACE = "{http://www.xes-standard.org/}"
ROOT = Path(__file__).parents[2]


def saved(folder: Path, format: str, **options: Any) -> dict[str, Any]:
    """Release the hospital log; what is published as a report."""
    options = {
        "advantage": 0.2,
        "allow_too_small": True,
    } | options  # what is written is looked at, not what it is worth
    amun_dp.anonymize(hospital_log(cases=60), **options).save(folder, format=format)
    report: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    return report


def document(folder: Path) -> ET.Element:
    return ET.fromstring(gzip.decompress((folder / "log.xes.gz").read_bytes()))


def log_attributes(folder: Path) -> dict[str, tuple[str, str]]:
    """Attributes of the log itself, each with its type: every child but declarations and traces."""
    other = {NAMESPACE + name for name in ("extension", "global", "classifier", "trace")}
    found = [element for element in document(folder) if element.tag not in other]
    assert len({element.attrib["key"] for element in found}) == len(found)
    return {element.attrib["key"]: (element.tag.removeprefix(NAMESPACE), element.attrib["value"]) for element in found}


def expected(report: dict[str, Any], unit: str = "none") -> dict[str, tuple[str, str]]:
    """What the report says, in the form of the attributes."""
    return {
        "privacy:release": ("string", report["release"]["id"]),
        "privacy:method": ("string", report["method"]),
        "privacy:advantage": ("float", repr(report["advantage"])),
        "privacy:unit": ("string", unit),
        "privacy:noise": ("string", "seeded: do not publish" if report["noise"]["predictable"] else "unpredictable"),
        "privacy:version": ("string", f"amun-dp {report['software']['amun-dp']}"),
    }


@pytest.mark.parametrize(
    "options",
    [
        *({"method": method} for method in METHODS),
        {"conventions": "article"},
        {"seed": 5},
        {"advantage": 0.1 + 0.2},
        {"scope": "case", "max_case_length": 40, "public_variants": True, "method": "sampling"},
    ],
    ids=str,
)
def test_xes_declares_the_extension_and_has_the_six_attributes_of_the_report(
    options: dict[str, Any], tmp_path: Path
) -> None:
    report = saved(tmp_path / "out", "xes", **options)
    assert log_attributes(tmp_path / "out") == expected(report)
    extensions = {
        element.attrib["prefix"]: (element.attrib["name"], element.attrib["uri"])
        for element in document(tmp_path / "out").findall(f"{NAMESPACE}extension")
    }
    assert extensions["privacy"] == ("Privacy", "urn:amun-dp:privacy.xesext:1")


def test_parquet_has_them_as_metadata(tmp_path: Path) -> None:
    report = saved(tmp_path / "out", "parquet", seed=5)
    metadata = pq.read_schema(tmp_path / "out" / "log.parquet").metadata
    assert {key.decode(): value.decode() for key, value in metadata.items()} == {
        name: value for name, (_, value) in expected(report).items()
    }
    assert float(metadata[b"privacy:advantage"]) == report["advantage"]


def test_csv_has_none(tmp_path: Path) -> None:
    report = saved(tmp_path / "out", "csv")
    text = (tmp_path / "out" / "log.csv").read_text(encoding="utf-8")
    assert "privacy" not in text
    assert report["release"]["id"] not in text


# --- who reads the file ---------------------------------------------------------------------------------------------


def test_our_reader_and_pm4py_read_the_log_as_if_the_attributes_were_not_there(tmp_path: Path) -> None:
    release = amun_dp.anonymize(hospital_log(cases=60), 0.2)
    release.save(tmp_path / "out", format="xes")
    ours = amun_dp.read_log(tmp_path / "out" / "log.xes.gz").to_pandas()
    pd.testing.assert_frame_equal(ours, release.log)
    theirs = pm4py_reads(tmp_path / "out" / "log.xes.gz")
    assert set(theirs.columns) == set(release.log.columns)
    for name in ("case:concept:name", "concept:name"):
        assert theirs[name].tolist() == release.log[name].tolist()
    assert (theirs["time:timestamp"].astype("datetime64[ms, UTC]") == release.log["time:timestamp"]).all()


def test_pm4py_finds_the_attributes_and_the_number_is_a_number(tmp_path: Path) -> None:
    report = saved(tmp_path / "out", "xes")
    log = pm4py_reads(tmp_path / "out" / "log.xes.gz", return_legacy_log_object=True)
    assert log.attributes == {name: value for name, (_, value) in expected(report).items()} | {"privacy:advantage": 0.2}
    assert log.extensions["Privacy"] == {"prefix": "privacy", "uri": "urn:amun-dp:privacy.xesext:1"}


def test_our_reader_and_pandas_read_the_parquet_file(tmp_path: Path) -> None:
    release = amun_dp.anonymize(hospital_log(cases=60), 0.2)
    release.save(tmp_path / "out", format="parquet")
    pd.testing.assert_frame_equal(amun_dp.read_log(tmp_path / "out" / "log.parquet").to_pandas(), release.log)
    assert len(pd.read_parquet(tmp_path / "out" / "log.parquet")) == len(release.log)


def test_a_released_log_can_be_released_again_and_carries_the_new_facts_only(tmp_path: Path) -> None:
    saved(tmp_path / "first", "xes")
    again = amun_dp.anonymize(amun_dp.read_log(tmp_path / "first" / "log.xes.gz"), 0.3, "sampling")
    again.save(tmp_path / "second")
    report = json.loads((tmp_path / "second" / "report.json").read_bytes())
    assert log_attributes(tmp_path / "second") == expected(report)


def pm4py_reads(path: Path, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, and those of what it imports
        import pm4py

        return pm4py.read_xes(str(path), show_progress_bar=False, **options)


# --- what they say --------------------------------------------------------------------------------------------------


def test_the_report_holds_the_hash_of_the_log_and_not_the_reverse(tmp_path: Path) -> None:
    for format, name in (("xes", "log.xes.gz"), ("parquet", "log.parquet")):
        folder = tmp_path / format
        report = saved(folder, format)
        assert report["files"][name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    values = " ".join(value for _, value in log_attributes(tmp_path / "xes").values())
    assert not re.search(r"[0-9a-f]{64}", values)


def test_the_facts_come_from_the_report_alone() -> None:
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2).report
    other = replace(report, method="mine", advantage=0.4, unpredictable=False, release_id="0" * 32)
    assert privacy_attributes(other) == {
        "privacy:release": "0" * 32,
        "privacy:method": "mine",
        "privacy:advantage": 0.4,
        "privacy:unit": "none",
        "privacy:noise": "seeded: do not publish",
        "privacy:version": f"amun-dp {report.software['amun-dp']}",
    }


def test_the_name_of_a_method_from_outside_may_be_any_text(tmp_path: Path) -> None:
    name = 'R&D <"é">'
    register_method(replace(article_method_named("sampling"), name=name))
    try:
        report = saved(tmp_path / "out", "xes", method=name)
    finally:
        unregister_method(name)
    assert log_attributes(tmp_path / "out") == expected(report)


@pytest.mark.parametrize(
    ("tree", "unit"),
    [
        (LaplaceCount(2.0, cells_per_case=4), "case"),  # nobody said how many cases an individual has
        (SharedByIndividual(LaplaceCount(2.0, cells_per_case=4), 1), "individual"),
        (SharedByIndividual(LaplaceCount(2.0, cells_per_case=4), 3), "individual"),
        (SharedByIndividual(LaplaceCount(2.0, cells_per_case=4), None), "case"),
        (LaplaceCount(2.0), "event"),
        (CaseMoves(), "event"),  # moving whole cases betrays no time of theirs
        (Sequential((LaplaceCount(2.0, cells_per_case=4), NonPrivate("seeded"))), "none"),
        (Undisclosed("magic"), "none"),
    ],
    ids=str,
)
def test_the_unit_is_the_largest_that_is_proved_for_the_whole_release(tree: PrivacyEvent, unit: str) -> None:
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2).report
    assert guaranteed_unit(replace(report, mechanisms=public_tree(tree))) == unit


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        ({"variants": "public", "variants_from_log": True}, "counts and times of a case"),
        ({"variants": "public", "variants_from_log": True, "one_case_per_individual": True}, _OF_AN_INDIVIDUAL),
        ({"variants": "generated"}, "case"),
        ({"variants": "generated", "one_case_per_individual": True}, "individual"),
    ],
    ids=str,
)
def test_with_the_log_s_own_variants_the_unit_is_its_counts_and_times(
    options: dict[str, Any], unit: str, tmp_path: Path
) -> None:
    """As the label says, and as ``verify --require`` judges."""
    saved(tmp_path / "out", "xes", method="certified", **options)
    assert log_attributes(tmp_path / "out")["privacy:unit"] == ("string", unit)
    extension = (ROOT / "docs" / "privacy.xesext").read_text(encoding="utf-8")
    assert {*unit.split(" ")} <= {*re.findall(r"\w+", extension)}
    scope = "case" if unit.endswith("case") else "individual"
    assert amun_dp.verify(tmp_path / "out", require=[f"{scope}:0.2"]).passed == (unit == scope)


@pytest.mark.slow
def test_no_method_of_the_article_has_a_unit() -> None:
    for method in METHODS:
        for options in ({}, {"public_variants": True}, {"scope": "case", "max_case_length": 40}):
            report = amun_dp.anonymize(hospital_log(cases=500), 0.2, method, **options).report
            assert privacy_attributes(report)["privacy:unit"] == "none"


def test_the_extension_defines_exactly_the_attributes_that_are_written(tmp_path: Path) -> None:
    extension = ET.parse(ROOT / "docs" / "privacy.xesext").getroot()
    saved(tmp_path / "out", "xes")
    (declared,) = (
        element
        for element in document(tmp_path / "out").findall(f"{NAMESPACE}extension")
        if element.attrib["prefix"] == "privacy"
    )
    assert extension.tag == "xesextension"
    assert extension.attrib == declared.attrib
    (level,) = extension
    assert level.tag == "log"  # of the log, and of no trace or event
    defined = {f"privacy:{attribute.attrib['key']}": attribute.tag for attribute in level}
    assert defined == {name: kind for name, (kind, _) in log_attributes(tmp_path / "out").items()}
    for attribute in level:
        (alias,) = attribute.findall("alias")
        assert alias.attrib["mapping"] == "EN"
        assert alias.attrib["name"]
