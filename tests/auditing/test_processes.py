"""The processes of an audit end with it, whatever happens to one of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from amun_dp.auditing.workers import carried_out
from amun_dp.errors import AmunError


def test_no_process_is_left_when_one_has_died_even_if_the_pool_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11's thread that ends the others fails in some per cent of such cases; here it always does. Without an
    end of them, the audit would wait for them for ever."""

    def fail(self: Any, _cause: object) -> None:
        for item in self.pending_work_items.values():
            item.future.set_exception(BrokenProcessPool())

    monkeypatch.setattr("concurrent.futures.process._ExecutorManagerThread.terminate_broken", fail)
    others = multiprocessing.active_children()
    nothing: Any = None  # neither the experiment nor its jobs are looked at: one process is stopped, the other killed
    with pytest.raises(AmunError, match="ended from outside"), carried_out(nothing, nothing, 2) as batches:
        mine = [process for process in multiprocessing.active_children() if process not in others]
        for process, number in zip(mine, (signal.SIGSTOP, signal.SIGKILL), strict=True):
            assert process.pid is not None
            os.kill(process.pid, number)
        list(batches([nothing] * 20))
    for process in mine:
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
