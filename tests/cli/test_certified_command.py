"""The certified method on the command line: plan and anonymize, public facts in files, refusals and exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp.folder.names import FILE_NAMES
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.writing import write_log
from tests.certified.cases import BEGIN, END
from tests.certified.frequent import FORMS, FREQUENT, UNIQUE, frequent_log, people_log
from tests.commandline import refused, run
from tests.logs import log_of, variants_of

FACTS: dict[str, Any] = {
    "activities": ["a", "b", "c", "d"],
    "first": "2020-01-01",
    "last": "2020-12-31",
    "longest_days": 60,
    "cases": 2_000,
    "variants": [list(word) for word in (*FREQUENT, "adcb")],  # one more than the log has
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    write_log(frequent_log(), path)
    return path


@pytest.fixture
def unique(tmp_path: Path) -> Path:
    path = tmp_path / "unique.csv"
    write_log(log_of(UNIQUE), path)
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table with the person behind each case: what is released has none, so the column is put there by hand."""
    path = tmp_path / "people.csv"
    table = people_log()
    frame = table.to_pandas()
    person = dict(zip(table.case_names, table.individuals.tolist(), strict=True))
    frame["patient"] = [f"p{person[name]}" for name in frame["case:concept:name"]]
    frame.to_csv(path, index=False)
    return path


def facts_file(folder: Path, stated: object, name: str = "facts.json") -> Path:
    (folder / name).write_text(stated if isinstance(stated, str) else json.dumps(stated), encoding="utf-8")
    return folder / name


def plan(log: Path, *more: object) -> list[object]:
    return ["plan", log, "--advantage", 0.2, "--method", "certified", "--no-registry", *more]


def anonymize(log: Path, *more: object) -> list[object]:
    return ["anonymize", log, "--advantage", 0.2, "--method", "certified", "--out", log.parent / "out", *more]


# --- plan -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_is_shown_and_nothing_is_written(form: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(log.parent.iterdir())
    code, out, _ = run(capsys, *plan(log, "--variants", form))
    assert code == 0
    assert f"plan at advantage 0.2, method certified, variants {form}" in out
    assert "ε for a whole case" in out
    assert "0.8109" in out
    assert "Nothing was drawn or spent." in out
    assert "keep" in out.lower()
    assert "taken from the log" in out
    assert ("a variant needs about" in out) == (form == "threshold")
    assert ("expected to be kept" in out) == (form == "threshold")
    assert "is disclosed by that choice" in out if form == "public" else "disclosed" not in out
    for part in ("control flow", "durations", "start times"):
        assert part in out
    assert set(log.parent.iterdir()) == before


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_is_shown_as_json(form: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *plan(log, "--variants", form, "--releases", 2, "--json"))
    assert code == 0
    found = json.loads(out)
    assert found["confidential"].startswith("CONFIDENTIAL")
    assert (found["advantage"], found["method"], found["form"], found["scope"]) == (0.2, "certified", form, "case")
    assert "conventions" not in found
    assert (found["cases"], found["variants"]) == (2_000, 4)
    assert found["epsilon"] == pytest.approx(0.81093, rel=1e-4)
    assert sum(part["epsilon"] for part in found["parts"]) == pytest.approx(found["epsilon"] / 2)
    assert (found["threshold"] is not None) == (form == "threshold") == (found["delta"] > 0)


def test_a_plan_says_what_a_threshold_would_keep_and_what_to_do_instead(
    log: Path, unique: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, *plan(unique))
    assert re.search(r"expected to be kept +0\.0% of the cases", out)
    assert "--variants generated needs no frequent ones" in out
    _, out, _ = run(capsys, *plan(log))
    assert re.search(r"expected to be kept +(9\d\.\d|100\.0)% of the cases", out)
    assert "too rare" not in out


def test_the_price_of_the_unit_is_in_the_plan(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *plan(people, "--variants", "generated"))
    assert "for an individual with up to C cases all noise is C times this" in out
    scope = ("--individual", "patient", "--scope", "individual", "--max-cases-per-individual", 3)
    _, out, _ = run(capsys, *plan(people, "--variants", "generated", *scope))
    assert "all noise is 3 times what it would be for one case" in out
    assert "ε for an individual with all their cases that count" in out


