"""The entry for the registry of deployments: its shape, its honesty, and what is left to the publisher."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft7Validator

import amun_dp
from accounting.accountant import strictest
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    LaplaceCount,
    NonPrivate,
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
    Undisclosed,
)
from accounting.guarantee import Reading, Relation, Scope
from accounting.publication import public_tree
from amun_dp.deployment_registry import (
    check_export,
    deployment_record,
    deployment_text,
    to_be_filled_in,
    write_export,
)
from amun_dp.errors import AmunError, OutputError, ParameterError
from amun_dp.generator import hospital_log
from amun_dp.report import PublicReport
from tests.accounting.trees import any_trees, noise_columns
from tests.commandline import refused, run
from tests.test_release import METHODS

# --- the registry's schema, as far as an entry of ours needs it -----------------------------------------------------
# Names, types, enumerations and required fields of schemas/deployments-schema.yaml in opendp/deployments-registry-data
# at commit 057e5d81cf60; none of its descriptions. The registry checks with draft 7.

TEXT = {"type": "string"}
ANYTHING: dict[str, Any] = {}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(required)}


def one_of(*values: object) -> dict[str, Any]:
    return {"enum": list(values)}


SOURCE_TYPE = one_of(
    "Peer-reviewed publication",
    "Formal publication by the deploying organization",
    "Authorized organizational attestation",
    "Other public source",
)
BIBLIOGRAPHY = closed(dict.fromkeys(("author", "title", "journal", "howpublished", "url", "doi", "note"), TEXT))
REGISTRY_SCHEMA = closed(
    {
        "url_slug": TEXT,
        "deployment": closed(
            {
                "basic": closed(
                    {
                        "name": TEXT,
                        "data_curators": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "properties": {
                                    "data_curator_name": TEXT,
                                    "data_curator_type": one_of("Government", "Industry", "Nonprofit"),
                                },
                                "required": ["data_curator_name", "data_curator_type"],
                            },
                        },
                        "description": TEXT,
                        "intended_use": TEXT,
                        "data_product_type": one_of(
                            "Summary statistics",
                            "Machine learning model",
                            "Dataset",
                            "Synthetic data",
                            "Interactive API",
                            "SQL queries",
                        ),
                        "data_product_region": TEXT,
                        "data_product_sector": one_of(
                            "Technology", "Healthcare", "Education", "Government", "Energy", "Finance"
                        ),
                        "publication_date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
                    },
                    "name",
                    "data_curators",
                    "description",
                    "intended_use",
                    "data_product_type",
                    "data_product_region",
                    "publication_date",
                ),
                "dp_variant": closed(
                    {
                        "variant_name": one_of(
                            "Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"
                        ),
                        "data_domain": TEXT,
                        "unprotected_quantities": TEXT,
                    }
                ),
                "privacy_loss": closed(
                    {
                        "privacy_unit": TEXT,
                        "privacy_unit_details": TEXT,
                        "number_of_privacy_units": {"type": "integer"},
                        "privacy_parameters": closed(
                            {
                                "epsilon": {"type": "number"},
                                "delta": {"type": ["number", "string"]},
                                "rho": {"type": "number"},
                            }
                        ),
                        "privacy_parameters_details": ANYTHING,
                    }
                ),
                "deployment_model": closed(
                    {
                        "model_name": one_of("Local", "Central", "Shuffle", "Federated", "Varies"),
                        "model_name_details": TEXT,
                        "trust_assumptions": TEXT,
                        "actors": ANYTHING,
                        "release_type": one_of("One release", "Many releases"),
                        "release_type_details": TEXT,
                        "data_source_type": one_of("Static", "Dynamic"),
                        "data_source_type_details": TEXT,
                        "access_type": one_of("Interactive", "Non-interactive"),
                        "access_type_details": TEXT,
                    }
                ),
                "implementation": closed(
                    {
                        "preprocessing_and_hyperparameter_tuning": TEXT,
                        "mechanisms": TEXT,
                        "composition": TEXT,
                        "post_processing": TEXT,
                        "justification": TEXT,
                        "utility": ANYTHING,
                        "additional_information": ANYTHING,
                    }
                ),
                "administrative": closed(
                    {
                        "evidence_sources": {
                            "type": "object",
                            "patternProperties": {
                                r"^\w+$": {
                                    "oneOf": [
                                        closed({"evidence_source_type": SOURCE_TYPE, kind: BIBLIOGRAPHY})
                                        for kind in ("article", "misc")
                                    ]
                                }
                            },
                        },
                        "status": one_of("Draft", "Pending", "Approved"),
                        "registry_authors": {"type": "array", "items": TEXT, "minItems": 1},
                        "tier": one_of(1, 2, 3),
                    },
                    "status",
                    "registry_authors",
                    "tier",
                ),
            },
            "basic",
            "administrative",
        ),
    },
    "url_slug",
    "deployment",
)
FOR_THE_PUBLISHER = {
    "url_slug": "hospital",
    "deployment.basic.name": "Hospital log",
    "deployment.basic.data_curators.0.data_curator_name": "A hospital",
    "deployment.basic.data_curators.0.data_curator_type": "Nonprofit",
    "deployment.basic.intended_use": "Research",
    "deployment.basic.data_product_region": "Nowhere",
    "deployment.basic.data_product_sector": "Healthcare",
    "deployment.deployment_model.trust_assumptions": "The hospital is trusted.",
    "deployment.deployment_model.actors": "The hospital; anybody.",
    "deployment.deployment_model.data_source_type": "Static",
    "deployment.implementation.justification": "Because.",
    "deployment.implementation.utility": "Not measured.",
    "deployment.administrative.evidence_sources.privacy_report.misc.url": "urn:example",
    "deployment.administrative.registry_authors": ["Somebody"],
    "deployment.administrative.tier": 3,
}


def problems(record: dict[str, Any]) -> set[str]:
    """Where an entry departs from the registry's schema."""
    Draft7Validator.check_schema(REGISTRY_SCHEMA)
    return {".".join(map(str, error.absolute_path)) for error in Draft7Validator(REGISTRY_SCHEMA).iter_errors(record)}


