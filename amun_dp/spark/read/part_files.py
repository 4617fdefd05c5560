"""The files of a log as the driver finds them before Spark reads any: which they are, and what each states of itself.

Spark passes over empty files, links to nothing and folders without a column's name, and takes the columns of one file
for those of all. What it would pass over is refused here, by the rules of one machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from amun_dp.errors import InputError
from amun_dp.reading.folders import Entry, entries_in, is_bookkeeping, other_columns, parts_among

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The files of a log, and what their ends state."""

    root: str
    """The log, as Hadoop names it."""
    first: str
    """The first file, likewise."""
    names: frozenset[str]
    """Of all files, without scheme and host."""
    rows: int
    """Of all files together."""
    columns: dict[str, str]
    """The columns of the files, with their types in the first one, as Parquet states them."""
    differing: frozenset[str]
    """Columns that have another type in another file."""


def log_files(session: SparkSession, path: str) -> LogFiles:
    """Find the files of a log, and look at the end of each."""
    java: Any = session._jvm
    settings = session._jsparkSession.sessionState().newHadoopConf()
    asked = java.org.apache.hadoop.fs.Path(path)
    system = asked.getFileSystem(settings)
    root = system.makeQualified(asked).toUri()

    def located(name: str) -> Any:
        # In three parts: as one text, a colon in a name would be the end of a scheme.
        return java.org.apache.hadoop.fs.Path(root.getScheme(), root.getAuthority(), name)

    def listed(name: str) -> list[Entry]:
        return [_entry(status) for status in system.listStatus(located(name))]

    # On this machine Hadoop leaves out links to nothing, so it is not asked.
    local = str(root.getScheme()) == "file"
    top = str(root.getPath())
    whole = _entry_of_this_machine(Path(top)) if local else _entry(system.getFileStatus(located(top)))
    names = _names(top, whole, (lambda name: entries_in(Path(name))) if local else listed, path)
    ends = [_end(java, located(name), settings) for name in names]
    known = {text: _columns(schema) for text, (_, schema) in {str(end[1].toString()): end for end in ends}.items()}
    columns = known[str(ends[0][1].toString())]
    if any(each.keys() != columns.keys() for each in known.values()):
        raise other_columns(path)
    _check_keys(names, top, columns)
    return LogFiles(
        root=str(located(top).toString()),
        first=str(located(names[0]).toString()),
        names=frozenset(names),
        rows=sum(rows for rows, _ in ends),
        columns=columns,
        differing=frozenset(name for name in columns if len({each[name] for each in known.values()}) > 1),
    )


def check_listed(frame: DataFrame, files: LogFiles) -> None:
    """Refuse a frame of other files than these: what Spark does not list it does not read. It lists summaries of
    columns (_metadata), but reads no rows of them."""
    named = {unquote(urlsplit(name).path) for name in frame.inputFiles()}
    listed = {name for name in named if not is_bookkeeping(PurePosixPath(name).name)}
    if listed != files.names:
        raise InputError(
            f"Spark finds {len(listed)} files of the log where there are {len(files.names)}, or others. Were they "
            "changed meanwhile, or do they have names of strange characters? Rename them, or write them anew."
        )


def _names(top: str, whole: Entry, listed: Callable[[str], list[Entry]], path: str) -> list[str]:
    """The files below a folder in the order of their names, or the file itself."""
    if whole.kind != "folder":
        if is_bookkeeping(whole.name):
            raise InputError(f"{path}: Spark passes over names that begin with '.' or '_'. Rename it.")
        parts_among([whole], path)
        return [top]
    found, waiting = [], [top]
    while waiting:
        folder = waiting.pop()
        files, folders = parts_among(listed(folder), path)
        if any("=" not in each.name for each in folders):
            raise InputError(
                f"{path} holds a folder that is not named by a column (column=value), and Spark would pass over its "
                "files. Move the files of the log into one folder."
            )
        found += [f"{folder}/{each.name}" for each in files]
        waiting += [f"{folder}/{each.name}" for each in folders]
    if not found:
        raise InputError(f"{path} is a folder without files. Name a Parquet file or a folder of them.")
    if len({tuple(_keys(name, top)) for name in found}) > 1:
        raise InputError(
            f"The files of {path} are not all in folders of the same columns. Write them anew, all in one way."
        )
    return sorted(found)


def _keys(name: str, top: str) -> list[str]:
    """The columns that the folders of a file are named by."""
    return [each.partition("=")[0] for each in PurePosixPath(name).relative_to(top).parts[:-1]]


def _check_keys(names: list[str], top: str, columns: dict[str, str]) -> None:
    for key in [] if names == [top] else _keys(names[0], top):
        if key.lower() in {column.lower() for column in columns}:
            raise InputError(
                f"The column {key!r} is in the files and in the names of their folders. Remove or rename one of them."
            )


def _entry_of_this_machine(path: Path) -> Entry:
    found = [each for each in entries_in(path.parent) if each.name == path.name] if path.parent.is_dir() else []
    if not found:
        raise InputError(f"{path}: there is no such file. Check the name and the folder it is in.")
    return found[0]


def _entry(status: Any) -> Entry:
    return Entry(
        str(status.getPath().getName()),
        kind="file" if status.isFile() else "folder" if status.isDirectory() else "other",
        size=int(status.getLen()),
    )


def _end(java: Any, path: Any, settings: Any) -> tuple[int, Any]:
    """Rows and columns, by what a file says at its end."""
    file = java.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(path, settings)
    reader = java.org.apache.parquet.hadoop.ParquetFileReader.open(file)
    try:
        return int(reader.getRecordCount()), reader.getFooter().getFileMetaData().getSchema()
    finally:
        reader.close()


def _columns(schema: Any) -> dict[str, str]:
    """Names and types. Whether a column may lack values is no difference between files."""
    fields = {str(field.getName()): str(field.toString()) for field in schema.getFields()}
    return {name: kind.removeprefix("required ").removeprefix("optional ") for name, kind in fields.items()}
