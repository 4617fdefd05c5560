"""Before a budget is charged: the memory that a release needs is taken and given back, and the sampler is tried."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp.errors import SamplerError
from amun_dp.noise import opendp_draws, sources
from amun_dp.noise.sources import ExactNoise, SystemNoise, try_out
from amun_dp.release import enough_memory
from amun_dp.release.enough_memory import ARTICLE_BYTES, rehearse


def test_a_process_with_too_little_room_is_refused_by_its_own_limit() -> None:
    code = (
        "import resource, sys\n"
        "from amun_dp.noise.sources import ExactNoise\n"
        "from amun_dp.release.enough_memory import rehearse\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))\n"
        "rehearse(ExactNoise(), 1000, 100, ['a'])\n"
        "try: rehearse(ExactNoise(), 1 << 26, 100, ['a'])\nexcept MemoryError: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_labels_of_megabytes_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of rows is at most 128 MB of text, of which there are several copies while it is written."""
    taken: list[int] = []

    @contextmanager
    def held(needed: int) -> Iterator[None]:
        taken.append(needed)
        yield

    monkeypatch.setattr(enough_memory, "_held", held)
    rehearse(ExactNoise(), 1000, ARTICLE_BYTES, ["a", "b" * 1_000_000])
    rehearse(ExactNoise(), 1000, ARTICLE_BYTES, ["a", "b"])
    assert taken[0] >= 4 * (1 << 27) - 8_000_000
    assert taken[1] < 300_000


def test_the_memory_is_held_while_the_sampler_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    @contextmanager
    def held(needed: int) -> Iterator[None]:
        order.append("taken")
        yield
        order.append("given back")

    monkeypatch.setattr(enough_memory, "_held", held)
    monkeypatch.setattr(enough_memory, "try_out", lambda _source, draws: order.append(f"{draws} draws tried"))
    rehearse(ExactNoise(), 50_000.5, ARTICLE_BYTES, ["a"])
    assert order == ["taken", "50000 draws tried", "given back"]


# --- the sampler ----------------------------------------------------------------------------------------------------


def test_the_sampler_is_tried_in_all_threads_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[int] = []

    def counting(_scale: float) -> Any:
        def draw(values: Any) -> Any:
            alive.append(threading.active_count())
            return values

        return draw

    monkeypatch.setattr(opendp_draws, "laplace", counting)
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    before = threading.active_count()
    opendp_draws.try_out(10_000_000)
    assert len(alive) == 5
    assert alive[0] == before + 5


def test_a_thread_that_cannot_be_started_leaves_none_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ThreadPoolExecutor.submit
    started: list[bool] = []

    def submit(self: ThreadPoolExecutor, *arguments: Any) -> Any:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(True)
        return plain(self, *arguments)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    with pytest.raises(RuntimeError, match="thread"):
        opendp_draws.try_out(10_000_000)


@pytest.mark.parametrize(("short", "kind"), [(True, MemoryError), (False, SamplerError)])
def test_a_sampler_that_fails_is_broken_only_where_there_is_memory(
    short: bool, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    class OpenDPException(Exception):  # noqa: N818 — OpenDP calls it so
        pass

    def fails(_scale: float) -> None:
        raise OpenDPException

    monkeypatch.setattr(opendp_draws, "laplace", fails)
    monkeypatch.setattr(sources, "memory_is_short", lambda: short)
    with pytest.raises(kind):
        try_out(SystemNoise())


# --- BLAS -----------------------------------------------------------------------------------------------------------

AFTER_THE_CHARGE = ["article", "certified", "mechanisms", "noise", "eventlog", "release", "internals", "writing"]


def test_nothing_after_the_charge_needs_the_buffers_of_blas() -> None:
    """OpenBLAS takes tens of megabytes at its first product of matrices, and ends the process where it gets none."""
    assert amun_dp.__file__ is not None
    modules = [path for room in AFTER_THE_CHARGE for path in Path(amun_dp.__file__).parent.joinpath(room).rglob("*.py")]
    assert len(modules) > 50  # or the test looks in the wrong place
    found = []
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
            called = isinstance(node, ast.Attribute) and node.attr in {"dot", "matmul", "linalg", "einsum", "vdot"}
            if product or called:
                found.append(f"{path.name}:{getattr(node, 'lineno', 0)}")
    assert found == []
