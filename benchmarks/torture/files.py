"""Mutated files: logs that are read, releases that are verified. In one process, because there are thousands.

A log held if it was read or refused with a message, and nothing else happened. A forgery held if verify did not pass
it: every byte of a published folder counts, so every change must show.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import amun_dp
from amun_dp.verification import verify
from amun_dp.writing import write_log
from benchmarks.torture.tally import Tally

Mutation = Callable[[bytes, random.Random], bytes]


def _flip(data: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1 :]


def _cut(data: bytes, choose: random.Random) -> bytes:
    return data[: choose.randrange(len(data))]


def _repeat(data: bytes, choose: random.Random) -> bytes:
    start, length = choose.randrange(len(data)), choose.randint(1, 200)
    return data[:start] + data[start : start + length] * 2 + data[start + length :]


def _drop(data: bytes, choose: random.Random) -> bytes:
    start = choose.randrange(len(data))
    return data[:start] + data[start + choose.randint(1, 200) :]


def _insert(data: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(data) + 1)
    piece = choose.choice((b"\x00", b"\xff\xfe", b'"', b"<", b"&", b",", b"\n", b"\r", "é".encode(), b"9" * 400, b"'"))
    return data[:at] + piece + data[at:]


MUTATIONS: tuple[Mutation, ...] = (_flip, _cut, _repeat, _drop, _insert)


def mutated_logs(log: Path, tries: int, choose: random.Random) -> Tally:
    tally = Tally("mutated logs")
    original = amun_dp.read_log(log)
    with tempfile.TemporaryDirectory() as place:
        kinds = ("log.xes", "log.xes.gz", "log.csv", "log.csv.gz", "log.parquet")
        for name in kinds:
            write_log(original, Path(place) / name)
        whole = {name: (Path(place) / name).read_bytes() for name in kinds}
        for number in range(tries):
            name = choose.choice(kinds)
            packed = name.endswith(".gz") and choose.random() < 0.5  # half of the time below the compression
            data = gzip.decompress(whole[name]) if packed else whole[name]
            for _ in range(choose.randint(1, 3)):
                data = choose.choice(MUTATIONS)(data, choose) or b"x"
            target = Path(place) / f"{number}-{name}"
            target.write_bytes(gzip.compress(data, 1) if packed else data)
            tally.note(*_read(target, name))
            target.unlink()
    return tally


def _read(path: Path, kind: str) -> tuple[str, str | None]:
    try:
        amun_dp.read_log(path, drop_incomplete=True)
    except amun_dp.AmunError:
        return "refused", None
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what this program looks for
        return "broke off", f"{kind}: {type(error).__name__}: {error}"
    return "read", None


def forgeries(log: Path, tries: int, choose: random.Random) -> Tally:
    tally = Tally("forged releases")
    with tempfile.TemporaryDirectory() as place:
        whole = []
        for method, form, kind in (
            ("sampling", None, "xes"),
            ("certified", "generated", "csv"),
            ("certified", "threshold", "parquet"),
        ):
            folder = Path(place) / f"{method}-{kind}"
            release = amun_dp.anonymize(amun_dp.read_log(log), 0.3, method=method, noise="exact", variants=form)
            release.save(folder, format=kind)
            shutil.rmtree(folder / "internal")
            whole.append(folder)
        for number in range(tries):
            source = choose.choice(whole)
            target = Path(place) / f"forged-{number}"
            shutil.copytree(source, target)
            what = _forge(target, choose)
            tally.note(*_judged(target, what))
            shutil.rmtree(target)
    return tally


def _forge(folder: Path, choose: random.Random) -> str:
    if choose.random() < 0.4:  # somebody who keeps the report consistent as JSON, but changes what it says
        path = folder / "report.json"
        report = json.loads(path.read_bytes())
        where = _somewhere(report, choose)
        path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return f"report.json {where}"
    path = choose.choice(sorted(file for file in folder.iterdir() if file.is_file()))
    data = path.read_bytes()
    changed = data
    while changed == data:
        changed = choose.choice(MUTATIONS)(data, choose)
    path.write_bytes(changed)
    return path.name


def _somewhere(value: object, choose: random.Random, place: str = "") -> str:
    """Change one thing within the data, wherever it is."""
    if isinstance(value, dict) and value:
        key = choose.choice(sorted(value))
        if isinstance(value[key], dict | list) and value[key]:
            return _somewhere(value[key], choose, f"{place}/{key}")
        value[key] = _other(value[key], choose)
        return f"{place}/{key}"
    if isinstance(value, list) and value:
        at = choose.randrange(len(value))
        if isinstance(value[at], dict | list) and value[at]:
            return _somewhere(value[at], choose, f"{place}/{at}")
        value[at] = _other(value[at], choose)
        return f"{place}/{at}"
    raise AssertionError("a report is not empty")


def _other(value: object, choose: random.Random) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + choose.choice((1, -1, 0.5))
        case str():
            return value + choose.choice((" ", "x", "."))
        case None:
            return choose.choice((0, "", False))
        case _:
            return None


def _judged(folder: Path, what: str) -> tuple[str, str | None]:
    try:
        passed = verify(folder, prove=False).passed
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what this program looks for
        return "broke off", f"{what}: {type(error).__name__}: {error}"
    return ("passed", f"{what}: passed") if passed else ("did not pass", None)
