"""How long pieces of a log may be: so that a small file cannot fill memory or time.

Checked before memory is taken for what is too long. No log that people work with comes near: a label is a name.
"""

from __future__ import annotations

from typing import Any

from amun_dp.errors import ColumnError

LONGEST_TOKEN = 8 << 20
"""Bytes between two points where a parser gets on: a tag of XES, a row of CSV. A parser begins a token anew with every
piece of the file, so that time would grow with the square of its length. Arrow parses CSV in pieces of this size: a
longer row it would read or not, depending on where in the file it stands."""
LONGEST_LABEL = 1 << 16
"""Characters (bytes, where they are counted before they are decoded) of the name of a case, an activity, a transition
or an individual, and of a time that is text."""


def check_label(length: int, name: str) -> None:
    """Refuse a column with a text that is too long; of the text itself nothing is said."""
    if length > LONGEST_LABEL:
        raise ColumnError(
            f"The column {name!r} holds a text of {length:,} characters, and names and times have at most "
            f"{LONGEST_LABEL:,}. Name another column, or shorten its texts."
        )


def check_labels(texts: Any, name: str) -> None:
    """The same for an Arrow array of text or bytes, before any of it is decoded; other types have no length."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = texts.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or str(kind) == "binary_view"
    if is_text or is_bytes:
        longest = pc.max(pc.binary_length(texts)).as_py()
        check_label(longest or 0, name)