def filled_in(record: dict[str, Any]) -> dict[str, Any]:
    """The entry after its publisher's work."""
    complete = copy.deepcopy(record)
    for place, value in FOR_THE_PUBLISHER.items():
        *path, last = place.split(".")
        inner: Any = complete
        for step in path:
            inner = inner[int(step) if step.isdigit() else step]
        inner[last] = value
    return complete


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> PublicReport:
    folder = tmp_path_factory.mktemp("release") / "out"
    return amun_dp.anonymize(hospital_log(cases=60), 0.2, "sampling").save(folder, format="csv")


def with_tree(report: PublicReport, tree: PrivacyEvent) -> PublicReport:
    return replace(report, mechanisms=public_tree(tree))


def loss(report: PublicReport) -> dict[str, Any]:
    found: dict[str, Any] = deployment_record(report)["deployment"]["privacy_loss"]
    return found


# --- shape ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        *({"method": method} for method in METHODS),
        {"conventions": "article"},
        {"releases": 3, "max_cases_per_individual": 2},
        {"scope": "case", "max_case_length": 40, "public_variants": True},
        {"seed": 1},
    ],
    ids=str,
)
def test_an_entry_that_its_publisher_completed_is_one_of_the_registry(options: dict[str, Any]) -> None:
    record = deployment_record(amun_dp.anonymize(hospital_log(cases=60), 0.2, **options).report)
    assert problems(filled_in(record)) == set()


def test_what_only_the_publisher_knows_is_null_and_listed_and_nothing_else_is(report: PublicReport) -> None:
    record = deployment_record(report)
    assert to_be_filled_in(record) == tuple(FOR_THE_PUBLISHER)
    assert to_be_filled_in(filled_in(record)) == ()


def test_an_entry_that_nobody_completed_is_refused_by_the_registry_for_exactly_that(report: PublicReport) -> None:
    found = problems(deployment_record(report))
    source = "deployment.administrative.evidence_sources.privacy_report"
    untyped = {"deployment.deployment_model.actors", "deployment.implementation.utility", f"{source}.misc.url"}
    assert found == {*FOR_THE_PUBLISHER, source} - untyped


