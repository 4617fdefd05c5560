"""The published schema of the report: what it says, and that every report conforms to it."""

from __future__ import annotations

import copy
import fnmatch
import json
import tomllib
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator

import amun_dp
from accounting.assumptions import Assumption
from accounting.events import TakenAsPublic
from accounting.guarantee import Kind, Reading, Relation, Scope, Verdict
from amun_dp.article.conventions import ARTICLE, CORRECTED, Compression, Filtering, Prior, ValueRange
from amun_dp.article.methods import ArticleMethod
from amun_dp.budgets.earlier_releases import TotalLine
from amun_dp.certified.choices import LARGEST_DELTA, VariantForm
from amun_dp.certified.public_facts import LARGEST_TIME, MOST_CASES, GivenFacts
from amun_dp.folder.names import FILE_NAMES, PAGE_FILE
from amun_dp.release.methods import register_method, unregister_method
from amun_dp.report.parameters import ArticleParameters, CertifiedParameters
from amun_dp.report.public_report import SCHEMA
from amun_dp.report.schema import report_schema, schema_problems
from amun_dp.synthetic import hospital_log
from tests.article.test_researchers_way_in import halve
from tests.release.test_release import METHODS
from tests.report.schema.published import Schema, published

ROOT = Path(__file__).parents[3]
YEAR_1, YEAR_9999 = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last moment that ISO 8601 has, in milliseconds since 1970."""


# --- the schema itself ----------------------------------------------------------------------------------------------


def test_the_schema_is_one_of_draft_2020_12() -> None:
    Draft202012Validator.check_schema(report_schema())
    assert report_schema()["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_the_schema_names_the_version_that_the_code_writes() -> None:
    schema = report_schema()
    assert schema["properties"]["schema"]["const"] == SCHEMA
    assert SCHEMA in schema["title"]
    assert schema["$id"] == "urn:" + SCHEMA.replace("/", ":")


def test_the_schema_is_package_data_and_found_through_the_package() -> None:
    name = f"report/schemas/{SCHEMA.removeprefix('amun-dp/').replace('/', '-')}.schema.json"
    assert json.loads((files("amun_dp") / name).read_bytes()) == report_schema()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = settings["tool"]["setuptools"]["package-data"]["amun_dp"]
    assert any(fnmatch.fnmatch(name, pattern) for pattern in shipped)


def subschemas(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Every schema inside a schema with its place, without following references."""
    yield path, schema
    for group, place in (("properties", path), ("$defs", f"{path}/$defs")):
        for name, inner in schema.get(group, {}).items():
            yield from subschemas(inner, f"{place}/{name}")
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(name), dict):
            yield from subschemas(schema[name], f"{path}/{name}")
    for group in ("oneOf", "prefixItems"):
        for number, inner in enumerate(schema.get(group, ())):
            yield from subschemas(inner, f"{path}/{group}/{number}")


FAMILIES = {
    "article": (
        "of", "conventions", "window_ms", "start_window_ms", "prior", "value_range", "filtering", "compression",
        "public_variants", "scope", "max_case_length",
    ),
    "certified": (
        "of", "variants", "scope", "delta", "first_ms", "last_ms", "longest_ms", "activities", "public_variants",
        "cases", "from_log",
    ),
}  # fmt: skip
SELF_EVIDENT = {
    "/schema",
    "/release",
    *(f"/software/{name}" for name in ("amun-dp", "python", "opendp", "numpy")),
    *(f"/released/{name}" for name in ("file", "cases", "events", "variants")),
    *(f"/files/{name}" for name in ("log.xes.gz", "log.csv", "log.parquet", "report.html")),
    "/noise/means",  # a sentence that explains itself
    "/guarantees",
    *(f"/$defs/guarantee/{name}" for name in ("verdict", "statement", "why")),
    *(f"/$defs/record/{name}" for name in ("kind", "parameters")),
}


def test_every_property_has_a_description_or_is_known_to_need_none() -> None:
    """A new property comes with its meaning."""
    described: set[str] = set()
    bare: set[str] = set()
    for path, schema in subschemas(report_schema()):
        if "$ref" in schema:  # its properties only narrow those that are described where it leads
            continue
        for name, inner in schema.get("properties", {}).items():
            (described if inner.get("description") else bare).add(f"{path}/{name}")
    assert bare <= SELF_EVIDENT
    assert {"/advantage", "/release/id", "/parameters", "/$defs/guarantee/delta"} <= described
    assert {f"/$defs/{family}/{name}" for family, names in FAMILIES.items() for name in names} <= described


OPEN = {
    "/$defs/guarantee/assumptions": "its names are enumerated",
    "/$defs/record/parameters": "the mechanism's own fields, which the accountant reads as strictly as a ledger",
}
ADDED_LATER = {"/noise": {"sampler"}, "/software": {"commit"}}  # reports from before, or without it, are still read


EARLIER = tuple(f"/earlier_releases/oneOf/{number}" for number in range(2))


