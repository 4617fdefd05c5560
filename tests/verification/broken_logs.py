"""Released logs that hold more, or other things, than they should."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from amun_dp._base.arrays import IntArray
from amun_dp._base.units import DAY
from amun_dp.verification import Name
from tests.verification import forging
from tests.verification.breakages import breaks


@breaks(Name.LOG)
def a_log_cut_short(folder: Path) -> None:
    path = folder / "log.xes.gz"
    path.write_bytes(path.read_bytes()[:-2_000])
    forging.reseal(folder, page=False)


@breaks(Name.LOG)
def more_events_than_the_report_states(folder: Path) -> None:
    data = forging.report_in(folder)
    data["released"]["events"] -= 1
    forging.reseal(folder, data)


@breaks(Name.LOG, format="csv")
def a_table_with_a_ragged_row(folder: Path) -> None:
    forging.edit_file(folder, lambda text: text + b"one,two\n", page=False)


@breaks(Name.LOG, format="parquet")
def a_table_cut_short(folder: Path) -> None:
    forging.edit_file(folder, lambda data: data[:-100], page=False)


@breaks(Name.ATTRIBUTES, Name.BYTES)
def an_attribute_smuggled_into_an_event(folder: Path) -> None:
    smuggled = b'<event><string key="org:resource" value="Ann"/>'
    forging.edit_file(folder, lambda xml: xml.replace(b"<event>", smuggled, 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def an_attribute_smuggled_into_a_trace(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"<trace>\n", b'<trace>\n<int key="age" value="93"/>\n', 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def an_attribute_of_an_attribute(folder: Path) -> None:
    inside = rb'<date key="time:timestamp" value="\1"><string key="was" value="x"/></date>'
    forging.edit_file(
        folder, lambda xml: re.sub(rb'(?<=/>)<date key="time:timestamp" value="([^"]+)"/>', inside, xml, count=1)
    )


@breaks(Name.ATTRIBUTES, Name.BYTES)
def an_attribute_smuggled_into_the_log(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"\t<trace>", b'\t<string key="x" value="y"/>\n\t<trace>', 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def another_default_in_the_header(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b'value="UNKNOWN"', b'value="Ann"', 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def facts_in_the_log_other_than_the_report_s(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b'"privacy:unit" value="none"', b'"privacy:unit" value="case"'))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def a_comment(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"</trace>", b"</trace><!-- Ann was here -->", 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def a_processing_instruction(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"</trace>", b"</trace><?ann was here?>", 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def text_between_the_elements(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"</trace>", b"</trace>Ann", 1))


@breaks(Name.ATTRIBUTES, Name.BYTES)
def a_time_in_another_zone(folder: Path) -> None:
    """The same instant, but the offset is room for data."""

    def elsewhere(xml: bytes) -> bytes:
        times = [time for time in re.findall(rb'value="(2024[^"]+)"', xml) if b"T01:" <= time[10:14] < b"T20:"]
        hour = int(times[0][11:13])
        moved = times[0][:11] + b"%02d" % (hour + 3) + times[0][13:].replace(b"+00:00", b"+03:00")
        return xml.replace(times[0], moved, 1)

    forging.edit_file(folder, elsewhere)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def a_name_in_the_gzip_header(folder: Path) -> None:
    path = folder / "log.xes.gz"
    content = gzip.decompress(path.read_bytes())
    with path.open("wb") as file, gzip.GzipFile("patients-of-ward-9.xes", "wb", 3, file, mtime=0) as packed:
        packed.write(content)
    forging.reseal(folder)


def _in_the_header(folder: Path, place: int, mark: int) -> None:
    path = folder / "log.xes.gz"
    content = bytearray(path.read_bytes())
    content[place] = mark
    path.write_bytes(content)
    forging.reseal(folder)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def a_time_in_the_gzip_header(folder: Path) -> None:
    _in_the_header(folder, 4, 17)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def a_mark_for_the_effort_of_compression(folder: Path) -> None:
    """XFL: a byte that no reader looks at."""
    _in_the_header(folder, 8, 17)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def a_system_that_the_file_is_from(folder: Path) -> None:
    """OS: another one."""
    _in_the_header(folder, 9, 3)


def hidden_in_padding(packed: bytes, message: bytes) -> bytes:
    """Empty stored blocks before the data: each is padded to a whole byte, and the five bits are nobody's."""
    bits = "".join(f"{byte:08b}" for byte in message)
    bits += "0" * (-len(bits) % 5)
    blocks = b"".join(bytes((int(bits[at : at + 5], 2) << 3,)) + b"\x00\x00\xff\xff" for at in range(0, len(bits), 5))
    return packed[:10] + blocks + packed[10:]


@breaks(Name.PACKING)
def the_original_in_the_padding_of_empty_blocks(folder: Path) -> None:
    path = folder / "log.xes.gz"
    before = path.read_bytes()
    hidden = hidden_in_padding(before, b"p17 was here, and so were all the others")
    assert gzip.decompress(hidden) == gzip.decompress(before)
    path.write_bytes(hidden)
    forging.reseal(folder)


