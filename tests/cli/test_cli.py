"""The command line as a user meets it: results, notes, wrong use, bad files, interruption."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import amun_dp.cli.commands
from amun_dp.cli import main
from amun_dp.errors import OutputError
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.article import worked_example
from tests.commandline import SECRET, run

# --- results --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
def test_anonymize_writes_a_release(
    method: str, example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    code, text, _ = run(capsys, "anonymize", example, "--advantage", 0.2, "--method", method, "--out", out)
    assert code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "internal",
        "log.xes.gz",
        "report.html",
        "report.json",
    ]
    assert (out / "internal").stat().st_mode & 0o077 == 0
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    released = amun_dp.read_log(out / "log.xes.gz")
    assert report["released"]["cases"] == released.n_cases
    assert report["released"]["events"] == released.n_events
    assert f"{released.n_cases:,} cases" in text
    checksum = subprocess.run(["sha256sum", out / "log.xes.gz"], capture_output=True, text=True, check=True).stdout
    assert report["files"]["log.xes.gz"] == checksum.split()[0]


def test_the_released_file_holds_case_activity_and_time_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = worked_example.dataframe().assign(diagnosis=SECRET, resource=SECRET)
    frame.to_csv(tmp_path / "log.csv", index=False)
    out = tmp_path / "release"
    assert run(capsys, "anonymize", tmp_path / "log.csv", "--advantage", 0.3, "--out", out, "--allow-too-small")[0] == 0
    released = pd.read_csv(out / "log.csv")
    assert list(released.columns) == ["case:concept:name", "concept:name", "time:timestamp"]
    public = (out / "log.csv").read_text(encoding="utf-8") + (out / "report.json").read_text(encoding="utf-8")
    assert SECRET not in public
    assert "diagnosis" not in public
    internal = json.loads((out / "internal" / "report.json").read_text(encoding="utf-8"))
    assert internal["reading"]["dropped_attributes"] == ["diagnosis", "resource"]


@pytest.mark.parametrize("source", ["log.csv", "log.parquet", "log.xes"])
@pytest.mark.parametrize("asked", [None, "csv", "parquet", "xes"])
def test_the_format_is_that_of_the_input_unless_asked_otherwise(
    source: str, asked: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(hospital_log(cases=60), tmp_path / source)
    out = tmp_path / "release"
    flags = [] if asked is None else ["--format", asked]
    assert run(capsys, "anonymize", tmp_path / source, "--advantage", 0.2, "--out", out, *flags)[0] == 0
    expected = {"csv": "log.csv", "parquet": "log.parquet", "xes": "log.xes.gz"}[asked or Path(source).suffix[1:]]
    assert (out / expected).exists()
    assert amun_dp.read_log(out / expected).n_cases > 0


def test_json_is_the_report_and_the_folder(example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "release"
    _, text, _ = run(capsys, "anonymize", example, "--advantage", 0.2, "--out", out, "--json", "--quiet")
    printed = json.loads(text)
    assert printed.pop("directory") == str(out)
    assert printed.pop("budget") == []  # nothing is recorded; see tests/budgets
    assert printed == json.loads((out / "report.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("flags", [[], ["--noise", "opendp"], ["--noise", "exact"]])
def test_the_report_names_what_drew_the_noise(
    flags: list[str], example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    _, text, _ = run(capsys, "anonymize", example, "--advantage", 0.2, "--out", out, "--json", "--quiet", *flags)
    chosen = flags[-1] if flags else "opendp"
    assert json.loads(text)["noise"]["sampler"] == chosen
    assert f"drawn by {'OpenDP' if chosen == 'opendp' else 'amun-dp'}'s" in html.unescape(
        (out / "report.html").read_text(encoding="utf-8")
    )
    code, text, _ = run(capsys, "verify", out, "--no-prove")
    assert code == 0
    assert f"unpredictable (sampler: {chosen})" in text


def test_a_seed_is_warned_about_even_when_quiet(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--advantage", 0.2, "--seed", 1, "--quiet", "--json"]
    _, text, err = run(capsys, "anonymize", example, *flags, "--out", tmp_path / "release")
    assert "NOT private" in err
    assert json.loads(text)["noise"]["predictable"] is True


def test_inspect_shows_size_exposure_and_what_filtering_would_cost(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = run(capsys, "inspect", example)
    assert code == 0
    assert "keep them inside" in text
    figures = json.loads(run(capsys, "inspect", example, "--json")[1])
    # Counted by hand with plain pandas on the same log.
    frame = hospital_log().to_pandas()
    variants = frame.groupby("case:concept:name")["concept:name"].agg(tuple)
    assert figures["cases"] == len(variants) == 300
    assert figures["variants"] == variants.nunique()
    assert figures["cases_with_own_variant"] == int((variants.value_counts() == 1).sum())
    starts = frame.groupby("case:concept:name")["time:timestamp"].min().dt.date
    assert figures["cases_alone_on_start_day"] == int((starts.value_counts() == 1).sum())
    for row in figures["exposure"]:
        known = variants.map(lambda word, k=row["known_events"]: word[:k] + (None,) * (k - len(word)))
        assert row["by_activities"] == int((known.value_counts() == 1).sum())
    days = frame.assign(day=frame["time:timestamp"].dt.date.astype(str))
    known_days = pd.Series(
        [list(zip(case["concept:name"], case["day"], strict=True)) for _, case in days.groupby("case:concept:name")]
    )
    for row in figures["exposure"]:
        known = known_days.map(lambda events, k=row["known_events"]: (*events[:k], len(events) >= k or len(events)))
        assert row["by_activities_and_days"] == int((known.value_counts() == 1).sum())
    for row in figures["filtering"]:
        kept = amun_dp.plan(frame, row["advantage"]).events.reveal().query("kept")
        assert row["filtered_cases"] == 300 - kept["case"].nunique()
        left = kept.groupby("case")["activity"].agg(tuple).nunique()
        assert row["lost_variants"] == variants.nunique() - left
    assert [row["advantage"] for row in figures["filtering"]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    removed = [row["filtered_cases"] for row in figures["filtering"]]
    assert removed == sorted(removed)


def test_plan_spends_nothing_and_writes_nothing(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    code, text, _ = run(capsys, "plan", example, "--advantage", 0.2)
    assert code == 0
    assert "0.8109" in text
    assert sorted(tmp_path.rglob("*")) == before
    assert json.loads(run(capsys, "plan", example, "--advantage", 0.2, "--json")[1])["cases"] == 300


def test_windows_are_settable_and_make_the_conventions_custom(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    flags = ["--window", 60, "--start-window", 12, "--json", "--quiet"]
    _, text, _ = run(capsys, "anonymize", example, "--advantage", 0.2, "--out", out, *flags)
    report = json.loads(text)
    assert report["parameters"]["conventions"] == "custom"
    assert (report["parameters"]["window_ms"], report["parameters"]["start_window_ms"]) == (60_000, 43_200_000)


def test_notes_are_said_aloud_unless_quiet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = worked_example.dataframe().set_axis(["Case ID", "Activity", "Timestamp"], axis=1)
    frame.to_csv(tmp_path / "log.csv", index=False)
    assert "Case ID" in run(capsys, "inspect", tmp_path / "log.csv")[2]
    assert run(capsys, "inspect", tmp_path / "log.csv", "--quiet")[2] == ""


def test_plan_shows_the_price_of_each_scope(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = json.loads(run(capsys, "plan", example, "--advantage", 0.2, "--json")[1])
    prices = {price["scope"]: price for price in figures["prices"]}
    longest = figures["longest_case"]
    assert prices["case"]["count_scale"] == pytest.approx(2 * longest * prices["cell"]["count_scale"])
    assert prices["case"]["time_factor"] == pytest.approx(longest)
    assert "for a whole case" in run(capsys, "plan", example, "--advantage", 0.2)[1]


def test_a_cap_on_the_loss_of_an_individual_is_kept_or_the_release_refused(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("anonymize", example, "--advantage", 0.2, "--out", tmp_path / "release", "--quiet")
    code, out, err = run(capsys, *command, "--max-individual-loss", 1)
    assert (code, out) == (1, "")
    assert "--max-individual-loss" in err
    assert not (tmp_path / "release").exists()
    assert run(capsys, *command, "--max-individual-loss", 100)[0] == 0
    internal = json.loads((tmp_path / "release" / "internal" / "report.json").read_text(encoding="utf-8"))
    assert internal["losses"]["individuals"]["largest"] <= 100


@pytest.mark.slow
def test_a_summary_that_cannot_be_printed_does_not_deny_the_release(example: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    command = f"{sys.executable} -m amun_dp.cli anonymize {example} --advantage 0.2 --out {out} > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "The release was made" in done.stderr
    assert (out / "report.json").exists()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_cannot_show_epsilon_is_no_error(encoding: str, example: Path) -> None:
    command = [sys.executable, "-m", "amun_dp.cli", "plan", str(example), "--advantage", "0.2"]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0
    assert b"? of a transition count" in done.stdout


# --- interruption ---------------------------------------------------------------------------------------------------


SIGNAL_HALF_WAY = """
import os, signal, sys, time
import amun_dp.release.save
from amun_dp.cli import main

