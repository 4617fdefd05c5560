"""Budgets on the command line: what is reserved, what is refused, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accounting.registry.views import PUBLISHED_FACT, UNCONFIRMED
from amun_dp.cli import main
from tests.budgets.steward import Steward
from tests.commandline import SECRET


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
    code, _, err = steward.release(log, "--advantage", 0.4, "--releases", 100, "--allow-too-small")
    assert code == 1
    assert "--advantage 0.3 or less" in err
    assert steward.release(log, "--advantage", 0.1, "--releases", 6)[0] == 0
    for flags in (["--advantage", 0.1, "--releases", 1000, "--allow-too-small"], ["--advantage", 0.5]):
        code, _, err = steward.release(log, *flags)
        assert code == 1
        assert "has nothing left" in err
        assert f"{steward.only_log()} cannot be released again" in err
        assert "set-budget" not in err  # it gives nothing back
    steward.json("registry", "set-budget", steward.only_log(), "--advantage", 0.9)
    assert steward.release(log, "--advantage", 0.1, "--releases", 1000, "--allow-too-small")[0] == 1


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
    flags = err[err.index("set-budget ") + len("set-budget ") :].split(" --registry")[0].split()
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
        context.setattr("amun_dp.release.save.write_log", broken)
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
        context.setattr("amun_dp.release.save.write_log", full)
        _, _, err = steward.release(log, "--advantage", 0.3, "--releases", 3)
    assert "(1/3 of it) stays spent, because something of it may have been seen; 2/3 of it is left" in err
    assert "free space" in err
    assert steward.release(log, "--advantage", 0.3, "--releases", 3)[0] == 0


def test_a_release_refused_before_anything_is_drawn_spends_nothing(steward: Steward, log: Path) -> None:
    code, _, err = steward.release(log, "--advantage", 0.3, "--max-individual-loss", 0.001)
    assert code == 1
    assert "stays spent" not in err
    for flags, why in (([], "cannot protect fewer than"), (["--allow-too-small"], "nothing but noise")):
        code, _, err = steward.release(log, "--advantage", 1e-6, "--method", "oversampling", *flags)
        assert code == 2
        assert why in err
        assert "stays spent" not in err
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
