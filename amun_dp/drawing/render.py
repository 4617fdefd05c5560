"""Templates, style and the content-security policy that admits this one style and nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

LARGEST_PAGE = 1_000_000
"""Bytes; tests hold the pages of hostile and huge logs below it."""


@cache
def _templates() -> Environment:
    # Escaping is always on: labels of a log are anybody's text. A name that a template lacks is an error, not a blank.
    return Environment(
        loader=PackageLoader("amun_dp.drawing"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _style(*names: str) -> str:
    return "".join(files("amun_dp.drawing").joinpath(name).read_text(encoding="utf-8") for name in names)


def page_style() -> str:
    return _style("palette.css", "style.css", "card.css")


def card_style() -> str:
    return _style("palette.css", "card.css")


def policy(style: str) -> str:
    """Nothing may be loaded and no script may run; the one inline style is admitted by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-src 'none'"
    )


def render_page(template: str, values: Mapping[str, Any]) -> str:
    style = page_style()
    return _templates().get_template(template).render(style=Markup(style), policy=policy(style), **values)


def render_part(name: str, value: object) -> Markup:
    """One macro of the parts, for who needs to know how large it is."""
    rendered: Markup = getattr(_templates().get_template("parts.html").module, name)(value)
    return rendered


def render_fragment(template: str, values: Mapping[str, Any]) -> str:
    return _templates().get_template(template).render(style=Markup(card_style()), **values)
