"""Attacks on a mechanism, many times over, and what they prove about what it leaks at least."""

from __future__ import annotations

from amun_dp.auditing.goals import Goal
from amun_dp.auditing.mechanism import Claimed, Mechanism, OneByOne
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases, releases_of
from amun_dp.auditing.results import Audit, ClaimResult, Finding, TestResult
from amun_dp.auditing.run import audit, audit_mechanism, audit_release

__all__ = [
    "Audit",
    "ClaimResult",
    "Claimed",
    "Finding",
    "Goal",
    "Kind",
    "Mechanism",
    "OneByOne",
    "Pair",
    "Releases",
    "TestResult",
    "audit",
    "audit_mechanism",
    "audit_release",
    "releases_of",
]
