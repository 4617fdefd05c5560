"""Pieces of the pages that stand alone, for notebooks: one HTML element with a style of its own."""

from __future__ import annotations

from amun_dp.drawing.render import render_fragment
from amun_dp.report.card import Card


def label_card(card: Card) -> str:
    """The label card of a report, the same as on its page. Every class of it begins with ``amun``."""
    return render_fragment("fragment.html", {"card": card})