def test_every_object_is_closed_and_all_its_fields_are_required() -> None:
    seen = set()
    for path, schema in subschemas(report_schema()):
        if "$ref" in schema:
            target = report_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")]
            for name, rule in schema.get("properties", {}).items():
                assert rule.keys() == {"const"} and rule["const"] in target["properties"][name]["enum"], path
            continue
        if schema.get("type") != "object":
            assert "properties" not in schema
            continue
        seen.add(path)
        if path not in OPEN:
            assert schema["additionalProperties"] is False, path
        if path not in ("/files", *OPEN):
            assert set(schema["properties"]) - set(schema["required"]) == ADDED_LATER.get(path, set()), path
    assert seen >= OPEN.keys()
    assert seen - OPEN.keys() == {
        "",
        "/formats",
        "/release",
        "/software",
        "/individuals",
        "/noise",
        "/released",
        "/files",
        *EARLIER,
        "/$defs/article",
        "/$defs/certified",
        "/$defs/guarantee",
        "/$defs/total",
        "/$defs/record",
    }


def test_the_alternatives_are_families_and_whether_a_registry_was_asked_and_exclude_each_other() -> None:
    schema = report_schema()
    alternatives = schema["properties"]["parameters"]["oneOf"]
    assert alternatives == [{"$ref": f"#/$defs/{family}"} for family in FAMILIES]
    for family, names in FAMILIES.items():
        assert tuple(schema["$defs"][family]["properties"]) == names
        assert schema["$defs"][family]["properties"]["of"]["const"] == family
    asked = [one["properties"]["looked_at"]["const"] for one in schema["properties"]["earlier_releases"]["oneOf"]]
    assert asked == [False, True]
    assert [place for place, inner in subschemas(schema) if "oneOf" in inner] == ["/parameters", "/earlier_releases"]


def test_totals_are_of_one_case_and_of_one_individual_and_of_nothing_else() -> None:
    total = report_schema()["properties"]["earlier_releases"]["oneOf"][1]["properties"]["total"]
    assert [one["properties"]["unit"]["const"] for one in total["prefixItems"]] == [
        Scope.CASE.value,
        Scope.INDIVIDUAL.value,
    ]
    assert total["minItems"] == total["maxItems"] == len(total["prefixItems"])
    assert list(report_schema()["$defs"]["total"]["properties"]) == list(TotalLine("case", None, 0.0, None).as_dict())


def test_what_is_open_is_bounded_otherwise(report: dict[str, Any]) -> None:
    spoilt = copy.deepcopy(report)
    spoilt["guarantees"][0]["assumptions"]["trust me"] = "it is fine"
    assert schema_problems(spoilt) == ["guarantees/0/assumptions is none of the allowed values"]


def values(enum: type[Enum]) -> list[str]:
    return [member.value for member in enum]


def test_the_schema_allows_exactly_what_the_code_knows() -> None:
    schema = report_schema()
    guarantee, parameters = (schema["$defs"][name]["properties"] for name in ("guarantee", "article"))
    assert guarantee["scope"]["enum"] == values(Scope)
    assert guarantee["relation"]["enum"] == values(Relation)
    assert guarantee["kind"]["enum"] == values(Kind)
    assert guarantee["reading"]["enum"] == values(Reading)
    assert guarantee["verdict"]["enum"] == values(Verdict)
    assert guarantee["assumptions"]["propertyNames"]["enum"] == values(Assumption)
    for name, choices in {
        "prior": Prior,
        "value_range": ValueRange,
        "filtering": Filtering,
        "compression": Compression,
    }.items():
        assert parameters[name]["enum"] == list(get_args(choices))
    assert parameters["scope"]["enum"] == ["event", "case"]  # amun_dp.article.parameters compares with these two
    assert parameters["conventions"]["enum"] == [ARTICLE.name, CORRECTED.name, "custom"]
    certified = schema["$defs"]["certified"]["properties"]
    assert certified["variants"]["enum"] == list(get_args(VariantForm))
    assert certified["scope"]["enum"] == [Scope.CASE.value, Scope.INDIVIDUAL.value]
    assert certified["from_log"]["items"]["enum"] == list(get_args(get_type_hints(TakenAsPublic)["what"]))
    assert certified["from_log"]["maxItems"] == len(certified["from_log"]["items"]["enum"])
    assert schema["properties"]["released"]["properties"]["file"]["enum"] == list(FILE_NAMES.values())
    assert list(schema["properties"]["files"]["properties"]) == [*FILE_NAMES.values(), PAGE_FILE]


def test_the_schema_bounds_what_the_certified_method_bounds_and_admits_all_that_it_allows() -> None:
    certified = report_schema()["$defs"]["certified"]["properties"]
    assert certified["delta"]["maximum"] == LARGEST_DELTA
    for name in ("first_ms", "last_ms"):
        assert certified[name]["minimum"] <= -LARGEST_TIME
        assert certified[name]["maximum"] >= LARGEST_TIME
    assert certified["longest_ms"]["maximum"] >= 2 * LARGEST_TIME  # from one end of time to the other
    assert certified["cases"]["maximum"] >= MOST_CASES


