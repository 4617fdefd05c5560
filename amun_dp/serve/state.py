"""What the page shows: the chosen log, its plan, the release that was made, the last verification."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from amun_dp.budgets.cleaning import clean_away
from amun_dp.budgets.spending import open_registry
from amun_dp.errors import AmunError, InputError, ParameterError
from amun_dp.serve.jobs import CANCELLED, DONE, Job, Jobs
from amun_dp.serve.paths import UPLOAD, Places
from amun_dp.serve.wording import METHODS
from amun_dp.verification.bounds import Limits

READING = ("case_id", "activity", "timestamp", "timestamp_format", "lifecycle", "individual", "sequence")
READING_CHECKS = ("drop_incomplete", "multiline_values")
FORMATS = ("", "xes", "csv", "parquet")
SLIDER = (0.05, 0.5)
REFRESHED = {
    "inspect": ("log", "exposure", "plan", "outcome", "release"),
    "plan": ("outcome", "release"),
    "sweep": ("outcome",),
    "release": ("release", "verify", "history"),
    "verify": ("verify",),
}
"""Parts of the page that a job changes when it ends."""
NOTHING_DECLARED: dict[str, list[str]] = {"same": [], "other": []}


@dataclass(frozen=True, slots=True)
class ChosenLog:
    key: str
    """How the page asks for it: its name below the folder, or that of an upload."""
    name: str
    path: Path
    reading: dict[str, Any]

    def as_request(self) -> dict[str, Any]:
        return {"path": str(self.path), "reading": self.reading}


@dataclass(slots=True)
class Desk:
    """Everything that changes while the page is open, and the only thing that does. One user, one desk."""

    places: Places
    registry: str | None
    read_only: bool
    largest_upload: int
    limits: Limits = field(default_factory=Limits)
    jobs: Jobs = field(init=False)
    upload_names: dict[str, str] = field(default_factory=dict)
    log: ChosenLog | None = None
    inspected: dict[str, Any] | None = None
    log_problem: str = ""
    columns: tuple[str, ...] = ()
    choices: dict[str, Any] = field(default_factory=lambda: choices_of({}))
    declared: dict[str, list[str]] = field(default_factory=lambda: dict(NOTHING_DECLARED))
    planned: Job | None = None
    """The plan that is shown; a release is made of this one."""
    plan_problem: str = ""
    swept: dict[str, Any] | None = None
    released: Job | None = None
    verified: Job | None = None

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.settle, self.clear_after)

    def clear_after(self, process: int) -> None:
        """Take away what a worker that has died left half written, and note it in the registry."""
        for left in self.places.left_by(process):
            with suppress(AmunError):  # it stays, then; whoever releases there next is told of it
                clean_away(left, None if self.registry is None else open_registry(self.registry, create=False))

    # --- what is asked for -------------------------------------------------------------------------------------------

    def choose_log(self, data: dict[str, Any]) -> Job:
        """Another log, or the same one read otherwise. What was worked out for the last one goes."""
        key = text(data, "log")
        path = self.places.uploaded(key) if key.startswith(UPLOAD) else self.places.below(key)
        if path.is_dir():
            raise InputError("That is a folder. Choose a log.")
        reading: dict[str, Any] = {name: text(data, name) or None for name in READING}
        reading |= {name: data.get(name) is True for name in READING_CHECKS}
        if self.log is None or self.log.key != key:
            self.declared = dict(NOTHING_DECLARED)
        self.log = ChosenLog(key, self.upload_names.get(key, key), path, reading)
        self.inspected, self.log_problem, self.columns = None, "", ()
        self.planned, self.plan_problem, self.swept, self.released = None, "", None, None
        return self.jobs.submit("inspect", "Reading the log", {"log": self.log.as_request()})

    def plan(self, data: dict[str, Any]) -> Job:
        chosen = self._chosen()
        choices = choices_of(data)
        if {**choices, "advantage": 0} != {**self.choices, "advantage": 0}:
            self.swept = None
        self.choices = choices
        return self._plan(chosen)

    def declare(self, data: dict[str, Any]) -> Job:
        """Whose log it is, where it shares cases with registered ones. The plan's budget is looked at again."""
        said = {name: data.get(name) for name in ("same", "other")}
        if not all(isinstance(logs, list) and all(isinstance(one, str) for one in logs) for logs in said.values()):
            raise ParameterError("Say of each log whether it is the same.")
        self.declared = {name: list(logs or ()) for name, logs in said.items()}
        return self._plan(self._chosen())

    def _plan(self, chosen: ChosenLog) -> Job:
        self.planned, self.plan_problem = None, ""  # what was shown belongs to other choices
        request = {
            "log": chosen.as_request(),
            "choices": self.choices,
            "registry": self.registry,
            "declared": self.declared,
        }
        return self.jobs.submit("plan", "Planning", request)

    def sweep(self) -> Job:
        request = {"log": self._chosen().as_request(), "choices": self.choices}
        return self.jobs.submit("sweep", "Trying advantages", request)

    def release(self, data: dict[str, Any]) -> Job:
        """Make the release that was planned and shown, and no other."""
        chosen, plan = self._chosen(), self.planned
        if plan is None or data.get("plan") != plan.id:
            raise ParameterError("The plan has changed since. Look at it again, then release.")
        if self.jobs.running is not None and self.jobs.running.task == "release":
            raise ParameterError("A release is being made already.")
        format = text(data, "format")
        if format not in FORMATS:
            raise ParameterError("That is no format of a release.")
        out = self.places.room_for_release(chosen.name)
        request = {key: plan.request[key] for key in ("log", "choices", "registry", "declared")}
        request |= {"out": str(out), "name": out.name, "format": format or None, "log_name": chosen.name}
        request |= {"read": plan.answer["read"], "escape_formulas": data.get("escape_formulas") is True}
        self.planned = None  # its budget is as good as spent; the next release needs another plan
        return self.jobs.submit("release", "Releasing", request)

    def verify(self, data: dict[str, Any]) -> Job:
        key = text(data, "release")
        archive = None
        if key.startswith(UPLOAD) and not self.places.unpacked(key).exists():
            archive, folder = str(self.places.uploaded(key)), self.places.unpacked(key)
        else:
            folder = self.places.release(key)
        require = text(data, "require")
        with_original = data.get("original") is True
        request = {
            "folder": str(folder),
            "name": self.upload_names.get(key, key),
            "key": key,
            "archive": archive,
            "largest": self.largest_upload,
            "limits": asdict(self.limits),
            "log": self._chosen().as_request() if with_original else None,
            "require": [f"case:{require}"] if require else [],
        }
        return self.jobs.submit("verify", "Verifying", request)

    def _chosen(self) -> ChosenLog:
        if self.log is None:
            raise InputError("Choose a log first.")
        return self.log

    # --- what came of it ---------------------------------------------------------------------------------------------

    def settle(self, job: Job) -> None:
        """A job has ended: keep what it found, unless the page has moved on to another log."""
        if job.task == "verify":
            self.verified = job
            return
        if job.task == "release":  # shown whatever was chosen meanwhile: it may have spent a budget
            job.message = job.message.replace(job.request["log"]["path"], job.request["log_name"])
            self.released, self.planned = job, None  # what is left of the budget may have changed
            return
        if self.log is None or job.request["log"] != self.log.as_request():
            return
        # The user knows the log by its name; where it lies is the page's own business.
        job.message = job.message.replace(str(self.log.path), self.log.name)
        if job.task == "inspect":
            self.inspected = job.answer if job.state == DONE else None
            self.log_problem = "Reading was cancelled." if job.state == CANCELLED else job.message
            self.columns = tuple(job.answer.get("columns", job.columns))
        elif job.task == "plan" and job.request["choices"] == self.choices and job.state != CANCELLED:
            self.planned = job if job.state == DONE else None
            self.plan_problem = job.message
        elif job.task == "sweep" and job.state == DONE:
            self.swept = job.answer


