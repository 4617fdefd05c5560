"""amun-dp: release event logs for process mining with a privacy guarantee that an outsider can check.

    log = amun_dp.read_log("log.xes.gz")
    plan = amun_dp.plan(log, advantage=0.2)          # nothing is spent
    release = amun_dp.anonymize(log, advantage=0.2)
    release.log                                      # DataFrame, as pm4py likes it
    release.save("out/")
    amun_dp.load_release("out/").report.guarantees   # anybody's: derived from the published mechanisms, not read

docs/api.md describes every name; docs/promise.md says what is promised.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accounting.confidential import Confidential
    from amun_dp.comparing import MethodComparison, compare
    from amun_dp.conventions import ARTICLE, CORRECTED, Conventions
    from amun_dp.errors import AmunError
    from amun_dp.evaluation import Evaluation, evaluate
    from amun_dp.eventlog import EventLog
    from amun_dp.inspection import inspect
    from amun_dp.loading import PublishedRelease, load_release
    from amun_dp.methods import Method, register_method
    from amun_dp.planning import Plan, plan
    from amun_dp.reading import read_log
    from amun_dp.release import Release, anonymize
    from amun_dp.spending import open_registry
    from amun_dp.verification import Verification, verify

_HOME = {
    "ARTICLE": "amun_dp.conventions",
    "AmunError": "amun_dp.errors",
    "CORRECTED": "amun_dp.conventions",
    "Confidential": "accounting.confidential",
    "Conventions": "amun_dp.conventions",
    "Evaluation": "amun_dp.evaluation",
    "EventLog": "amun_dp.eventlog",
    "Method": "amun_dp.methods",
    "MethodComparison": "amun_dp.comparing",
    "Plan": "amun_dp.planning",
    "PublishedRelease": "amun_dp.loading",
    "Release": "amun_dp.release",
    "Verification": "amun_dp.verification",
    "anonymize": "amun_dp.release",
    "compare": "amun_dp.comparing",
    "evaluate": "amun_dp.evaluation",
    "inspect": "amun_dp.inspection",
    "load_release": "amun_dp.loading",
    "open_registry": "amun_dp.spending",
    "plan": "amun_dp.planning",
    "read_log": "amun_dp.reading",
    "register_method": "amun_dp.methods",
    "verify": "amun_dp.verification",
}
__all__ = [  # noqa: RUF022 — in the order in which a user meets them
    "read_log",
    "inspect",
    "plan",
    "anonymize",
    "load_release",
    "verify",
    "evaluate",
    "compare",
    "open_registry",
    "EventLog",
    "Plan",
    "Release",
    "PublishedRelease",
    "Verification",
    "Evaluation",
    "MethodComparison",
    "Confidential",
    "Conventions",
    "ARTICLE",
    "CORRECTED",
    "Method",
    "register_method",
    "AmunError",
]


def __dir__() -> list[str]:
    """What a user may want; nothing of it is imported for that."""
    return __all__


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: ``amun-dp --help`` needs none of it."""
    if name not in _HOME:
        raise AttributeError(f"module 'amun_dp' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
