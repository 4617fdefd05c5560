"""The methods of the article, and the way in for others.

A method says whether cases are filtered, which ε the control flow gets for an advantage, by which rule cases are
sampled and by which mechanism times are noised. ``register_method`` adds one from outside the package; everything else
(accounting, ledger, reports) works for it as it does for the built-in ones. An installed package makes its methods
known to the command line too, by an entry point in the group ``amun_dp.methods`` that names a ``Method``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from accounting.formulas import oversampling_epsilon, worst_case_loss
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes, bounded_laplace
from amun_dp.mechanisms.sampling import ControlFlow, Sampled, laplace_sampling, oversampling
from amun_dp.noise import NoiseSource

SamplingRule = Callable[[ControlFlow, float, NoiseSource], Sampled]
TimeMechanism = Callable[[RelativeTimes, float, NoiseSource], NoisedTimes]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of releasing a log: two functions, each of which returns its result and what it costs."""

    name: str
    """By which ``--method`` and ``anonymize`` know it."""
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


_METHODS: dict[str, Method] = {}


def register_method(method: Method) -> Method:
    """Make a method known by its name. A taken name is refused."""
    if method.name in _METHODS:
        raise ParameterError(f"A method named '{method.name}' is registered already.")
    _METHODS[method.name] = method
    return method


def unregister_method(name: str) -> None:
    """Forget a registered method (for notebooks that define one again, and for tests)."""
    _METHODS.pop(name, None)


def method_names() -> tuple[str, ...]:
    return tuple(_METHODS)


def method_named(choice: str) -> Method:
    if choice not in _METHODS:
        for found in entry_points(group="amun_dp.methods", name=choice):
            return register_method(found.load())
        raise ParameterError(f"Unknown method '{choice}'. Choose one of: {', '.join(_METHODS)}.")
    return _METHODS[choice]


register_method(
    Method(
        name="filtering",
        summary="remove cases that cannot be protected, then copy and delete cases (Amun_f)",
        filters=True,
        control_flow_epsilon=_worst_case_epsilon,
        sample=laplace_sampling,
    )
)
register_method(
    Method(
        name="sampling",
        summary="copy and delete cases, filter none (Amun_s)",
        filters=False,
        control_flow_epsilon=_worst_case_epsilon,
        sample=laplace_sampling,
    )
)
register_method(
    Method(
        name="oversampling",
        summary="only copy cases, so that no variant is lost (Amun_o)",
        filters=False,
        control_flow_epsilon=_oversampling_epsilon,
        sample=oversampling,
    )
)