# --- anonymize ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_release_is_made_and_described(form: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = form == "public"
    code, out, _ = run(capsys, *anonymize(log, "--variants", form, *(("--variants-from-log",) if own else ())))
    assert code == 0
    assert f"{'◐' if own else '✓'} A guarantee about {'the counts and times of ' if own else ''}one case" in out
    promised = "(P + 20 points) + δ" if form == "threshold" else "20 points higher than before"
    assert promised in " ".join(out.split())
    assert "method certified" in out
    loaded = amun_dp.load_release(log.parent / "out")
    assert isinstance(loaded.report.parameters, CertifiedParameters)
    assert loaded.report.parameters.variants == form


@pytest.mark.parametrize("format", FILE_NAMES)
def test_a_release_is_described_as_json(format: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *anonymize(log, "--variants", "generated", "--format", format, "--json"))
    assert code == 0
    found = json.loads(out)
    assert found.pop("directory") == str(log.parent / "out")
    assert found.pop("budget") == []
    assert found == json.loads((log.parent / "out" / "report.json").read_bytes())
    assert found["released"]["file"] == FILE_NAMES[format]


def test_delta_and_releases_are_taken_over(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *anonymize(log, "--dp-delta", 1e-4, "--releases", 2, "--json"))
    assert code == 0
    found = json.loads(out)
    assert found["parameters"]["delta"] == pytest.approx(1e-4)
    assert found["releases"] == 2
    assert found["advantage"] == 0.2  # --delta is the advantage, --dp-delta is not


