"""What a plan would spend, and ``amun-dp registry``."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounting.registry import key_file
from accounting.registry.views import PUBLISHED_FACT
from amun_dp.cli import main
from amun_dp.synthetic import hospital_log
from tests.budgets.steward import Steward

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
    assert exported["schema"] == "amun-dp/registry-export/2"
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
