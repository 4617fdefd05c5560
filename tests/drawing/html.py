"""A page read back: elements with attributes and text, and an error where tags do not match."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = {"meta", "link", "br", "img"}


@dataclass(eq=False)
class Element:
    tag: str
    attributes: dict[str, str]
    parent: Element | None
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag: str | None = None, css: str | None = None) -> list[Element]:
        """Elements below this one, in order, of a tag and of a class."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if (tag is None or child.tag == tag) and (
                    css is None or css in child.attributes.get("class", "").split()
                ):
                    found.append(child)
                found.extend(child.all(tag, css))
        return found

    def one(self, tag: str | None = None, css: str | None = None) -> Element:
        (found,) = self.all(tag, css)
        return found

    def by_id(self, identifier: str) -> Element:
        (found,) = [each for each in self.all() if each.attributes.get("id") == identifier]
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self.open = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute of {tag} is given twice"
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open)
        self.open.children.append(element)
        if tag not in _EMPTY:
            self.open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.tag == tag, f"</{tag}> ends <{self.open.tag}>"
        assert self.open.parent is not None
        self.open = self.open.parent

    def handle_data(self, data: str) -> None:
        self.open.children.append(data)


def read(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open is reader.root, f"<{reader.open.tag}> is not ended"
    return reader.root
