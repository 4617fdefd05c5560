"""The methods of the article, and the way in for others.

A method says whether cases are filtered, which ε the control flow gets for an advantage, by which rule cases are
sampled and by which mechanism times are noised. ``amun_dp.register_method`` adds one from outside the package;
everything else (accounting, ledger, reports) works for it as it does for the built-in ones. An installed package makes
its methods known to the command line too, by an entry point in the group ``amun_dp.methods``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from accounting.formulas import oversampling_epsilon, worst_case_loss
from amun_dp.article.step5_sampling import ControlFlow, Sampled, laplace_sampling, oversampling
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes, bounded_laplace
from amun_dp.noise.sources import NoiseSource

SamplingRule = Callable[[ControlFlow, float, NoiseSource], Sampled]
TimeMechanism = Callable[[RelativeTimes, float, NoiseSource], NoisedTimes]


@dataclass(frozen=True, slots=True)
class ArticleMethod:
    """A method of the article's shape: two functions, each of which returns its result and what it costs."""

    name: str
    """By which ``anonymize`` and the command line know it."""
    summary: str
    """What it does, in a line."""
    filters: bool
    """Whether cases that cannot be protected are removed first."""
    control_flow_epsilon: Callable[[float], float]
    """ε_d for a guessing advantage."""
    sample: SamplingRule
    """From the automaton, the ε of the control flow and a source of noise to new numbers of cases."""
    noise_times: TimeMechanism = bounded_laplace
    """From relative times, the advantage and a source of noise to noised times."""


def _worst_case_epsilon(advantage: float) -> float:
    """ε_d at the worst prior (1-A)/2, rounded down (Sect. 3.5 of the article)."""
    return float(worst_case_loss(advantage))


def _oversampling_epsilon(advantage: float) -> float:
    return float(oversampling_epsilon(advantage))


_METHODS: dict[str, ArticleMethod] = {}


def register_article_method(method: ArticleMethod) -> ArticleMethod:
    """Make a method of the article's shape known by its name. A taken name is refused."""
    if method.name in _METHODS:
        raise ParameterError(f"A method named '{method.name}' is registered already.")
    _METHODS[method.name] = method
    return method


def unregister_article_method(name: str) -> None:
    """Forget it."""
    _METHODS.pop(name, None)


def article_method_names() -> tuple[str, ...]:
    """Those that are registered."""
    return tuple(_METHODS)


def article_method_named(choice: str) -> ArticleMethod:
    """The method of that name."""
    if choice not in _METHODS:
        for found in from_elsewhere(choice):
            return register_article_method(found)
        raise ParameterError(f"Unknown method '{choice}'. Choose one of: {', '.join(_METHODS)}.")
    return _METHODS[choice]


def from_elsewhere(name: str) -> Iterator[Any]:
    """Methods of that name which installed packages offer, of whichever shape."""
    for found in entry_points(group="amun_dp.methods", name=name):
        yield found.load()


register_article_method(
    ArticleMethod(
        name="filtering",
        summary="remove cases that cannot be protected, then copy and delete cases (Amun_f)",
        filters=True,
        control_flow_epsilon=_worst_case_epsilon,
        sample=laplace_sampling,
    )
)
register_article_method(
    ArticleMethod(
        name="sampling",
        summary="copy and delete cases, filter none (Amun_s)",
        filters=False,
        control_flow_epsilon=_worst_case_epsilon,
        sample=laplace_sampling,
    )
)
register_article_method(
    ArticleMethod(
        name="oversampling",
        summary="only copy cases, so that no variant is lost (Amun_o)",
        filters=False,
        control_flow_epsilon=_oversampling_epsilon,
        sample=oversampling,
    )
)
