"""What a release costs in privacy, and what that means for a guess. Knows no event logs and draws no randomness.

    from accounting import LaplaceCount, PostProcessing, Relation, Scope, Sequential, account, strictest

    counts, cut = LaplaceCount(4.0, cells_per_case=1), PostProcessing("negative counts", "set to zero after the noise")
    tree = Sequential((counts, cut))
    strictest(account(tree).public, Scope.CASE, Relation.REPLACE).epsilon

A mechanism leaves a record, records form a tree, and ``account`` reads nothing else. Records of your own bring their
loss along (``Accounted``, ``register_event``). Budgets across releases are in ``accounting.registry``, the files of
what was spent in ``accounting.ledger``, the formulas in ``accounting.formulas`` (after every output) and
``accounting.average`` (on average over the noise).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounting.accountant import Account, account, on_average, public_account, replay, strictest
    from accounting.assumptions import Assumption
    from accounting.change import View
    from accounting.claims import CLAIMS, Claim, claim, register_claim, unregister_claim
    from accounting.confidential import WITHHELD, Confidential, Withheld
    from accounting.curve import Curve, curve_of
    from accounting.errors import AccountingError
    from accounting.events import (
        BoundedLaplace,
        CaseMoves,
        DataDependentSelection,
        Fact,
        GaussianHistogram,
        LaplaceCount,
        NoisyMax,
        NonPrivate,
        OneSidedCount,
        Parallel,
        PerEventNoise,
        PostProcessing,
        PrivacyEvent,
        RepeatedRelease,
        Replicated,
        Sequential,
        SharedByIndividual,
        TakenAsPublic,
        ThresholdedGaussian,
        ThresholdedHistogram,
        Undisclosed,
        WeightedHistogram,
        register_event,
        unregister_event,
    )
    from accounting.guarantee import Guarantee, Kind, Reading, Verdict
    from accounting.loss import FREE, NO_BOUND, Loss, gaussian
    from accounting.losses import loss_of_dependent_cases, strict_loss
    from accounting.neighbours import Relation, Scope
    from accounting.publication import PublicTree, public_tree, tree_from_records
    from accounting.quantities import Epsilon, EpsilonPerMillisecond, MuSquared
    from accounting.rules import Accounted

_HOME = {
    "accountant": ("Account", "account", "on_average", "public_account", "replay", "strictest"),
    "assumptions": ("Assumption",),
    "change": ("View",),
    "claims": ("CLAIMS", "Claim", "claim", "register_claim", "unregister_claim"),
    "confidential": ("WITHHELD", "Confidential", "Withheld"),
    "curve": ("Curve", "curve_of"),
    "errors": ("AccountingError",),
    "events": (
        "BoundedLaplace",
        "CaseMoves",
        "DataDependentSelection",
        "Fact",
        "GaussianHistogram",
        "LaplaceCount",
        "NoisyMax",
        "NonPrivate",
        "OneSidedCount",
        "Parallel",
        "PerEventNoise",
        "PostProcessing",
        "PrivacyEvent",
        "RepeatedRelease",
        "Replicated",
        "Sequential",
        "SharedByIndividual",
        "TakenAsPublic",
        "ThresholdedGaussian",
        "ThresholdedHistogram",
        "Undisclosed",
        "WeightedHistogram",
        "register_event",
        "unregister_event",
    ),
    "guarantee": ("Guarantee", "Kind", "Reading", "Verdict"),
    "loss": ("FREE", "NO_BOUND", "Loss", "gaussian"),
    "losses": ("loss_of_dependent_cases", "strict_loss"),
    "neighbours": ("Relation", "Scope"),
    "publication": ("PublicTree", "public_tree", "tree_from_records"),
    "quantities": ("Epsilon", "EpsilonPerMillisecond", "MuSquared"),
    "rules": ("Accounted",),
}
"""Where each name is defined."""
__all__ = [  # noqa: RUF022 — in the order in which a user meets them
    "account",
    "Account",
    "public_account",
    "replay",
    "strictest",
    "on_average",
    "Guarantee",
    "Scope",
    "Relation",
    "Reading",
    "Kind",
    "Verdict",
    "Assumption",
    "Curve",
    "curve_of",
    "PrivacyEvent",
    "Sequential",
    "Parallel",
    "Replicated",
    "RepeatedRelease",
    "SharedByIndividual",
    "LaplaceCount",
    "OneSidedCount",
    "WeightedHistogram",
    "NoisyMax",
    "ThresholdedHistogram",
    "GaussianHistogram",
    "ThresholdedGaussian",
    "BoundedLaplace",
    "PerEventNoise",
    "CaseMoves",
    "DataDependentSelection",
    "TakenAsPublic",
    "PostProcessing",
    "NonPrivate",
    "Undisclosed",
    "Fact",
    "register_event",
    "unregister_event",
    "Accounted",
    "Loss",
    "gaussian",
    "FREE",
    "NO_BOUND",
    "strict_loss",
    "loss_of_dependent_cases",
    "View",
    "Epsilon",
    "MuSquared",
    "EpsilonPerMillisecond",
    "Claim",
    "CLAIMS",
    "claim",
    "register_claim",
    "unregister_claim",
    "PublicTree",
    "public_tree",
    "tree_from_records",
    "Confidential",
    "Withheld",
    "WITHHELD",
    "AccountingError",
]


def __dir__() -> list[str]:
    """What a user may want; nothing of it is imported for that."""
    return __all__


if not TYPE_CHECKING:  # or every name, also a wrong one, would have a type

    def __getattr__(name):
        """Import what is asked for when it is asked for: who needs a column of Arrow's needs no registry."""
        for module, names in _HOME.items():
            if name in names:
                # A submodule of the name (``claim``) is none of these; what is found replaces it here.
                value = getattr(import_module(f"accounting.{module}"), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'accounting' has no attribute '{name}'")
