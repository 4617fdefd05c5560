"""Messages that name options, which each front end spells as its user knows them.

    Message("Some case has more than the declared {most:,} events. Raise {max_case_length}.", most=12)

A field whose value is given is filled in as ``str.format`` does; every other field is an option
(``amun_dp._base.options``), and after its colon stands the value that is advised: ``{scope:individual}``,
``{advantage:{fits:g}}``. As a text a message has Python's names, so that it can be used wherever a text can; a front
end has it ``spelled`` with its own. What is put together with ``+`` or an f-string is plain text and keeps Python's
names: put a message into another as a value, or use ``joined``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from string import Formatter
from typing import Any

from amun_dp._base.options import OPTIONS, Mention, Spelling, in_python

Piece = str | Mention


class Message(str):
    """A text that names options."""

    __slots__ = ("pieces",)
    pieces: tuple[Piece, ...]
    """Plain text and the options between it."""

    def __new__(cls, template: str, /, **values: object) -> Message:
        """``template`` is written out in the code; whatever comes from a user is one of the ``values``."""
        return _of(tuple(_pieces(template, values)))

    def __reduce__(self) -> tuple[Callable[[tuple[Piece, ...]], Message], tuple[tuple[Piece, ...]]]:
        return _of, (self.pieces,)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options in it."""
        return tuple(piece.option.name for piece in self.pieces if isinstance(piece, Mention))


def spelled(text: str, spell: Spelling) -> str:
    """The text with the options that it names as a front end spells them."""
    return _text(text.pieces, spell) if isinstance(text, Message) else text


def all_spelled(data: Any, spell: Spelling) -> Any:
    """Plain data with every message in it ``spelled``."""
    match data:
        case str():
            return spelled(data, spell)
        case dict():
            return {name: all_spelled(value, spell) for name, value in data.items()}
        case list() | tuple():
            return [all_spelled(value, spell) for value in data]
    return data


def message_of(error: BaseException) -> str:
    """What an error of any kind says: a message where it was raised with one."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Message) else str(error)


def joined(between: str, texts: Iterable[Piece]) -> Message:
    """Texts and options one after the other, as one message."""
    pieces: list[Piece] = []
    for number, text in enumerate(texts):
        pieces += [between] if number else []
        pieces += _pieces_of(text)
    return _of(tuple(pieces))


def changed(text: str, change: Callable[[str], str]) -> str:
    """The text after a change that may be made piece by piece, as of single characters."""
    if not isinstance(text, Message):
        return change(text)

    def changed_piece(piece: Piece) -> Piece:
        return change(piece) if isinstance(piece, str) else Mention(piece.option, tuple(map(change, piece.values)))

    return _of(tuple(map(changed_piece, text.pieces)))


def as_data(text: str) -> list[Any]:
    """A text for another process, as JSON has it."""
    return [piece if isinstance(piece, str) else [piece.option.name, *piece.values] for piece in _pieces_of(text)]


def from_data(data: Iterable[Any]) -> Message:
    """What ``as_data`` made."""
    return _of(tuple(piece if isinstance(piece, str) else Mention(OPTIONS[piece[0]], (*piece[1:],)) for piece in data))


def _of(pieces: tuple[Piece, ...]) -> Message:
    message = str.__new__(Message, _text(pieces, in_python))
    message.pieces = pieces
    return message


def _text(pieces: Iterable[Piece], spell: Spelling) -> str:
    return "".join(piece if isinstance(piece, str) else spell(piece) for piece in pieces)


def _pieces(template: str, values: Mapping[str, object]) -> Iterator[Piece]:
    formatter = Formatter()
    for text, name, wanted, conversion in formatter.parse(template):
        if text:
            yield text
        if name is None:
            continue
        form = (wanted or "").format(**values)
        if name not in values:
            yield Mention(OPTIONS[name], (form,) if form else ())
            continue
        value = values[name]
        if isinstance(value, BaseException):
            value = message_of(value)
        if isinstance(value, Mention):
            yield value
        elif isinstance(value, Message):
            yield from value.pieces
        else:
            yield format(formatter.convert_field(value, conversion) if conversion else value, form)


def _pieces_of(text: Piece) -> tuple[Piece, ...]:
    return text.pieces if isinstance(text, Message) else (text,)
