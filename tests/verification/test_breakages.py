"""Each check is failed by a release that is broken in exactly its way, and by no other."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from amun_dp.verification import Name
from tests.verification import forging
from tests.verification.breakages import BREAKAGES, Breakage
from tests.verification.releases import Shelf, failing, individuals, made, noise_of, original

for module in ("broken_reports", "broken_formats", "broken_logs", "broken_internals", "broken_against_original"):
    importlib.import_module(f"tests.verification.{module}")


@pytest.mark.parametrize("broken", BREAKAGES, ids=lambda broken: f"{broken.what} ({broken.format})")
def test_a_broken_release_fails_the_checks_that_it_breaks_and_no_other(
    broken: Breakage, shelf: Shelf, tmp_path: Path
) -> None:
    folder = shelf.copy(tmp_path / "release", broken.format, broken.method, broken.internal)
    broken.how(folder)
    known = None if broken.cases_each is None else individuals(original(), broken.cases_each)
    assert failing(folder, broken.original, log=known) == broken.fails


def test_every_check_is_failed_by_some_broken_release() -> None:
    """REQUIRED is a demand, not a property of a release: test_requirements.py fails it. AUDIT is about the mechanism:
    test_audited.py fails it."""
    assert frozenset().union(*(broken.fails for broken in BREAKAGES)) == set(Name) - {Name.REQUIRED, Name.AUDIT}


@pytest.mark.parametrize("far", [False, True], ids=["early", "late"])
def test_times_without_noise_show_under_the_article_s_compression_too(far: bool, shelf: Shelf, tmp_path: Path) -> None:
    """A late start spreads the starts further than the factor leaves them, and so shows too."""
    folder = tmp_path / "release"
    shutil.copytree(shelf.kept("xes", "sampling", "article"), folder)
    log, noise = forging.log_in(folder), noise_of(made("sampling", "article"))
    noised = np.bincount(log.case, weights=noise.scale > 0) > 5
    starts = original().starts[noise.origin[log.offsets[:-1]]] - original().starts.min()
    half = (original().starts.max() - original().starts.min()) // 2
    case = int(np.flatnonzero(noised & ((starts > 1.5 * half) if far else (starts < half / 2)))[0])
    origin = noise.origin[log.offsets[case]]
    times = log.time.copy()
    times[log.case == case] = original().time[original().case == origin]
    forging.put_log(folder, forging.with_columns(log, time=times))
    expected = {Name.TIME_FRAME} if far else {Name.EQUAL_TIMES, Name.LINKAGE}
    assert failing(folder, with_original=True) == expected
