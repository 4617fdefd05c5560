"""Everything that can go wrong on purpose, in one tree.

    AmunError
    ├── InputError          the log cannot be read, or not as asked
    │   ├── ColumnError     a column is missing, unknown or ambiguous
    │   └── IncompleteLog   events without case, activity or timestamp
    ├── ParameterError      a parameter is outside its domain
    ├── ReleaseError        nothing sensible can be released (e.g. every case is filtered)
    ├── ModelError          (amun_dp.evaluation.models)  pm4py made no model, or not in time
    ├── BudgetError         it would cost somebody more than the steward allows
    │   └── SameLogQuestion (amun_dp.budgets.refusals)  whether two logs are about the same people, the steward must say
    ├── RegistryRefused     the registry of budgets cannot be used, or is damaged
    ├── SamplerError        what draws the noise does not work on this machine
    ├── EngineError         Spark failed; what it said is in its own log, because that may quote rows
    └── OutputError         the release cannot be written

A message says what is wrong, where, and how to fix it. It never contains a value of a row: messages end up in
terminals, tickets and CI logs. Column names, file names, line numbers and counts are allowed.

Where it asks for an option it names that by its Python name, in a ``Message`` (``amun_dp._base.messages``): ``str`` of
the error has Python's spelling, the command line and the local page print theirs.
"""

from __future__ import annotations


class AmunError(Exception):
    """Root of all errors that are raised on purpose (``amun_dp.errors`` shows the tree). The command line prints the
    message and exits with ``exit_code``."""

    exit_code = 2

    @property
    def message(self) -> str:
        """What is wrong and how to fix it, as it was raised: a ``Message`` where it names options."""
        first = self.args[0] if self.args else ""
        return first if isinstance(first, str) else str(first)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the message names, as parameters of Python's functions."""
        named: tuple[str, ...] = getattr(self.message, "options", ())
        return named


class InputError(AmunError):
    """The log cannot be read, or not as asked."""


class ColumnError(InputError):
    """A column is missing, unknown or ambiguous."""


class IncompleteLog(InputError):  # noqa: N818 — reads as a statement where it is raised; the tree says it is an error
    """Some events lack a case, an activity or a timestamp."""


class ParameterError(AmunError):
    """A parameter is outside its domain."""


class ReleaseError(AmunError):
    """The log and the parameters are valid, but nothing can be released with them, or nothing that should be: every
    case is filtered, for instance, or the log is too small. Most of these are raised before anything is drawn. If noise
    was drawn already, what was reserved in a registry stays spent."""


class BudgetError(AmunError):
    """The release would cost an individual more than the steward allows: it is refused before anything is drawn. Raised
    also if a release turns out, after drawing, to cost more than was reserved for it (what was reserved stays spent),
    and if a reservation was voided or cannot be."""

    exit_code = 1


class RegistryRefused(AmunError):  # noqa: N818 — reads as a statement where it is raised
    """The registry of budgets cannot be read or written, or is damaged."""


class SamplerError(AmunError):
    """The sampler that draws the noise does not work on this machine."""


class EngineError(AmunError):
    """Spark could not carry out a step. What Spark said is in its own log, because that may quote rows."""


class OutputError(AmunError):
    """The release cannot be written where it was asked for."""


class PublisherWarning(UserWarning):
    """What a publisher must know before a release is made, even where other messages are turned off: how many cases it
    discloses, for instance. It has figures of the original log: do not publish it. Anyone who turns it off is taken to
    have read it."""


RELEASED = "the release was made and is in"
"""How messages about what happens after a release say that the release was made."""
NOT_JUDGED = "the release was not judged"
"""How messages say that a verification could not be carried out."""


def note_release(error: BaseException, directory: object) -> None:
    """Add a note to an error, once, that the release was already in place before it: before an interruption, for
    instance."""
    note = released_note(directory)
    if note not in getattr(error, "__notes__", ()) and RELEASED not in str(error).lower():
        error.add_note(note)


def released_note(directory: object) -> str:
    return f"{RELEASED} {directory}; do not release again"
