"""How far a released log is from the original. Every figure here is one of the original, and so confidential."""

from __future__ import annotations

from amun_dp.evaluation.run import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
