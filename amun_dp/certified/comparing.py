"""Before and after, where released cases are drawn anew and none is a copy of an original one. Confidential."""

from __future__ import annotations

import numpy as np

from accounting.confidential import Confidential
from amun_dp.certified.original import Original
from amun_dp.comparison import TOP_VARIANTS, Comparison, VariantChange, VariantChanges
from amun_dp.eventlog import PublicLog
from amun_dp.figures import figures_of
from amun_dp.languages import Languages, both_languages, language_of
from amun_dp.one_of_a_kind import one_of_a_kind
from amun_dp.report import PublicReport


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
