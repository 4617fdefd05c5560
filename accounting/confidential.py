"""A value that depends on the original log and must not slip into anything public."""

from __future__ import annotations

from typing import Any, Final, Generic, NoReturn, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Confidential(Generic[T_co]):
    """Holds a value; gives it only to an explicit ``reveal()``.

    It cannot be printed, formatted, iterated, serialised or compared by accident: each of these is a way in which
    private figures end up in reports. ``repr`` is safe and shows only the type, so that notebooks and debuggers work.
    """

    __slots__ = ("__value",)

    def __init__(self, value: T_co) -> None:
        self.__value = value

    def reveal(self) -> T_co:
        """The confidential value. Calling this is a decision; keep the result out of public files."""
        return self.__value

    def __repr__(self) -> str:
        return f"<Confidential {type(self.__value).__name__}: call .reveal() to see it>"

    def __str__(self) -> NoReturn:
        raise TypeError("a confidential value is not turned into text; call .reveal() if you mean it")

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("a confidential value is not formatted; call .reveal() if you mean it")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a confidential value is not compared; call .reveal() if you mean it")

    __hash__ = None  # type: ignore[assignment]  # what is not compared has no hash either

    def __getstate__(self) -> NoReturn:
        raise TypeError("a confidential value is not serialised; call .reveal() if you mean it")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a confidential value is not serialised; call .reveal() if you mean it")


class Withheld(Confidential[Any]):
    """In place of a confidential value, in what is made for the public: that there is one, and nothing of it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None)

    def reveal(self) -> NoReturn:
        raise TypeError("a withheld value is not here; it stayed with the publisher")

    def __repr__(self) -> str:
        return "WITHHELD"

    def __eq__(self, other: object) -> bool:  # type: ignore[override]  # nothing can be learnt by comparing
        return isinstance(other, Withheld)

    def __hash__(self) -> int:  # type: ignore[override]  # equal things have equal hashes
        return hash(Withheld)


WITHHELD: Final = Withheld()
"""The one value of its type."""
