"""A release described for the registry of differential privacy deployments, from its public report alone.

Field names and enumerated values are those of OpenDP's registry: ``schemas/deployments-schema.yaml`` and the template
beside it in the repository opendp/deployments-registry-data at commit 057e5d81cf60, the latest version found in
November 2026. The registry keeps YAML files; JSON is YAML, so what is written here is JSON under a YAML name.

A field that only the publisher can fill in is null. The registry's own check refuses a null where it needs a text, so
an entry that nobody completed cannot slip in. ε and δ stand in the fields for them only if they are proved for the
whole release and a whole case or individual; all else (smaller units, what the article claims) is described in words,
with its verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from accounting.confidential import Withheld
from accounting.events import (
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    kind_of,
)
from accounting.guarantee import Kind
from accounting.trees import leaves, nodes
from amun_dp.errors import OutputError, ParameterError
from amun_dp.folder.names import REPORT_FILE
from amun_dp.folder.placing import output_errors
from amun_dp.report.deployment_claims import adjacency_of, claims_text, proved_bound, unit_of, warning
from amun_dp.report.public_report import SCHEMA, PublicReport

ENDINGS = (".yaml", ".json")
"""The registry takes names in ``.yaml``, of small letters, digits and underscores."""

_ARTICLE_METHODS = ("filtering", "sampling", "oversampling")
_VARIANT = {Kind.PURE: "Pure DP", Kind.APPROXIMATE: "Approximate DP"}
_COMPOSITIONS = {
    Sequential: "Parts about the same people: their losses add up.",
    Parallel: "Parts about cases of their own: the largest loss counts, or the two largest added up where a replaced "
    "case may change its part.",
    Replicated: "Copies, each with noise of its own: their losses add up.",
    RepeatedRelease: "Releases of the same log: their losses add up.",
    SharedByIndividual: "Several cases of one individual: that many times the loss.",
}


def deployment_record(report: PublicReport) -> dict[str, Any]:
    """The entry, as plain data in the order of the registry's template. The same report gives the same entry."""
    return {
        "url_slug": None,
        "deployment": {
            "basic": _basic(report),
            "dp_variant": _variant(report),
            "privacy_loss": _privacy_loss(report),
            "deployment_model": _model(report),
            "implementation": _implementation(report),
            "administrative": _administrative(report),
        },
    }


def to_be_filled_in(record: dict[str, Any]) -> tuple[str, ...]:
    """Where an entry waits for its publisher: the places of its nulls."""
    return tuple(_nulls(record, ""))


def deployment_text(record: dict[str, Any]) -> str:
    """The entry as JSON that is YAML as well."""
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # YAML 1.1 takes 1e-05 for a text: its numbers with an exponent have a point. Only a number can end a line so.
    text = re.sub(r"(?m)(: \d+)(e[-+]\d+,?)$", r"\1.0\2", text)
    # What YAML does not take for printable; all of it can only stand inside a text.
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]", lambda at: f"\\u{ord(at[0]):04x}", text)


def check_export(path: Path, release: Path) -> None:
    """Refuse, before any work is done, a place where the entry could not be written or would not belong."""
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(f"The entry for the registry is a file in {' or '.join(ENDINGS)}, not {path.name}.")
    with output_errors(path):
        if path.resolve().is_relative_to(release.resolve()):
            raise OutputError(
                f"{path} cannot be written: it lies in the folder of the release, which holds nothing but the "
                "release. Choose a place outside of it."
            )
        if path.exists():
            raise OutputError(f"{path} exists already, and may hold what a publisher filled in. Choose another name.")
        if not path.resolve().parent.is_dir():
            raise OutputError(f"{path} cannot be written: there is no folder {path.parent}. Make it first.")


def write_export(report: PublicReport, path: Path) -> tuple[str, ...]:
    """Write the entry; returns what the publisher has to fill in."""
    record = deployment_record(report)
    with output_errors(path), path.open("x", encoding="utf-8") as stream:  # "x": never over another file
        stream.write(deployment_text(record))
    return to_be_filled_in(record)


def _nulls(value: Any, place: str) -> Iterator[str]:
    if value is None:
        yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from _nulls(inner, f"{place}.{name}" if place else str(name))


# --- the parts of an entry ------------------------------------------------------------------------------------------


def _basic(report: PublicReport) -> dict[str, Any]:
    released = report.released
    return {
        "name": None,
        "data_curators": [{"data_curator_name": None, "data_curator_type": None}],
        "description": f"Event log for process mining: case, activity and timestamp of each event. It was made by "
        f"amun-dp with the method `{report.method}` and has {released.cases} cases, {released.events} events and "
        f"{released.variants} variants (figures of the released log)." + warning(report),
        "intended_use": None,
        "data_product_type": "Dataset",
        "data_product_region": None,
        "data_product_sector": None,
        "publication_date": report.made_on,
    }


def _variant(report: PublicReport) -> dict[str, Any]:
    proved = proved_bound(report)
    chosen = report.parameters
    bounds = {
        "events of a case": chosen.max_case_length,
        "cases of an individual, who may have more, count"
        if report.individuals["by"] == "truncation"
        else "cases of an individual": report.max_cases_per_individual,
    }
    declared = [f"\n- declared: at most {bound} {what}" for what, bound in bounds.items() if bound is not None]
    return {
        # No name of a variant where nothing is proved: each would promise a guarantee.
        **({"variant_name": _VARIANT[proved.kind]} if proved is not None else {}),
        "data_domain": "\n".join(
            [
                "Event logs: cases, each a sequence of events with an activity label and a time in milliseconds.",
                *declared,
            ]
        ),
        "unprotected_quantities": _bullets(report.unprotected),
    }


