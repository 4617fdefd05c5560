"""What forgers do to the folder of a release, each with a seed, half of them thoroughly."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amun_dp._base.units import DAY
from amun_dp.folder.parts import file_digest
from benchmarks.torture.mutations import MUTATIONS, OF_TEXT, mutated
from tests.verification import forging

UNSIGNED = (
    "who made the folder: its hashes are no signature, and whoever changes log, mechanisms, guarantees, page and "
    "hashes alike makes another consistent release; compare it with a copy from where you trust"
)
PUBLISHERS_WORD = "what software made the release: versions and commit are the publisher's word"
EARLIER = "the total with earlier releases: it is what the publisher's registry knew, and nobody else can see that"
LOOKS_RANDOM = "data hidden in what looks random: in identifiers, in the last digits of noised times, in the order"

DECLARED = (
    "whether what was declared is true: cases of an individual, length of a case, public variants, the time frame"
)

NOT_SEEN = {
    "/software": PUBLISHERS_WORD,
    "/earlier_releases": EARLIER,
    "/release": UNSIGNED,
    "/parameters/first_ms": DECLARED,
    "/parameters/last_ms": DECLARED,
}
"""Parts of report.json that a thorough forger may change, and the sentence by which verify says so."""


@dataclass(frozen=True, slots=True)
class Forged:
    """What was done. ``not_seen`` is the sentence of verify that says that it does not see this, if there is one."""

    kind: str
    where: str = ""
    thorough: bool = False
    not_seen: str | None = None

    def __str__(self) -> str:
        return f"{self.kind}{' ' + self.where if self.where else ''}{', thorough' if self.thorough else ''}"


Forgery = Callable[[Path, random.Random], Forged]


def _sealed(folder: Path, choose: random.Random) -> bool:
    """Half of the time: page and hashes as the forger would have them, as far as the folder lets them be made."""
    if choose.random() < 0.5:
        return False
    for page in (True, False):
        try:
            forging.reseal(folder, page=page)
        except Exception:  # noqa: BLE001 — what cannot be drawn again stays as it is
            continue
        return True
    return False


def bytes_of_a_file(folder: Path, choose: random.Random) -> Forged:
    path = choose.choice(sorted(path for path in folder.iterdir() if path.is_file()))
    path.write_bytes(mutated(path.read_bytes(), choose, MUTATIONS))
    if path.name == "report.html" and choose.random() < 0.5:  # its hash alone: nobody draws it again
        data = forging.report_in(folder)
        data["files"]["report.html"] = file_digest(path)
        forging.write_report(folder, data)
        return Forged("bytes of a file", path.name, thorough=True)
    return Forged("bytes of a file", path.name, _sealed(folder, choose))


def content_of_the_log(folder: Path, choose: random.Random) -> Forged:
    """Below the compression; page, figures and hashes follow, if it can still be read."""
    path = _log(folder)
    packed = path.name.endswith(".gz")
    data = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    changed = mutated(data, choose, OF_TEXT if packed or path.name.endswith(".csv") else MUTATIONS)
    path.write_bytes(forging.zipped(changed) if packed else changed)
    return Forged("content of the log", path.name, _sealed(folder, choose), _also_written_so(folder))


def packing_of_the_log(folder: Path, choose: random.Random) -> Forged:
    path = _log(folder)
    if not path.name.endswith(".gz"):
        return Forged("packing of the log")
    data = gzip.decompress(path.read_bytes())
    middle = len(data) // 2
    path.write_bytes(
        choose.choice(
            (
                forging.zipped(data, level=choose.choice((1, 2, 6, 9))),
                forging.zipped(data[:middle]) + forging.zipped(data[middle:]),
                forging.zipped(data) + b"\0" * 20,
                gzip.compress(data, 3, mtime=choose.randint(1, 10**9)),
            )
        )
    )
    return Forged("packing of the log", path.name, _sealed(folder, choose))


def value_of_the_report(folder: Path, choose: random.Random) -> Forged:
    data = forging.report_in(folder)
    where = _somewhere(data, choose)
    forging.write_report(folder, data)
    thorough = _sealed(folder, choose)
    said = next((said for part, said in NOT_SEEN.items() if f"{where}/".startswith(f"{part}/")), None)
    return Forged("value of the report", where, thorough, said if thorough else None)


def order_of_keys(folder: Path, choose: random.Random) -> Forged:
    data = forging.report_in(folder)
    places = [place for place in _objects(data) if len(place) > 1]
    shuffled = choose.choice([data, choose.choice(places)])
    pairs = list(shuffled.items())
    choose.shuffle(pairs)
    shuffled.clear()
    shuffled.update(pairs)
    forging.write_report(folder, data)
    return Forged("order of keys", "", _sealed(folder, choose))


def key_more_or_less(folder: Path, choose: random.Random) -> Forged:
    data = forging.report_in(folder)
    place = choose.choice([data, choose.choice(_objects(data))])
    if choose.random() < 0.5:
        place[choose.choice(("note", "x", " ", "id"))] = choose.choice((0, "p17", None, [], {}))
    else:
        del place[choose.choice(sorted(place))]
    forging.write_report(folder, data)
    return Forged("key more or less", "", _sealed(folder, choose))


def style_of_the_report(folder: Path, choose: random.Random) -> Forged:
    """The same data in other bytes."""
    path = folder / "report.json"
    data = json.loads(path.read_bytes())
    text = path.read_text(encoding="utf-8")
    new = choose.choice(
        (
            json.dumps(data),
            json.dumps(data, indent=2) + "\n",
            json.dumps(data, indent=4, ensure_ascii=False) + "\n",
            text + " ",
            text + "\n",
            "\ufeff" + text,
            text.replace("\n", "\r\n"),
            text.replace('"schema"', '"schema": 1, "schema"', 1),
            text.replace("0.3", "0.30", 1),
            text.replace("0.3", "3e-1", 1),
        )
    )
    path.write_bytes(new.encode())
    return Forged("style of the report")


def versions(folder: Path, choose: random.Random) -> Forged:
    data = forging.report_in(folder)
    name = choose.choice(sorted(data["software"]))
    data["software"][name] = choose.choice(("0.0.1", "9.9.9", "1", "unknown", "0.1.0.dev1", "p17", "f" * 40, "3.12.1"))
    forging.write_report(folder, data)
    thorough = _sealed(folder, choose)
    if choose.random() < 0.5:
        try:
            forging.put_log(folder, forging.log_in(folder))  # which repeats the version
            thorough = True
        except Exception:  # noqa: BLE001 — a version that no report can have
            thorough = False
    return Forged("versions", name, thorough, PUBLISHERS_WORD if thorough else None)


def numbers_of_formats(folder: Path, choose: random.Random) -> Forged:
    """Another format is not looked at by these checks: so it may not pass."""
    name = choose.choice(("schema", "page", "drawing", "packing"))
    number: int | str = choose.choice((0, 2, 7)) if name != "packing" else choose.choice(("00000000", "deadbeef"))
    version = choose.choice((None, "0.0.9", "9.9.9"))
    try:
        forging.of_another_format(folder, version, **{name: number})
        thorough = True
    except Exception:  # noqa: BLE001 — a number that no report can have
        data = forging.report_in(folder)
        data["formats"][name] = number
        forging.write_report(folder, data)
        thorough = False
    message = choose.random() < 0.5
    if message and name == "packing" and _log(folder).name.endswith(".gz"):  # for somebody, in what was not compared
        _log(folder).write_bytes(forging.zipped(gzip.decompress(_log(folder).read_bytes()), level=9))
        forging.reseal(folder)
    elif message:
        page = folder / "report.html"
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", "<!-- p17 --></body>"), encoding="utf-8")
        forging.reseal(folder, page=False)
    # What is written and packed as here all the same is judged, whatever its number.
    not_seen = PUBLISHERS_WORD if name in ("drawing", "packing") and thorough and not message else None
    return Forged("numbers of formats", f"{name} {number}, version {version}", thorough, not_seen)


def foreign_files(folder: Path, choose: random.Random) -> Forged:
    name = choose.choice(
        (
            "original.csv",
            "log.csv",
            "log.xes.gz",
            "log.parquet",
            "notes/p17.txt",
            "internal/notes.txt",
            ".hidden",
            "REPORT.JSON",
        )
    )
    path = folder / name
    if path.exists():
        return Forged("foreign files")
    path.parent.mkdir(exist_ok=True, mode=0o700)
    if choose.random() < 0.2:
        path.symlink_to("/etc/hostname")
    elif choose.random() < 0.2:
        path.mkdir()
    else:
        path.write_bytes(choose.choice((b"", b"p17,A,2020-01-01\n")))
    return Forged("foreign files", name)


def another_log(folder: Path, choose: random.Random) -> Forged:
    """Events moved, cases renamed or dropped; written as this software writes, with figures, page and hashes anew."""
    log = forging.log_in(folder)
    try:
        match choose.randrange(4):
            case 0:
                where = "a time by a day"
                times = log.time.copy()
                times[choose.randrange(len(times))] += DAY
                forging.put_log(folder, forging.with_columns(log, time=times))
            case 1:
                where = "a name of a case"
                forging.rename_cases(folder, [choose.choice(("p17", "0" * 32, "Mrs Smith"))])
            case 2:
                where = "a case is gone"
                forging.put_log(folder, forging.with_columns(log, keep=log.case != choose.randrange(log.n_cases)))
            case _:
                where = "a label"
                labels = [*log.activities]
                labels[choose.randrange(len(labels))] = "Zv3other"
                forging.put_log(folder, forging.with_columns(log, activities=labels))
    except Exception:  # noqa: BLE001 — it cannot be written so; then nothing is tried
        return Forged("another log")
    return Forged("another log", where, thorough=True, not_seen=UNSIGNED)


FORGERIES: tuple[Forgery, ...] = (
    bytes_of_a_file,
    content_of_the_log,
    packing_of_the_log,
    value_of_the_report,
    order_of_keys,
    key_more_or_less,
    style_of_the_report,
    versions,
    numbers_of_formats,
    foreign_files,
    another_log,
)


def _log(folder: Path) -> Path:
    return next(folder.glob("log.*"))


def _also_written_so(folder: Path) -> str | None:
    """Whether the changed file is what this software would write of what it holds: then it is another release."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        shutil.copytree(folder, copy)
        try:
            forging.put_log(copy, forging.log_in(copy))
        except Exception:  # noqa: BLE001 — it cannot be read: no other release
            return None
        return LOOKS_RANDOM if _log(copy).read_bytes() == _log(folder).read_bytes() else None


def _objects(value: object) -> list[dict[str, Any]]:
    """Every object in the data, the whole first."""
    if isinstance(value, dict):
        return [value, *(found for inner in value.values() for found in _objects(inner))] if value else []
    return [found for inner in value for found in _objects(inner)] if isinstance(value, list) else []


def _somewhere(value: Any, choose: random.Random, place: str = "") -> str:
    """Change one thing within the data, wherever it is; returns where."""
    key = choose.choice(sorted(value)) if isinstance(value, dict) else choose.randrange(len(value))
    if isinstance(value[key], dict | list) and value[key]:
        return _somewhere(value[key], choose, f"{place}/{key}")
    value[key] = _other(value[key], choose)
    return f"{place}/{key}"


def _other(value: object, choose: random.Random) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + choose.choice((1, -1, 0.5))
        case str():
            return value + choose.choice((" ", "x", ".", "1")) if choose.random() < 0.7 else choose.choice(("", "p17"))
        case None:
            return choose.choice((0, "", False))
        case _:
            return None