def test_a_wrong_entry_does_not_pass_for_a_right_one(report: PublicReport) -> None:
    record = filled_in(deployment_record(report))
    record["deployment"]["privacy_loss"]["advantage"] = 0.2
    record["deployment"]["basic"]["data_product_type"] = "Event log"
    del record["deployment"]["administrative"]["status"]
    assert problems(record) == {
        "deployment.privacy_loss",
        "deployment.basic.data_product_type",
        "deployment.administrative",
    }


def test_the_same_report_gives_the_same_entry_also_after_it_was_read_back(report: PublicReport) -> None:
    again = PublicReport.from_dict(json.loads(report.to_json()))
    assert deployment_text(deployment_record(again)) == deployment_text(deployment_record(report))


def test_a_method_from_outside_is_not_credited_to_the_article(report: PublicReport) -> None:
    sources = deployment_record(report)["deployment"]["administrative"]["evidence_sources"]
    assert sources["method"]["article"]["author"] == "G. Elkoumy and A. Pankova and M. Dumas"
    other = deployment_record(replace(report, method="mine"))
    assert set(other["deployment"]["administrative"]["evidence_sources"]) == {"privacy_report"}


# --- honesty --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_no_epsilon_of_the_article_s_methods_is_presented_as_a_guarantee(method: str) -> None:
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2, method).report
    found = loss(report)
    assert found["privacy_parameters"] == {}
    assert found["privacy_unit"].startswith("None")
    assert "variant_name" not in deployment_record(report)["deployment"]["dp_variant"]
    proved, claimed, *_ = found["privacy_parameters_details"].split("What the article would claim")
    assert proved.count("no bound; refuted") == 6
    assert "ε of" not in proved
    assert "These are claims, and no guarantee" in claimed


def test_every_figure_of_a_claim_that_is_not_proved_is_called_claimed(report: PublicReport) -> None:
    lines = loss(report)["privacy_parameters_details"].splitlines()
    stated = [line for line in lines if "ε of" in line]
    assert len(stated) == 7
    for line in stated:
        assert "claimed ε of" in line or line.endswith("; proved under assumptions")


def test_each_guarantee_of_the_report_is_there_with_its_verdict(report: PublicReport) -> None:
    lines = [line for line in loss(report)["privacy_parameters_details"].splitlines() if line.startswith("- ")]
    verdicts = sorted(guarantee.verdict.value for guarantee in report.guarantees)
    found = [re.search(r"; (proved under assumptions|proved|refuted|not proved)( \(|$)", line) for line in lines]
    assert sorted(each[1] for each in found if each is not None) == verdicts


def test_the_advantage_is_no_delta(report: PublicReport) -> None:
    for tree in (LaplaceCount(2.0, cells_per_case=1), ThresholdedHistogram(2.0, 50), CaseMoves()):
        assert loss(with_tree(report, tree))["privacy_parameters"].get("delta") != report.advantage
    details = loss(report)["privacy_parameters_details"]
    assert "A guessing advantage of 0.2 was asked for" in details
    assert "It is not the δ of approximate differential privacy." in details