def test_individuals_are_protected_where_a_bound_is_declared(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scope = ("--individual", "patient", "--scope", "individual", "--max-cases-per-individual", 3)
    code, out, _ = run(capsys, *anonymize(people, "--variants", "generated", *scope, "--json"))
    assert code == 0
    found = json.loads(out)
    assert found["individuals"] == {"max_cases": 3, "by": "truncation"}
    assert (found["parameters"]["scope"], found["parameters"]["cases"]) == ("individual", None)


def test_a_seed_is_warned_of(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *anonymize(log, "--variants", "public", "--variants-from-log", "--seed", 3))
    assert code == 0
    assert "NOT private" in err
    assert "NOT PRIVATE" in out
    assert not amun_dp.load_release(log.parent / "out").report.unpredictable


# --- public facts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_public_facts_are_read_from_json(form: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = facts_file(log.parent, FACTS)
    code, out, _ = run(capsys, *plan(log, "--variants", form, "--public", facts, "--json"))
    assert code == 0
    assert json.loads(out)["from_log"] == []
    _, out, _ = run(capsys, *plan(log, "--variants", form, "--public", facts))
    assert re.search(r"taken from the log +nothing", out)
    code, out, _ = run(capsys, *anonymize(log, "--variants", form, "--public", facts, "--json"))
    assert code == 0
    stated = json.loads(out)["parameters"]
    assert stated["from_log"] == []
    assert (stated["first_ms"], stated["last_ms"], stated["cases"]) == (BEGIN, END, 2_000)


@pytest.mark.parametrize("name", ["past.xes.gz", "past.csv", "past.parquet"])
def test_a_log_gives_its_variants(name: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    past = log_of([[("a", 0), ("b", 1)], [("b", 5)], [("a", 7), ("b", 9), ("elsewhere", 11)]])
    write_log(past, log.parent / name)
    code, out, _ = run(capsys, *anonymize(log, "--variants", "public", "--public", log.parent / name, "--json"))
    assert code == 0
    stated = json.loads(out)["parameters"]
    assert stated["public_variants"] == 3
    assert stated["from_log"] == ["number of cases", "time frame"]
    assert variants_of(amun_dp.load_release(log.parent / "out").event_log) <= variants_of(past)


BROKEN = {
    "half": "{",
    "nothing": "",
    "a list": "[]",
    "a number": "3",
    "no utf-8": "\ud800",
    "an unknown key": {"alphabet": ["a"]},
    "a misspelt key": {"Cases": 3},
    "cases in words": {"cases": "many"},
    "half a case": {"cases": 1.5},
    "no time": {"first": "yesterday"},
    "backwards": {"first": "2020-02-01", "last": "2020-01-01"},
    "no duration": {"longest_days": 0},
    "an endless duration": '{"longest_days": 1e999}',
    "an empty variant": {"variants": [[]]},
    "labels that are no texts": {"activities": [1, 2]},
    "an empty label": {"activities": ["", "a"]},
    "a key that is given twice": '{"cases": 3, "cases": 4}',
    "deep": "[" * 100_000,
    "a long number": '{"cases": ' + "9" * 5_000 + "}",
}


@pytest.mark.parametrize("stated", BROKEN.values(), ids=BROKEN)
def test_facts_that_make_no_sense_are_refused_before_anything_is_drawn(
    stated: object, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = log.parent / "facts.json"
    text = stated if isinstance(stated, str) else json.dumps(stated)
    facts.write_bytes(text.encode("utf-8", "surrogatepass"))
    for command in (plan, anonymize):
        message = refused(capsys, *command(log, "--variants", "generated", "--public", facts))
        assert "public" in message.lower()
    assert not (log.parent / "out").exists()


def test_an_unknown_key_is_named_with_the_known_ones(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, *plan(log, "--public", facts_file(log.parent, {"alphabet": ["a"], "cases": 3})))
    assert "alphabet" in message
    assert "activities, first, last, longest_days, cases, individuals, variants" in message


def test_files_that_cannot_be_facts_are_refused(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ".json" in refused(capsys, *plan(log, "--public", facts_file(log.parent, "{}", "facts.txt")))
    assert "missing.json" in refused(capsys, *plan(log, "--public", log.parent / "missing.json"))
    assert "missing.xes" in refused(capsys, *plan(log, "--public", log.parent / "missing.xes"))
    (log.parent / "folder.json").mkdir()
    assert "folder.json" in refused(capsys, *plan(log, "--public", log.parent / "folder.json"))


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--variants", "generated", "--dp-delta", 1e-6), "--dp-delta"),
        (("--variants", "public", "--dp-delta", 1e-6), "--dp-delta"),
        (("--dp-delta", 0.5), "at most 0.01"),
        (("--dp-delta", 0), "positive"),
        (("--scope", "individual"), "--max-cases-per-individual"),
        (("--one-case-per-individual", "--max-cases-per-individual", 3), "Leave one of them out"),
        (("--one-case-per-individual", "--scope", "individual"), "Use one of them"),
        (("--max-cases-per-individual", 0), "above 0"),
        (("--scope", "event"), "--scope case"),
        (("--scope", "individual", "--max-cases-per-individual", 3), "--individual"),
        (("--max-case-length", 9), "--max-case-length"),
        (("--max-individual-loss", 9), "--max-individual-loss"),
        (("--conventions", "article"), "--conventions"),
        (("--window", 60), "windows"),
        (("--releases", 0), "releases"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_does_not_belong_together_is_refused(
    options: tuple[object, ...], named: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (plan, anonymize):
        assert named in refused(capsys, *command(log, *options))
    assert not (log.parent / "out").exists()


@pytest.mark.parametrize(
    "options",
    [("--public", "facts.json"), ("--dp-delta", 1e-6), ("--variants", "threshold"), ("--scope", "individual")],
)
def test_what_only_the_certified_method_has_is_refused_elsewhere(
    options: tuple[object, ...], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert str(options[0]).removeprefix("--") in refused(capsys, "plan", log, "--advantage", 0.2, *options)


def test_an_unknown_form_is_refused_by_the_parser(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(capsys, *plan(log, "--variants", "magic"))
    assert ended.value.code == 2
    assert "threshold" in capsys.readouterr().err


# --- an empty release -----------------------------------------------------------------------------------------------

NOT_BY_CHANCE = ("--dp-delta", 1e-12)
"""For each of 20 variants, the probability that it is released although one case has it."""


@pytest.mark.parametrize("json_wanted", [False, True])
def test_an_empty_threshold_release_is_explained_and_nothing_is_left(
    json_wanted: bool, unique: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(unique.parent.iterdir())
    code, out, err = run(
        capsys, *anonymize(unique, *NOT_BY_CHANCE, "--allow-too-small", *(("--json",) if json_wanted else ()))
    )
    assert code == 1
    assert out == ""
    assert "No variant is frequent enough" in err
    assert "the budget is spent" in err
    assert "--variants generated" in err
    assert "Traceback" not in err
    assert set(unique.parent.iterdir()) == before


def test_an_empty_release_leaves_an_earlier_one_as_it_was(unique: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *anonymize(unique, "--variants", "generated"))[0] == 0
    content = (unique.parent / "out" / "report.json").read_bytes()
    assert run(capsys, *anonymize(unique, *NOT_BY_CHANCE, "--allow-too-small", "--force"))[0] == 1
    assert (unique.parent / "out" / "report.json").read_bytes() == content


# --- help -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["plan", "anonymize"])
def test_the_help_names_the_method_and_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(capsys, command, "--help")
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for words in ("certified", "--variants", *FORMS, "--public FILE", "--dp-delta", "--scope", "longest_days"):
        assert words in text
