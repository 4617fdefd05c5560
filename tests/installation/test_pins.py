"""What is installed, and the lowest versions that are tested, are those that pyproject.toml names."""

from __future__ import annotations

import tomllib
from itertools import groupby
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from requirements.installed import differences
from requirements.pins import FOLDER, pinned_versions, read_pins

PROJECT = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = {name: list(map(Requirement, wanted)) for name, wanted in PROJECT["project"]["optional-dependencies"].items()}
BUILD = list(map(Requirement, PROJECT["build-system"]["requires"]))
RUNTIME = [*map(Requirement, PROJECT["project"]["dependencies"]), *EXTRAS["serve"], *BUILD]
# Of pm4py's anonymisers, which need an environment of their own, the versions are in benchmarks/baselines.txt.
DEVELOPMENT = RUNTIME + [one for name, wanted in EXTRAS.items() if name != "baselines" for one in wanted]
FILES = ["runtime.txt", "development.txt", "floors.txt"]
PYTHONS = [line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line]
SYSTEMS = [("linux", "Linux", "x86_64"), ("darwin", "Darwin", "arm64"), ("win32", "Windows", "AMD64")]


def environment(python: str, system: tuple[str, str, str]) -> dict[str, str]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": system[0],
        "platform_system": system[1],
        "platform_machine": system[2],
        "os_name": "nt" if system[0] == "win32" else "posix",
        "extra": "",
    }


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system[0])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("file", "wanted"), [("runtime.txt", RUNTIME), ("development.txt", DEVELOPMENT)])
def test_every_requirement_has_one_pin_that_meets_it_in_every_supported_python(
    file: str, wanted: list[Requirement], python: str, system: tuple[str, str, str]
) -> None:
    here = environment(python, system)
    names = [pin.name for pin in read_pins(FOLDER / file) if pin.holds(here)]
    assert len(names) == len(set(names))
    pinned = pinned_versions(FOLDER / file, here)
    for one in wanted:
        assert one.specifier.contains(pinned[canonicalize_name(one.name)]), one


@pytest.mark.parametrize("python", PYTHONS)
def test_the_demo_has_the_versions_of_the_tests(python: str) -> None:
    here = environment(python, SYSTEMS[0])
    tested = pinned_versions(FOLDER / "development.txt", here)
    assert pinned_versions(FOLDER / "runtime.txt", here).items() <= tested.items()


@pytest.mark.parametrize("file", FILES)
def test_every_pin_has_hashes_and_no_file_says_where_it_was_made(file: str) -> None:
    pins = read_pins(FOLDER / file)
    assert pins
    assert all(pin.hashes for pin in pins)
    text = (FOLDER / file).read_text(encoding="utf-8")
    for word in ("://", "index-url", "find-links", "file:", " /", "@ "):
        assert word not in text, word


def test_what_builds_the_project_is_what_pyproject_names() -> None:
    assert (FOLDER / "build.in").read_text(encoding="utf-8").split() == PROJECT["build-system"]["requires"]


def floor(requirement: Requirement) -> Version:
    (lowest,) = [one.version for one in requirement.specifier if one.operator == ">="]
    return Version(lowest)


def test_the_lowest_versions_that_are_tested_are_the_lowest_that_pyproject_allows() -> None:
    tested = pinned_versions(FOLDER / "floors.txt")
    wanted: dict[NormalizedName, Version] = {}
    for name, ones in groupby(sorted(DEVELOPMENT, key=lambda one: one.name), lambda one: canonicalize_name(one.name)):
        wanted[name] = max(map(floor, ones))
    assert {name: Version(tested[name]) for name in wanted} == wanted


def test_the_oldest_python_is_the_lowest_that_pyproject_allows() -> None:
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"


# --- the check can fail ---------------------------------------------------------------------------------------------


def names(**versions: str) -> dict[NormalizedName, str]:
    return {canonicalize_name(name): version for name, version in versions.items()}


def test_what_differs_from_the_pins_is_named() -> None:
    pinned = names(numpy="2.4.6", ruff="0.17.5", playwright="1.65.2")
    assert differences(pinned, names(numpy="2.4.6", ruff="0.17.5", playwright="1.65.2", pip="1", amun_dp="0.1.0")) == []
    assert differences(pinned, names(numpy="2.4.6", ruff="0.17.4", another="1")) == [
        "another 1 is installed and not pinned.",
        "playwright is pinned to 1.65.2 and not installed.",
        "ruff is pinned to 0.17.5 and installed as 0.17.4.",
    ]


def test_a_version_that_is_not_exact_is_no_pin(tmp_path: Path) -> None:
    (tmp_path / "loose.txt").write_text("numpy>=2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not pinned"):
        pinned_versions(tmp_path / "loose.txt")
