"""The command line. Light on purpose: what a command needs is imported when the command runs.

This module imports nothing at all, so that Ctrl-C finds ``main`` at work as early as it can.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a check failed, 2 wrong use or bad input, 3 internal, 4 could
    not be judged (verify), 5 out of memory.

    Without arguments it is the command of this process, whose own are taken.
    """
    try:
        from amun_dp.cli.run import run, run_process

        return run_process() if arguments is None else run(arguments)
    except KeyboardInterrupt as error:  # here as well while modules are still being imported
        from amun_dp.cli.run import interrupted

        return interrupted(error)
    except MemoryError:
        return _without_memory()


def _without_memory() -> int:
    """The modules of the command line themselves could not be imported: what is written here needs none."""
    import os

    os.write(2, b"amun-dp: out of memory while the command was starting; nothing was released.\n")
    return 5