write = amun_dp.release.save.write_log

def write_and_be_interrupted(*arguments, **options):
    write(*arguments, **options)
    os.kill(os.getpid(), int(sys.argv[1]))
    time.sleep(60)

amun_dp.release.save.write_log = write_and_be_interrupted
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_interrupted_while_it_writes_leaves_nothing_behind(
    sign: signal.Signals, code: int, example: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out" / "release"
    command = ["anonymize", str(example), "--advantage", "0.2", "--out", str(out), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", SIGNAL_HALF_WAY, str(int(sign)), *command],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [example]


NOTED = """
import os, signal, sys, time
from amun_dp.cli import main
from amun_dp.errors import note_release

def interrupted(options):
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(60)
    except BaseException as error:
        os.kill(os.getpid(), signal.SIGHUP)  # as a terminal that is closed does: it says so twice
        note_release(error, "here")
        note_release(error, "here")
        raise

import amun_dp.cli.commands
amun_dp.cli.commands.run_inspect = interrupted
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and stays so
sys.exit(main(["inspect", "log.csv"]))
"""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP])
def test_what_was_done_before_the_end_is_told_once_and_a_second_signal_changes_nothing(sign: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTED, str(int(sign))], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 143
    assert done.stderr == "amun-dp: the release was made and is in here; do not release again.\n"