@breaks(Name.PACKING)
def much_in_the_padding_of_a_file_that_another_zlib_is_said_to_have_made(folder: Path) -> None:
    data = forging.report_in(folder)
    data["formats"]["packing"] = "00000000"
    path = folder / "log.xes.gz"
    path.write_bytes(hidden_in_padding(path.read_bytes(), b"p17 was here" * 100))
    forging.reseal(folder, data)


@breaks(Name.PACKING)
def another_effort_of_compression(folder: Path) -> None:
    """Whoever chooses among many ways to pack the same content can spell with them."""
    path = folder / "log.xes.gz"
    path.write_bytes(
        forging.zipped(gzip.decompress(path.read_bytes()), 9)[:8]
        + b"\0\xff"
        + forging.zipped(gzip.decompress(path.read_bytes()), 9)[10:]
    )
    forging.reseal(folder)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def an_empty_second_member(folder: Path) -> None:
    path = folder / "log.xes.gz"
    path.write_bytes(path.read_bytes() + gzip.compress(b"", mtime=0))
    forging.reseal(folder)


@breaks(Name.ATTRIBUTES, Name.PACKING)
def padding_after_the_compressed_data(folder: Path) -> None:
    path = folder / "log.xes.gz"
    path.write_bytes(path.read_bytes() + bytes(64))
    forging.reseal(folder)


@breaks(Name.ATTRIBUTES, Name.BYTES, format="csv")
def a_fourth_column(folder: Path) -> None:
    def widen(text: bytes) -> bytes:
        head, *rows = text.splitlines()
        return b"\n".join([head + b",resource", *(row + b",Ann" for row in rows)]) + b"\n"

    forging.edit_file(folder, widen)


@breaks(Name.ATTRIBUTES, Name.BYTES, format="csv")
def a_time_with_further_digits(folder: Path) -> None:
    forging.edit_file(folder, lambda text: text.replace(b"+00:00", b"4711+00:00", 1))


def _parquet(folder: Path, metadata: dict[str, str], fields: dict[str, str] | None = None) -> None:
    table = pq.read_table(folder / "log.parquet")
    schema = table.schema.with_metadata({**table.schema.metadata, **metadata})
    if fields is not None:
        schema = schema.set(0, schema.field(0).with_metadata(fields))
    pq.write_table(table.cast(schema), folder / "log.parquet")
    forging.reseal(folder)


@breaks(Name.ATTRIBUTES, Name.BYTES, Name.PACKING, format="parquet")
def metadata_smuggled_into_the_table(folder: Path) -> None:
    _parquet(folder, {"source": "ward 9"})


@breaks(Name.ATTRIBUTES, Name.BYTES, Name.PACKING, format="parquet")
def metadata_smuggled_into_a_column(folder: Path) -> None:
    _parquet(folder, {}, {"source": "ward 9"})


@breaks(Name.ATTRIBUTES, Name.BYTES, Name.PACKING, format="parquet")
def metadata_other_than_the_report_s(folder: Path) -> None:
    _parquet(folder, {"privacy:unit": "case"})


@breaks(Name.ATTRIBUTES, Name.BYTES, Name.PACKING, format="parquet")
def a_further_column(folder: Path) -> None:
    table = pq.read_table(folder / "log.parquet")
    pq.write_table(table.append_column("resource", table.column(0)), folder / "log.parquet")
    forging.reseal(folder)


def hidden_in_parquet(folder: Path, hidden: bytes) -> None:
    """Before the footer, where no column points, in a file that another version of Arrow seems to have written."""

    def hide(data: bytes) -> bytes:
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        number = re.search(rb"arrow version (\d+)", data[footer:])
        assert number is not None
        other = bytes(ord("9") + ord("0") - digit for digit in number[1])
        return data[:footer] + hidden + data[footer:].replace(number[0], b"arrow version " + other)

    forging.edit_file(folder, hide)


@breaks(Name.ATTRIBUTES, format="parquet")
def bytes_that_belong_to_no_column(folder: Path) -> None:
    hidden_in_parquet(folder, b"p17 was here")


@breaks(Name.ATTRIBUTES, Name.PACKING, format="parquet")
def a_file_much_larger_than_its_content(folder: Path) -> None:
    hidden_in_parquet(folder, b"p17 was here" * 2_000)


@breaks(Name.BYTES)
def blanks_that_mean_something(folder: Path) -> None:
    forging.edit_file(folder, lambda xml: xml.replace(b"\t</trace>", b" \t </trace>", 3))


@breaks(Name.BYTES, format="csv")
def quotes_that_mean_something(folder: Path) -> None:
    forging.edit_file(folder, lambda text: text.replace(b",Register,", b',"Register",', 3))


@breaks(Name.PACKING, format="parquet")
def a_table_in_another_encoding(folder: Path) -> None:
    pq.write_table(pq.read_table(folder / "log.parquet"), folder / "log.parquet", compression="zstd")
    forging.reseal(folder)


