"""What a run computes from a whole log, or from a whole report, it computes once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from amun_dp.cli import main
from amun_dp.eventlog.variants import find_variants
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each function ran; logs are told apart by their number of events."""
    found: Counter[str] = Counter()

    def count(name: str, key: Callable[..., str], *users: str) -> None:
        modules = [import_module(f"amun_dp.{user}") for user in users]
        function = getattr(modules[0], name)

        def counted(*arguments: Any) -> Any:
            found[key(*arguments)] += 1
            return function(*arguments)

        for module in modules:
            monkeypatch.setattr(module, name, counted)

    users = ("eventlog.variants", "eventlog.language", "certified.public_facts")
    count("distinct", lambda flow, _: f"variants of {len(flow.activity)} events", *users)
    count("build_dafsa", lambda _: "automaton", "article.step1_annotation")
    count("public_account", lambda _: "guarantees", "report.public_report")
    count("card_of", lambda _: "card", "report.public_report", "report.card")
    return found


CASES = 1_000
METHODS: list[dict[str, Any]] = [
    {"method": "filtering"},
    {"method": "certified", "variants": "generated"},
    {"method": "certified", "variants": "public", "variants_from_log": True},
]


@pytest.mark.parametrize("asked", METHODS, ids=lambda asked: asked.get("variants", asked["method"]))
def test_a_release_finds_the_variants_of_each_log_and_its_own_label_once(
    asked: dict[str, Any], computed: Counter[str], tmp_path: Path
) -> None:
    log = hospital_log(cases=CASES)
    release = amun_dp.anonymize(log, 0.4, seed=1, **asked)
    assert release.event_log.n_events != log.n_events
    release.save(tmp_path / "out")
    assert release.report.card.heading
    assert computed[f"variants of {log.n_events} events"] == 1
    assert computed[f"variants of {release.event_log.n_events} events"] == 1
    assert computed["automaton"] == (asked["method"] == "filtering")
    assert computed["card"] == computed["guarantees"] == 1


def test_a_sweep_builds_one_automaton_for_all_its_advantages(
    computed: Counter[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, path = hospital_log(cases=CASES), tmp_path / "log.parquet"
    write_log(log, path)
    assert main(["plan", str(path), "--sweep", "0.2", "0.3", "0.4", "--json"]) == 0
    assert capsys.readouterr().out.count('"advantage"') == 3
    assert (computed["automaton"], computed[f"variants of {log.n_events} events"]) == (1, 1)


def test_what_is_kept_of_a_log_goes_with_it_and_never_to_another() -> None:
    small, large = hospital_log(cases=20), hospital_log(cases=30)
    found = find_variants(small)
    assert find_variants(small) is found
    assert len(find_variants(large).of_case) == 30
    assert find_variants(hospital_log(cases=20)) is not found