def test_the_types_of_the_parameters_have_the_fields_of_the_schema() -> None:
    assert {field.name for field in fields(CertifiedParameters)} == set(FAMILIES["certified"]) - {"of"}
    assert {field.name for field in fields(ArticleParameters)} <= set(FAMILIES["article"])  # conventions are spread out


# --- every report conforms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FILE_NAMES)
@pytest.mark.parametrize("conventions", ["article", "corrected"])
@pytest.mark.parametrize("method", METHODS)
def test_the_report_of_each_method_convention_and_format_conforms(
    method: str, conventions: str, format: str, tmp_path: Path
) -> None:
    assert schema_problems(published(tmp_path / "out", format, method=method, conventions=conventions)) == []


@pytest.mark.parametrize("format", FILE_NAMES)
@pytest.mark.parametrize("variants", get_args(VariantForm))
def test_the_report_of_each_certified_form_and_format_conforms(variants: str, format: str, tmp_path: Path) -> None:
    own = variants == "public"
    options: dict[str, Any] = {"variants": variants, "variants_from_log": own, "advantage": 0.9}
    assert schema_problems(published(tmp_path / "out", format, method="certified", **options)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"releases": 3},
        {"max_cases_per_individual": 4},
        {"scope": "case", "max_case_length": 40},
        {"max_case_length": 40},
        {"public_variants": True},
        {"seed": 7},
        {"conventions": replace(CORRECTED, name="custom", window=5_000, start_window=1)},
        {"releases": 2, "max_cases_per_individual": 2, "scope": "case", "max_case_length": 40, "seed": 1},
        {"advantage": 1e-6, "method": "sampling", "seed": 1},  # a small one: others have millions of events
        {"advantage": 1 - 1e-6, "method": "oversampling"},
        {"method": "certified", "variants": "generated", "releases": 3},
        {"method": "certified", "variants": "generated", "one_case_per_individual": True},
        {"method": "certified", "variants": "generated", "max_cases_per_individual": 4},
        {"one_case_per_individual": True},
        {"recorded": True},
        {"method": "certified", "variants": "generated", "one_case_per_individual": True, "recorded": True},
        {"method": "certified", "variants": "public", "variants_from_log": True, "seed": 7},
        {"method": "certified", "advantage": 0.9, "dp_delta": LARGEST_DELTA},
        {"method": "certified", "advantage": 0.999, "dp_delta": 1e-9},
        {"method": "certified", "variants": "generated", "public": GivenFacts(first=YEAR_1, last=YEAR_9999)},
        {"method": "certified", "variants": "public", "public": GivenFacts(variants=(("a",),), cases=1, longest=1)},
    ],
    ids="-".join,
)
def test_the_report_of_each_option_conforms(options: dict[str, Any], tmp_path: Path) -> None:
    assert schema_problems(published(tmp_path / "out", **options)) == []


def test_the_report_of_individuals_as_the_unit_conforms_and_states_no_number_of_cases(tmp_path: Path) -> None:
    log = hospital_log(cases=900)
    people = replace(log, individual=log.case[log.offsets[:-1]] // 3)
    options: dict[str, Any] = {"scope": "individual", "max_cases_per_individual": 3}
    for variants in get_args(VariantForm):
        folder = tmp_path / variants
        options |= {"variants_from_log": variants == "public"}
        amun_dp.anonymize(people, 0.99, "certified", variants=variants, **options).save(folder, format="csv")
        found = json.loads((folder / "report.json").read_bytes())
        assert schema_problems(found) == []
        assert found["individuals"] == {"max_cases": 3, "by": "truncation"}
        assert found["parameters"]["cases"] is None


def test_the_report_of_individuals_from_the_log_conforms_and_withholds_their_number(tmp_path: Path) -> None:
    log = hospital_log(cases=60)
    release = amun_dp.anonymize(replace(log, individual=log.case[log.offsets[:-1]] // 3), 0.2)
    release.save(tmp_path / "out", format="csv")
    found = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert schema_problems(found) == []
    assert found["individuals"] == {"max_cases": None, "by": "log"}
    assert {"cases": {"withheld": True}}.items() <= next(
        record["parameters"] for record in found["mechanisms"] if record["kind"] == "shared-by-individual"
    ).items()


def test_the_report_of_a_method_from_outside_conforms(tmp_path: Path) -> None:
    register_method(ArticleMethod("schema-halving", "keeps half", False, lambda advantage: advantage, halve))
    try:
        found = published(tmp_path / "out", method="schema-halving")
    finally:
        unregister_method("schema-halving")
    assert schema_problems(found) == []
    assert any(record["kind"] == "undisclosed" for record in found["mechanisms"])
