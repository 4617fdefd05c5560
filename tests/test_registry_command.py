"""Budgets on the command line: reserving, refusing, asking, and ``amun-dp registry``."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounting.registry import key_file
from accounting.registry.views import PUBLISHED_FACT, UNCONFIRMED
from amun_dp.cli import main
from amun_dp.eventlog import EventLog
from amun_dp.generator import hospital_log
from amun_dp.writing import write_log
from tests.commandline import SECRET
from tests.test_fingerprint import rebuilt


class Steward:
    """Runs commands on one registry, as a person at a desk does: nobody answers questions, and files pile up."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys, self._runs = folder, capsys, 0
        self.registry = folder / "registry.sqlite"

    def run(self, *arguments: object) -> tuple[int, str, str]:
        code = main([*map(str, arguments), "--registry", str(self.registry)])
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    def json(self, *arguments: object) -> Any:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def release(self, log: Path, *flags: object) -> tuple[int, str, str]:
        self._runs += 1
        out = self.folder / f"release-{self._runs}"
        found = self.run("anonymize", log, "--out", out, "--method", "sampling", *flags)
        assert out.exists() == (found[0] == 0)
        return found

    def log(self, log: EventLog, name: str) -> Path:
        write_log(log, self.folder / name)
        return self.folder / name

    def only_log(self) -> str:
        (log,) = self.json("registry", "list")["logs"]
        return str(log["log"])


@pytest.fixture
def steward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Steward:
    return Steward(tmp_path, capsys)


@pytest.fixture
def log(steward: Steward) -> Path:
    return steward.log(hospital_log(60), "log.csv")


# --- spending -------------------------------------------------------------------------------------------------------


def test_the_first_release_says_that_it_sets_the_budget_and_the_summary_what_is_left(
    steward: Steward, log: Path
) -> None:
    code, out, err = steward.release(log, "--advantage", 0.3, "--releases", 3)
    assert code == 0
    name = steward.only_log()
    assert f"first release of this log: it is {name} from now on" in err
    assert "its budget is set to advantage 0.3, published reading" in err
    assert "all of it was left, this release spent 1/3 of it, 2/3 of it is left" in out
    assert PUBLISHED_FACT in out


