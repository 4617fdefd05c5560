"""The command line. Light on purpose: what a command needs is imported when the command runs."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from amun_dp.cli.parser import build_parser
from amun_dp.errors import AmunError

INTERRUPTED = 130
TERMINATED = 143
INTERNAL_ERROR = 3
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a check failed, 2 wrong use or bad input, 3 internal."""
    # Modules and templates are thousands of objects that stay: looking for rubbish among them takes 5 % of a small run.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # numpy's OpenBLAS starts a thread a core, and each turns idly for a while: 50 ms of processor time for nothing, as
    # no command multiplies large matrices. To be said before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
        sys.stdout.flush()
        return code
    except AmunError as error:
        for said in (error, *(f"{note}." for note in getattr(error, "__notes__", ()))):
            print(f"amun-dp: {said}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader of our output went away; there is nobody left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as error:
        print(f"\namun-dp: interrupted; {_so_far(error)}.", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as error:
        if hasattr(error, "__notes__"):
            print(f"amun-dp: {_so_far(error)}.", file=sys.stderr)
        raise
    except Exception as error:
        if os.environ.get("AMUN_DP_DEBUG"):
            raise
        print(
            f"amun-dp: internal error ({type(error).__name__}); {_so_far(error)}. This is a bug in amun-dp. Run again "
            "with AMUN_DP_DEBUG=1 for a traceback (it may contain values of the log) and report it.",
            file=sys.stderr,
        )
        return INTERNAL_ERROR


def _so_far(error: BaseException) -> str:
    """What was done before it; a command that has put something in place notes that."""
    return "; ".join(getattr(error, "__notes__", ())) or "nothing was released"


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that temporary files are removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # a terminal that is closed says so twice
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(TERMINATED)
