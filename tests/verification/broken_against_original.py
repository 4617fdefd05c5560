"""Releases whose fault only the original shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import numpy as np

from accounting.confidential import Confidential
from accounting.events import LaplaceCount, PostProcessing, PrivacyEvent, Sequential
from accounting.publication import public_tree
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.units import DAY
from amun_dp.article.plan import Plan
from amun_dp.eventlog.log import PublicLog
from amun_dp.release.plan import plan
from amun_dp.verification import Name
from amun_dp.verification.original.original_checks import variants_in_original
from tests.verification import forging
from tests.verification.breakages import breaks
from tests.verification.releases import ADVANTAGE, made, noise_of, original


@breaks(Name.PLAN, original=True)
def a_declared_length_that_the_log_exceeds(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["max_case_length"] = 4
    forging.reseal(folder, forging.set_mechanism(data, "laplace-count", cells_per_case=4))


@breaks(Name.DECLARED, Name.PLAN, original=True, cases_each=2)
def a_declaration_about_individuals_that_the_log_refutes(folder: Path) -> None:
    """Nobody who knows the individuals could have planned it."""
    rmtree(folder)
    made(one_case_per_individual=True).save(folder, format="xes")  # by somebody who did not know who is behind a case
    rmtree(folder / "internal")


@breaks(Name.R1, original=True)
def a_variant_that_the_original_lacks(folder: Path) -> None:
    log = forging.log_in(folder)
    keep = np.ones(log.n_events, dtype=np.bool_)
    keep[log.offsets[1] - 1] = False  # a case without its last event
    forging.put_log(folder, forging.with_columns(log, keep))


@breaks(Name.R1, original=True)
def an_activity_that_the_original_lacks(folder: Path) -> None:
    log = forging.log_in(folder)
    activity = log.activity.copy()
    activity[3] = len(log.activities)
    forging.put_log(folder, forging.with_columns(log, activity=activity, activities=(*log.activities, "Autopsy")))


@breaks(Name.R1, original=True)
def a_case_longer_than_all_of_the_original_s_variants_together(folder: Path) -> None:
    log = forging.log_in(folder)
    first = np.flatnonzero(log.case == 0)
    rows = np.concatenate((np.resize(first, 5_000), np.flatnonzero(log.case > 0)))
    time = np.where(np.arange(len(rows)) < 5_000, log.time[0], log.time[rows])
    forging.put_log(
        folder,
        forging.with_columns(
            replace(log, case=log.case[rows], activity=log.activity[rows], time=time, sequence=np.arange(len(rows)))
        ),
    )


@breaks(Name.R1, Name.LEDGER_LOG, Name.ORIGINS, internal=True, original=True)
def a_variant_that_neither_original_nor_ledger_has(folder: Path) -> None:
    a_variant_that_the_original_lacks(folder)


def _plan() -> Plan:
    return plan(original(), ADVANTAGE, "filtering")


@breaks(Name.KEPT, original=True)
def a_variant_that_was_filtered_whole(folder: Path) -> None:
    """A case of it takes the place of a released one, start and all gaps moved by a minute."""
    planned, log, source = _plan(), forging.log_in(folder), original()
    gone = np.flatnonzero(planned.kept_variant_cases == 0)
    case = int(np.flatnonzero(np.isin(planned.annotated.dafsa.variants.of_case, gone))[0])
    rows = slice(source.offsets[case], source.offsets[case + 1])
    code = {label: number for number, label in enumerate(log.activities)}
    labels = [source.activities[number] for number in source.activity[rows]]
    extra = [label for label in dict.fromkeys(labels) if label not in code]
    code |= {label: len(log.activities) + number for number, label in enumerate(extra)}
    here = log.offsets[1]
    gaps = np.arange(len(labels)) * 61_007
    forging.put_log(
        folder,
        forging.with_columns(
            replace(
                log,
                case=np.concatenate((np.zeros(len(labels), dtype=np.int64), log.case[here:])),
                activity=np.concatenate(([code[label] for label in labels], log.activity[here:])),
                time=np.concatenate((log.time[0] + gaps, log.time[here:])),
                sequence=np.arange(len(labels) + log.n_events - here),
                offsets=np.concatenate(([0], log.offsets[1:] - here + len(labels))),
            ),
            activities=(*log.activities, *extra),
        ),
    )


@breaks(Name.KEPT, internal=True, original=True)
def a_filtered_case_among_the_released(folder: Path) -> None:
    """In the ledger a case that is released once stands for a filtered one of the same variant."""
    planned, noise = _plan(), forging.noise_in(folder)
    filtered, variant = np.flatnonzero(~planned.filtered.kept_case), planned.annotated.dafsa.variants.of_case
    origin = noise.origin.copy()
    once = noise.copies == 1
    case = next(each for each in filtered if (variant[noise.origin[once]] == variant[each]).any())
    taken = noise.case[np.flatnonzero(once & (variant[noise.origin] == variant[case]))[0]]
    origin[noise.case == taken] = case
    forging.set_noise(folder, origin=origin, individual=origin)


@breaks(Name.SURVIVING_IDS, Name.RANDOM_IDS, original=True)
def a_case_identifier_that_survived(folder: Path) -> None:
    forging.rename_cases(folder, [str(original().case_names[5])])


@breaks(Name.SURVIVING_IDS, original=True)
def a_case_identifier_that_survived_as_a_hash(folder: Path) -> None:
    forging.rename_cases(folder, [hashlib.md5(str(original().case_names[5]).encode()).hexdigest()])


@breaks(Name.TIME_FRAME, original=True)
def a_case_a_year_later(folder: Path) -> None:
    log = forging.log_in(folder)
    forging.put_log(folder, forging.with_columns(log, time=log.time + np.where(log.case == 3, 366 * DAY, 0)))


@breaks(Name.ORIGINS, internal=True, original=True)
def a_ledger_with_other_origins(folder: Path) -> None:
    noise, lengths = forging.noise_in(folder), original().lengths
    other = int(np.flatnonzero(lengths != lengths[noise.origin[0]])[0])
    unused = np.setdiff1d(np.flatnonzero(lengths == lengths[other]), noise.origin)
    origin = np.where(noise.case == 0, unused[0] if len(unused) else original().n_cases, noise.origin)
    forging.set_noise(folder, origin=origin, individual=origin)


@breaks(Name.ORIGINS, internal=True, original=True)
def a_ledger_with_other_individuals(folder: Path) -> None:
    forging.set_noise(folder, individual=np.zeros_like(forging.noise_in(folder).individual))


@breaks(Name.COPIES, internal=True, original=True)
def a_ledger_with_more_copies_than_there_are(folder: Path) -> None:
    """With the noise of so many copies, so that the loss is the same."""
    noise = forging.noise_in(folder)
    chosen = noise.origin == noise.origin[0]
    forging.set_noise(
        folder,
        copies=np.where(chosen, 2 * noise.copies, noise.copies),
        scale=np.where(chosen, 2 * noise.scale, noise.scale),
    )


@breaks(Name.PRIORS, internal=True, original=True)
def a_prior_that_the_original_does_not_give(folder: Path) -> None:
    def smaller(prior: FloatArray) -> FloatArray:
        prior[4] /= 2
        return prior

    forging.put_ledger(folder, prior=smaller)


@breaks(Name.PRIORS, internal=True, original=True)
def a_range_that_the_original_does_not_give(folder: Path) -> None:
    """Half the range makes the recorded loss look half as large."""
    noise = forging.noise_in(folder)
    forging.set_noise(folder, value_range=noise.value_range // 2)


@breaks(Name.EVENT_NOISE, internal=True, original=True)
def half_the_noise_that_the_plan_asks_for(folder: Path) -> None:
    forging.set_noise(folder, scale=forging.noise_in(folder).scale / 2)


@breaks(Name.EVENT_NOISE, internal=True, original=True)
def an_event_without_noise(folder: Path) -> None:
    scale = forging.noise_in(folder).scale.copy()
    scale[7] = 0
    forging.set_noise(folder, scale=scale)


@breaks(Name.COUNT_NOISE, internal=True, original=True)
def a_ledger_with_shorter_cases_than_there_are(folder: Path) -> None:
    def change(leaf: PrivacyEvent) -> PrivacyEvent:
        return replace(leaf, cells_per_case=Confidential(3)) if isinstance(leaf, LaplaceCount) else leaf

    forging.put_ledger(folder, lambda tree: forging.mapped(tree, change))


def _times(folder: Path) -> tuple[PublicLog, IntArray, IntArray]:
    """The released log with its relative times, and with those of the events that it repeats."""
    log, planned = forging.log_in(folder), _plan()
    released = np.diff(log.time, prepend=log.time[:1])
    released[log.offsets[:-1]] = log.starts - planned.public.first_start
    origin = noise_of(made()).origin[log.offsets[:-1]]
    rows = [np.arange(original().offsets[each], original().offsets[each + 1]) for each in origin]
    return log, released, planned.annotated.relative_time[np.concatenate(rows)]


def _put_times(folder: Path, log: PublicLog, relative: IntArray) -> None:
    """Release these relative times instead."""
    elapsed = np.cumsum(relative)
    firsts, public = log.offsets[:-1], _plan().public
    elapsed -= np.repeat(elapsed[firsts] - relative[firsts], log.lengths)
    forging.put_log(folder, forging.with_columns(log, time=np.minimum(public.first_start + elapsed, public.last_time)))


def _one_case_without_noise(folder: Path) -> None:
    log, released, was = _times(folder)
    case = next(
        each for each in range(log.n_cases) if np.count_nonzero(was[log.offsets[each] : log.offsets[each + 1]]) > 5
    )
    _put_times(folder, log, np.where(log.case == case, was, released))


@breaks(Name.EQUAL_TIMES, Name.NOISE_SIZE, Name.LINKAGE, internal=True, original=True)
def one_case_whose_times_got_no_noise(folder: Path) -> None:
    _one_case_without_noise(folder)


@breaks(Name.EQUAL_TIMES, original=True)
def one_case_whose_times_got_no_noise_and_no_ledger_to_tell(folder: Path) -> None:
    _one_case_without_noise(folder)


@breaks(Name.EQUAL_TIMES, Name.NOISE_SIZE, internal=True, original=True)
def starts_that_got_no_noise(folder: Path) -> None:
    log, released, was = _times(folder)
    _put_times(folder, log, np.where(log.first_of_case, was, released))


@breaks(Name.EQUAL_TIMES, original=True)
def starts_that_got_no_noise_and_no_ledger_to_tell(folder: Path) -> None:
    starts_that_got_no_noise(folder)


@breaks(Name.NOISE_SIZE, internal=True, original=True)
def a_third_of_the_noise_that_the_ledger_records(folder: Path) -> None:
    """The ledger and the plan agree; only less noise was drawn than they say."""
    log, released, was = _times(folder)
    less = np.maximum(was + np.trunc((released - was) / 3).astype(np.int64), 0)
    _put_times(folder, log, np.where(log.first_of_case, released, less))


def _starts_moved(folder: Path, to: Callable[[IntArray, IntArray], IntArray]) -> None:
    """Other starts: a function of what they were and of what they became."""
    log, released, was = _times(folder)
    _put_times(folder, log, np.where(log.first_of_case, to(was, released), released))


@breaks(Name.NOISE_SIZE, internal=True, original=True)
def starts_that_moved_by_a_millisecond(folder: Path) -> None:
    _starts_moved(folder, lambda was, released: np.abs(was - 1))


@breaks(Name.NOISE_SIZE, internal=True, original=True)
def starts_with_a_tenth_of_the_recorded_noise(folder: Path) -> None:
    _starts_moved(folder, lambda was, released: was + (released - was) // 10)


@breaks(Name.NOISE_SIZE, internal=True, original=True)
def two_cases_whose_times_moved_by_half_a_second(folder: Path) -> None:
    """Too few to change how many moved by half of their scale."""
    log, released, was = _times(folder)
    longest = np.argsort(log.lengths)[-2:]
    _put_times(folder, log, np.where(np.isin(log.case, longest) & (was > 0), was + 500, released))


@breaks(Name.COUNT_SIZE, original=True, method="oversampling")
def counts_that_got_no_noise(folder: Path) -> None:
    """Of each variant as many cases as the original has; the ledger would not notice either."""
    log, planned = forging.log_in(folder), plan(original(), ADVANTAGE, "oversampling")
    variant = variants_in_original(log, original())
    order = np.argsort(variant, kind="stable")
    rank = np.arange(log.n_cases) - np.searchsorted(variant[order], variant[order])
    kept = np.zeros(log.n_cases, dtype=np.bool_)
    kept[order] = rank < planned.kept_variant_cases[variant[order]]
    forging.put_log(folder, forging.with_columns(log, kept[log.case]))


@breaks(Name.EQUAL_TIMES, original=True)
def the_original_under_a_method_that_nobody_knows(folder: Path) -> None:
    """No plan can be made, but the two logs are there to be compared."""
    release, source = made("sampling"), original()
    names = np.array([hashlib.sha256(f"{number}".encode()).hexdigest()[:32] for number in range(source.n_cases)])
    log = forging.with_columns(source, case_names=names.astype(object))
    report = replace(
        release.report,
        method="outside",
        mechanisms=public_tree(Sequential((PostProcessing("the whole log", "published as it is"),))),
        released=replace(release.report.released, cases=log.n_cases, events=log.n_events),
    )
    rmtree(folder)
    replace(release, report=report).save(folder)
    rmtree(folder / "internal")
    forging.put_log(folder, log)
