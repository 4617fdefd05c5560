"""Attacks on a mechanism, many times over, and what they prove about what it leaks at least."""

from __future__ import annotations

from amun_dp.audit.auditing import audit, audit_mechanism
from amun_dp.audit.goals import Goal
from amun_dp.audit.mechanism import Claimed, Mechanism, OneByOne
from amun_dp.audit.pairs import Kind, Pair
from amun_dp.audit.releases import Releases, releases_of
from amun_dp.audit.results import Audit, ClaimResult, Finding, TestResult

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
    "releases_of",
]
