"""Columns of text as integer codes into their distinct values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.arrow import to_arrow, to_numpy
from amun_dp._base.arrays import BoolArray, IntArray, TextArray
from amun_dp.errors import ColumnError
from amun_dp.reading.distinct_values import distinct_values
from amun_dp.reading.longest_pieces import check_label, check_labels

if TYPE_CHECKING:
    import pandas as pd


_VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
"""Types of pyarrow that few of its functions take, and their equals that all take."""
_FIRST_INEXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of text: row i has ``labels[codes[i]]``, nothing if the code is -1; labels are distinct."""

    codes: IntArray
    labels: TextArray

    @property
    def missing(self) -> BoolArray:
        return np.asarray(self.codes < 0, dtype=np.bool_)


def coded_from_arrow(column: Any, name: str) -> Coded:
    """A pyarrow column of any flat type; null, NaN and empty text are missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return _coded_from_dictionary(column, name)
    column = without_views(column)
    check_labels(column, name)
    try:
        encoded = pa.chunked_array([column] if isinstance(column, pa.Array) else column.chunks, column.type)
        chunks = encoded.dictionary_encode().chunks  # with one dictionary for all of them
    except pa.ArrowNotImplementedError:
        raise nested(name) from None
    recode, labels = _merged(_texts(chunks[-1].dictionary.to_pylist() if chunks else [], name))
    return Coded(np.concatenate([recode[:0], *(recode[_indices(chunk)] for chunk in chunks)]), labels)


def _coded_from_dictionary(column: Any, name: str) -> Coded:
    """Without writing out what the codes stand for: a long text that many rows share would fill the memory."""
    import pyarrow as pa

    chunks = [column] if isinstance(column, pa.Array) else pa.chunked_array(column.chunks, column.type).chunks
    unified = pa.chunked_array(chunks, column.type).unify_dictionaries().chunks
    if not unified:
        return Coded(np.empty(0, dtype=np.int64), text_array([]))
    values = without_views(unified[-1].dictionary)
    check_labels(values, name)
    codes = np.concatenate([_indices(chunk) for chunk in unified])
    used = np.unique(codes[codes >= 0])  # a dictionary may hold more than its rows do
    place = np.full(len(values) + 1, -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    try:
        texts = _texts(values.take(to_arrow(used)).to_pylist(), name)
    except pa.ArrowNotImplementedError:
        raise nested(name) from None
    recode, labels = _merged(texts)
    return Coded(recode[place[codes]], labels)


def without_views(column: Any) -> Any:
    """The same column, of a type that all functions of pyarrow take."""
    return column.cast(_VIEWS[str(column.type)]) if str(column.type) in _VIEWS else column


def _indices(encoded: Any) -> IntArray:
    """Indices into a dictionary, -1 for null."""
    codes: IntArray = to_numpy(encoded.indices)
    return np.where(to_numpy(encoded.indices.is_null()), -1, codes) if encoded.null_count else codes


def coded_from_pandas(series: pd.Series[Any], name: str) -> Coded:
    """A pandas column of any type; missing values and empty text are missing."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(series.dtype, pd.ArrowDtype):
        return coded_from_arrow(pa.array(series.array), name)
    try:
        codes, distinct = distinct_values(series)
    except (TypeError, NotImplementedError):  # unhashable
        raise nested(name) from None
    recode, labels = _merged(_texts(distinct, name))
    return Coded(recode[codes], labels)


def text_array(values: Iterable[str]) -> TextArray:
    """A numpy column of text objects (numpy would otherwise choose a fixed width)."""
    listed = list(values)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def joined(columns: list[Coded], separator: str) -> Coded:
    """The texts of each row joined; missing where any of them is."""
    first = columns[0]
    codes, labels = first.codes, first.labels
    for column in columns[1:]:
        present = (codes >= 0) & (column.codes >= 0)
        width = max(len(column.labels), 1)
        pairs, inverse = np.unique(codes[present] * width + column.codes[present], return_inverse=True)
        texts = [labels[pair // width] + separator + column.labels[pair % width] for pair in pairs.tolist()]
        joint = np.full(len(codes), -1, dtype=np.int64)
        joint[present] = inverse
        recode, labels = _merged(texts)
        codes = recode[joint]
    return Coded(codes, labels)


def _texts(distinct: Iterable[object], name: str) -> list[str | None]:
    return [_as_text(value, name) for value in distinct]


def _merged(texts: Sequence[str | None]) -> tuple[IntArray, TextArray]:
    """The code of each text, and the labels: values that read the same (1 and '1') get one code, missing ones -1."""
    position: dict[str, int] = {}
    recode = [-1 if text is None else position.setdefault(text, len(position)) for text in texts]
    # One more entry for the code -1, which indexes the last.
    return np.array([*recode, -1], dtype=np.int64), text_array(position)


def _as_text(value: object, name: str) -> str | None:
    if isinstance(value, str):
        value = str.__str__(value)  # members of an enumeration are text, too, and call themselves otherwise
        check_label(len(value), name)
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise ColumnError(f"The column {name!r} holds text that is not Unicode (lone surrogates). Repair it first.")
        return value or None
    if value is None:
        return None
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        if _FIRST_INEXACT <= abs(number) < math.inf:
            raise ColumnError(
                f"The column {name!r} holds floating-point numbers that are too large to be told apart (from 2^53 on): "
                "whole numbers become such where one of them is missing. Convert the column to text, or to Int64."
            )
        # Integers that a missing value turned into floats on their way through pandas.
        return str(int(number)) if number.is_integer() else str(number)
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8") or None
        except UnicodeDecodeError:
            raise ColumnError(f"The column {name!r} holds bytes that are not UTF-8 text. Convert it to text.") from None
    if isinstance(value, list | dict | tuple | set):
        raise nested(name)
    return str(value)


def nested(name: str) -> ColumnError:
    return ColumnError(f"The column {name!r} holds lists or records. A case or an activity is one value; name another.")
