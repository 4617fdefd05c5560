"""``amun_dp.verify``: whether a release folder holds what its report says. The folder is treated as hostile input:
nothing in it is trusted."""

from __future__ import annotations

from amun_dp.verification.checks import Check, Name, Outcome, Part
from amun_dp.verification.report.requirements import Requirement
from amun_dp.verification.result import Judgement, Verification
from amun_dp.verification.run import verify

__all__ = ["Check", "Judgement", "Name", "Outcome", "Part", "Requirement", "Verification", "verify"]
