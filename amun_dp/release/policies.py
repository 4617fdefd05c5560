"""From an ε that a policy names to the guessing advantage that a release is made for."""

from __future__ import annotations

import math

from accounting.formulas import worst_case_loss
from amun_dp._base.messages import Message
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.limits import LARGEST_ADVANTAGE, SMALLEST_ADVANTAGE


def advantage_of_epsilon(epsilon: float) -> float:
    """The guessing advantage tanh(ε/4) of an ε, rounded down so that 4·artanh of it, rounded up, is at most ε. Raises
    ``ParameterError`` if ε is not above 0, or too small or too large."""
    if not isinstance(epsilon, float | int) or isinstance(epsilon, bool) or not epsilon > 0:
        raise ParameterError(Message("ε is a number above 0. Try {epsilon:1}."))
    found = math.tanh(epsilon / 4)
    for _ in range(64):
        if not SMALLEST_ADVANTAGE <= found <= LARGEST_ADVANTAGE:
            raise ParameterError(
                Message(
                    "An ε of {asked:g} for one case is an advantage of {meant:g}, outside of {least:g} to 1 - "
                    "{least:g}. Choose another {epsilon}.",
                    asked=epsilon,
                    meant=math.tanh(epsilon / 4),
                    least=SMALLEST_ADVANTAGE,
                )
            )
        if float(worst_case_loss(found, "up")) <= epsilon:
            return found
        # The loss moves by 4/(1-A²) times this; near 1 the numbers themselves are farther apart.
        found = min(found - (1 - found * found) * epsilon * 2.0**-46, math.nextafter(found, 0.0))
    raise ParameterError(Message("No advantage could be found for an ε of {asked!r}. Use {advantage}.", asked=epsilon))


def chosen_advantage(
    advantage: float | None, epsilon: float | None, method: str, variants: str | None, dp_delta: float | None
) -> float:
    """The given advantage, or the one that belongs to the given ε. Raises ``ParameterError`` if both or neither are
    given, and where an ε would not say what the method guarantees."""
    if (advantage is None) == (epsilon is None):
        raise ParameterError(
            Message("Choose either an advantage ({advantage:A}) or an ε ({epsilon:E}), one of the two.")
        )
    if epsilon is None:
        assert advantage is not None  # one of the two was given
        return advantage
    if method != "certified":
        raise ParameterError(
            Message(
                "{epsilon} is a bound for a whole case, and no ε bounds what '{chosen}' reveals about one. Use "
                "{method:certified}, or {advantage}, which the article's methods calibrate their noise to.",
                chosen=method,
            )
        )
    if variants in (None, "threshold") and dp_delta is None:
        raise ParameterError(
            Message(
                "{epsilon} means δ = 0, and {variants:threshold} has a δ above 0. Use {variants:generated} or "
                "{variants:public}; or, if your policy allows a δ, name it with {dp_delta:D}."
            )
        )
    return advantage_of_epsilon(epsilon)


def epsilon_aloud(epsilon: float, advantage: float, scope: str, dp_delta: float | None) -> str:
    """What an ε was taken for, in a sentence."""
    unit = "one individual with all cases that count" if scope == "individual" else "one case"
    delta = "δ = 0" if dp_delta is None else f"δ = {dp_delta:g}"
    return f"ε {epsilon:g} for {unit}, replaced by another, with {delta}, is an advantage of {advantage:.6g}."
