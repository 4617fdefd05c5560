"""A release is killed at one system call after another (by strace), and what is left is looked at.

Held if: the target holds a whole release that verifies or nothing; a release that stands there is in the registry; the
registry can be read; and nothing is spent that the registry does not show.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path

from accounting.registry import open_registry
from amun_dp.verification import verify
from benchmarks.torture.tally import ADVANTAGE, Tally, amun, release_identifier

CALLS = ("openat", "rename", "renameat2", "fsync", "fdatasync", "pwrite64", "write", "unlink", "mkdir", "rmdir")
"""What changes a disk. The n-th call of a kind is where the process is killed."""
LARGEST = {"openat": 1500, "write": 60, "pwrite64": 60}
_OTHERS = 25


def kills(log: Path, tries: int, choose: random.Random) -> Tally:
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed (Debian: strace).")
    tally = Tally("killed at a system call")
    for _ in range(tries):
        call = choose.choice(CALLS)
        number = choose.randint(1, LARGEST.get(call, _OTHERS))
        method = choose.choice((["--method", "sampling"], ["--method", "certified", "--variants", "generated"]))
        force = choose.random() < 0.3
        with tempfile.TemporaryDirectory() as place:
            tally.note(*_one(Path(place), log, call, number, method, force))
    return tally


def _one(place: Path, log: Path, call: str, number: int, method: list[str], force: bool) -> tuple[str, str | None]:
    out, registry = place / "out", place / "registry.sqlite"
    command = ["anonymize", log, "--advantage", ADVANTAGE, *method, "--out", out, "--noise", "exact"]
    if force:
        amun(*command, "--no-registry", "--quiet")
    before = release_identifier(out)
    inject = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={number}")
    done = amun(*command, "--registry", registry, "--force", "--quiet", prefix=inject)
    after = release_identifier(out)
    spent = {} if not registry.exists() else _releases(registry)
    where = f"{call} {number} ({' '.join(method)}{', replacing' if force else ''})"
    if isinstance(spent, str):
        return "killed", f"{where}: {spent}"
    if done.returncode not in (0, -9, 137):
        return "killed", f"{where}: exit code {done.returncode}"
    if force and after is None:
        return "killed", f"{where}: neither the old nor the new release is there"
    if after is not None and after != before and after not in spent:
        return "released", f"{where}: a release that the registry does not know"
    if out.exists() and after is None and any(out.iterdir()):
        return "killed", f"{where}: half a release"
    if after is not None and not verify(out, prove=False).passed:
        return "released", f"{where}: the release does not verify"
    if done.returncode == 0:
        return "not reached", None if after in spent else f"{where}: done, but not in the registry"
    return ("killed after it was in place" if after not in (None, before) else "killed before"), None


def _releases(registry: Path) -> dict[str, bool] | str:
    """The releases that the registry knows, and whether each is confirmed; or why it cannot be read."""
    try:
        logs = open_registry(registry, create=False).logs()
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what this program looks for
        # A registry that was killed while it was made has no entry yet, and its key says so.
        return {} if not _begun(registry) else f"the registry cannot be read: {error}"
    return {one.release: one.published_at is not None for log in logs for one in log.releases}


def _begun(registry: Path) -> bool:
    return registry.exists() and registry.stat().st_size > 0
