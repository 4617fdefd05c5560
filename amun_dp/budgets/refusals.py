"""What a registry refuses: why, and what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from accounting.registry import (
    BudgetExceeded,
    Cost,
    NotANewLog,
    NotVoidable,
    Overlap,
    RegistryError,
    UndecidedLog,
    UnknownLog,
    UnknownRelease,
    VoidedRelease,
)
from amun_dp._base.messages import Message
from amun_dp._base.options import OPTIONS, Mention
from amun_dp.budgets.shortages import below_what_is_spent, shortage_text
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused


class SameLogQuestion(BudgetError):  # noqa: N818
    """The log shares cases with registered logs; somebody must say whether it is about the same people."""

    def __init__(self, overlaps: tuple[Overlap, ...]) -> None:
        self.overlaps = overlaps
        contained = any(one.contained for one in overlaps)
        super().__init__(
            Message(
                "{shared} Releases about the same people can be compared, so they share a budget; nothing was drawn. "
                "If it is the same log, grown or cut, use {same}.{others}",
                shared=" ".join(f"{overlap_text(one)}." for one in overlaps),
                same=_same_as(one.log for one in overlaps),
                others="" if contained else Message(" If the people are others, use {new_log}, which is recorded."),
            )
        )


def _same_as(logs: Iterable[str]) -> Mention:
    return Mention(OPTIONS["same_log_as"], tuple(logs))


def overlap_text(overlap: Overlap) -> str:
    """How many cases are in both, and of how many."""
    number = overlap.cases
    what = (
        f"Every case of this log ({number:,})"
        if overlap.common == number
        else f"{overlap.common:,} of the {number:,} cases of this log"
    )
    verb = "are" if overlap.common > 1 and overlap.common < number else "is"
    likeness = "" if overlap.certain == overlap.common else ", some of them by likeness"
    if not overlap.certain:
        likeness = ", by likeness"
    return f"{what} {verb} in {overlap.log} ({cases_text(overlap.registered)}){likeness}"


def cases_text(number: int) -> str:
    return "1 case" if number == 1 else f"{number:,} cases"


@contextmanager
def registry_errors(cost: Cost | None = None, registry: Path | None = None) -> Iterator[None]:
    """What a registry refuses, as an error of this package. ``cost`` is that of the release that is asked for;
    ``registry`` the file, for the commands that help."""
    try:
        yield
    except BudgetExceeded as error:
        shortage = error.shortage
        said = below_what_is_spent(shortage) if cost is None else shortage_text(shortage, cost, registry)
        raise BudgetError(said) from error
    except UndecidedLog as error:
        raise SameLogQuestion(error.overlaps) from error
    except (NotVoidable, VoidedRelease) as error:
        raise BudgetError(str(error)) from error
    except (UnknownLog, UnknownRelease) as error:
        raise ParameterError(str(error)) from error
    except NotANewLog as error:
        raise RegistryRefused(_not_a_new_log(error)) from error
    except RegistryError as error:
        raise RegistryRefused(str(error)) from error


def _not_a_new_log(error: NotANewLog) -> Message:
    if error.part:
        return Message("{why} Use {same} instead of {new_log}.", why=error, same=_same_as(error.logs))
    return Message("{why} Leave {new_log} out.", why=error)


# --- a budget in the strict reading ---------------------------------------------------------------------------------


# --- a budget on average over the noise -----------------------------------------------------------------------------


# --- a budget in the published reading ------------------------------------------------------------------------------