def test_a_proved_bound_is_stated_with_its_unit_and_variant(report: PublicReport) -> None:
    pure = with_tree(report, LaplaceCount(4.0, cells_per_case=1))
    assert loss(pure)["privacy_unit"] == "Individual-level"
    assert loss(pure)["privacy_parameters"] == {
        "epsilon": 0.5
    }  # 1/4 for the case that leaves, 1/4 for the one that comes
    assert deployment_record(pure)["deployment"]["dp_variant"]["variant_name"] == "Pure DP"
    case = with_tree(report, SharedByIndividual(LaplaceCount(4.0, cells_per_case=1), None))
    assert loss(case)["privacy_unit"] == "Case-level"
    assert "Adjacent logs differ in one case, replaced." in loss(case)["privacy_unit_details"]
    approximate = with_tree(report, ThresholdedHistogram(4.0, 40))
    assert deployment_record(approximate)["deployment"]["dp_variant"]["variant_name"] == "Approximate DP"
    parameters = loss(approximate)["privacy_parameters"]
    assert parameters["epsilon"] == 0.5
    assert 0 < parameters["delta"] < 1e-4
    for each in (pure, case, approximate):
        assert problems(filled_in(deployment_record(each))) == set()


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
def test_a_certified_release_has_its_epsilon_and_its_choices_in_the_entry(form: str) -> None:
    certified = amun_dp.anonymize(hospital_log(cases=2_000), 0.2, "certified", variants=form).report
    record = deployment_record(certified)
    assert problems(filled_in(record)) == set()
    whole = strictest(certified.guarantees, Scope.INDIVIDUAL, Relation.REPLACE)
    stated = loss(certified)["privacy_parameters"]
    assert stated["epsilon"] == whole.epsilon.stated()
    assert stated.get("delta", 0.0) == whole.delta
    variant = record["deployment"]["dp_variant"]
    assert variant["variant_name"] == ("Approximate DP" if form == "threshold" else "Pure DP")
    assert set(record["deployment"]["administrative"]["evidence_sources"]) == {"privacy_report"}
    chosen = record["deployment"]["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert f"`variants`: {form}" in chosen
    assert "`releases`: 1" in chosen
    assert json.loads(deployment_text(record)) == record


def test_what_is_said_of_the_number_of_units_is_so() -> None:
    """A public number of cases is among the parameters: the entry must not call it confidential beside it."""
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2, "certified", variants="generated").report
    assert "`cases`: 60" in deployment_text(deployment_record(report))
    assert "confidential and not stated" not in loss(report)["privacy_unit_details"]


@pytest.mark.parametrize(
    "tree",
    [
        LaplaceCount(4.0),  # one cell, and trivially one time, but no whole case
        CaseMoves(),
        Undisclosed("magic"),
        Sequential((LaplaceCount(4.0, cells_per_case=1), NonPrivate("seeded"))),
    ],
    ids=str,
)
def test_a_bound_for_less_than_a_case_is_no_parameter_of_the_release(tree: PrivacyEvent, report: PublicReport) -> None:
    assert loss(with_tree(report, tree))["privacy_parameters"] == {}


@given(tree=any_trees)
def test_any_mechanisms_make_an_entry_and_epsilon_is_stated_only_where_it_is_proved(
    tree: PrivacyEvent, report: PublicReport
) -> None:
    described = with_tree(report, tree)
    record = deployment_record(described)
    assert problems(filled_in(record)) == set()
    assert json.loads(deployment_text(record)) == record
    proved = {
        (line.epsilon.stated(), line.delta)
        for line in described.guarantees
        if line.claim == "whole-release"
        and line.reading is Reading.STRICT
        and line.relation is Relation.REPLACE
        and line.scope in (Scope.CASE, Scope.INDIVIDUAL)
        and line.epsilon.bounded
    }
    stated = loss(described)["privacy_parameters"]
    assert bool(stated) == bool(proved)
    if stated:
        assert (stated["epsilon"], stated.get("delta", 0.0)) in proved


def test_seeded_noise_has_no_guarantee_whatever_the_mechanisms_say(report: PublicReport) -> None:
    seeded = replace(with_tree(report, LaplaceCount(4.0, cells_per_case=1)), private=False)
    record = deployment_record(seeded)["deployment"]
    assert record["privacy_loss"]["privacy_parameters"] == {}
    assert "variant_name" not in record["dp_variant"]
    for text in (
        record["basic"]["description"],
        record["privacy_loss"]["privacy_parameters_details"],
        record["implementation"]["mechanisms"],
    ):
        assert text.endswith("NOT PRIVATE: the noise came from a seed; do not publish this release.")


def test_what_is_not_protected_is_all_there(report: PublicReport) -> None:
    listed = deployment_record(report)["deployment"]["dp_variant"]["unprotected_quantities"]
    assert listed == "\n".join(f"- {sentence}" for sentence in report.unprotected)


def test_the_size_of_the_original_has_no_field(report: PublicReport) -> None:
    assert "number_of_privacy_units" not in loss(report)
    assert "confidential and not stated" in loss(report)["privacy_unit_details"]


