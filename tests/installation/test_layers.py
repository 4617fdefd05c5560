"""Each package of ``amun_dp`` alone in a fresh interpreter, bottom to top: it loads nothing from above or beside it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
[CONTRACT] = [contract for contract in SETTINGS["contracts"] if contract["type"] == "layers"]
LAYERS: list[list[str]] = [[name.strip() for name in layer.split("|")] for layer in reversed(CONTRACT["layers"])]
"""Bottom to top."""
PLACES = [(number, name) for number, layer in enumerate(LAYERS) for name in layer]
UPPER = next(number for number, name in PLACES if name == "report")
NEEDS = {"serve": "starlette", "spark": "pyspark"}
"""What the packages of an extra need."""

IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
found = [sys.argv[1]]
if hasattr(package, "__path__"):
    found += [each.name for each in pkgutil.walk_packages(package.__path__, sys.argv[1] + ".")]
for name in found:
    if not name.endswith((".__main__", ".child")):  # these are programs
        importlib.import_module(name)
print(*sorted({".".join(name.split(".")[:2]) for name in sys.modules if name.split(".")[0] in ("amun_dp", "proofs")}))
"""


def loaded_with(package: str) -> set[str]:
    """Which packages are loaded once every module of one is imported."""
    command = [sys.executable, "-c", IMPORT_ALL, package]
    return set(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split())


def test_every_room_is_in_a_layer() -> None:
    rooms = {path.name for path in (ROOT / "amun_dp").iterdir() if (path / "__init__.py").exists()}
    assert {name for _, name in PLACES} == rooms | {"errors"}


@pytest.mark.parametrize(
    ("number", "name"),
    # The upper ones import most of everything, which takes a second or more.
    [pytest.param(*place, marks=pytest.mark.slow if place[0] >= UPPER else ()) for place in PLACES],
    ids=[name for _, name in PLACES],
)
def test_a_package_alone_loads_nothing_from_above_or_beside_it(number: int, name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    below = {each for layer in LAYERS[:number] for each in layer}
    loaded = {each.removeprefix("amun_dp.") for each in loaded_with(f"amun_dp.{name}")} - {"amun_dp", name}
    assert {each for each in loaded if not each.startswith("proofs")} <= below


@pytest.mark.parametrize("name", ["accounting", pytest.param("proofs", marks=pytest.mark.slow)])
def test_accounting_and_proofs_load_nothing_of_event_logs(name: str) -> None:
    if name == "proofs":
        pytest.importorskip("sympy")
    assert not [each for each in loaded_with(name) if each.startswith("amun_dp")]