def _privacy_loss(report: PublicReport) -> dict[str, Any]:
    proved = proved_bound(report)
    parameters: dict[str, float | None] = {}
    if proved is None:
        unit = "None: no bound is proved for a whole case or individual"
        details = "Whichever case or individual is replaced, no bound for the whole release is proved."
    else:
        unit, details = unit_of(report, proved), adjacency_of(report, proved)
        parameters["epsilon"] = proved.epsilon.stated()
        if proved.kind is Kind.APPROXIMATE:
            parameters["delta"] = proved.delta
    return {
        "privacy_unit": unit,
        "privacy_unit_details": details + _number_of_units(report),
        "privacy_parameters": parameters,
        "privacy_parameters_details": claims_text(report),
    }


def _number_of_units(report: PublicReport) -> str:
    if report.parameters.cases is not None:
        return " The number of cases is taken as public and stands among the parameters."
    return " How many units the original log has is confidential and not stated."


def _model(report: PublicReport) -> dict[str, Any]:
    return {
        "model_name": "Central",
        "model_name_details": "The publisher holds the original log and anonymises it; the released log and its report "
        "leave the publisher, nothing else.",
        "trust_assumptions": None,
        "actors": None,
        "release_type": "One release" if report.releases == 1 else "Many releases",
        "release_type_details": "The noise is calibrated for one release of this log; a further one adds its loss."
        if report.releases == 1
        else f"Every ε is divided by {report.releases} releases of this log; what is stated is for all of them "
        "together. No time resets it.",
        "data_source_type": None,
        "access_type": "Non-interactive",
        "access_type_details": "The log is published as a file; nobody queries the original.",
    }


def _implementation(report: PublicReport) -> dict[str, Any]:
    tree = report.mechanisms.tree
    stated = report.as_dict()
    chosen = {"releases": stated["releases"], "max_cases_per_individual": report.max_cases_per_individual}
    chosen |= stated["parameters"]
    after = [f"{leaf.what}: {leaf.why}" for leaf in leaves(tree) if isinstance(leaf, PostProcessing)]
    versions = ", ".join(f"{name} {version}" for name, version in report.software.items())
    kinds = {type(node) for node in nodes(tree)}
    return {
        "preprocessing_and_hyperparameter_tuning": "Parameters:\n\n"
        f"{_bullets(f'`{name}`: {_shown(value)}' for name, value in chosen.items())}\n\n"
        "Steps that private data decided are among the mechanisms, and their loss is part of the account. Whether the "
        "parameters were chosen after a look at the original log is known to its publisher alone; such a look is not "
        "accounted for.",
        "mechanisms": "\n".join(
            [
                "What was done to the data, each step below what it is part of. Confidential parameters are withheld.",
                "",
                *_steps(tree),
                "",
                f"Running time is not protected. Software: {versions}." + warning(report),
            ]
        ),
        "composition": _bullets(
            [text for kind, text in _COMPOSITIONS.items() if kind in kinds]
            + ["A part without a bound makes the whole unbounded; none counts as zero."]
        ),
        "post_processing": _bullets(after) or "None is recorded.",
        "justification": None,
        "utility": None,
        "additional_information": f"Release {report.release_id}. Its report ({REPORT_FILE}, schema {SCHEMA}) holds the "
        "mechanisms, from which anybody can derive the guarantees again. SHA-256 of the published files:\n\n"
        + (_bullets(f"`{name}`: {digest}" for name, digest in report.files.items()) or "- not written yet"),
    }


def _administrative(report: PublicReport) -> dict[str, Any]:
    sources: dict[str, Any] = {
        "privacy_report": {
            "evidence_source_type": "Formal publication by the deploying organization",
            "misc": {"title": f"Privacy report of release {report.release_id} ({REPORT_FILE})", "url": None},
        }
    }
    if report.method in _ARTICLE_METHODS:
        sources["method"] = {
            "evidence_source_type": "Peer-reviewed publication",
            "article": {
                "author": "G. Elkoumy and A. Pankova and M. Dumas",
                "title": "Differentially Private Release of Event Logs for Process Mining",
            },
        }
    return {"evidence_sources": sources, "status": "Draft", "registry_authors": None, "tier": None}


# --- texts ----------------------------------------------------------------------------------------------------------


def _steps(event: PrivacyEvent, depth: int = 0) -> Iterator[str]:
    facts, parts = [], list[PrivacyEvent]()
    for item in fields(event):
        value = getattr(event, item.name)
        inner = value if isinstance(value, tuple) else (value,)
        if any(isinstance(part, PrivacyEvent) for part in inner):
            parts += [part for part in inner if not isinstance(part, PostProcessing)]
        else:
            facts.append(f"{item.name}: {_shown(value)}")
    yield "  " * depth + f"- `{kind_of(event)}`" + (f" ({', '.join(facts)})" if facts else "")
    for part in parts:
        yield from _steps(part, depth + 1)


def _shown(value: Any) -> str:
    if isinstance(value, Withheld):
        return "withheld"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)
