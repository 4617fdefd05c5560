"""XES (IEEE 1849-2016), as ProM and pm4py read it: case, activity and timestamp, one line an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from accounting.arrow import text, texts, to_arrow
from amun_dp.errors import OutputError
from amun_dp.eventlog.log import EventLog
from amun_dp.writing.tables import Attributes, batches, joined_bytes, require_four_digit_years, text_column, time_texts

if TYPE_CHECKING:
    import pyarrow as pa

PRIVACY_PREFIX = "privacy:"
PRIVACY_URI = "urn:amun-dp:privacy.xesext:1"
"""Names the extension that docs/privacy.xesext defines; a name, not an address, so that no reader asks the network."""

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">
\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
\t<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
"""
_PRIVACY_EXTENSION = f'\t<extension name="Privacy" prefix="privacy" uri="{PRIVACY_URI}"/>\n'
_GLOBALS = """\
\t<global scope="trace">
\t\t<string key="concept:name" value="UNKNOWN"/>
\t</global>
\t<global scope="event">
\t\t<string key="concept:name" value="UNKNOWN"/>
\t\t<date key="time:timestamp" value="1970-01-01T00:00:00.000+00:00"/>
\t</global>
\t<classifier name="Activity" keys="concept:name"/>
"""
_TAIL = "</log>\n"

# A parser turns a bare line break or tab in an attribute value into a blank; as a reference it survives.
_REFERENCES = {
    "&": "&amp;",  # first, or it would escape the escapes
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_NOT_IN_XML = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"


def write_xes(log: EventLog, stream: BinaryIO, attributes: Attributes) -> None:
    """Write the log as XES. ``attributes`` become string or float attributes of the log itself."""
    require_four_digit_years(log)
    names = _escaped(text_column(log.case_names, "case name"), "case name")
    labels = _escaped(text_column(log.activities, "activity label"), "activity label")
    extension = _PRIVACY_EXTENSION if any(key.startswith(PRIVACY_PREFIX) for key in attributes) else ""
    stream.write((_HEAD + extension + _GLOBALS).encode())
    stream.write(_attribute_lines(attributes))

    activities = _each('\t\t<event><string key="concept:name" value="', labels, '"/><date key="time:timestamp" value="')
    endings = texts(["", "\t</trace>\n"])
    for rows in batches(log, names, labels):
        date, clock = time_texts(log.time[rows])
        last_of_case = (log.offsets[log.case[rows] + 1] == np.arange(rows.start + 1, rows.stop + 1)).astype(np.int8)
        stream.write(
            joined_bytes(
                _trace_openings(log, names, rows),
                activities.take(to_arrow(log.activity[rows])),
                date,
                "T",
                clock,
                '+00:00"/></event>\n',
                endings.take(to_arrow(last_of_case)),
            )
        )
    stream.write(_TAIL.encode())


def _trace_openings(log: EventLog, names: pa.Array, rows: slice) -> pa.Array:
    """For each row the opening of its trace if it is the first of its case, else nothing."""
    import pyarrow as pa

    case = log.case[rows]
    first_of_case = log.offsets[case] == np.arange(rows.start, rows.stop)
    opened = case[first_of_case]
    openings = _each('\t<trace>\n\t\t<string key="concept:name" value="', names.take(to_arrow(opened)), '"/>\n')
    nothing = texts([""])
    # Entry 0 is "nothing"; a cumulative count numbers the openings of this batch 1, 2, ….
    return pa.concat_arrays([nothing, openings]).take(to_arrow(np.where(first_of_case, np.cumsum(first_of_case), 0)))


def _attribute_lines(attributes: Attributes) -> bytes:
    if not attributes:
        return b""
    kinds = texts("float" if isinstance(value, float) else "string" for value in attributes.values())
    keys = _escaped(text_column(list(attributes), "log attribute"), "log attribute")
    values = _escaped(text_column(map(str, attributes.values()), "log attribute"), "log attribute")
    return bytes(joined_bytes("\t<", kinds, ' key="', keys, '" value="', values, '"/>\n'))


def _each(before: str, values: pa.Array, after: str) -> pa.Array:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(text(before), values, text(after), text(""))


def _escaped(values: pa.Array, what: str) -> pa.Array:
    """The texts as they stand between the quotes of an XML attribute."""
    import pyarrow.compute as pc

    impossible = int(pc.sum(pc.match_substring_regex(values, _NOT_IN_XML)).as_py() or 0)
    if impossible:
        raise OutputError(
            f"The log cannot be written as XES: {impossible} of its {what}s contain a control character that "
            "XML 1.0 cannot hold, not even escaped. Write CSV or Parquet instead, or remove the character "
            "from the input."
        )
    for character, reference in _REFERENCES.items():
        values = pc.replace_substring(values, character, reference)
    return values
