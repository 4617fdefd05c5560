"""The parts of the page, drawn from what is on the desk. All is escaped but the pictures, which the worker drew."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from accounting.formulas import worst_case_loss
from accounting.guarantee import Scope
from accounting.registry import NoRegistry
from accounting.registry.views import PUBLISHED_FACT, amount_text, budget_text, cost_text, state_text
from amun_dp.budgets.spending import open_registry
from amun_dp.drawing.numbers import count, counted, number, share
from amun_dp.drawing.render import page_style
from amun_dp.errors import InputError, RegistryRefused
from amun_dp.folder.names import LOG_FILES, PAGE_FILE, REPORT_FILE
from amun_dp.serve.as_fields import in_fields
from amun_dp.serve.jobs import Job
from amun_dp.serve.paths import Listing
from amun_dp.serve.state import READING, SLIDER, Desk
from amun_dp.serve.wording import ARTICLE, CERTIFIED, METHODS, MethodChoice

SECTIONS = ("log", "exposure", "plan", "outcome", "release", "verify", "history")
FOR_AUDITORS = ("verify",)
"""All that a read-only page has."""
STEP_OF_SLIDER = 0.01


@cache
def templates() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("amun_dp.serve"), PackageLoader("amun_dp.drawing")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=count, share=share, number=number, size=size, safe_picture=Markup)
    environment.globals["counted"] = counted
    return environment


@cache
def static(name: str) -> str:
    own = files("amun_dp.serve").joinpath("static", name).read_text(encoding="utf-8")
    return page_style() + own if name == "page.css" else own


def render_page(desk: Desk, listing: Listing) -> str:
    shown = FOR_AUDITORS if desk.read_only else SECTIONS
    # The registry may be held by somebody else: the page does not wait for it, and asks for it by itself. Parts are
    # escaped where they are drawn.
    parts = {name: Markup(render_section(name, desk, listing)) for name in shown if name != "history"}
    return _rendered("page.html", {"desk": desk, "parts": parts})


def render_section(name: str, desk: Desk, listing: Listing) -> str:
    values: dict[str, Any] = {"desk": desk, "listing": listing}
    match name:
        case "log":
            values |= {"reading": READING}
        case "plan":
            values |= {"groups": (CERTIFIED, ARTICLE), "slider": SLIDER, "epsilons": closed_forms()}
        case "outcome":
            values |= {"plan": desk.planned, "method": _method_of(desk.planned)}
        case "release":
            values |= {"files": _files_of(desk, desk.released), "method": _method_of(desk.planned)}
        case "history":
            values |= history(desk.registry)
    return _rendered(f"{name}.html", values)


def _method_of(plan: Job | None) -> MethodChoice | None:
    """Of the plan that is shown, and not of what somebody is choosing meanwhile."""
    return None if plan is None else METHODS[plan.request["choices"]["method"]]


def render_progress(job: Job, ahead: int, running: Job | None) -> str:
    """Of a job, and of the one that it waits for, which may be cancelled as well."""
    return _rendered("progress.html", {"jobs": [one for one in (running, job) if one is not None], "ahead": ahead})


def _rendered(template: str, values: Mapping[str, Any]) -> str:
    return templates().get_template(template).render(**values)


@cache
def closed_forms() -> dict[str, str]:
    """ε for every place of the slider: the largest loss that keeps the advantage whatever the attacker knew."""
    steps = round((SLIDER[1] - SLIDER[0]) / STEP_OF_SLIDER)
    places = [round(SLIDER[0] + place * STEP_OF_SLIDER, 2) for place in range(steps + 1)]
    return {f"{place:.2f}": f"{float(worst_case_loss(place)):.3g}" for place in places}


def _files_of(desk: Desk, job: Job | None) -> list[tuple[str, int]]:
    """Public files of the release that was made, with their sizes."""
    if job is None or job.state != "done":
        return []
    try:
        folder = desk.places.release(job.answer["name"])
    except InputError:  # somebody has moved it meanwhile
        return []
    names = [name for name in (*sorted(LOG_FILES), PAGE_FILE, REPORT_FILE) if (folder / name).is_file()]
    return [(name, (folder / name).stat().st_size) for name in names]


def history(path: str | None) -> dict[str, Any]:
    """What each registered log has spent."""
    if path is None:
        return {"logs": (), "problem": "No registry is kept: the page was started without one.", "note": ""}
    try:
        logs = open_registry(path, create=False).logs()
    except RegistryRefused as error:
        problem = "" if isinstance(error.__cause__, NoRegistry) else in_fields(error.message)
        return {"logs": (), "problem": problem, "note": ""}
    rows = []
    for log in logs:
        budget = log.budget
        rows.append(
            {
                "log": log.log,
                "cases": log.cases,
                "budget": "none yet" if budget is None else budget_text(budget),
                "spent": "–" if budget is None else amount_text(budget, log.spent),
                "left": "–" if budget is None else amount_text(budget, log.left, down=True),
                "case": cost_text(log, Scope.CASE) if log.counted else "–",
                "individual": cost_text(log, Scope.INDIVIDUAL) if log.counted else "–",
                "releases": [
                    {
                        "id": one.release,
                        "reserved": one.reserved_at,
                        "state": state_text(one),
                        "method": str(one.details.get("method", "")),
                        "advantage": one.details.get("advantage", ""),
                        "spent": "–" if budget is None else amount_text(budget, budget.price(one.cost)),
                    }
                    for one in log.releases
                ],
            }
        )
    unbounded = any(log.counted and not log.strictly_bounded for log in logs)
    return {"logs": rows, "problem": "", "note": PUBLISHED_FACT if unbounded else ""}


def size(number_of_bytes: int) -> str:
    value = float(number_of_bytes)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
