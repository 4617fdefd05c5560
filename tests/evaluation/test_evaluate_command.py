"""``amun-dp evaluate`` on the command line."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from amun_dp._base.strict_json import strict_json
from amun_dp.cli import main
from amun_dp.evaluation import languages, models
from amun_dp.folder.names import BANNER
from amun_dp.release.load import load_release
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.cli.test_cli_refusals import bad_files
from tests.commandline import SECRET, refused, run
from tests.evaluation.measured import distances
from tests.logs import words_log


@pytest.fixture
def release(example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A release of the example."""
    folder = tmp_path / "release"
    run(capsys, "anonymize", example, "--advantage", 0.3, "--method", "sampling", "--out", folder)
    return folder


def test_the_tables_come_under_a_banner_and_say_all_that_is_measured(
    example: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "evaluate", example, release)
    assert (code, err) == (0, "")
    assert out.startswith(f"{BANNER}\n")
    wanted = distances(hospital_log(), load_release(release).event_log)
    lines = {line.strip().split("  ")[0]: line for line in out.splitlines()}
    assert lines["Frequency EMD"].endswith(f"  {wanted.frequency_emd:.3g}")
    assert lines["Counts, relative error"].endswith(f"  {100 * wanted.frequency_error:.3g} %")
    assert {"Cases", "Variants", "Time EMD", "Duration of a step", "Lost", "New", "Cycle times", "Active cases"} <= set(
        lines
    )
    assert "Earth movers' distance" in lines
    assert "Fitness" not in out


def test_a_release_folder_and_the_log_in_it_give_the_same_figures(
    example: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        json.loads(run(capsys, "evaluate", example, released, "--json")[1])
        for released in (release, release / "log.xes.gz")
    ]
    assert found[0] == found[1]


def test_sequence_numbers_are_those_of_the_original_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is released has no such column."""
    log = hospital_log(30)
    rows = log.to_pandas()
    rows.assign(place=range(len(rows))).sample(frac=1, random_state=1).to_parquet(tmp_path / "original.parquet")
    write_log(log, tmp_path / "released.xes")
    found = run(
        capsys,
        *("evaluate", tmp_path / "original.parquet", tmp_path / "released.xes", "--sequence", "place", "--json"),
    )
    assert found[0] == 0, found
    assert json.loads(found[1])["variants"]["lost"] == 0


def test_two_files_are_read_with_the_same_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"case:concept:name": "patient", "concept:name": "step", "time:timestamp": "when"}
    for name in ("before.csv", "after.csv"):
        hospital_log(cases=60).to_pandas().rename(columns=names).to_csv(tmp_path / name, index=False)
    flags = ("--case-id", "patient", "--activity", "step", "--timestamp", "when", "--json")
    code, out, _ = run(capsys, "evaluate", tmp_path / "before.csv", tmp_path / "after.csv", *flags)
    assert code == 0
    assert json.loads(out)["language"]["high"] == 0
    # A release always has its own columns, whatever those of the original were called.
    run(capsys, "anonymize", tmp_path / "before.csv", "--advantage", 0.3, *flags[:-1], "--out", tmp_path / "release")
    assert run(capsys, "evaluate", tmp_path / "before.csv", tmp_path / "release", *flags)[0] == 0


# --- JSON -----------------------------------------------------------------------------------------------------------

NUMBER, WHOLE, TEXT = {"type": "number"}, {"type": "integer"}, {"type": "string"}
MAYBE = {"type": ["number", "null"]}


def record(**fields: Any) -> dict[str, Any]:
    """An object with these fields and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def pair(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of, "minItems": 2, "maxItems": 2}


