"""Checks that need the original log: the plan is made again from it, and the release held against that."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from accounting.confidential import Confidential
from accounting.events import LaplaceCount, OneSidedCount, SharedByIndividual
from accounting.personalised import event_losses, units_of
from accounting.trees import leaves, nodes
from amun_dp._base.arrays import IntArray, ragged_positions
from amun_dp._base.messages import Message
from amun_dp.article.plan import Plan, plan_article
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import SLACK, Fault, NotPossible, Told, require
from amun_dp.verification.ledger.ledger_checks import ReadLedger, Rows
from amun_dp.verification.report.expected_mechanisms import ARTICLE_METHODS, at_least, parameters_of

SAME_OPTIONS = "is this the original, read with the options of the release?"
UNKNOWN = -1
"""The variant of a released case that the original does not have."""


@dataclass(frozen=True, slots=True, eq=False)
class Origins:
    """Which original case and event each released one repeats, as the ledger says."""

    rows: Rows
    case: IntArray
    """Original case of each released case."""
    row: IntArray
    """Original event of each released event."""


def plan_again(original: EventLog, report: PublicReport) -> tuple[Plan, str]:
    """Priors, ranges, filtering and ε from the original, with the parameters that the report states."""
    if report.method not in ARTICLE_METHODS:
        raise NotPossible("the method is none of the article's, and only these have a plan that can be made again")
    from_the_log = [
        node
        for node in nodes(report.mechanisms.tree)
        if isinstance(node, SharedByIndividual) and isinstance(node.cases, Confidential)
    ]
    if from_the_log and original.individual is None:
        raise NotPossible(
            Message(
                "the number of cases of an individual was taken from the log: say which column ({individual:COLUMN})"
            )
        )
    if not from_the_log and report.max_cases_per_individual is None:
        # The release did not know of individuals, whatever the reader was told now.
        original = replace(original, individual=None)
    plan = plan_article(original, parameters_of(report))
    kept = int(np.count_nonzero(plan.filtered.kept_case))
    return plan, f"{kept:,} of {original.n_cases:,} cases kept, {plan.annotated.log.n_events:,} events"


def variants_in_original(log: PublicLog, original: EventLog) -> IntArray:
    """For each released case its variant among the original's, UNKNOWN if it has none."""
    code = {label: number for number, label in enumerate(original.activities)}
    translated = np.array([code.get(label, UNKNOWN) for label in log.activities], dtype=np.int64)
    ours, theirs = find_variants(log), find_variants(original)
    known = {
        theirs.activity[start:stop].tobytes(): number
        for number, (start, stop) in enumerate(zip(theirs.offsets[:-1], theirs.offsets[1:], strict=True))
    }
    there = translated[ours.activity]
    found = [
        known.get(there[start:stop].tobytes(), UNKNOWN)
        for start, stop in zip(ours.offsets[:-1], ours.offsets[1:], strict=True)
    ]
    return np.array(found, dtype=np.int64)[ours.of_case]


def no_new_variant(variant: IntArray, report: PublicReport) -> str:
    new = int(np.count_nonzero(variant == UNKNOWN))
    sentence = f"{new:,} released cases have a sequence of activities that the original does not have"
    if new and report.method not in ARTICLE_METHODS:
        return Told(f"{sentence}, which only the methods of the article exclude")
    require(not new, sentence)
    return f"{len(np.unique(variant)):,} variants, all of them the original's"


def no_filtered_case(plan: Plan, variant: IntArray, origins: Origins | None) -> str:
    """What filtering removed is not released: case by case with the ledger, variant by variant without."""
    if not plan.method.filters:
        return "this method filters no case"
    if origins is not None:
        released = ~plan.filtered.kept_case[origins.case]
        require(not released.any(), f"{np.count_nonzero(released):,} released cases repeat a filtered one")
        return f"{np.count_nonzero(~plan.filtered.kept_case):,} cases were filtered, and none of them released"
    gone = plan.kept_variant_cases == 0
    released = gone[variant[variant != UNKNOWN]]
    require(not released.any(), f"{np.count_nonzero(released):,} released cases have a variant that was filtered whole")
    return f"{np.count_nonzero(gone):,} variants were filtered whole, and none of them released; cases need the ledger"