def test_every_step_is_listed_and_what_is_withheld_stays_so(report: PublicReport) -> None:
    columns = amun_dp.Confidential(noise_columns([815.0, 815.0]))
    tree = Sequential(
        (
            Parallel((LaplaceCount(2.5, cells_per_case=3), CaseMoves()), "value-dependent"),
            RepeatedRelease(SharedByIndividual(BoundedLaplace(0.2, columns), amun_dp.Confidential(4711)), 2),
            Replicated(ThresholdedHistogram(2.0, 50), 6),
            Undisclosed("magic"),
            PostProcessing("rounding", "a function of released things"),
        )
    )
    record = deployment_record(with_tree(report, tree))["deployment"]["implementation"]
    mechanisms = record["mechanisms"]
    kinds = re.findall(r"^ *- `([a-z-]+)`", mechanisms, flags=re.MULTILINE)
    assert kinds == [
        "sequential",
        "parallel",
        "laplace-count",
        "case-moves",
        "repeated-release",
        "shared-by-individual",
        "bounded-laplace",
        "replicated",
        "thresholded-histogram",
        "undisclosed",
    ]
    assert (
        "  - `repeated-release` (releases: 2)\n    - `shared-by-individual` (cases: withheld, truncated: no)"
        in mechanisms
    )
    assert "(scale: 2.5, sensitivity: 1, cells_per_case: 3)" in mechanisms
    assert "columns: withheld" in mechanisms
    assert "4711" not in json.dumps(record)
    assert "815" not in json.dumps(record["mechanisms"])
    assert record["post_processing"] == "- rounding: a function of released things"
    assert len(record["composition"].splitlines()) == 6


def test_the_entry_depends_on_nothing_but_the_public_report(report: PublicReport) -> None:
    """What is not in the report cannot be in the entry: it comes back from the report's own JSON."""
    entry = json.dumps(deployment_record(report), ensure_ascii=False)
    for text in (report.release_id, report.made_on, *report.files.values(), report.software["opendp"]):
        assert text in entry


# --- files ----------------------------------------------------------------------------------------------------------

YAML_NUMBER = re.compile(r"-?[0-9]+|-?[0-9]+\.[0-9]*(e[-+][0-9]+)?")
"""What YAML 1.1 takes for a number, of what JSON can write."""


@pytest.mark.parametrize(("scale", "threshold"), [(2e6, 10**9), (2e5, 10**8), (4.0, 40), (2.0, 20), (1e-9, 2)])
def test_numbers_are_numbers_in_yaml_too(scale: float, threshold: int, report: PublicReport) -> None:
    record = deployment_record(with_tree(report, ThresholdedHistogram(scale, threshold)))
    text = deployment_text(record)
    assert json.loads(text) == record
    numbers = [found[1] for line in text.splitlines() if (found := re.fullmatch(r' *"\w+": ([-\d].*?),?', line))]
    assert len(numbers) == 2
    assert all(YAML_NUMBER.fullmatch(number) for number in numbers)


def test_an_exponent_gets_its_point_and_texts_are_left_alone() -> None:
    record = {"a": 1e-05, "b": {"c": 2e16, "d": "x: 1e-05", "e": "1e-05"}, "f": ["1e-05"], "g": 1.5e-07}
    text = deployment_text(record)
    assert json.loads(text) == record
    assert '"a": 1.0e-05,' in text
    assert '"c": 2e+16' not in text
    assert '"d": "x: 1e-05"' in text


@pytest.mark.parametrize("name", ["\x7f", "\x85", "\u2028", "\ufeff", "\ud800", "\uffff", "😀", 'a"b\\', "a\nb"])
def test_a_name_from_outside_cannot_break_the_file(name: str, report: PublicReport) -> None:
    record = deployment_record(replace(report, method=name))
    text = deployment_text(record)
    assert json.loads(text) == record
    text.encode()  # can be written
    # YAML's printable characters (YAML 1.2, 5.1), without the line breaks that it would fold.
    assert not re.search("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]", text)


