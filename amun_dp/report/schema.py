"""The published JSON Schema of the public report, and whether data conform to it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from amun_dp.report.public_report import READABLE, SCHEMA


@cache
def report_schema(version: str = SCHEMA) -> dict[str, Any]:
    """The schema of the reports that this version writes, or of older ones that it still reads."""
    name = version.removeprefix("amun-dp/").replace("/", "-")
    schema: dict[str, Any] = json.loads((files("amun_dp.report") / "schemas" / f"{name}.schema.json").read_bytes())
    return schema


def schema_problems(data: object) -> list[str]:
    """Where the data depart from the schema, and how: one line each, without the values themselves."""
    from jsonschema import Draft202012Validator

    stated = data.get("schema") if isinstance(data, dict) else None
    version = stated if isinstance(stated, str) and stated in READABLE else SCHEMA
    found = Draft202012Validator(report_schema(version)).iter_errors(data)
    return [f"{_place(each.absolute_path)} {_RULES.get(str(each.validator), _OTHERWISE)}" for each in found]


_OTHERWISE = "is not as the schema demands"
_RULES = {
    "additionalProperties": "has a field that the schema does not know",
    "const": "is not what the schema demands",
    "enum": "is none of the allowed values",
    "maxProperties": "has too many fields",
    "minProperties": "has too few fields",
    "required": "lacks a required field",
    "type": "is of the wrong type",
}


def _place(path: Any) -> str:
    return "/".join(map(str, path)) or "the report"
