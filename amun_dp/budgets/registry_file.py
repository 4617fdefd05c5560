"""Where the user's registry is, and how a command names another one."""

from __future__ import annotations

import shlex
from pathlib import Path


def default_registry() -> Path:
    """Where the user's registry is."""
    from platformdirs import user_data_path

    return user_data_path("amun-dp", appauthor=False) / "registry.sqlite"


def registry_command(words: str, registry: Path | None) -> str:
    """A command of ``amun-dp registry`` that can be run as it is printed."""
    named = registry is not None and registry != Path(default_registry()).resolve()
    return f"amun-dp registry {words}" + (f" --registry {shlex.quote(str(registry))}" if named else "")
