"""The command line. Light on purpose: what a command needs is imported when the command runs."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from amun_dp.cli.parser import build_parser
from amun_dp.cli.process import prepare_process
from amun_dp.errors import RELEASED, AmunError

INTERRUPTED = 130
TERMINATED = 143
INTERNAL_ERROR = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a check failed, 2 wrong use or bad input, 3 internal."""
    prepare_process()
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
    """What was done before it, and what is left of it; a command that has put something in place notes that."""
    notes = getattr(error, "__notes__", ())
    released = any(note.startswith(RELEASED) for note in notes)
    return "; ".join((*(() if released else ("nothing was released",)), *notes))


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that temporary files are removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # a terminal that is closed says so twice
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(TERMINATED)
