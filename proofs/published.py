"""The figures that the article and its notes print, enclosed by ball arithmetic on the shipped algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.registry import checker, require
from proofs.subject import Subject

ADVANTAGES = ("0.2", "0.3", "0.4")
WORST = ("0.8109", "1.2381", "1.6946")
OVERSAMPLING = ("0.1777", "0.2833", "0.4046")


def _printed(loss: Callable[[Any], Any], figures: tuple[str, ...]) -> str:
    """Every figure is the loss, rounded to the four digits that are printed."""
    from flint import arb

    for advantage, figure in zip(ADVANTAGES, figures, strict=True):
        distance = abs(loss(arb(advantage)) - arb(figure))
        require(distance < arb("0.00005") + arb("1e-12"), f"at A = {advantage} it is not {figure}")
    return f"at A = {', '.join(ADVANTAGES)}: {', '.join(figures)}, by ball arithmetic"


@checker("worst-loss", "flint")
def _worst(subject: Subject) -> str:
    return _printed(lambda a: -subject.algebra.worst_ratio(a).log(), WORST)


@checker("oversampling-closed-form", "flint")
def _oversampling(subject: Subject) -> str:
    from flint import arb

    def loss(a: Any) -> Any:
        root = subject.algebra.oversampling_root(a, lambda v: arb(v).sqrt(), lambda v: arb(v).root(3))
        return -2 * root.log()

    return _printed(loss, OVERSAMPLING)
