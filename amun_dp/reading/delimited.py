"""CSV files, by pyarrow's parser, with the strictness it leaves out.

pyarrow reads only the columns asked for, hence checks only those to be UTF-8, and takes a quotation that never
ends, or ends in the middle of a value, for a value. Both are checked on the bytes as they pass. So is whether a
quotation ends in its line: one that does not may have swallowed rows of other cases, and is refused unless the user
says that values may have line breaks.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from typing import IO, Any

from amun_dp._base.messages import Message
from amun_dp.errors import InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.coded import coded_from_arrow
from amun_dp.reading.columns import ColumnChoice
from amun_dp.reading.files import LogFile, opened
from amun_dp.reading.longest_pieces import LONGEST_TOKEN
from amun_dp.reading.quotations import Quotations
from amun_dp.reading.row_lengths import RowLengths
from amun_dp.reading.sequence import whole_numbers
from amun_dp.reading.tables import choose_columns, log_from_table, row_of_event

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_LONGEST_HEADER = 1 << 20


def read_csv(file: LogFile, choice: ColumnChoice) -> EventLog:
    """Columns are separated by what separates the header; every value is text, the empty one is missing."""
    names, delimiter = header_of(file)
    columns = choose_columns(names, choice)
    table, broken = _read_columns(file, delimiter, columns.needed(), choice.multiline_values)
    said = [] if delimiter == "," else [f"The columns are separated by {_DELIMITERS[delimiter]}."]
    if broken:
        said.append("Some quoted values have line breaks, and are read as they are.")
    return log_from_table(
        "csv",
        columns,
        choice,
        text=lambda name: coded_from_arrow(table.column(name), name),
        numbers=lambda name: whole_numbers(table.column(name), name, spelled=True),
        time=table.column(columns.timestamp).combine_chunks(),
        notes=tuple(said),
    )


def header_of(file: LogFile) -> tuple[list[str], str]:
    """The names of the columns, and what separates them."""
    header = _read_header(file)
    delimiter = _delimiter(header)
    try:
        return next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter), []), delimiter
    except csv.Error:
        raise InputError(
            f"{file.path}: the name of a column has more than {csv.field_size_limit():,} characters. Shorten it."
        ) from None


def _read_header(file: LogFile) -> str:
    """The first record, which may have newlines within quotes."""
    with opened(file) as stream:
        start = stream.read(_LONGEST_HEADER)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in start:
        raise InputError(f"{file.path} is not UTF-8 text: it is UTF-16 or binary. Save the log as CSV in UTF-8.")
    # A character may be cut in two at the end; the bytes after the header are checked when they are read.
    text = start.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="surrogateescape").lstrip("\r\n")
    quoted = False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character in "\r\n" and not quoted:
            text = text[:position]
            break
    else:
        if quoted:  # it would swallow rows, and messages name columns
            raise InputError(
                f"{file.path}: a quotation in the header is never closed, or not within {_LONGEST_HEADER:,} bytes. "
                "Nothing was read; repair the first line or export the log again."
            )
        if len(start) == _LONGEST_HEADER:
            raise InputError(f"{file.path}: the header has more than {_LONGEST_HEADER:,} bytes. Leave columns out.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _not_utf8(file, 1)
    if not text:
        raise InputError(f"{file.path} has no header. Its first line must name the columns.")
    return text


def _delimiter(header: str) -> str:
    """The candidate that occurs most often outside quotes; a comma if none does."""
    outside = "".join(header.split('"')[::2])
    counts = Counter({delimiter: outside.count(delimiter) for delimiter in _DELIMITERS})
    return counts.most_common(1)[0][0]


def _read_columns(file: LogFile, delimiter: str, names: list[str], multiline: bool) -> tuple[Any, bool]:
    """The columns, and whether some value has a line break, which it may have if ``multiline``."""
    import pyarrow as pa
    import pyarrow.csv

    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    with opened(file) as stream:
        checked = _Checked(stream, file, delimiter)
        try:
            table = pyarrow.csv.read_csv(
                pa.PythonFile(checked, mode="r"),
                # Without threads, because only then a ragged row knows its number.
                read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=LONGEST_TOKEN),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=names,
                    column_types={name: pa.string() for name in names},
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except MemoryError:  # Arrow's own is an ArrowException, too
            raise
        except pa.ArrowException:  # its message quotes the row
            if ragged:
                row = ragged[0]
                raise InputError(
                    f"{file.path}: {row_of_event(row.number - 2)} has {row.actual_columns} values where the header "
                    f"has {row.expected_columns}. Nothing was read; repair the row or export the log again."
                ) from None
            if checked.quotes.lines <= 1 and checked.size <= _LONGEST_HEADER:
                raise InputError("The log has no events: the file is a header alone. Export it again.") from None
            raise InputError(
                f"{file.path} cannot be read as CSV, or has a row of more than {LONGEST_TOKEN:,} bytes. Export the log "
                "again, quoted as spreadsheets do."
            ) from None
    broken = checked.quotes.broken_line
    if checked.quotes.irregular():
        broken = _line_with_a_break(file, delimiter)
    if broken is not None and not multiline:
        raise InputError(
            Message(
                "{path}: a quoted value that starts in line {line} goes on in the next line. If a quotation mark is "
                "missing or too many, it has swallowed rows of other cases. Nothing was read; repair it, or say that "
                "values have line breaks ({multiline_values}).",
                path=file.path,
                line=broken,
            )
        )
    return table, broken is not None


class _Checked(io.RawIOBase):
    """Passes bytes on, refuses what is not UTF-8 and rows that are too long, and looks at quotation marks and lines."""

    def __init__(self, stream: IO[bytes], file: LogFile, delimiter: str) -> None:
        super().__init__()
        self._stream = stream
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._rows = RowLengths()
        self.quotes = Quotations(delimiter)
        self.size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            line = self.quotes.lines + error.object[: error.start].count(b"\n") + 1
            raise _not_utf8(self._file, line) from None
        begun = self.quotes.lines
        self.quotes.read(data)
        # Where a mark is part of a value, ends of rows are not known; Arrow refuses what it cannot hold.
        if self._rows.read(data) > LONGEST_TOKEN and not self.quotes.misplaced:
            raise InputError(
                f"{self._file.path}: a row that ends after line {begun} has more than {LONGEST_TOKEN:,} bytes, the "
                "most that are read of one; or a quotation in it is never closed. Nothing was read; shorten its "
                "values, or leave columns out."
            )
        self.size += len(data)
        return data


def _line_with_a_break(file: LogFile, delimiter: str) -> int | None:
    """Some quotation mark is where none belongs: inside a value, where it is an inch or the like; or it begins a
    quotation that is never closed, or closed in the middle of a value, and swallows the rows of others until then,
    which is refused. The first line that ends inside of a quotation, if there is one."""
    broken = None
    with opened(file) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        start = 1
        try:
            for _ in reader:
                if reader.line_num > start and broken is None:
                    broken = start
                start = reader.line_num + 1
        except csv.Error:
            raise InputError(
                f"{file.path}: a quotation that starts at line {start} or soon after is never closed, or closed in "
                "the middle of a value. Nothing was read; repair it or export the log again."
            ) from None
    return broken


def _not_utf8(file: LogFile, line: int) -> InputError:
    return InputError(f"{file.path} is not UTF-8 text, at line {line}. Save the log as CSV in UTF-8.")
