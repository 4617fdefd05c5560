"""A row of a CSV file is read up to a stated length, wherever it stands, and refused beyond that by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import InputError
from amun_dp.reading import read_log
from amun_dp.reading.longest_pieces import LONGEST_TOKEN
from amun_dp.reading.row_lengths import RowLengths

HEADER = b"case,activity,time,note\n"
PLAIN = b"1,a,2020-01-01T10:00:00Z,\n"


def long_row(length: int, value: str = "plain") -> bytes:
    """A row of so many bytes, without its end."""
    before, after = {"plain": (b"", b""), "quoted": (b'"', b'"'), "lines": (b'"', b'"')}[value]
    begin = b"2,a,2020-01-01T10:00:00Z,"
    filled = (b"x\n" if value == "lines" else b"xx") * (length // 2)
    return begin + before + filled[: length - len(before) - len(after) - len(begin)] + after


@pytest.mark.parametrize("value", ["plain", "quoted", "lines"])
@pytest.mark.parametrize("before", [0, 1, 1000, 200_000])
def test_a_row_of_the_stated_length_is_read_wherever_it_stands_and_a_longer_one_refused(
    value: str, before: int, tmp_path: Path
) -> None:
    for length in (LONGEST_TOKEN, LONGEST_TOKEN + 1, 17_000_000, 20_000_000):
        path = tmp_path / f"{length}.csv"
        path.write_bytes(HEADER + PLAIN * before + long_row(length, value) + b"\n" + PLAIN)
        if length <= LONGEST_TOKEN:
            assert read_log(path, multiline_values=value == "lines").n_events == before + 2
            continue
        with pytest.raises(InputError, match=f"has more than {LONGEST_TOKEN:,} bytes"):
            read_log(path)


def test_inches_make_no_row_too_long(tmp_path: Path) -> None:
    """One mark within a value begins no quotation, so that no row ends elsewhere than it seems to."""
    path = tmp_path / "log.csv"
    path.write_bytes(HEADER + b'1,5" pipe,2020-01-01T10:00:00Z,\n' + PLAIN * 400_000)
    assert read_log(path).n_events == 400_001


@given(
    st.text(alphabet='ab,"\r\n', max_size=60),
    st.lists(st.integers(min_value=1, max_value=9), min_size=1, max_size=20),
)
def test_lengths_of_rows_do_not_depend_on_how_a_file_is_cut_into_pieces(text: str, cuts: list[int]) -> None:
    """Against a loop over the characters. Within a piece rows are not measured."""
    data, rows = text.encode(), RowLengths()
    quoted, since = False, 0
    place = 0
    for cut in (cuts * 60)[:60]:
        piece = data[place : place + cut]
        place += len(piece)
        longest = rows.read(piece)
        here, ended = since, []
        for byte in piece.decode():
            quoted ^= byte == '"'
            if byte in "\r\n" and not quoted:
                ended.append(here)
                here = 0
            else:
                here += 1
        expected = max([ended[0], here]) if ended else here
        since = here
        assert (longest, rows.since_end) == (expected, since)