def text(data: dict[str, Any], name: str) -> str:
    """A text of the form; empty where there is none."""
    value = data.get(name, "")
    if not isinstance(value, str) or len(value) > 1000 or any("\ud800" <= one <= "\udfff" for one in value):
        raise ParameterError("The form holds something that is no text.")
    return value.strip()


def choices_of(data: dict[str, Any]) -> dict[str, Any]:
    """What the plan's form says, with defaults; whether it makes sense together is for the library to say."""
    method = text(data, "method") or "certified:generated"
    if method not in METHODS:
        raise ParameterError("There is no such method.")
    advantage = data.get("advantage", 0.2)
    if not isinstance(advantage, float | int) or isinstance(advantage, bool) or not SLIDER[0] <= advantage <= SLIDER[1]:
        raise ParameterError(f"The advantage lies between {SLIDER[0]} and {SLIDER[1]} here.")
    scope = text(data, "scope") or ("case" if METHODS[method].certified else "event")
    return {
        "method": method,
        "advantage": float(advantage),
        "scope": scope,
        "releases": _whole(data, "releases") or 1,
        "variants_from_log": data.get("variants_from_log") is True and method == "certified:public",
        "allow_too_small": data.get("allow_too_small") is True,
        "max_case_length": _whole(data, "max_case_length")
        if scope == "case" and not METHODS[method].certified
        else None,
        "max_cases_per_individual": _whole(data, "max_cases_per_individual"),
        "one_case_per_individual": data.get("one_case_per_individual") is True,
    }


def _whole(data: dict[str, Any], name: str) -> int | None:
    value = text(data, name)
    if not value:
        return None
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise ParameterError("That is no whole number.")
    return int(value)