def test_the_entry_is_written_and_says_what_is_missing(report: PublicReport, tmp_path: Path) -> None:
    path = tmp_path / "hospital.yaml"
    assert write_export(report, path) == tuple(FOR_THE_PUBLISHER)
    assert json.loads(path.read_bytes()) == deployment_record(report)


def test_an_unusable_place_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "there.yaml").write_text("precious")
    (tmp_path / "folder.yaml").mkdir()
    refusals: list[tuple[Path, type[AmunError], str]] = [
        (tmp_path / "entry.txt", ParameterError, r"\.yaml or \.json"),
        (tmp_path / "entry", ParameterError, r"\.yaml or \.json"),
        (tmp_path / "there.yaml", OutputError, "exists already"),
        (tmp_path / "folder.yaml", OutputError, "exists already"),
        (tmp_path / "missing" / "entry.yaml", OutputError, "there is no folder"),
        (tmp_path / "release" / "entry.yaml", OutputError, "outside of it"),
        (tmp_path / "release" / "internal" / "entry.yaml", OutputError, "outside of it"),
        (tmp_path / "other" / ".." / "release" / "entry.yaml", OutputError, "outside of it"),
    ]
    for path, kind, message in refusals:
        with pytest.raises(kind, match=message):
            check_export(path, tmp_path / "release")
    check_export(tmp_path / "new.yaml", tmp_path / "release")
    check_export(tmp_path / "new.json", tmp_path / "release")
    assert not (tmp_path / "new.yaml").exists()


def test_an_entry_is_never_written_over_another_file(report: PublicReport, tmp_path: Path) -> None:
    """Not even one that came after the check: it may be what a publisher filled in."""
    (tmp_path / "there.yaml").write_text("precious")
    with pytest.raises(OutputError):
        write_export(report, tmp_path / "there.yaml")
    assert (tmp_path / "there.yaml").read_text() == "precious"


# --- the command line -----------------------------------------------------------------------------------------------


def anonymize(example: Path, *more: object) -> list[object]:
    return ["anonymize", example, "--advantage", 0.2, "--out", example.parent / "out", *more]


def test_the_command_writes_the_entry_of_its_release_and_names_what_is_missing(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hospital.yaml"
    code, out, err = run(capsys, *anonymize(example, "--registry-export", path, "--json"))
    assert code == 0
    assert json.loads(path.read_bytes()) == deployment_record(amun_dp.load_release(tmp_path / "out").report)
    (note,) = [line for line in err.splitlines() if str(path) in line]
    assert note.startswith("amun-dp: note: ")
    for place in FOR_THE_PUBLISHER:
        assert place in note
    assert str(path) not in out
    assert json.loads(out)["schema"] == "amun-dp/report/2"
    assert {entry.name for entry in (tmp_path / "out").iterdir()} == {
        "log.xes.gz",
        "report.json",
        "report.html",
        "internal",
    }


def test_without_the_option_there_is_no_entry_and_quiet_is_quiet(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = set(tmp_path.iterdir())
    assert run(capsys, *anonymize(example))[0] == 0
    assert set(tmp_path.iterdir()) - before == {tmp_path / "out"}
    path = tmp_path / "entry.json"
    _, _, err = run(capsys, *anonymize(example, "--force", "--registry-export", path, "--quiet"))
    assert err == ""
    assert path.exists()


@pytest.mark.parametrize("name", ["entry.txt", "out/entry.yaml", "nowhere/entry.yaml", "log.xes.gz"])
def test_an_unusable_file_is_refused_before_anything_is_released(
    name: str, example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    refused(capsys, *anonymize(example, "--registry-export", tmp_path / name))
    assert not (tmp_path / "out").exists()


def test_a_release_whose_entry_cannot_be_written_is_not_lost(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OutputError("No space left.")

    monkeypatch.setattr("amun_dp.cli.commands.write_export", full)
    code, _, err = run(capsys, *anonymize(example, "--registry-export", tmp_path / "entry.yaml"))
    assert code == 2
    assert f"The release was made and is in {tmp_path / 'out'}" in err
    assert "Do not release again" in err
    assert amun_dp.load_release(tmp_path / "out").report.private
