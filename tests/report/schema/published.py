"""Reports as a reader finds them on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import amun_dp
from amun_dp.synthetic import hospital_log

Schema = dict[str, Any]


def published(folder: Path, format: str = "csv", *, recorded: bool = False, **options: Any) -> dict[str, Any]:
    """The report of a release as a reader finds it on disk; ``recorded`` in a registry, which it then tells of."""
    # Few variants of a small log are frequent enough for a threshold.
    cases = 600 if options.get("method") == "certified" and options.get("variants") in (None, "threshold") else 60
    options = {
        "advantage": 0.2,
        "allow_too_small": True,
    } | options  # what is written is looked at, not what it is worth
    if recorded:
        options["registry"] = amun_dp.open_registry(folder.with_name("registry.sqlite"))
    amun_dp.anonymize(hospital_log(cases=cases), **options).save(folder, format=format)
    report: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    return report


MADE: dict[str, dict[str, Any]] = {
    "article": {"max_cases_per_individual": 2, "max_case_length": 40, "releases": 2},
    "certified": {"method": "certified", "variants": "public", "variants_from_log": True, "releases": 2},
    "recorded": {
        "method": "certified",
        "variants": "generated",
        "one_case_per_individual": True,
        "recorded": True,
    },
}
