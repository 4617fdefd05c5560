"""The certified method: a guarantee for the whole case (or individual) that is proved, step by step.

``cases`` brings the log within public facts, ``mechanisms.histograms`` adds noise to counts of it, and everything
else is a function of what was measured. What a release spends, ``plan`` says; what it did, its events.
"""

from __future__ import annotations

from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.draft import CertifiedPlan, Part, expected_kept, plan_certified
from amun_dp.certified.draw import Certified, certify_cases
from amun_dp.certified.errors import EmptyReleaseError
from amun_dp.certified.given_facts import read_given_facts
from amun_dp.certified.public_facts import GivenFacts, PublicFacts, public_facts

__all__ = [
    "Certified",
    "CertifiedChoices",
    "CertifiedPlan",
    "EmptyReleaseError",
    "GivenFacts",
    "Part",
    "PublicFacts",
    "certify_cases",
    "expected_kept",
    "plan_certified",
    "public_facts",
    "read_given_facts",
]
