"""Many copies of a plan side by side.

A plan draws nothing, so it is made once. Laid side by side, with transitions, variants and cases numbered anew in each
copy, it is the plan of a log that falls into independent parts, and one call of the steps that draw is one run in each
of them: the shipped code itself, on many copies at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.dafsa import Dafsa
from amun_dp.article.plan import Plan
from amun_dp.article.step1_annotation import AnnotatedLog
from amun_dp.article.step2_prior import PriorKnowledge
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Variants


def tiled(plan: Plan, copies: int) -> Plan:
    """The plan of so many copies of the log that have nothing to do with each other."""
    log, dafsa, variants = plan.annotated.log, plan.annotated.dafsa, plan.annotated.dafsa.variants
    individuals = int(log.individuals.max()) + 1
    many = EventLog(
        case=_shifted(log.case, copies, log.n_cases),
        activity=np.tile(log.activity, copies),
        time=np.tile(log.time, copies),
        sequence=_shifted(log.sequence, copies, int(log.sequence.max()) + 1),
        offsets=_bounds(log.offsets, copies),
        case_names=np.tile(log.case_names, copies),
        activities=log.activities,
        individual=_shifted(log.individuals, copies, individuals),
    )
    automaton = Dafsa(
        n_states=dafsa.n_states * copies,
        final=np.tile(dafsa.final, copies),
        source=_shifted(dafsa.source, copies, dafsa.n_states),
        activity=np.tile(dafsa.activity, copies),
        target=_shifted(dafsa.target, copies, dafsa.n_states),
        path=_shifted(dafsa.path, copies, dafsa.n_transitions),
        variants=Variants(
            activity=np.tile(variants.activity, copies),
            offsets=_bounds(variants.offsets, copies),
            of_case=_shifted(variants.of_case, copies, variants.count),
        ),
    )
    knowledge = plan.filtered.knowledge
    return replace(
        plan,
        annotated=AnnotatedLog(
            log=many,
            dafsa=automaton,
            transition=_shifted(plan.annotated.transition, copies, dafsa.n_transitions),
            relative_time=np.tile(plan.annotated.relative_time, copies),
            group=np.tile(plan.annotated.group, copies),
        ),
        filtered=replace(
            plan.filtered,
            kept_case=np.tile(plan.filtered.kept_case, copies),
            knowledge=PriorKnowledge(np.tile(knowledge.prior, copies), np.tile(knowledge.value_range, copies)),
            prior_at_decision=np.tile(plan.filtered.prior_at_decision, copies),
        ),
        losses=np.tile(plan.losses, copies),
    )


def _shifted(codes: IntArray, copies: int, size: int) -> IntArray:
    """The codes of each copy, numbered after those of the copy before."""
    return (np.tile(codes, copies) + np.repeat(np.arange(copies) * size, len(codes))).astype(np.int64)


def _bounds(offsets: IntArray, copies: int) -> IntArray:
    return np.append(_shifted(offsets[:-1], copies, int(offsets[-1])), copies * offsets[-1])
