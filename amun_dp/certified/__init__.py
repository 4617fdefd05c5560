"""The certified method: a guarantee for the whole case (or individual) that is proved, step by step.

``preparing`` brings the log within public facts, ``measuring`` adds noise to counts of it, and everything else is a
function of what was measured. What a release spends, ``planning`` says; what it did, its events.
"""

from __future__ import annotations

from amun_dp.certified.certifying import Certified, certify
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.errors import EmptyReleaseError
from amun_dp.certified.facts import GivenFacts, PublicFacts, public_facts
from amun_dp.certified.given import read_given_facts
from amun_dp.certified.planning import CertifiedPlan, Part, expected_kept, plan_certified

__all__ = [
    "Certified",
    "CertifiedChoices",
    "CertifiedPlan",
    "EmptyReleaseError",
    "GivenFacts",
    "Part",
    "PublicFacts",
    "certify",
    "expected_kept",
    "plan_certified",
    "public_facts",
    "read_given_facts",
]
