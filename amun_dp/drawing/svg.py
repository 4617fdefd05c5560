"""Drawing with SVG elements: escaped, without style attributes (the content-security policy forbids them)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

from amun_dp.drawing.numbers import in_full, shorten

Anchor = Literal["start", "middle", "end"]
Value = str | float | int | None
Shapes = tuple[Markup, ...]
WIDTH, HEIGHT = 480.0, 288.0
"""Of a drawing that has no reason for a size of its own."""


def element(tag: str, *inside: Markup | str, **attributes: Value) -> Markup:
    """One element. ``css`` is its class; other names have hyphens for underscores; None leaves an attribute out."""
    # Escaped by hand: Markup's own formatting takes several times as long, and a page has a thousand elements.
    head = "".join(_attribute(name, value) for name, value in attributes.items() if value is not None)
    content = "".join(map(escape, inside))
    return Markup(f"<{tag}{head}>{content}</{tag}>" if inside else f"<{tag}{head}/>")


def _attribute(name: str, value: Value) -> str:
    name = "class" if name == "css" else name.replace("_", "-")
    return f' {name}="{escape(str(value)) if isinstance(value, str) else _text(value)}"'


def text(x: float, y: float, words: str, css: str = "tick", anchor: Anchor = "start") -> Markup:
    return element("text", words, x=x, y=y, css=css, text_anchor=None if anchor == "start" else anchor)


def label(
    x: float, y: float, words: str, columns: int, css: str = "name", anchor: Anchor = "start", full: str = ""
) -> Markup:
    """A label of the log, shortened to so many columns; the whole of it (or ``full``) is a tooltip if it was."""
    short = shorten(words, columns)
    whole = full or words
    inside: list[Markup | str] = [short] if short == whole else [element("title", in_full(whole)), short]
    return element("text", *inside, x=x, y=y, css=css, text_anchor=None if anchor == "start" else anchor)


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, css=css)


def rectangle(x: float, y: float, width: float, height: float, css: str, tip: str = "", radius: float = 0) -> Markup:
    title = (element("title", tip),) if tip else ()
    return element("rect", *title, x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), css=css, rx=radius or None)


def path(points: str, css: str, **attributes: Value) -> Markup:
    return element("path", d=points, css=css, **attributes)


def polyline(points: list[tuple[float, float]], css: str) -> Markup:
    return path("M" + "L".join(f"{_text(x)} {_text(y)}" for x, y in points), css)


def dot(x: float, y: float, radius: float, css: str, tip: str = "") -> Markup:
    title = (element("title", tip),) if tip else ()
    return element("circle", *title, cx=x, cy=y, r=radius, css=css)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes, and the paper that they are on."""

    shapes: Shapes
    height: float = HEIGHT
    width: float = WIDTH

    def markup(self, identifier: str, title: str, description: str) -> Markup:
        """The SVG element, with the two texts that stand for it: a name, and what it shows. Names are unique in the
        page because the identifier of the chart is."""
        return element(
            "svg",
            element("title", title, id=f"{identifier}-title"),
            element("desc", description, id=f"{identifier}-desc"),
            *self.shapes,
            width=self.width,
            height=self.height,
            viewBox=f"0 0 {_text(self.width)} {_text(self.height)}",
            role="img",
            aria_labelledby=f"{identifier}-title {identifier}-desc",
        )

    def document(self, identifier: str, title: str, description: str) -> Markup:
        """The same as a file of its own, which has to say what it is."""
        head = Markup('<svg xmlns="http://www.w3.org/2000/svg"')
        return head + self.markup(identifier, title, description).removeprefix("<svg")


def _text(value: Value) -> str:
    """Two decimals at most: no picture needs more, and no platform differs in them."""
    if isinstance(value, float):
        rounded = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if rounded == "-0" else rounded
    return str(value)
