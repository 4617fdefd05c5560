"""Entries as their publisher completes them, and reports to make entries of."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from accounting.events import PrivacyEvent
from accounting.publication import public_tree
from amun_dp.report.deployments import deployment_record
from amun_dp.report.public_report import PublicReport

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


def with_tree(report: PublicReport, tree: PrivacyEvent) -> PublicReport:
    return replace(report, mechanisms=public_tree(tree))


def loss(report: PublicReport) -> dict[str, Any]:
    found: dict[str, Any] = deployment_record(report)["deployment"]["privacy_loss"]
    return found