# --- the content of the log -----------------------------------------------------------------------------------------


@breaks(Name.FIGURES)
def another_number_of_cases(folder: Path) -> None:
    data = forging.report_in(folder)
    data["released"]["cases"] += 1
    forging.reseal(folder, data)


@breaks(Name.FIGURES)
def fewer_events_than_the_report_states(folder: Path) -> None:
    data = forging.report_in(folder)
    data["released"]["events"] += 1
    forging.reseal(folder, data)


@breaks(Name.FIGURES, format="csv", method="certified")
def events_outside_the_public_time_frame(folder: Path) -> None:
    log = forging.log_in(folder)
    late = np.where(log.case == 3, 366 * DAY, 0)
    forging.put_log(folder, forging.with_columns(log, time=log.time + late))


@breaks(Name.FIGURES, Name.MECHANISMS, format="csv", method="certified")
def cases_longer_than_the_public_longest(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["longest_ms"] = 1_000
    forging.reseal(folder, data)


@breaks(Name.FIGURES, format="csv", method="certified")
def more_activities_than_are_public(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["activities"] = 2
    forging.reseal(folder, data)


@breaks(Name.FIGURES, format="csv", method="certified")
def fewer_cases_than_the_report_declares(folder: Path) -> None:
    log = forging.log_in(folder)
    forging.put_log(folder, forging.with_columns(log, keep=log.case > 0))


_EVENT = rb"\t\t<event>.*?</event>\n"
_WHEN = rb"2024[^\"]+"


def _moved_back(xml: bytes) -> bytes:
    """The last event of a trace before all others, where it is later than they are."""
    for found in re.finditer(rb"(\t<trace>\n[^\n]+\n)((?:" + _EVENT + rb")+)", xml):
        events = re.findall(_EVENT, found[2])
        if re.findall(_WHEN, events[-2]) < re.findall(_WHEN, events[-1]):
            return xml.replace(found[0], found[1] + b"".join([events[-1], *events[:-1]]))
    raise AssertionError


@breaks(Name.TIME_ORDER, Name.BYTES)
def an_event_before_an_earlier_one(folder: Path) -> None:
    forging.edit_file(folder, _moved_back)


def _first_case_backwards(folder: Path) -> IntArray:
    log = forging.log_in(folder)
    case = next(
        n
        for n in range(log.n_cases)
        if (np.diff(log.time[log.offsets[n] : log.offsets[n + 1]]) > 0).all() and log.lengths[n] > 2
    )
    rows = np.arange(log.n_events)
    rows[log.offsets[case] : log.offsets[case + 1]] = rows[log.offsets[case] : log.offsets[case + 1]][::-1]
    return rows


@breaks(Name.TIME_ORDER, Name.BYTES, format="csv")
def rows_of_a_case_backwards(folder: Path) -> None:
    order = _first_case_backwards(folder)

    def reorder(text: bytes) -> bytes:
        head, *rows = text.splitlines(keepends=True)
        return head + b"".join(rows[place] for place in order)

    forging.edit_file(folder, reorder)


@breaks(Name.TIME_ORDER, Name.BYTES, Name.PACKING, format="parquet")
def rows_of_a_case_backwards_in_a_table(folder: Path) -> None:
    order = _first_case_backwards(folder)
    pq.write_table(pq.read_table(folder / "log.parquet").take(order), folder / "log.parquet")
    forging.reseal(folder)


@breaks(Name.UNIQUE_IDS, Name.BYTES)
def two_traces_of_one_name(folder: Path) -> None:
    """The reader makes two cases of them."""

    def repeat(xml: bytes) -> bytes:
        one, other = re.findall(rb'<trace>\n\t\t<string key="concept:name" value="([0-9a-f]+)"', xml)[:2]
        return xml.replace(other, one)

    forging.edit_file(folder, repeat)


@breaks(Name.UNIQUE_IDS, Name.FIGURES, Name.BYTES, format="csv")
def two_cases_of_one_name(folder: Path) -> None:
    """The reader makes one case of them, so the figures are wrong too."""
    names = forging.log_in(folder).case_names
    forging.edit_file(folder, lambda text: text.replace(names[7].encode(), names[2].encode()), page=False)
    forging.reseal(folder)


@breaks(Name.RANDOM_IDS)
def case_identifiers_that_count(folder: Path) -> None:
    forging.rename_cases(folder, [f"{number:032x}" for number in range(forging.log_in(folder).n_cases)])


@breaks(Name.RANDOM_IDS)
def case_identifiers_of_another_kind(folder: Path) -> None:
    forging.rename_cases(folder, ["patient 1"])


@breaks(Name.RANDOM_IDS)
def case_identifiers_that_all_begin_alike(folder: Path) -> None:
    forging.rename_cases(folder, ["abcd" + str(name)[4:] for name in forging.log_in(folder).case_names])