def listed(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


LOG = record(
    cases=WHOLE,
    events=WHOLE,
    activities=WHOLE,
    variants=WHOLE,
    edges=WHOLE,
    active_cases=record(first_bin=WHOLE, bin_milliseconds=WHOLE, cases=listed(WHOLE)),
)
FIT = record(known=NUMBER, fitness=NUMBER, precision=NUMBER)
EDGE = {
    "from": TEXT,
    "to": TEXT,
    "before": WHOLE,
    "after": WHOLE,
    "mean_before": MAYBE,
    "mean_after": MAYBE,
    "distance": MAYBE,
}
SCHEMA = record(
    schema={"const": "amun-dp/evaluation/1"},
    confidential={"const": BANNER},
    before=LOG,
    after=LOG,
    distances=record(
        frequency_emd=NUMBER,
        time_emd=NUMBER,
        frequency_by_edge=NUMBER,
        time_by_edge=NUMBER,
        frequency_error=MAYBE,
        time_error=MAYBE,
    ),
    step_duration=record(distance=MAYBE, mean_before=MAYBE),
    language=record(
        low=NUMBER, high=NUMBER, moved=NUMBER, matched=pair(WHOLE), left_out=pair(WHOLE), exact={"type": "boolean"}
    ),
    cycle_times=record(mean=pair(NUMBER), median=pair(NUMBER), ninth_decile=pair(NUMBER), distance=NUMBER),
    active_cases=record(most=pair(WHOLE), difference=MAYBE),
    model={"anyOf": [{"type": "null"}, record(released=FIT, original=FIT)]},
    variants=record(
        kept=WHOLE,
        lost=WHOLE,
        new=WHOLE,
        cases_of_lost=WHOLE,
        cases_of_new=WHOLE,
        one_of_a_kind=record(variants=WHOLE, released=WHOLE),
        top=listed(record(activities=listed(TEXT), before=WHOLE, after=WHOLE)),
    ),
    activities=listed(record(activity=TEXT, before=WHOLE, after=WHOLE)),
    edges=listed(record(**EDGE)),
    notes=listed(TEXT),
)


def test_json_has_every_figure_in_fields_that_do_not_change(
    example: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = strict_json(run(capsys, "evaluate", example, release, "--json")[1].encode())
    jsonschema.validate(found, SCHEMA)
    log, released = hospital_log(), load_release(release).event_log
    assert found["before"]["cases"] == log.n_cases
    assert found["after"]["events"] == released.n_events
    assert sum(edge["after"] for edge in found["edges"]) == released.n_events - released.n_cases
    assert sum(each["before"] for each in found["activities"]) == log.n_events
    assert found["distances"]["time_emd"] == pytest.approx(distances(log, released).time_emd)


def test_json_has_null_where_there_is_nothing_to_compare_and_stays_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Cases of one event before, of two after: no edge, and no duration, to hold anything against.
    write_log(words_log(["a", "b"]), tmp_path / "before.csv")
    write_log(words_log(["ab", "ab"]), tmp_path / "after.csv")
    code, out, _ = run(capsys, "evaluate", tmp_path / "before.csv", tmp_path / "after.csv", "--json")
    assert code == 0
    found = strict_json(out.encode())
    jsonschema.validate(found, SCHEMA)
    assert found["distances"]["frequency_error"] is None
    assert found["step_duration"]["distance"] is None
    assert found["active_cases"]["difference"] is None
    code, out, _ = run(capsys, "evaluate", tmp_path / "before.csv", tmp_path / "after.csv")
    assert code == 0
    assert "no edge in both logs" in out
    assert "nan" not in out.lower().split()


def test_a_distance_that_is_only_bounded_is_said_to_be(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "MOST_PAIRS", 9)
    other = tmp_path / "other.csv"
    write_log(hospital_log(90, seed=5), other)
    _, out, _ = run(capsys, "evaluate", example, other)
    assert re.search("Earth movers' distance {2,}between ", out)  # as wide as the longest name beside it
    assert "bounded, not exact" in out
    found = json.loads(run(capsys, "evaluate", example, other, "--json")[1])["language"]
    assert found["exact"] is False
    assert sum(found["left_out"]) > 0
    assert found["low"] < found["high"]


@pytest.mark.slow
def test_a_model_is_measured_when_asked_for(example: Path, release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "evaluate", example, release, "--model", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert 0 < found["model"]["released"]["fitness"] <= 1
    assert 0 < found["model"]["original"]["precision"] <= 1


def test_a_model_that_takes_too_long_is_a_note_and_everything_else_is_there(
    example: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "evaluate", example, release, "--model", "--model-seconds", 0.01)
    assert code == 0
    assert "not done with the models after 0.01 seconds" in err
    assert "Frequency EMD" in out


# --- the page -------------------------------------------------------------------------------------------------------


def test_the_page_is_for_its_owner_alone_and_says_that_it_is_confidential(
    example: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "evaluation.html"
    code, out, err = run(capsys, "evaluate", example, release, "--html", page)
    assert code == 0
    assert out.startswith(BANNER)
    assert "confidential" in err
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text(encoding="utf-8")
    assert BANNER in text
    assert str(tmp_path) not in text


def test_a_page_is_not_written_over_a_file_nor_into_the_release(
    example: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "evaluation.html"
    page.write_text("mine")
    assert "exists already" in refused(capsys, "evaluate", example, release, "--html", page)
    assert page.read_text() == "mine"
    inside = release / "evaluation.html"
    assert "folder of the release" in refused(capsys, "evaluate", example, release, "--html", inside)
    assert not inside.exists()
    nowhere = tmp_path / "no" / "page.html"
    assert "no folder" in refused(capsys, "evaluate", example, release, "--html", nowhere)


# --- wrong use and bad files ----------------------------------------------------------------------------------------


def test_wrong_use_is_refused_before_a_log_is_read(
    example: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for flags, message in (
        (("--model-seconds", "9"), "with --model only"),
        (("--model", "--model-seconds", "0"), "above 0"),
        (("--model", "--model-seconds", "nan"), "above 0"),
        (("--model", "--model-seconds", "inf"), "at most"),
        (("--individual", "person"), "--individual"),
    ):
        assert message in refused(capsys, "evaluate", tmp_path / "missing.xes", release, *flags)
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    message = refused(capsys, "evaluate", example, release, "--model")
    assert "pip install 'amun-dp[pm4py]'" in message


@pytest.mark.parametrize("flags", [["--bogus"], ["--model-seconds", "soon"]])
def test_an_unknown_flag_or_value_shows_the_usage(
    flags: list[str], example: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", str(example), str(release), *flags])
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "missing.xes"),
        ("truncated", "line"),
        ("binary-csv", "binary.csv"),
        ("bad-time", "--timestamp-format"),
        ("missing-values", "--drop-incomplete"),
        ("no-rows", "no events"),
    ],
)
def test_a_bad_file_in_either_place_is_refused_with_one_paragraph(
    kind: str, says: str, example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = bad_files(tmp_path)[kind]
    for arguments in ((bad, example), (example, bad)):
        assert says in refused(capsys, "evaluate", *arguments)


def test_a_folder_that_is_no_release_or_a_damaged_one_is_refused(
    example: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "release" in refused(capsys, "evaluate", release, example)  # the two in the wrong order
    assert "is no release" in refused(capsys, "evaluate", example, empty)
    write_log(words_log(["ab"]), release / "log.xes.gz")
    assert "not the file that the report was made for" in refused(capsys, "evaluate", example, release)


def test_logs_with_no_label_in_common_are_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "before.csv").write_text(f"case,activity,time\n1,{SECRET},2020-01-01\n")
    (tmp_path / "after.csv").write_text("case,activity,time\n1,b,2020-01-01\n")
    code, _, err = run(capsys, "evaluate", tmp_path / "before.csv", tmp_path / "after.csv")
    assert code == 0
    assert "no activity label occurs in both" in err
    assert SECRET not in err


def test_quiet_says_nothing_but_the_result(
    example: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--quiet", "--html", tmp_path / "page.html", "--model", "--model-seconds", 0.01)
    code, out, err = run(capsys, "evaluate", example, release, *flags)
    assert (code, err) == (0, "")
    assert out


def test_help_needs_nothing_heavy() -> None:
    program = (
        "import sys; from amun_dp.cli.parser import build_parser; build_parser().format_help(); "
        "print(*({'numpy', 'pandas', 'pm4py', 'scipy', 'jinja2'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
