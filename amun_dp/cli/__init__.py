"""The command line. Light on purpose: what a command needs is imported when the command runs."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from amun_dp.cli.process import prepare_process
from amun_dp.errors import RELEASED, AmunError

INTERRUPTED = 130
TERMINATED = 143
INTERNAL_ERROR = 3
OUT_OF_MEMORY = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a check failed, 2 wrong use or bad input, 3 internal, 4 could
    not be judged (verify), 5 out of memory."""
    try:
        prepare_process()
        return _run(arguments)
    except KeyboardInterrupt as error:  # here as well while modules are still being imported
        print(f"\namun-dp: interrupted; {_so_far(error)}.", file=sys.stderr)
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    from amun_dp.cli.parser import build_parser

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show ε shows ? and not an error
            stream.reconfigure(errors="replace")
    options = build_parser().parse_args(arguments)
    if os.name == "posix":
        signal.signal(signal.SIGTERM, _terminate)
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup: a terminal that is closed
            signal.signal(signal.SIGHUP, _terminate)
    try:
        code: int = options.run(options)
    except AmunError as error:
        for said in (error, *(f"{note}." for note in getattr(error, "__notes__", ()))):
            print(f"amun-dp: {said}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader of our output went away; there is nobody left to tell
        _drop_output()
        return 0
    except SystemExit as error:
        if hasattr(error, "__notes__"):
            print(f"amun-dp: {_so_far(error)}.", file=sys.stderr)
        raise
    except MemoryError as error:
        print(
            f"amun-dp: out of memory; {_so_far(error)}. The log needs more memory than this process may have. Close "
            "other programs, raise the limit, or take a larger machine or a part of the log.",
            file=sys.stderr,
        )
        return OUT_OF_MEMORY
    except Exception as error:
        if os.environ.get("AMUN_DP_DEBUG"):
            raise
        print(
            f"amun-dp: internal error ({type(error).__name__}); {_so_far(error)}. This is a bug in amun-dp. Run again "
            "with AMUN_DP_DEBUG=1 for a traceback (it may contain values of the log) and report it.",
            file=sys.stderr,
        )
        return INTERNAL_ERROR
    return code if _flushed() else code or AmunError.exit_code


def _flushed() -> bool:
    """Whether all output has left. The command is done by now: nothing that fails here may deny what it did."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        print(f"amun-dp: the command is done, but its output could not be written ({error.strerror}).", file=sys.stderr)
        _drop_output()
        return False
    return True


def _drop_output() -> None:
    """What is still to be written goes nowhere, so that the end of the process does not try it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _so_far(error: BaseException) -> str:
    """What was done before it, and what is left of it; a command that has put something in place notes that."""
    notes = getattr(error, "__notes__", ())
    released = any(note.startswith(RELEASED) for note in notes)
    return "; ".join((*(() if released else ("nothing was released",)), *notes))


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that temporary files are removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # a terminal that is closed says so twice
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(TERMINATED)
