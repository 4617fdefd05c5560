"""Before and after, where released cases are drawn anew and none is a copy of an original one. Confidential."""

from __future__ import annotations

import numpy as np

from accounting.confidential import Confidential
from amun_dp.certified.sequences import Sequences, distinct
from amun_dp.comparison import TOP_VARIANTS, Comparison, VariantChange, VariantChanges
from amun_dp.eventlog import EventLog, PublicLog
from amun_dp.figures import figures_of
from amun_dp.report import PublicReport


def compare_drawn(log: EventLog, released: PublicLog, report: PublicReport) -> Confidential[Comparison]:
    span = (int(min(log.time.min(), released.time.min())), int(max(log.time.max(), released.time.max())))
    return Confidential(
        Comparison(
            report=report,
            before=figures_of(log, span),
            after=figures_of(released, span),
            losses=None,
            guessing=None,
            variants=_variant_changes(log, released),
            removed=None,
        )
    )


def _variant_changes(log: EventLog, released: PublicLog) -> VariantChanges:
    labels = sorted({*log.activities, *released.activities})
    code = {label: number for number, label in enumerate(labels)}
    flows = [
        Sequences(np.array([code[label] for label in each.activities], dtype=np.int64)[each.activity], each.offsets)
        for each in (log, released)
    ]
    both = Sequences(
        np.concatenate([flow.activity for flow in flows]),
        np.concatenate((flows[0].offsets, flows[0].offsets[-1] + flows[1].offsets[1:])),
    )
    variants, of_case = distinct(both, len(labels))
    before = np.bincount(of_case[: log.n_cases], minlength=variants.count)
    after = np.bincount(of_case[log.n_cases :], minlength=variants.count)
    known = before > 0
    most_frequent = np.argsort(-before, kind="stable")[: min(TOP_VARIANTS, int(np.count_nonzero(known)))]

    def change(variant: int) -> VariantChange:
        codes = variants.activity[variants.offsets[variant] : variants.offsets[variant + 1]]
        named = tuple(labels[number] for number in codes)
        return VariantChange(named, int(before[variant]), int(before[variant]), int(after[variant]))

    return VariantChanges(
        kept=int(np.count_nonzero(known & (after > 0))),
        filtered=0,
        deleted=int(np.count_nonzero(known & (after == 0))),
        replicated=int(np.count_nonzero(known & (after > before))),
        thinned=int(np.count_nonzero((after > 0) & (after < before))),
        cases_of_lost=int(before[after == 0].sum()),
        new=int(np.count_nonzero(~known)),
        top=tuple(change(int(variant)) for variant in most_frequent),
    )
