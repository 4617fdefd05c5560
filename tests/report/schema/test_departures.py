"""Every departure from the published schema of the report is found."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from amun_dp.budgets.earlier_releases import TotalLine
from amun_dp.report.schema import report_schema, schema_problems
from tests.report.schema.published import MADE, Schema, published
from tests.report.schema.test_schema import FAMILIES, subschemas

SAMPLES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "number": 0.5,
    "string": "SECRET",
    "array": ["SECRET"],
    "object": {"SECRET": "SECRET"},
}
ALSO = {"number": {"integer"}}
"""A whole number is a number."""


def resolved(schema: Schema, value: Any = None) -> Schema:
    """The schema itself; of alternatives the one that the value is meant for, by the field that tells them apart."""
    if "$ref" in schema:
        target = resolved(report_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")])
        narrowed = {name: target["properties"][name] | rule for name, rule in schema.get("properties", {}).items()}
        return target | {"properties": target["properties"] | narrowed} if narrowed else target
    if "oneOf" in schema:
        (meant,) = [inner for inner in map(resolved, schema["oneOf"]) if _meant_for(inner, value)]
        return meant
    return schema


def _meant_for(alternative: Schema, value: dict[str, Any]) -> bool:
    (name,) = {"of", "looked_at"} & alternative["properties"].keys()
    return bool(alternative["properties"][name]["const"] == value[name])


def wrong_values(schema: Schema) -> Iterator[Any]:
    """Values that a schema excludes, one for each of its rules."""
    allowed = {schema["type"]} if isinstance(schema.get("type"), str) else set(schema.get("type", ()))
    for name in set(allowed):
        allowed |= ALSO.get(name, set())
    yield from (
        sample for name, sample in SAMPLES.items() if name not in allowed and sample is not schema.get("const", ...)
    )
    if "const" in schema:  # what another alternative, or another item, has in its place
        yield from (other for other in (True, False, *schema.get("enum", ())) if other != schema["const"])
    if "pattern" in schema:
        yield "SECRET"
        yield ""
    if "minLength" in schema:
        yield ""
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    yield from wrong_lists(schema)
    if "minProperties" in schema:
        yield {}
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    for bound in ("exclusiveMinimum", "exclusiveMaximum"):
        if bound in schema:
            yield schema[bound]


def wrong_lists(schema: Schema) -> Iterator[list[Any]]:
    """Lists that a schema of a list excludes: too short, in another order, too long, with repetitions."""
    if "minItems" in schema:
        yield []
    if "prefixItems" in schema:
        yield [valid_item(schema, number) for number in reversed(range(len(schema["prefixItems"])))]
    if "maxItems" in schema:
        yield [valid_item(schema, number) for number in range(schema["maxItems"] + 1)]
    if schema.get("uniqueItems"):
        yield [valid_item(schema, 0)] * 2


def valid_item(schema: Schema, number: int) -> Any:
    """Something that a list of this schema may hold; different ones as long as there are any."""
    if "prefixItems" in schema:
        item = resolved(schema["prefixItems"][number % len(schema["prefixItems"])])
        return TotalLine(item["properties"]["unit"]["const"], 1.0, 0.0, 0.25).as_dict()
    item = resolved(schema["items"])
    if "enum" in item:
        return item["enum"][number % len(item["enum"])]
    assert schema["items"] == {"$ref": "#/$defs/record"}
    return {"kind": "case-moves", "parameters": {}}


def places(schema: Schema, value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Schema]]:
    """Each place of a report, with its schema. Of a list the first item stands for all, unless each has its own."""
    schema = resolved(schema, value)
    yield path, schema
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from places(inner, value[name], (*path, name))
    if isinstance(value, list) and value and "items" in schema:
        yield from places(schema["items"], value[0], (*path, 0))
    if isinstance(value, list) and "prefixItems" in schema:
        for number, (inner, item) in enumerate(zip(schema["prefixItems"], value, strict=True)):
            yield from places(inner, item, (*path, number))


def at(report: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        report = report[step]
    return report


def found_at(spoilt: dict[str, Any], path: tuple[str | int, ...]) -> bool:
    """Whether a problem is found exactly there, and no value is quoted. What is wrong inside alternatives may be found
    where the alternatives are."""
    problems = schema_problems(spoilt)
    assert not any("SECRET" in problem for problem in problems)
    place = "/".join(map(str, path)) or "the report"
    wanted = {place, *({"parameters", "earlier_releases"} & set(path[:1]))}
    return any(problem.startswith(f"{each} ") for problem in problems for each in wanted)


def test_the_mutations_below_know_every_rule_of_the_schema() -> None:
    """They are made from the schema, so that nothing is forgotten when it grows; a new sort of rule needs a new one."""
    known = {
        "$defs", "$id", "$ref", "$schema", "additionalProperties", "const", "description", "enum", "exclusiveMaximum",
        "exclusiveMinimum", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
        "minProperties", "minimum", "oneOf", "pattern", "prefixItems", "properties", "propertyNames", "required",
        "title", "type", "uniqueItems",
    }  # fmt: skip
    assert {rule for _, schema in subschemas(report_schema()) for rule in schema} <= known


def test_the_reports_that_are_spoilt_have_every_place_of_their_family(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Otherwise no mutation would reach it."""
    visited = set()
    for options in MADE.values():
        found = published(tmp_path_factory.mktemp("release") / "out", **options)
        visited |= {(found["parameters"]["of"], path) for path, _ in places(report_schema(), found)}
    for family, names in FAMILIES.items():
        assert {path[1] for of, path in visited if of == family and path[:1] == ("parameters",) and path[1:]} == {
            *names
        }
    assert ("certified", ("parameters", "from_log", 0)) in visited
    total = report_schema()["$defs"]["total"]["properties"]
    assert {path[2:] for _, path in visited if path[:2] == ("earlier_releases", "total") and path[3:]} == {
        (number, name) for number in range(2) for name in total
    }