def no_identifier_survived(log: PublicLog, original: EventLog) -> str:
    """Neither as it was nor as a plain hash, which is as good as the name to whoever has a list of names."""
    released = set(log.case_names.tolist())
    names = [str(name) for name in original.case_names.tolist()]
    same = sum(name in released for name in names)
    require(not same, f"{same:,} case identifiers of the original occur in the released log")
    for kind in ("md5", "sha1", "sha256", "sha512"):
        hashed = sum(
            hashlib.new(kind, name.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()[:32] in released
            for name in names
        )
        require(not hashed, f"{hashed:,} case identifiers are the {kind} of an original one")
    return f"none of {len(names):,}, nor a plain hash of one"


def within_time_frame(log: PublicLog, plan: Plan) -> str:
    """Starts lie between the first and the last start of the original, and no event after its last time.

    The article's factor also leaves them less than half as far apart: f·AR = AR/(AR+OR)·OR/2.
    """
    frame = plan.public
    outside = (log.starts < frame.first_start) | (log.starts > frame.last_start)
    late = log.time > frame.last_time
    number = int(np.count_nonzero(outside)) + int(np.count_nonzero(late))
    require(not number, f"{number:,} times lie outside the frame in which this method keeps them; {SAME_OPTIONS}")
    if plan.parameters.conventions.compression == "factor":
        spread = int(np.ptp(log.starts))
        require(2 * (spread - 1) <= frame.start_span, "starts are further apart than the compression leaves them")
    return "no start and no event outside the original's"


def origins_of(read: ReadLedger, log: PublicLog, plan: Plan) -> tuple[Origins, str]:
    """The original event of each row: same case, same place, same activity, same individual."""
    rows, original = read.rows(), plan.annotated.log
    noise = rows.noise
    require(np.array_equal(noise.case, log.case), "the ledger's rows are not the events of the released log")
    case = noise.origin[log.offsets[:-1]]
    require(
        int(case.max()) < original.n_cases, f"the ledger names cases that the original does not have; {SAME_OPTIONS}"
    )
    longer = np.count_nonzero(original.lengths[case] != log.lengths)
    require(not longer, f"{longer:,} released cases have another length than the case they repeat; {SAME_OPTIONS}")
    row = ragged_positions(original.offsets[case], log.lengths)
    here = np.array(log.activities, dtype=object)[log.activity]
    there = np.array(original.activities, dtype=object)[original.activity[row]]
    other = np.count_nonzero(here != there)
    require(not other, f"{other:,} events have another activity than the event they repeat; {SAME_OPTIONS}")
    require(
        np.array_equal(noise.individual, original.individuals[noise.origin]),
        Message("the ledger has other individuals than the original ({individual:COLUMN})"),
    )
    return Origins(rows, case, row), f"{len(row):,} rows, each an event of the original"


def copies(origins: Origins) -> str:
    """D, by which ε is divided, is how often the case is really released."""
    released = np.bincount(origins.case)
    wrong = np.count_nonzero(origins.rows.noise.copies != released[origins.rows.noise.origin])
    require(not wrong, f"{wrong:,} rows record another number of copies than there are")
    return f"{np.count_nonzero(released):,} original cases, at most {released.max():,} copies of one"


def priors(origins: Origins, plan: Plan) -> str:
    """Prior and range of each event, estimated again from the original."""
    knowledge = plan.filtered.knowledge
    due = knowledge.prior[origins.row]
    if np.isnan(due).any():
        raise NotPossible("filtered cases are released, and these have no prior")
    wrong = np.count_nonzero(origins.rows.numbers("prior") != due)
    require(not wrong, f"{wrong:,} events have another prior than the original gives them")
    wrong = np.count_nonzero(origins.rows.noise.value_range != knowledge.value_range[origins.row])
    require(not wrong, f"{wrong:,} events have another range than the original gives them")
    return f"{len(due):,} events"


def no_event_above_plan(origins: Origins, plan: Plan) -> str:
    """D·r/b of each event is at most what the plan allows it, with the ranges of the original."""
    losses = plan.losses[origins.row]
    if np.isnan(losses).any():
        raise NotPossible("filtered cases are released, and these have no planned ε")
    noise = replace(origins.rows.noise, value_range=plan.filtered.knowledge.value_range[origins.row])
    # The plan's ε are rounded down by more than this, so what math libraries differ by gives nothing away.
    allowed = units_of(losses * (1 + float(SLACK)))
    spent = event_losses(noise)
    free = noise.value_range == 0
    above = ~free & ((spent < 0) | (spent > allowed))
    require(not above.any(), f"{np.count_nonzero(above):,} events have less noise than the plan asks for")
    unnoised = np.count_nonzero(free)
    return f"{len(spent):,} events" + (
        f"; {unnoised:,} have no noise, as these conventions want it" if unnoised else ""
    )


def counts_as_planned(read: ReadLedger, plan: Plan) -> str:
    """The count noise has at least the scale that the original and the parameters call for, and covers its cases."""
    found = [leaf for leaf in leaves(read.tree) if isinstance(leaf, LaplaceCount | OneSidedCount)]
    if len(found) != 1:
        raise Fault("the ledger does not record one mechanism for counts")
    scale, due = found[0].scale, count_scale(plan.control_flow_epsilon)
    if isinstance(scale, Confidential):
        raise Fault("the ledger withholds the scale of the count noise")
    require(at_least(scale, due), "the count noise is smaller than the original and the parameters call for")
    longest = int(plan.annotated.log.lengths[plan.filtered.kept_case].max())
    _covers(found[0].cells_per_case, longest, "the longest kept case has more events than the ledger says")
    for node in nodes(read.tree):
        if isinstance(node, SharedByIndividual):
            _covers(node.cases, plan.cases_per_individual, "some individual has more cases than the ledger says")
    return "scale, length of a case and cases of an individual"


def _covers(fact: int | Confidential[int] | None, least: int, otherwise: str) -> None:
    value = fact.reveal() if isinstance(fact, Confidential) else fact
    require(value is not None and value >= least, otherwise)
