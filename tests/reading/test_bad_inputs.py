"""Folders of Parquet files that something happened to, on one machine; tests/spark has the same for both engines."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from amun_dp.errors import InputError
from amun_dp.reading import read_log
from tests.reading.bad_inputs import INPUTS, SECRET, folder_of_parts, folders_by_case


@pytest.mark.parametrize("name", [name for name, each in INPUTS.items() if each.outcome == "refused"])
def test_what_is_not_a_whole_log_is_refused_in_words_that_quote_no_row(name: str, tmp_path: Path) -> None:
    log = INPUTS[name].spoil(folder_of_parts(tmp_path))
    with pytest.raises(InputError) as refused:
        read_log(log)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("name", [name for name, each in INPUTS.items() if each.outcome == "read"])
def test_what_only_looks_strange_is_read_whole_and_in_its_order(name: str, tmp_path: Path) -> None:
    found = read_log(INPUTS[name].spoil(folder_of_parts(tmp_path)))
    assert found.n_events == INPUTS[name].rows and len(found.case_names) == 12
    steps = [int(found.activities[code].removeprefix("step ")) for code in found.activity]
    if name != "a_part_that_is_there_twice":
        for case in range(12):
            own = [step for step, number in zip(steps, found.case, strict=True) if number == case]
            assert own == sorted(own)


def test_folders_that_are_named_by_a_column_are_refused_without_their_values(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="read it with Spark") as refused:
        read_log(folders_by_case(tmp_path))
    assert SECRET not in str(refused.value)
