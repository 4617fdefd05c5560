"""A confidential page in a file of the user's choice: new, for its owner only, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from amun_dp.errors import OutputError
from amun_dp.folder.placing import output_errors


def check_page(page: Path, release: Path | None = None) -> None:
    """Refuse, before any work is done, a place where the page could not be written, or would be published with a
    release. It is never written over a file: a log named by mistake would be gone."""
    with output_errors(page):
        if release is not None and release.is_dir() and page.resolve().is_relative_to(release.resolve()):
            raise OutputError(
                f"{page} cannot be written: it would lie in the folder of the release, and is confidential. Choose a "
                "place outside of it."
            )
        if page.is_dir():
            raise OutputError(f"{page} is a folder. Name a file, for instance {page / 'page.html'}.")
        if page.exists():
            raise OutputError(f"{page} exists already. Choose another name for --html, or remove it.")
        if not page.resolve().parent.is_dir():
            raise OutputError(f"{page} cannot be written: there is no folder {page.parent}. Make it first.")


def write_page(page: Path, text: str) -> None:
    with output_errors(page):
        descriptor = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(text)
        except BaseException:
            page.unlink()
            raise
