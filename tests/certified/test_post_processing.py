"""A release is a function of noisy outputs and public facts: two different logs with the same ones release the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import amun_dp.certified
from accounting.events import PrivacyEvent, RepeatedRelease, Sequential, SharedByIndividual
from amun_dp._base.units import DAY, HOUR
from amun_dp.certified import CertifiedChoices, public_facts
from amun_dp.certified.choices import VariantForm
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms import gaussian_histogram, histograms
from tests.certified.cases import BEGIN, ordinary_cases, timed, with_individuals
from tests.certified.replaying import run, taped
from tests.logs import Case, log_of


def rows(log: EventLog) -> list[list[object]]:
    return [
        [log.activities[code] for code in log.activity],
        log.time.tolist(),
        log.offsets.tolist(),
        log.case_names.tolist(),
        list(log.activities),
    ]


def quite_different(number: int, letters: str = "abcd") -> list[Case]:
    """The same frequent variants, so that a threshold could release them; other times, numbers and rare variants."""
    cases: list[Case] = [timed(letters[::-1] * 30, BEGIN + day * DAY, HOUR) for day in range(30)]
    frequent = [letters, letters[:2], letters[0] + letters[-1], letters + letters[::-1]]
    while len(cases) < number:
        cases.append(timed(frequent[len(cases) % 4], BEGIN + 300 * DAY, len(cases) * 7))
    return cases


@pytest.mark.parametrize("individuals", [None, 2])
@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
@pytest.mark.parametrize("letters", ["ab", "abcd", "abcdefghijkl"])
def test_the_release_depends_on_noisy_outputs_and_public_facts_alone(
    form: VariantForm, individuals: int | None, letters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = ordinary_cases(1_000, letters=letters), quite_different(900, letters)
    choices = CertifiedChoices(form, individuals=individuals)
    owner = [number // 2 for number in range(1_000)]
    log, different = with_individuals(one, owner), with_individuals(other, owner[:900])
    facts = public_facts(log, None, choices)
    tape = taped(monkeypatch)
    first = run(log, facts, choices)
    tape.rewind()
    second = run(different, facts, choices)
    assert tape.position == len(tape.measurements)
    assert max(change.l1 for change in tape.changes) > 100  # what was measured does differ
    assert rows(first.log) == rows(second.log)
    assert first.events == second.events
    assert first.plan == second.plan


def parts_of(event: PrivacyEvent) -> list[PrivacyEvent]:
    match event:
        case Sequential():
            return [leaf for part in event.parts for leaf in parts_of(part)]
        case SharedByIndividual() | RepeatedRelease():
            return parts_of(event.part)
        case _:
            return [event]


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
def test_every_measurement_is_in_the_record(form: VariantForm, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = CertifiedChoices(form, individuals=2)
    log = log_of(ordinary_cases(1_000, letters="ab"))
    tape = taped(monkeypatch)
    released = run(log, public_facts(log, None, choices), choices, releases=2)
    recorded = parts_of(released.events)
    for taken in tape.measurements:
        assert sum(1 for event in recorded if event is taken.event) == 1


def test_only_histograms_draw_the_noise_of_mechanisms() -> None:
    certified = sorted(Path(amun_dp.certified.__path__[0]).rglob("*.py"))
    assert len(certified) > 20
    for module in [*certified, Path(histograms.__file__), Path(gaussian_histogram.__file__)]:
        names = {
            node.attr
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
        assert ("discrete_laplace" in names) == (module.name == "histograms.py"), module.name
        assert ("discrete_gaussian" in names) == (module.name == "gaussian_histogram.py"), module.name
