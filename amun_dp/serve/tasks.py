"""What the worker does: read and inspect, plan, sweep, release, verify. Answers are plain data for the page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from accounting.registry import Declared, Fingerprint, Hasher
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.preview import Preview, preview
from amun_dp.budgets.refusals import SameLogQuestion, overlap_text
from amun_dp.budgets.spending import Chargeable, Spending, open_registry, reserve_plan
from amun_dp.budgets.wording import describe_charges
from amun_dp.errors import AmunError, BudgetError, InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.folder.names import check_escaping, file_name
from amun_dp.noise.sources import noise_source
from amun_dp.reading import read_log
from amun_dp.reading.headers import column_names
from amun_dp.release.inspect import inspect
from amun_dp.release.methods import Planned, beforehand, carry_out, check_release, make_plan, requested
from amun_dp.release.sweep import ADVANTAGES, sweep
from amun_dp.report.card import Card
from amun_dp.report.parameters import Asked
from amun_dp.serve.charts import exposure_chart, sweep_chart
from amun_dp.serve.step_weights import INSPECT, READ, SWEEP_STEP, expected, plan_steps, release_steps, verify_steps
from amun_dp.serve.unpacking import unpack_release
from amun_dp.writing import check_target
from amun_dp.writing.formulas import formula_labels, formula_note

Say = Callable[[dict[str, Any]], None]
Question = dict[str, Any]


@dataclass(slots=True)
class Bench:
    """The worker's state: the log it read last, and how to say something on the way."""

    say: Say
    key: tuple[Any, ...] | None = None
    log: EventLog | None = None
    known: tuple[Hasher, Fingerprint] | None = None
    """Fingerprint of this log, once its budget was looked at: to take it costs more than all else a slider moves."""
    step: str = ""
    """Of the job at hand."""
    charging: bool = False
    """Whether a budget may have been charged for it."""

    def progress(self, step: str) -> None:
        self.step = step
        self.say({"step": step})

    def begin(self) -> None:
        """Another job."""
        self.step, self.charging = "", False

    def expect(self, question: Question, steps: Sequence[str]) -> None:
        """Announce the steps that will come; reading is one of them unless this log is at hand."""
        first = () if self._key(question) == self.key else (READ,)
        self.say({"steps": expected([*first, *steps])})

    def read(self, question: Question) -> EventLog:
        """The log that is asked for; read again only if it is another, or has changed since."""
        key = self._key(question)
        if self.log is None or key != self.key:
            self.progress(READ)
            self.log, self.key, self.known = None, None, None  # two logs at once would be twice the memory
            self.log = read_log(Path(question["log"]["path"]), **question["log"]["reading"])
            self.key = key
        return self.log

    @property
    def identity(self) -> str:
        """Of the log that was read, and how: another one when the file has changed."""
        return hashlib.sha256(repr(self.key).encode()).hexdigest()

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        if self.known is None or self.known[0] != hasher:
            assert self.log is not None  # whose plan is looked at
            self.known = hasher, fingerprint(self.log, hasher)
        return self.known[1]

    @staticmethod
    def _key(question: Question) -> tuple[Any, ...] | None:
        chosen = question["log"]
        try:
            found = Path(chosen["path"]).stat()
        except OSError:
            return None
        return (chosen["path"], found.st_mtime_ns, found.st_size, *sorted(chosen["reading"].items()))


def inspect_log(bench: Bench, question: Question) -> dict[str, Any]:
    """What is in the log, and how exposed its people are."""
    bench.expect(question, INSPECT)
    try:
        log = bench.read(question)
    except AmunError:
        bench.say({"columns": column_names(Path(question["log"]["path"]))})  # so that the page can offer them
        raise
    found = inspect(log, progress=bench.progress).reveal()
    return {
        "facts": asdict(log.facts),
        "has_individuals": log.individual is not None,
        "inspection": asdict(found),
        "picture": exposure_chart(found),
        "columns": sorted({*log.facts.columns, *log.facts.dropped_attributes}),
    }


def plan_release(bench: Bench, question: Question) -> dict[str, Any]:
    """What a release would do and cost. Nothing is drawn or spent."""
    parameters = _parameters(question["choices"])
    bench.expect(question, plan_steps(parameters.method, question["registry"] is not None))
    log = bench.read(question)
    planned = make_plan(log, parameters, bench.progress)
    found = beforehand(planned, allow_too_small=question["choices"]["allow_too_small"])
    return {
        "read": bench.identity,
        "kind": parameters.family,
        "summary": asdict(planned.summary.reveal()),
        "refused": found.refused,
        "told": list(found.told),
        "formulas": formula_note(number) if (number := formula_labels(log.activities)) else None,
        "budget": _budget(bench, planned, question),
    }


