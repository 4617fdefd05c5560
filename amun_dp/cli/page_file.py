"""A confidential page in a file of the user's choice: for its owner only, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from amun_dp.errors import OutputError
from amun_dp.writing.folder import output_errors


def check_page(path: Path) -> None:
    """Refuse, before any work is done, a place where no page could be written."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Name a file, for instance {path / 'page.html'}.")
    if not path.resolve().parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {path.parent}. Make it first.")


def write_page(path: Path, page: str) -> None:
    with output_errors(path):
        # A temporary file is readable by its owner alone, and takes the place of an earlier page at once.
        descriptor, name = tempfile.mkstemp(dir=path.resolve().parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(page)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
