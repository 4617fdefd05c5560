"""SMT-LIB terms that behave like numbers, so that the shipped functions write the solver's input themselves."""

from __future__ import annotations

from fractions import Fraction

Number = int | Fraction


class Term:
    """An SMT-LIB expression over the reals or the integers. Powers become products: not every solver has them."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: Term | Number) -> Term:
        return Term(f"(+ {self.text} {written(other)})")

    def __radd__(self, other: Number) -> Term:
        return Term(f"(+ {written(other)} {self.text})")

    def __sub__(self, other: Term | Number) -> Term:
        return Term(f"(- {self.text} {written(other)})")

    def __rsub__(self, other: Number) -> Term:
        return Term(f"(- {written(other)} {self.text})")

    def __mul__(self, other: Term | Number) -> Term:
        return Term(f"(* {self.text} {written(other)})")

    def __rmul__(self, other: Number) -> Term:
        return Term(f"(* {written(other)} {self.text})")

    def __truediv__(self, other: Term | Number) -> Term:
        return Term(f"(/ {self.text} {written(other)})")

    def __rtruediv__(self, other: Number) -> Term:
        return Term(f"(/ {written(other)} {self.text})")

    def __pow__(self, exponent: int) -> Term:
        if not isinstance(exponent, int) or exponent < 1:
            raise TypeError("only a positive whole power is a product")
        return Term(self.text if exponent == 1 else f"(* {' '.join([self.text] * exponent)})")

    def __lt__(self, other: Term | Number) -> str:
        return f"(< {self.text} {written(other)})"

    def __le__(self, other: Term | Number) -> str:
        return f"(<= {self.text} {written(other)})"

    def __gt__(self, other: Term | Number) -> str:
        return f"(> {self.text} {written(other)})"

    def __ge__(self, other: Term | Number) -> str:
        return f"(>= {self.text} {written(other)})"


def written(value: Term | Number) -> str:
    if isinstance(value, Term):
        return value.text
    exact = Fraction(value)
    whole = str(abs(exact.numerator))
    size = whole if exact.denominator == 1 else f"(/ {whole} {exact.denominator})"
    return size if exact >= 0 else f"(- {size})"


def equal(left: Term | Number, right: Term | Number) -> str:
    return f"(= {written(left)} {written(right)})"


def different(left: Term | Number, right: Term | Number) -> str:
    return f"(not {equal(left, right)})"


def between(low: Number, value: Term, high: Number) -> str:
    """Strictly."""
    return f"(and (< {written(low)} {value.text}) (< {value.text} {written(high)}))"


def size(value: Term) -> Term:
    """|value|, spelled out."""
    return Term(f"(ite (>= {value.text} 0) {value.text} (- {value.text}))")


def either(one: str, other: str) -> str:
    return f"(or {one} {other})"
