"""What a command says of itself when it ended otherwise than it should: whether a release is in place all the same, and
what was spent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp._base.strict_json import strict_json
from amun_dp.cli.progress import happened_while
from amun_dp.errors import AmunError, note_release, released_note
from amun_dp.folder.names import REPORT_FILE

if TYPE_CHECKING:  # after a crash there may be no memory for what these need
    from amun_dp.cli.reserving import Reserver
    from amun_dp.release.made import Release

NOTHING_SPENT = "nothing was spent"


def note_what_was_done(
    error: BaseException, directory: Path, release: Release | None, reserve: Reserver | None
) -> None:
    """Whatever ended the run: note whether the release is in place all the same, and say what was spent."""
    spent = None if reserve is None else reserve.spending
    made = release.report.release_id if release is not None else spent.reservation.release if spent else None
    if made is not None and _in_place(directory, made):
        note_release(error, directory)
    elif reserve is not None:
        reserve.after_a_failure()
        if spent is None and not isinstance(error, AmunError):
            error.add_note(NOTHING_SPENT)


def after_a_crash(said: dict[str, Any]) -> tuple[list[str], list[str]]:
    """After a library ended the process: from what the process left, what to note about the release and the budget, and
    what to say beside."""
    notes = [happened_while(said["step"])] if "step" in said else []
    if "judging" in said:
        return [said["judging"], *notes], []
    if "release" not in said:
        return [*notes, *([NOTHING_SPENT] if "out" in said else [])], []
    if _in_place(Path(said["out"]), said["release"]):
        return [released_note(said["out"]), *notes], []
    return notes, [f"note: {text}" for text in _texts(said)]


def _texts(said: dict[str, Any]) -> list[str]:
    """What has become of what was reserved."""
    from amun_dp.budgets.spending import open_registry
    from amun_dp.cli.reserving import Standing, standing

    try:
        found = standing(open_registry(said["registry"], create=False), said["release"])
    except AmunError:
        found = Standing.SPENT
    texts: list[str] = said.get(found.value, [])
    return texts


def _in_place(directory: Path, release_id: str) -> bool:
    """Whether the folder holds this very release."""
    try:
        return bool(strict_json((directory / REPORT_FILE).read_bytes())["release"]["id"] == release_id)
    except (OSError, ValueError, TypeError, KeyError):
        return False
