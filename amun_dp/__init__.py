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

TYPE_CHECKING = False  # as in typing; nothing is imported before it is needed, so that Ctrl-C finds a command at work
if TYPE_CHECKING:
    from typing import Any

    from accounting.confidential import Confidential
    from amun_dp._base.software import __version__
    from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
    from amun_dp.article.methods import ArticleMethod
    from amun_dp.article.plan import Plan
    from amun_dp.auditing import Audit, audit
    from amun_dp.budgets.spending import open_registry
    from amun_dp.certified.public_facts import GivenFacts
    from amun_dp.comparing import MethodComparison, compare
    from amun_dp.errors import AmunError, PublisherWarning
    from amun_dp.evaluation import Evaluation, evaluate
    from amun_dp.eventlog.log import EventLog
    from amun_dp.reading import read_log
    from amun_dp.release.anonymize import anonymize
    from amun_dp.release.inspect import inspect
    from amun_dp.release.load import PublishedRelease, load_release
    from amun_dp.release.made import Release
    from amun_dp.release.methods import Method, register_method
    from amun_dp.release.plan import plan
    from amun_dp.verification import Verification, verify
    from proofs.registry import prove

_HOME = {
    "ARTICLE": "amun_dp.article.conventions",
    "ArticleMethod": "amun_dp.article.methods",
    "AmunError": "amun_dp.errors",
    "CORRECTED": "amun_dp.article.conventions",
    "Audit": "amun_dp.auditing",
    "Confidential": "accounting.confidential",
    "Conventions": "amun_dp.article.conventions",
    "Evaluation": "amun_dp.evaluation",
    "EventLog": "amun_dp.eventlog.log",
    "Method": "amun_dp.release.methods",
    "MethodComparison": "amun_dp.comparing",
    "Plan": "amun_dp.article.plan",
    "PublishedRelease": "amun_dp.release.load",
    "PublisherWarning": "amun_dp.errors",
    "Release": "amun_dp.release.made",
    "Verification": "amun_dp.verification",
    "GivenFacts": "amun_dp.certified.public_facts",
    "__version__": "amun_dp._base.software",
    "anonymize": "amun_dp.release.anonymize",
    "audit": "amun_dp.auditing",
    "compare": "amun_dp.comparing",
    "evaluate": "amun_dp.evaluation",
    "inspect": "amun_dp.release.inspect",
    "load_release": "amun_dp.release.load",
    "open_registry": "amun_dp.budgets.spending",
    "plan": "amun_dp.release.plan",
    "prove": "proofs.registry",
    "read_log": "amun_dp.reading",
    "register_method": "amun_dp.release.methods",
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
    "audit",
    "prove",
    "open_registry",
    "EventLog",
    "Plan",
    "Release",
    "PublishedRelease",
    "Verification",
    "Evaluation",
    "MethodComparison",
    "Audit",
    "GivenFacts",
    "Confidential",
    "Conventions",
    "ARTICLE",
    "CORRECTED",
    "Method",
    "ArticleMethod",
    "register_method",
    "AmunError",
    "__version__",
    "PublisherWarning",
]


def __dir__() -> list[str]:
    """The public names; none of them is imported for that."""
    return __all__


if not TYPE_CHECKING:  # a type checker knows the names from above, and that there are no others

    def __getattr__(name: str) -> Any:
        """Import what is asked for when it is asked for: the command line's help needs none of it."""
        from importlib import import_module

        if name not in _HOME:
            raise AttributeError(f"module 'amun_dp' has no attribute '{name}'")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
