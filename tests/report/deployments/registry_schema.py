"""The schema of the registry of deployments, as far as an entry of ours needs it."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft7Validator

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


def problems(record: dict[str, Any]) -> set[str]:
    """Where an entry departs from the registry's schema."""
    Draft7Validator.check_schema(REGISTRY_SCHEMA)
    return {".".join(map(str, error.absolute_path)) for error in Draft7Validator(REGISTRY_SCHEMA).iter_errors(record)}