def test_each_missing_field_is_found(report: dict[str, Any]) -> None:
    removed = []
    for path, schema in places(report_schema(), report):
        for name in schema.get("required", ()):
            spoilt = copy.deepcopy(report)
            del at(spoilt, path)[name]
            assert found_at(spoilt, path), (path, name)
            removed.append(name)
    assert len(removed) > 50


def test_each_unknown_field_is_found(report: dict[str, Any]) -> None:
    for path, schema in places(report_schema(), report):
        if schema.get("additionalProperties") is False:
            spoilt = copy.deepcopy(report)
            at(spoilt, path)["SECRET"] = 1
            assert found_at(spoilt, path), path


@pytest.mark.slow
def test_each_wrong_value_is_found(report: dict[str, Any]) -> None:
    tried = 0
    for path, schema in places(report_schema(), report):
        for wrong in wrong_values(schema):
            spoilt: Any = copy.deepcopy(report)
            if path:
                at(spoilt, path[:-1])[path[-1]] = wrong
            else:
                spoilt = wrong
            assert found_at(spoilt, path), (path, wrong)
            tried += 1
    assert tried > 300


def test_parameters_of_the_other_family_are_refused(report: dict[str, Any]) -> None:
    other = {"article": "certified", "certified": "article"}[report["parameters"]["of"]]
    spoilt = copy.deepcopy(report)
    spoilt["parameters"]["of"] = other
    assert found_at(spoilt, ("parameters", "of"))
    for name in set(FAMILIES[other]) - set(report["parameters"]):
        spoilt = copy.deepcopy(report)
        spoilt["parameters"][name] = None
        assert found_at(spoilt, ("parameters",))


def test_a_problem_in_any_item_of_a_list_is_found(report: dict[str, Any]) -> None:
    spoilt = copy.deepcopy(report)
    spoilt["guarantees"][-1]["verdict"] = "proved beyond doubt"
    spoilt["mechanisms"][-1]["kind"] = ""
    spoilt["unprotected"][-1] = None
    last = {name: len(report[name]) - 1 for name in ("guarantees", "mechanisms", "unprotected")}
    assert schema_problems(spoilt) == [
        f"guarantees/{last['guarantees']}/verdict is none of the allowed values",
        f"unprotected/{last['unprotected']} is of the wrong type",
        f"mechanisms/{last['mechanisms']}/kind is not as the schema demands",
    ]


def test_more_mechanisms_than_a_release_can_have_are_refused(report: dict[str, Any]) -> None:
    most = report_schema()["properties"]["mechanisms"]["maxItems"]
    record = {"kind": "case-moves", "parameters": {}}
    assert schema_problems(report | {"mechanisms": [record] * most}) == []
    assert schema_problems(report | {"mechanisms": [record] * (most + 1)}) != []


@pytest.mark.parametrize(
    "name", ["../x", "../log.csv", "/etc/passwd", "internal/report.json", "log.csv/../../x", "..", ".", "", "LOG.CSV"]
)
def test_a_file_name_cannot_lead_out_of_the_folder(name: str, report: dict[str, Any]) -> None:
    spoilt = copy.deepcopy(report)
    spoilt["released"]["file"] = name
    assert schema_problems(spoilt) == ["released/file is none of the allowed values"]
    spoilt = copy.deepcopy(report)
    spoilt["files"][name] = spoilt["files"].pop("log.csv")
    assert schema_problems(spoilt) == ["files has a field that the schema does not know"]


def test_a_line_break_after_an_identifier_is_found(report: dict[str, Any]) -> None:
    """Python's ``$`` matches before one."""
    spoilt = copy.deepcopy(report)
    spoilt["release"] = {name: value + "\n" for name, value in report["release"].items()}
    spoilt["files"] = {name: value + "\n" for name, value in report["files"].items()}
    problems = schema_problems(spoilt)
    assert {problem.split()[0] for problem in problems} == {
        "release/id",
        "release/made_on",
        "files/log.csv",
        "files/report.html",
    }


def test_the_files_are_one_log_and_the_page(report: dict[str, Any]) -> None:
    digest = "0" * 64
    for files_of in ({"log.csv": digest}, {"log.csv": digest, "log.parquet": digest, "report.html": digest}, {}):
        assert schema_problems(report | {"files": files_of}) != []
    assert schema_problems(report | {"files": {"log.xes.gz": digest, "report.html": digest}}) == []