def _budget(bench: Bench, planned: Planned, question: Question) -> dict[str, Any] | None:
    """What it would spend, or why it would be refused; None where no registry is kept."""
    if question["registry"] is None:
        return None
    bench.progress("looking at the budget")
    found = preview(planned, question["registry"], _declared(question["declared"]), bench.fingerprint)
    return {
        "refused": None if found.question else found.refused,
        "lines": [line for line in describe_charges(found.charges, would=True) if line],
        "question": _asked(found),
        "others": [overlap_text(other) for other in found.others],
    }


def _asked(found: Preview) -> list[dict[str, Any]]:
    return [{"log": one.log, "words": f"{overlap_text(one)}.", "contained": one.contained} for one in found.question]


def sweep_log(bench: Bench, question: Question) -> dict[str, Any]:
    """What each of several advantages would cost."""
    choices = question["choices"]

    def asked(advantage: float) -> Asked:
        return _parameters(choices | {"advantage": advantage})

    steps = [SWEEP_STEP.format(advantage) for advantage in ADVANTAGES]
    bench.expect(question, steps)
    rows = sweep(bench.read(question), asked, ADVANTAGES, bench.progress).reveal()
    return {"rows": [asdict(row) for row in rows], "picture": sweep_chart(rows, choices["method"])}


def make_release(bench: Bench, question: Question) -> dict[str, Any]:
    """Charge the budget, draw, write. From the charge on what is reserved stays spent, whatever happens."""
    parameters = _parameters(question["choices"])
    registry = question["registry"]
    check_target(Path(question["out"]), force=False)  # before anything is charged
    bench.expect(question, release_steps(parameters.method, registry is not None))
    log = bench.read(question)
    if bench.identity != question["read"]:
        raise InputError("The log has changed since it was planned. Read it again; nothing was drawn or spent.")
    check_escaping(file_name(question["format"] or log.facts.format), question["escape_formulas"])
    planned = make_plan(log, parameters, bench.progress)
    check_release(planned, allow_too_small=question["choices"]["allow_too_small"])

    def reserve(plan: Chargeable, release: str) -> Spending:
        bench.progress("charging the budget")
        bench.charging = True
        bench.say({"charging": release})
        try:
            spending = reserve_plan(open_registry(registry), plan, release, declared=_declared(question["declared"]))
        except SameLogQuestion as asked:
            raise BudgetError(
                f"{' '.join(f'{overlap_text(one)}.' for one in asked.overlaps)} Say below whether it is the same log."
            ) from asked
        bench.say({"charged": _charges(spending)})
        return spending

    release = carry_out(planned, noise_source(None), bench.progress, None if registry is None else reserve)
    bench.progress("writing the release")
    report = release.save(question["out"], format=question["format"], escape_formulas=question["escape_formulas"])
    return {
        "name": question["name"],
        "budget": [] if release.spending is None else _charges(release.spending),
        "released": asdict(report.released),
        "one_of_a_kind": str(release.internals.reveal().one_of_a_kind),
        "card": _card(report.card),
    }


def _charges(spending: Spending) -> list[str]:
    return [line for line in describe_charges(spending.reservation.charges) if line]


def _card(card: Card) -> dict[str, Any]:
    return asdict(card) | {"symbol": card.symbol}


def verify_release(bench: Bench, question: Question) -> dict[str, Any]:
    """Every check, and what none of them can see."""
    from amun_dp.verification import verify
    from amun_dp.verification.as_data import as_dict

    with_original = question["log"] is not None
    if question["archive"] is not None:
        unpack_release(Path(question["archive"]), Path(question["folder"]), question["largest"])
        Path(question["archive"]).unlink()
    steps = verify_steps(with_original)
    if with_original:
        bench.expect(question, steps)
        original = bench.read(question)
    else:
        bench.say({"steps": expected(steps)})
        original = None
    limits = question["limits"]
    found = verify(
        Path(question["folder"]),
        original,
        require=question["require"],
        max_events=limits["events"],
        max_unpacked=limits["unpacked"],
        progress=bench.progress,
    )
    label = found.label
    return as_dict(found) | {
        "name": question["name"],
        "with_original": with_original,
        "parts": [check.name.part.value for check in found.checks],
        "card": None if label is None else _card(label),
    }


def _parameters(choices: dict[str, Any]) -> Asked:
    """From what the form says. A certified method is named with its form of control flow."""
    method, _, variants = choices["method"].partition(":")
    return requested(
        choices["advantage"],
        method,
        max_cases_per_individual=choices["max_cases_per_individual"],
        one_case_per_individual=choices["one_case_per_individual"],
        releases=choices["releases"],
        scope=choices["scope"],
        max_case_length=choices["max_case_length"],
        variants=variants or None,
        variants_from_log=choices["variants_from_log"],
    )


def _declared(said: dict[str, list[str]]) -> Declared:
    return Declared(same_as=tuple(said["same"]), different_from=tuple(said["other"]))


TASKS: dict[str, Callable[[Bench, Question], dict[str, Any]]] = {
    "inspect": inspect_log,
    "plan": plan_release,
    "sweep": sweep_log,
    "release": make_release,
    "verify": verify_release,
}
