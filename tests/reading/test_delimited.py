"""CSV, and the strictness that pyarrow leaves out."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import ColumnError, InputError
from amun_dp.reading import read_log
from amun_dp.reading.quotations import Quotations
from tests.reading.samples import notes_of, rows_of, write

HEADER = "case:concept:name,concept:name,time:timestamp\n"
TEN = 1577872800000


def csv(folder: Path, text: str | bytes) -> Path:
    return write(folder, text, "log.csv")


def test_a_row_is_an_event(tmp_path: Path) -> None:
    read = read_log(csv(tmp_path, HEADER + "1,a,2020-01-01T10:00:00Z\n2,b,2020-01-01T10:00:00Z\n1,c,2020-01-01\n"))
    assert rows_of(read) == [("1", "c", TEN - 36_000_000), ("1", "a", TEN), ("2", "b", TEN)]
    assert (read.facts.format, read.facts.dropped_attributes) == ("csv", ())


@pytest.mark.parametrize(("delimiter", "said"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")])
def test_other_separators_are_recognised_and_said(tmp_path: Path, delimiter: str, said: str) -> None:
    text = 'case,"what, where; how",time\n1,"a,b",2020-01-01T10:00:00Z\n'.replace(",", delimiter)
    text = text.replace(f'"what{delimiter} where; how"', '"what, where; how"')
    read = read_log(csv(tmp_path, text), activity="what, where; how")
    assert read.activities == (f"a{delimiter}b",)
    assert f"separated by {said}" in notes_of(read)


def test_quoted_values_may_hold_anything(tmp_path: Path) -> None:
    text = HEADER + '"1","a ""quoted"", and\r\nbroken; line",2020-01-01T10:00:00Z\r\n'
    read = read_log(csv(tmp_path, text), multiline_values=True)
    assert read.activities == ('a "quoted", and\r\nbroken; line',)
    assert "line breaks" in notes_of(read)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("stray", ["", '5" pipe'])
def test_a_value_with_a_line_break_needs_a_word(tmp_path: Path, end: str, stray: str) -> None:
    """In any column, also one that is not read, and whether other marks are in their places or not."""
    text = f'case,activity,time,note\n1,a,2020-01-01,{stray}\n2,b,2020-01-01,"Jane{end}Doe"\n3,c,2020-01-01,x\n'
    with pytest.raises(InputError, match=r"starts in line 3 goes on.*multiline_values=True") as refused:
        read_log(csv(tmp_path, text))
    assert "Jane" not in str(refused.value)
    assert read_log(csv(tmp_path, text), multiline_values=True).n_events == 3


def test_a_word_about_line_breaks_where_there_are_none_changes_nothing(tmp_path: Path) -> None:
    text = HEADER + '"1","a ""quoted"" one",2020-01-01T10:00:00Z\n'
    read = read_log(csv(tmp_path, text), multiline_values=True)
    assert (rows_of(read), read.facts.notes) == (rows_of(read_log(csv(tmp_path, text))), ())


def test_a_header_may_have_newlines_in_quotes(tmp_path: Path) -> None:
    text = 'case,"activity\nname",time\n1,a,2020-01-01\n'
    read = read_log(csv(tmp_path, text), activity="activity\nname", multiline_values=True)
    assert read.activities == ("a",)
    with pytest.raises(InputError, match="starts in line 1 goes on"):
        read_log(csv(tmp_path, text), activity="activity\nname")


@given(st.lists(st.text('",ab\r\n', max_size=6), min_size=1, max_size=8), st.integers(1, 5))
def test_breaks_inside_of_quotations_are_found_in_pieces_of_any_size(values: list[str], size: int) -> None:
    """By writing values as Python's module does, and looking at them."""
    file = io.StringIO(newline="")
    writer = python_csv.writer(file, lineterminator="\n", quoting=python_csv.QUOTE_ALL)
    expected, line = None, 1
    for value in values:
        writer.writerow([value])
        if expected is None and {*value} & {*"\r\n"}:
            first = min(value.index(end) for end in "\r\n" if end in value)
            expected = line + value[:first].count("\n")
        line += value.count("\n") + 1
    data = file.getvalue().encode()
    quotations = Quotations(",")
    for start in range(0, len(data), size):
        quotations.read(data[start : start + size])
    assert (quotations.irregular(), quotations.broken_line, quotations.lines) == (False, expected, line - 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_understood(tmp_path: Path, end: str) -> None:
    text = (HEADER + "1,a,2020-01-01T10:00:00Z\n2,b,2020-01-01T10:00:00Z").replace("\n", end)
    assert read_log(csv(tmp_path, text)).n_events == 2


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    read = read_log(csv(tmp_path, (HEADER + "1,a,2020-01-01T10:00:00Z\n").encode("utf-8-sig")))
    assert read.facts.notes == ()


def test_values_stay_text(tmp_path: Path) -> None:
    text = HEADER + "007,NA,2020-01-01\n1e3,null,2020-01-01\n007,true,2020-01-02\n"
    read = read_log(csv(tmp_path, text))
    assert sorted(read.case_names) == ["007", "1e3"]
    assert read.activities == ("NA", "null", "true")


def test_empty_text_is_missing_quoted_or_not(tmp_path: Path) -> None:
    text = HEADER + ',a,2020-01-01\n1,"",2020-01-01\n1,a,\n1,a,2020-01-01\n'
    with pytest.raises(InputError, match=r"3 of 4 .* 1 has no case, 1 has no activity, 1 has no timestamp .*row 1"):
        read_log(csv(tmp_path, text))
    assert read_log(csv(tmp_path, text), drop_incomplete=True).n_events == 1


@pytest.mark.parametrize("row", ["secret,b", "secret,b,2020-01-01,d", "secret"])
def test_a_ragged_row_is_refused_with_its_number(tmp_path: Path, row: str) -> None:
    text = HEADER + f"1,a,2020-01-01\n1,a,2020-01-01\n{row}\n1,a,2020-01-01\n"
    with pytest.raises(
        InputError, match=rf"row 3 .* has {row.count(',') + 1} values where the header has 3"
    ) as refused:
        read_log(csv(tmp_path, text))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("cut", ['1,"never closed', '1,a,"2020-01-01\n1,a,2020-01-01\n', '"'])
def test_a_quotation_that_never_ends_is_refused(tmp_path: Path, cut: str) -> None:
    with pytest.raises(InputError):
        read_log(csv(tmp_path, HEADER + "1,a,2020-01-01\n" + cut))


def test_a_quotation_cut_in_the_last_column_is_refused(tmp_path: Path) -> None:
    text = 'case,time,activity\n1,2020-01-01,"a"\n1,2020-01-01,"b and mo'
    with pytest.raises(InputError, match="line 3"):
        read_log(csv(tmp_path, text))


def test_a_stray_quotation_mark_inside_a_value_is_a_character(tmp_path: Path) -> None:
    assert read_log(csv(tmp_path, HEADER + '1,5" pipe,2020-01-01\n')).activities == ('5" pipe',)


@pytest.mark.parametrize("column", [0, 1, 3])
def test_text_that_is_not_utf_8_is_refused_in_any_column(tmp_path: Path, column: int) -> None:
    rows = [
        ["case", "activity", "time", "other"],
        ["1", "a", "2020-01-01", "x"],
        ["1", "a", "2020-01-01", "x"],
    ]
    rows[2][column] = "Zoë"
    text = "\n".join(",".join(row) for row in rows)
    assert read_log(csv(tmp_path, text)).n_events == 2
    with pytest.raises(InputError, match=r"not UTF-8 text, at line 3.*Save"):
        read_log(csv(tmp_path, text.encode("latin-1")))
    with pytest.raises(InputError, match="UTF-8"):
        read_log(csv(tmp_path, text.encode("utf-16")))


def test_a_header_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not UTF-8 text, at line 1"):
        read_log(csv(tmp_path, "Fälle,activity,time\n1,a,2020-01-01\n".encode("latin-1")))


@pytest.mark.parametrize("text", [HEADER, HEADER.strip(), HEADER + "\n\n"])
def test_a_header_alone_has_no_events(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="no events"):
        read_log(csv(tmp_path, text))


def test_blank_lines_alone_have_no_header(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no header"):
        read_log(csv(tmp_path, "\n\n\n"))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match="More than one column is called 'case'"):
        read_log(csv(tmp_path, "case,case,activity,time\n1,2,a,2020-01-01\n"))


def test_an_unreadable_time_is_refused_with_count_row_and_fix(tmp_path: Path) -> None:
    text = HEADER + "1,a,2020-01-01\n1,b,31/12/2019\n1,c,30/12/2019\n"
    with pytest.raises(InputError, match=r"2 of 3 timestamps .*row 2.*timestamp_format='%d/%m/%Y %H:%M'") as refused:
        read_log(csv(tmp_path, text))
    assert "/2019" not in str(refused.value)


def test_numbers_are_no_times(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 of 1 timestamp "):
        read_log(csv(tmp_path, HEADER + "1,a,1577872800\n"))


def test_large_compressed_files_are_read_in_pieces(tmp_path: Path) -> None:
    rows = "".join(
        f'{i % 1000},"activity {i % 7}, long enough to fill blocks",2020-01-01T10:00:00Z\n' for i in range(150_000)
    )
    read = read_log(write(tmp_path, gzip.compress((HEADER + rows).encode(), 1), "log.csv.gz"))
    assert (read.n_events, read.n_cases, len(read.activities)) == (150_000, 1000, 7)


def test_what_is_not_kept_is_listed_and_needs_not_be_sound(tmp_path: Path) -> None:
    text = "z,case,activity,time,a\n?,1,x,2020-01-01,!\n"
    assert read_log(csv(tmp_path, text)).facts.dropped_attributes == ("a", "z")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('"case,activity,time\nJane Doe,b,2020-01-01\n', "a quotation in the header is never closed"),
        ("case,activity,time," + "x" * 200_000 + "\n1,a,2020-01-01,\n", "the name of a column has more than"),
        ("case,activity,time," + "x," * 600_000 + "\n", "the header has more than"),
        ('"case,activity,time\nJane Doe,b,2020-01-01\n",x\n', "No column is recognised"),
    ],
    ids=["unclosed", "long-name", "long-header", "swallowed-rows"],
)
def test_a_header_that_is_none_is_refused_with_its_reason_and_without_rows(
    content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(content)
    with pytest.raises(InputError) as refused:
        read_log(path)
    assert message in str(refused.value)
    assert "Jane Doe" not in str(refused.value)