def test_what_would_overspend_is_refused_with_what_is_left_and_what_would_fit(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    code, out, err = steward.release(log, "--advantage", 0.3)
    assert (code, out) == (1, "")
    assert "has 2/3 of it left, and this release would spend all of it; nothing was drawn" in err
    assert "--releases 2" in err
    assert PUBLISHED_FACT in err
    assert steward.release(log, "--advantage", 0.3, "--releases", 2)[0] == 0
    code, _, err = steward.release(log, "--advantage", 0.4, "--releases", 100)
    assert code == 1
    assert "--advantage 0.3 or less" in err
    assert steward.release(log, "--advantage", 0.1, "--releases", 6)[0] == 0
    for flags in (["--advantage", 0.1, "--releases", 1000], ["--advantage", 0.5]):
        code, _, err = steward.release(log, *flags)
        assert code == 1
        assert "has nothing left" in err
        assert f"{steward.only_log()} cannot be released again" in err
        assert "set-budget" not in err  # it gives nothing back
    steward.json("registry", "set-budget", steward.only_log(), "--advantage", 0.9)
    assert steward.release(log, "--advantage", 0.1, "--releases", 1000)[0] == 1


def test_the_note_after_an_undivided_release_promises_nothing(steward: Steward, log: Path) -> None:
    _, _, err = steward.release(log, "--advantage", 0.3)
    assert "all of it is spent, and no further release fits a budget in this reading" in err
    assert "set-budget" not in err


def test_a_strict_budget_refuses_the_articles_methods_and_says_how_to_count_as_it_does(
    steward: Steward, log: Path
) -> None:
    steward.json("registry", "set-budget", log, "--reading", "strict", "--epsilon", 5)
    code, _, err = steward.release(log, "--advantage", 0.2)
    assert code == 1
    assert "without a strict bound" in err
    flags = err[err.index("set-budget ") + len("set-budget ") :].split(". ")[0].split()
    assert flags[1:] == ["--reading", "published", "--advantage", "0.2"]
    steward.json("registry", "set-budget", *flags)
    assert steward.release(log, "--advantage", 0.2)[0] == 0


def test_json_has_the_budget_before_and_after_and_the_public_report_nothing_of_it(steward: Steward, log: Path) -> None:
    code, out, _ = steward.release(log, "--advantage", 0.3, "--releases", 3, "--json", "--quiet")
    assert code == 0
    printed = json.loads(out)
    assert printed["budget"] == [
        {
            "log": steward.only_log(),
            "budget": {"reading": "published", "advantage": 0.3},
            "budget_set_by_this_release": True,
            "left_before": {"share": 1.0, "exactly": "1"},
            "spent": {"share": 0.333334, "exactly": "1/3"},
            "left": {"share": 0.666666, "exactly": "2/3"},
            "strictly_bounded": False,
        }
    ]
    for path in (steward.folder / "release-1").rglob("*"):
        if path.is_file():
            assert steward.only_log().encode() not in path.read_bytes()
    (release,) = steward.json("registry", "show", steward.only_log())["releases"]
    assert release["release"] == printed["release"]["id"]


def test_a_release_that_fails_after_it_was_reserved_says_that_it_stays_spent(
    steward: Steward, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    with monkeypatch.context() as context:
        context.setattr("amun_dp.folder.write_log", broken)
        code, _, err = steward.release(log, "--advantage", 0.3)
    assert code == 3
    assert SECRET not in err
    assert "no release was made, but what was reserved" in err
    assert "stays spent" in err
    assert "nothing is left. Nothing gives it back. Next time, --releases N" in err
    assert UNCONFIRMED in steward.run("registry", "show", steward.only_log())[1]
    assert "1 of the releases: " + UNCONFIRMED in steward.run("registry", "list")[1]
    assert steward.release(log, "--advantage", 0.3)[0] == 1


def test_a_failure_that_left_some_says_how_much_and_what_to_mend(
    steward: Steward, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr("amun_dp.folder.write_log", full)
        _, _, err = steward.release(log, "--advantage", 0.3, "--releases", 3)
    assert "(1/3 of it) stays spent, because noise may have been drawn; 2/3 of it is left" in err
    assert "free space" in err
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0


def test_a_release_refused_before_anything_is_drawn_spends_nothing(steward: Steward, log: Path) -> None:
    code, _, err = steward.release(log, "--advantage", 0.3, "--max-individual-loss", 0.001)
    assert code == 1
    assert "stays spent" not in err
    code, _, err = steward.release(log, "--advantage", 1e-6, "--method", "oversampling")
    assert code == 2
    assert "nothing but noise" in err
    assert not steward.registry.exists()


def test_a_seed_needs_an_explicit_word_that_nothing_is_recorded(steward: Steward, log: Path) -> None:
    code, _, err = steward.release(log, "--advantage", 0.3, "--seed", 1)
    assert code == 2
    assert "--no-registry" in err
    assert not steward.registry.exists()


def test_without_a_registry_nothing_is_recorded_and_the_flags_say_so(
    log: Path, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        out = log.parent / f"out-{number}"
        assert main(["anonymize", str(log), "--advantage", "0.3", "--out", str(out), "--no-registry", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["budget"] == []
    assert list(data_folder.iterdir()) == []
    wrong = ["anonymize", str(log), "--advantage", "0.3", "--out", "x", "--no-registry"]
    assert main([*wrong, "--new-log"]) == 2
    with pytest.raises(SystemExit) as stop:
        main([*wrong, "--registry", "file"])
    assert stop.value.code == 2


def test_the_default_registry_is_in_the_users_data_folder(
    log: Path, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["anonymize", str(log), "--advantage", "0.3", "--method", "sampling", "--out"]
    assert main([*arguments, str(log.parent / "one")]) == 0
    assert (data_folder / "amun-dp" / "registry.sqlite").exists()
    assert main([*arguments, str(log.parent / "two")]) == 1
    assert not (log.parent / "two").exists()
    capsys.readouterr()
    assert main(["registry", "list"]) == 0
    assert "nothing" in capsys.readouterr().out


# --- whose log it is ------------------------------------------------------------------------------------------------


@pytest.fixture
def grown(steward: Steward) -> Path:
    """The log with 40 of its 60 cases and without their last events, released already; and then as it is."""
    whole = hospital_log(60)
    rows = whole.case < 40
    rows[whole.offsets[1:] - 1] = False
    early = steward.log(rebuilt(whole, rows=rows), "early.csv")
    assert steward.release(early, "--advantage", 0.3, "--releases", 3)[0] == 0
    return steward.log(whole, "whole.csv")


def test_a_log_that_grew_is_refused_until_somebody_says_whose_it_is(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    flags = ("--advantage", 0.3, "--releases", 3)
    code, out, err = steward.release(grown, *flags)
    assert (code, out) == (1, "")
    assert f"40 of the 60 cases of this log are in {known} (40 cases)" in err
    assert f"--same-log-as {known}" in err
    assert "--new-log" in err
    assert steward.release(grown, *flags, "--same-log-as", known)[0] == 0
    assert steward.only_log() == known
    assert steward.release(grown, *flags)[0] == 0  # known by now
    assert steward.release(grown, *flags)[0] == 1


def test_other_people_are_a_declaration_and_a_new_log(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    flags = ("--advantage", 0.3, "--method", "sampling", "--new-log")
    declaration = f"40 of the 60 cases of this log are in {known} (40 cases); you declare that the people are others"
    assert declaration in steward.run("plan", grown, *flags)[1]
    code, _, err = steward.release(grown, *flags, "--quiet")
    assert code == 0
    assert f"warning: {declaration}, which is recorded" in err
    logs = steward.json("registry", "list")["logs"]
    assert len(logs) == 2
    new = logs[1]["log"]
    (declared,) = logs[1]["declared_other_people"]
    assert (declared["log"], declared["common"], declared["cases"]) == (known, 40, 60)
    for command in (["list"], ["show", new]):
        assert f"others than in {known}, with which it shared 40 of 60 cases" in steward.run("registry", *command)[1]
    (entry,) = [one for one in steward.json("registry", "export")["entries"] if one.get("other_people")]
    assert entry["other_people"] == {known: 40}
    code, _, err = steward.release(grown, "--advantage", 0.3, "--new-log")
    assert code == 2
    assert "case for case" in err


def test_part_of_a_log_is_about_the_same_people_whatever_is_said(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    known = steward.only_log()
    part = steward.log(rebuilt(hospital_log(60), rows=hospital_log(60).case < 20), "part.csv")
    code, _, err = steward.release(part, "--advantage", 0.3)
    assert code == 1
    assert f"Every case of this log (20) is in {known} (60 cases)" in err
    assert "--new-log" not in err  # no way out, so it is not offered
    code, _, err = steward.release(part, "--advantage", 0.3, "--new-log")
    assert code == 2
    assert f"Use --same-log-as {known} instead" in err
    assert steward.only_log() == known
    assert steward.release(part, "--advantage", 0.3, "--releases", 3, "--same-log-as", known)[0] == 0


def test_one_common_case_is_told_in_the_singular(steward: Steward) -> None:
    whole = hospital_log(60)
    one = steward.log(rebuilt(whole, rows=whole.case == 7), "one.csv")
    assert steward.release(one, "--advantage", 0.3)[0] == 0
    code, _, err = steward.release(steward.log(whole, "whole.csv"), "--advantage", 0.3)
    assert code == 1
    assert f"1 of the 60 cases of this log is in {steward.only_log()} (1 case)." in err


def test_another_reading_of_the_same_file_is_met_again(steward: Steward) -> None:
    """Starts instead of ends: every time is another one."""
    log = hospital_log(60)
    lines = ["case:concept:name,concept:name,lifecycle:transition,time:timestamp"]
    for row in range(log.n_events):
        for transition, later in (("start", 0), ("complete", 90_000)):
            stamp = np.datetime64(int(log.time[row]) + later, "ms")
            lines.append(f"{log.case_names[log.case[row]]},{log.activities[log.activity[row]]},{transition},{stamp}Z")
    path = steward.folder / "life.csv"
    path.write_text("\n".join(lines))
    assert steward.release(path, "--advantage", 0.3, "--lifecycle", "start")[0] == 0
    code, _, err = steward.release(path, "--advantage", 0.3, "--lifecycle", "complete")
    assert code == 1
    assert f"Every case of this log (60) is in {steward.only_log()} (60 cases), by likeness." in err


def test_a_union_spends_on_each_of_its_logs(steward: Steward, grown: Path) -> None:
    known = steward.only_log()
    whole = hospital_log(60)
    late = steward.log(rebuilt(whole, rows=whole.case >= 40), "late.csv")
    assert steward.release(late, "--advantage", 0.2, "--releases", 2)[0] == 0
    (other,) = [one["log"] for one in steward.json("registry", "list")["logs"] if one["log"] != known]
    flags = ("--advantage", 0.2, "--releases", 2, "--same-log-as", known)
    code, _, err = steward.release(grown, *flags)
    assert code == 1
    assert f"--same-log-as {other}" in err
    code, out, _ = steward.release(grown, *flags, "--same-log-as", other)
    assert code == 0
    assert f"Budget of {known}" in out
    assert f"Budget of {other}" in out
    assert {one["log"]: one["left"]["exactly"] for one in steward.json("registry", "list")["logs"]} == {
        known: "1/6",
        other: "0",
    }


def test_an_unknown_identifier_is_wrong_use(steward: Steward, grown: Path) -> None:
    code, _, err = steward.release(grown, "--advantage", 0.3, "--same-log-as", "L-zz")
    assert code == 2
    assert "registry list" in err


def answered(steward: Steward, log: Path, answer: str, out: str) -> tuple[int, str]:
    """Run ``anonymize`` on a terminal of its own and answer its question."""
    main_end, terminal = pty.openpty()
    command = [sys.executable, "-m", "amun_dp.cli", "anonymize", log, "--advantage=0.3", "--releases=3"]
    command += ["--method=sampling", f"--out={steward.folder / out}", f"--registry={steward.registry}"]
    process = subprocess.Popen(
        list(map(str, command)), stdin=terminal, stderr=terminal, stdout=subprocess.DEVNULL, close_fds=True
    )
    os.close(terminal)
    os.write(main_end, answer.encode())
    shown = b""
    while True:
        try:
            read = os.read(main_end, 10_000)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not read:
            break
        shown += read
    os.close(main_end)
    return process.wait(), shown.decode()


@pytest.mark.parametrize(
    ("answer", "code", "logs"),
    [("s\n", 0, 1), ("o\n", 0, 2), ("q\n", 1, 1), ("n\ny\nperhaps\n\nsame\n", 0, 1), ("\x04", 1, 1)],
)
def test_on_a_terminal_the_user_is_asked(steward: Steward, grown: Path, answer: str, code: int, logs: int) -> None:
    known = steward.only_log()
    found, shown = answered(steward, grown, answer, "asked")
    question = f"40 of the 60 cases of this log are in {known} (40 cases). [s]ame log / [o]ther people / [q]uit"
    assert shown.count(question) == (5 if "perhaps" in answer else 1)
    assert ("nothing was drawn" in shown) == (code == 1)
    assert ("you declare that the people are others" in shown) == (logs == 2)
    assert found == code, shown
    assert (steward.folder / "asked").exists() == (code == 0)
    assert len(steward.json("registry", "list")["logs"]) == logs


def test_on_a_terminal_part_of_a_log_cannot_be_called_other_people(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    part = steward.log(rebuilt(hospital_log(60), rows=hospital_log(60).case < 20), "part.csv")
    found, shown = answered(steward, part, "o\nq\n", "asked")
    assert found == 1
    assert shown.count(f"Every case of this log (20) is in {steward.only_log()} (60 cases). [s]ame log / [q]uit") == 2


# --- plan -----------------------------------------------------------------------------------------------------------


def test_plan_says_what_a_release_would_spend_and_writes_nothing(steward: Steward, log: Path) -> None:
    arguments = ("plan", log, "--method", "sampling", "--advantage", 0.3)
    (charge,) = steward.json(*arguments)["budget"]["charges"]
    assert (charge["log"], charge["budget_set_by_this_release"], charge["left"]["exactly"]) == (None, True, "0")
    new = (
        "Budget: a new log. This release would set its budget to advantage 0.3 (published reading) and spend all of "
        "it; --releases N keeps some."
    )
    assert new in steward.run(*arguments)[1]
    assert "and spend 1/3 of it.\n" in steward.run(*arguments, "--releases", 3)[1]
    code, _, err = steward.run(*arguments, "--same-log-as", "L-123456")
    assert code == 2
    assert "no registry" in err
    assert not steward.registry.exists()
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0
    before = {path: path.read_bytes() for path in (steward.registry, key_file(steward.registry))}
    _, out, _ = steward.run(*arguments, "--releases", 3)
    assert "2/3 of it is left, this release would spend 1/3 of it and leave 1/3 of it" in out
    assert PUBLISHED_FACT in out
    _, out, _ = steward.run(*arguments)
    assert "anonymize would refuse it: " in out
    found = steward.json(*arguments, "--releases", 3)["budget"]
    assert found["charges"][0]["left"]["exactly"] == "1/3"
    assert steward.json(*arguments)["budget"]["charges"] == []
    other = steward.log(hospital_log(60, seed=5), "new.csv")
    assert new in steward.run("plan", other, "--advantage", 0.3)[1]
    assert {path: path.read_bytes() for path in before} == before
    assert main([*map(str, arguments), "--no-registry", "--json"]) == 0


# --- amun-dp registry -----------------------------------------------------------------------------------------------


def test_a_budget_is_set_before_the_first_release_by_the_log_itself(steward: Steward, log: Path) -> None:
    shown = steward.json("registry", "set-budget", log, "--reading", "published", "--advantage", 0.5)
    assert (shown["budget"]["advantage"], shown["releases"], shown["budget_set_by"]) == (0.5, [], "steward")
    _, out, err = steward.release(log, "--advantage", 0.3, "--releases", 2)
    assert "first release" not in err
    assert f"Budget of {shown['log']} (advantage 0.5, published reading)" in out
    again = steward.json("registry", "set-budget", shown["log"], "--advantage", 0.3)  # the reading stays
    assert again["budget"] == {"reading": "published", "advantage": 0.3}


def test_a_published_budget_given_as_epsilon_is_converted_and_said(steward: Steward, log: Path) -> None:
    code, out, err = steward.run("registry", "set-budget", log, "--reading", "published", "--epsilon", 1)
    assert code == 0
    assert "advantage 0.244918" in out  # tanh(1/4) = 0.24491866…
    assert "0.244918 at the worst prior" in err


def test_a_strict_budget_shows_its_advantage_where_there_is_no_delta(steward: Steward, log: Path) -> None:
    shown = steward.json("registry", "set-budget", log, "--reading", "strict", "--advantage", 0.2)
    assert shown["budget"]["epsilon"] == 0.81093  # 4·artanh(0.2) = 0.8109302…
    assert shown["budget"]["advantage"] == 0.2
    shown = steward.json("registry", "set-budget", shown["log"], "--epsilon", 2, "--dp-delta", "1e-6")
    assert shown["budget"] == {
        "reading": "strict",
        "scope": "case",
        "relation": "replace",
        "epsilon": 2.0,
        "delta": 1e-6,
        "advantage": None,
    }
    assert PUBLISHED_FACT not in steward.run("registry", "list")[1]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--advantage", "0.3"], "--reading"),
        (["--reading", "published", "--advantage", "1"], "between 0 and 1"),
        (["--reading", "strict", "--epsilon", "0"], "positive"),
        (["--reading", "strict", "--epsilon", "1", "--dp-delta", "1"], "below 1"),
        (["--reading", "published", "--advantage", "0.3", "--dp-delta", "0.1"], "no δ"),
        (["--reading", "published", "--epsilon", "1e-99"], "positive"),
        (["--reading", "strict", "--epsilon", "1e-99"], "positive"),
        (["--reading", "published", "--advantage", "1e-99"], "between 0 and 1"),
        (["--reading", "strict", "--advantage", f"0.{'9' * 90}"], "between 0 and 1"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(steward: Steward, log: Path, flags: list[str], says: str) -> None:
    code, out, err = steward.run("registry", "set-budget", log, *flags)
    assert (code, out) == (2, "")
    assert says in err


def test_a_budget_below_what_is_spent_is_refused(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3)[0] == 0
    for flags, reason in (
        (["--advantage", 0.2], "a release of it was calibrated for advantage 0.3"),
        (["--reading", "strict", "--epsilon", 100], "no strict bound"),
    ):
        code, _, err = steward.run("registry", "set-budget", steward.only_log(), *flags)
        assert code == 1
        assert reason in err


@pytest.mark.parametrize("number", ["1e-400", "1e-1000000000", "1e-99999999999999999999", "1e400", "1/0", "half"])
def test_a_number_that_cannot_be_written_out_is_wrong_use_at_once(
    steward: Steward, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        steward.run("registry", "set-budget", "L-123456", "--reading", "published", "--epsilon", number)
    assert stop.value.code == 2
    assert "number" in capsys.readouterr().err


def test_delta_is_an_advantage_everywhere_so_a_budgets_delta_has_another_name(steward: Steward, log: Path) -> None:
    with pytest.raises(SystemExit):
        steward.run("registry", "set-budget", log, "--reading", "strict", "--epsilon", 1, "--delta", 0.1)


@pytest.mark.parametrize("flags", [["--epsilon", "1e-9"], ["--advantage", "1e-9"], ["--advantage", "0.999999999"]])
@pytest.mark.parametrize("reading", ["strict", "published"])
def test_the_least_and_the_largest_budgets_are_budgets(
    steward: Steward, log: Path, flags: list[str], reading: str
) -> None:
    shown = steward.json("registry", "set-budget", log, "--reading", reading, *flags)
    assert all(value > 0 for name, value in shown["budget"].items() if name in ("epsilon", "advantage"))


def test_a_log_without_a_release_says_so_and_has_no_strict_cost_yet(steward: Steward, log: Path) -> None:
    shown = steward.json("registry", "set-budget", log, "--reading", "published", "--advantage", 0.3)
    assert shown["strictly_bounded"] is None
    assert "no release yet" in steward.run("registry", "show", shown["log"])[1]


def test_the_beginning_of_every_identifier_is_not_said_to_begin_none(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3)[0] == 0
    code, _, err = steward.run("registry", "show", "L-")
    assert code == 2
    assert "Every identifier begins with 'L-'" in err


def test_show_tells_what_each_release_spent_at_each_scope(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 2)[0] == 0
    name = steward.only_log()
    text = steward.run("registry", "show", name[:5])[1]
    for part in (
        name,
        "advantage 0.3, published reading",
        "by the first release",
        "1/2 of it",
        "unbounded",
        "published",
    ):
        assert part in text
    assert PUBLISHED_FACT in text
    (release,) = steward.json("registry", "show", name)["releases"]
    lines = {(one["reading"], one["scope"], one["relation"]): one for one in release["at_each_scope"]}
    assert {scope for _, scope, _ in lines} == {"cell", "event", "case", "individual"}
    # This release alone: half of 4·artanh(0.3) = 1.238…, and what has no bound is said to have none.
    assert lines["published", "cell", "add-remove"]["epsilon"] == pytest.approx(1.238078 / 2, abs=2e-5)
    assert lines["strict", "case", "replace"]["bounded"] is False


def test_list_and_export_of_an_empty_or_missing_registry(steward: Steward, log: Path) -> None:
    for action in ("list", "export"):
        code, out, err = steward.run("registry", action)
        assert (code, out) == (2, "")
        assert "no registry" in err
    assert not steward.registry.exists()
    assert steward.release(log, "--advantage", 0.3)[0] == 0
    exported = steward.json("registry", "export")
    assert exported["schema"] == "amun-dp/registry-export/1"
    assert exported["entries"][0]["kind"] == "created"


def test_a_damaged_registry_is_refused_before_the_log_is_read(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3, "--releases", 2)[0] == 0
    damaged = bytearray(steward.registry.read_bytes())
    damaged[damaged.index(b'"advantage"')] ^= 1
    steward.registry.write_bytes(damaged)
    for command in (["list"], ["show", "L-1"], ["export"], ["set-budget", "L-1", "--advantage", "0.9"]):
        code, out, err = steward.run("registry", *command)
        assert (code, out) == (2, "")
        assert "damaged" in err
    code, _, err = steward.release(Path("missing.csv"), "--advantage", 0.3)
    assert code == 2
    assert "damaged" in err
    assert steward.registry.read_bytes() == damaged


def test_help_tells_the_two_registries_apart_and_what_both_declarations_together_mean(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")  # no word is divided
    with pytest.raises(SystemExit):
        main(["anonymize", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "in a .yaml or .json file for the OpenDP deployments registry" in shown
    assert "another thing than the registry of budgets" in shown
    assert "others than in every log that --same-log-as does not name" in shown


@pytest.mark.parametrize("action", ["list", "show", "set-budget", "export"])
def test_every_action_has_help_with_an_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["registry", action, "--help"])
    assert stop.value.code == 0
    assert f"example: amun-dp registry {action}" in " ".join(capsys.readouterr().out.split())
