"""Before and after, where released cases are drawn anew and none is a copy of an original one. Confidential."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.confidential import Confidential
from amun_dp.certified.plan import CertifiedSummary
from amun_dp.eventlog.figures import figures_of
from amun_dp.eventlog.language import Languages, both_languages, language_of
from amun_dp.eventlog.log import PublicLog, ReadingFacts
from amun_dp.eventlog.one_of_a_kind import OneOfAKind, one_of_a_kind
from amun_dp.eventlog.original import Original
from amun_dp.internals.comparison import TOP_VARIANTS, Comparison, VariantChange, VariantChanges
from amun_dp.report.public_report import PublicReport


def compare_drawn(original: Original, released: PublicLog, report: PublicReport) -> Confidential[Comparison]:
    span = (min(original.first, int(released.time.min())), max(original.last, int(released.time.max())))
    return Confidential(
        Comparison(
            report=report,
            before=original.figures(span),
            after=figures_of(released, span),
            losses=None,
            guessing=None,
            variants=_variant_changes(both_languages(original.language(), language_of(released))),
            removed=None,
        )
    )


def _variant_changes(found: Languages) -> VariantChanges:
    before, after = found.before, found.after
    known = before > 0
    most_frequent = np.argsort(-before, kind="stable")[: min(TOP_VARIANTS, int(np.count_nonzero(known)))]

    def change(variant: int) -> VariantChange:
        cases = int(before[variant])
        return VariantChange(found.labels(variant), cases, cases, int(after[variant]))

    return VariantChanges(
        kept=int(np.count_nonzero(known & (after > 0))),
        filtered=0,
        deleted=int(np.count_nonzero(known & (after == 0))),
        replicated=int(np.count_nonzero(known & (after > before))),
        thinned=int(np.count_nonzero((after > 0) & (after < before))),
        cases_of_lost=int(before[after == 0].sum()),
        new=int(np.count_nonzero(~known)),
        one_of_a_kind=one_of_a_kind(before, after),
        top=tuple(change(int(variant)) for variant in most_frequent),
    )


@dataclass(frozen=True, slots=True)
class CertifiedInternals:
    """Figures computed from the original log. Never part of anything public."""

    reading: ReadingFacts
    plan: CertifiedSummary
    cases: int
    variants_kept: int
    variants_lost: int
    variants_new: int
    one_of_a_kind: OneOfAKind
    """Variants that one original case alone has, and how many of them the release has."""