def test_an_interruption_after_the_release_does_not_say_that_nothing_was_released(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("amun_dp.cli.commands.print_result", interrupted)
    out = tmp_path / "out"
    assert main(["anonymize", str(example), "--advantage", "0.2", "--out", str(out), "--no-registry"]) == 130
    assert f"interrupted; the release was made and is in {out}; do not release again." in capsys.readouterr().err


def test_what_is_noted_with_a_refusal_is_printed_with_it(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As here: what is wrong, and that the release was made all the same."""

    def full(*_: object) -> None:
        raise OutputError("The disk is full.")

    monkeypatch.setattr("amun_dp.cli.commands._print_release", full)
    out = tmp_path / "out"
    assert main(["anonymize", str(example), "--advantage", "0.2", "--out", str(out), "--no-registry", "--quiet"]) == 2
    expected = f"amun-dp: The disk is full.\namun-dp: the release was made and is in {out}; do not release again.\n"
    assert capsys.readouterr().err == expected


def test_what_an_error_says_itself_is_not_noted_once_more(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OutputError("There is no room.")

    monkeypatch.setattr("amun_dp.cli.commands.write_out", full)
    out = tmp_path / "out"
    assert main(["anonymize", str(example), "--advantage", "0.2", "--out", str(out), "--no-registry", "--quiet"]) == 2
    assert capsys.readouterr().err.lower().count("the release was made and is in") == 1


def test_an_interruption_says_what_is_left_and_still_that_nothing_was_released(
    example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        interruption = KeyboardInterrupt()
        interruption.add_note("a folder is left")
        raise interruption

    monkeypatch.setattr("amun_dp.cli.commands.run_inspect", interrupted)
    assert main(["inspect", str(example)]) == 130
    assert capsys.readouterr().err == "\namun-dp: interrupted; nothing was released; a folder is left.\n"


def test_a_reader_that_goes_away_is_no_error(example: Path) -> None:
    command = f"{sys.executable} -m amun_dp.cli inspect {example} --quiet | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_help_is_fast_because_nothing_heavy_is_imported() -> None:
    script = (
        "import sys; from amun_dp.cli.parser import build_parser; build_parser(); "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pandas', 'pyarrow', 'opendp')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, env=os.environ).returncode == 0


@pytest.mark.parametrize(("own", "expected"), [(None, "1"), ("2", "2")])
def test_numpy_starts_no_threads_that_nobody_asked_for(example: Path, own: str | None, expected: str) -> None:
    """OpenBLAS has one a core, which turn idly and count as processor time."""
    script = (
        "import os, sys; from amun_dp.cli import main; assert 'numpy' not in sys.modules; "
        f"main(['inspect', {str(example)!r}, '--quiet']); assert 'numpy' in sys.modules; "
        f"sys.exit(os.environ['OPENBLAS_NUM_THREADS'] != '{expected}')"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {} if own is None else {"OPENBLAS_NUM_THREADS": own}
    done = subprocess.run([sys.executable, "-c", script], check=False, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("format", ["xes", "csv", "parquet"])
@pytest.mark.parametrize("method", ["filtering", "certified"])
def test_a_release_does_not_wait_for_pandas(tmp_path: Path, format: str, method: str) -> None:
    log = tmp_path / f"log.{format}"
    write_log(hospital_log(), log)
    options = ["--method", method, "--advantage", "0.3", "--out", str(tmp_path / "out"), "--no-registry"]
    script = (
        "import sys; from amun_dp.cli import main; "
        f"main({['anonymize', str(log), *options, '--quiet']}); sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, env=os.environ, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["inspect", "plan", "anonymize"])
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"example: amun-dp {command} " in " ".join(capsys.readouterr().out.split())
