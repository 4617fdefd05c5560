"""Releases that somebody has changed, and ``verify``, which must not pass them. Half of the forgers stop there; the
other half draw the page again and compute every hash again, so that the folder agrees with itself as far as they can
make it.

Held if verify did not pass the folder (exit code 0), and the page came to the same verdict on an archive of it. A
change that verify says it cannot see (docs/verify.md) is counted apart, with the sentence that says so.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from amun_dp.verification.blind_spots import undetectable
from benchmarks.torture.aftermath import command
from benchmarks.torture.commands import Ended, forked
from benchmarks.torture.forging import FORGERIES, Forged
from benchmarks.torture.logs import MEMORY, SECONDS, judged_by_the_page
from benchmarks.torture.mutations import zipped
from benchmarks.torture.tally import Tally

RELEASES = (
    ("--method", "sampling", "--format", "xes"),
    ("--method", "filtering", "--format", "csv"),
    ("--method", "certified", "--variants", "generated", "--format", "csv"),
    ("--method", "certified", "--variants", "generated", "--format", "xes"),
    ("--method", "certified", "--variants", "threshold", "--format", "parquet"),
)
ON_THE_PAGE = 0.25
"""Of the forgeries, those that are dropped on the page as well."""
JUDGED = {0: "passed", 1: "failed", 2: "refused", 4: "could not be judged"}


def forgeries(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        whole = [_release(log, place / f"release-{number}", flags) for number, flags in enumerate(RELEASES)]
        while tally.tried < tries:
            target = place / "forged"
            shutil.copytree(choose.choice(whole), target)
            forged = _forge(target, choose)
            if forged is not None:
                _try(target, forged, place, choose, tally)
            shutil.rmtree(target)


def _release(log: Path, folder: Path, flags: tuple[str, ...]) -> Path:
    made = command("anonymize", log, "--advantage", "0.3", *flags, "--noise", "exact", "--out", folder, "--no-registry")
    assert made.code == 0, made.err
    shutil.rmtree(folder / "internal")
    assert command("verify", folder, "--no-prove").code == 0
    return folder


def _forge(target: Path, choose: random.Random) -> Forged | None:
    """None if the forger could not do it on this release, or changed nothing."""
    before = _content(target)
    kinds: list[Callable[[Path, random.Random], Forged]] = sorted(FORGERIES, key=lambda kind: kind.__name__)
    forged = choose.choice(kinds)(target, choose)
    return None if _content(target) == before else forged


def _content(folder: Path) -> dict[str, bytes]:
    files = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in files}


def _try(target: Path, forged: Forged, place: Path, choose: random.Random, tally: Tally) -> None:
    here = forked(["verify", target, "--no-prove", "--quiet"], memory=MEMORY, seconds=SECONDS).wait()
    verdict = JUDGED.get(here.code, f"exit code {here.code}")
    fault = here.broke_off or (verdict if verdict.startswith(("exit", "refused")) else None)
    if fault is None and choose.random() < ON_THE_PAGE and not any(path.is_symlink() for path in target.rglob("*")):
        page = _on_the_page(target, place, choose)
        told = JUDGED.get(page.code, f"exit code {page.code}")
        tally.apart["forgeries that the page judged as well"] += 1
        if page.broke_off or told not in (verdict, "refused"):
            fault = f"verify: {verdict}, the page: {page.broke_off or told}"
    if fault is None and here.code == 0:
        if forged.not_seen is None:
            fault = "passed"
        else:
            assert forged.not_seen in undetectable(original=False, ledger=False)
            tally.apart[f"passed, and listed as not seen ({forged.not_seen.partition(':')[0]})"] += 1
            return
    tally.note(f"{forged.kind}: {verdict}", None if fault is None else f"{forged}: {fault}")


def _on_the_page(target: Path, place: Path, choose: random.Random) -> Ended:
    files = {f"{name}/" if (target / name).is_dir() else name: data for name, data in _content(target).items()}
    archive = place / "forged.zip"
    archive.write_bytes(zipped(files, choose))
    done = judged_by_the_page(archive, place)
    archive.unlink(missing_ok=True)
    return done
