"""How a command is run: its signals, its exit code, and what is said when it ends otherwise than it should."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from amun_dp._base.out_of_memory import chain_of, is_out_of_memory
from amun_dp.cli.as_flags import in_flags
from amun_dp.cli.process import prepare_process
from amun_dp.cli.streams import NOT_WRITTEN, drop, say, tell
from amun_dp.cli.watch import leave, watched
from amun_dp.errors import NOT_JUDGED, RELEASED, AmunError

INTERRUPTED = 130
TERMINATED = 143
INTERNAL_ERROR = 3
OUT_OF_MEMORY = 5


def run_process() -> int:
    """Run the command that this process was started for."""
    return watched(_run_to_the_end, _crashed)


def _run_to_the_end() -> int:
    code = run(None)
    if code == OUT_OF_MEMORY:  # libraries that could not be loaded whole may not survive being unloaded
        leave(code=code)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    return code


def _crashed(said: dict[str, Any]) -> int:
    """A library ended the process for lack of memory. ``said`` is what was known then."""
    from amun_dp.cli.afterwards import after_a_crash

    error = MemoryError()
    notes, lines = after_a_crash(said)
    for note in notes:
        error.add_note(note)
    for line in lines:
        say(line)
    return _out_of_memory(error)


def run(arguments: Sequence[str] | None) -> int:
    """Run a command and return its exit code."""
    prepare_process()
    try:
        return _run(arguments)
    except KeyboardInterrupt as error:
        return interrupted(error)
    except SystemExit as error:
        if hasattr(error, "__notes__"):
            tell(f"amun-dp: {_so_far(error)}.")
        raise
    except BrokenPipeError:  # the reader of our output went away; there is nobody left to tell
        drop(sys.stdout)
        return 0
    except Exception as error:
        if any(isinstance(each, KeyboardInterrupt) for each in chain_of(error)):  # amid an import, which failed of it
            return interrupted(error)
        if is_out_of_memory(error):
            return _out_of_memory(error)
        if isinstance(error, AmunError):
            for said in (in_flags(error.message), *(f"{in_flags(note)}." for note in getattr(error, "__notes__", ()))):
                tell(f"amun-dp: {said}")
            return error.exit_code
        if os.environ.get("AMUN_DP_DEBUG"):
            raise
        tell(
            f"amun-dp: internal error ({type(error).__name__}); {_so_far(error)}. This is a bug in amun-dp. Run again "
            "with AMUN_DP_DEBUG=1 for a traceback (it may contain values of the log) and report it."
        )
        return INTERNAL_ERROR


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
    code: int = options.run(options)
    return code if _flushed() else code or AmunError.exit_code


def interrupted(error: BaseException) -> int:
    """Say so; returns the exit code."""
    tell(f"\namun-dp: interrupted; {_so_far(error)}.")
    return INTERRUPTED


def _out_of_memory(error: BaseException) -> int:
    tell(
        f"amun-dp: out of memory; {_so_far(error)}. More memory is needed than this process may have. Close other "
        "programs, raise the limit, or take a larger machine or a part of the log."
    )
    return OUT_OF_MEMORY


def _flushed() -> bool:
    """Whether all output has left. The command is done by now: nothing that fails here may deny what it did."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)
    except OSError as error:
        tell(f"amun-dp: {NOT_WRITTEN} ({error.strerror}).")
        drop(sys.stdout)
        return False
    return True


def _so_far(error: BaseException) -> str:
    """What was done before it, and what is left of it; a command that has put something in place notes that."""
    notes = [in_flags(note) for note in getattr(error, "__notes__", ())]
    said = any(note.startswith((RELEASED, NOT_JUDGED)) for note in notes)
    return "; ".join((*(() if said else ("nothing was released",)), *notes))


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that temporary files are removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # a terminal that is closed says so twice
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(TERMINATED)
