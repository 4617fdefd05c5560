"""The figures of docs/average.md, computed. ``python -m docs.average_table`` writes them into the page."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

from accounting.average import (
    advantage_of,
    chance_of_more_than,
    epsilon_of,
    mu_squared_of_advantage,
    mu_squared_of_pure,
    success_after,
    yes_no_advantage_of,
)
from accounting.average_algebra import group_square, replaced_square
from accounting.best_guess import chance_of_best_guess
from accounting.formulas import worst_case_loss
from accounting.quantities import rounded_up

PAGE = Path(__file__).parent / "average.md"
ADVANTAGES = ("0.1", "0.2", "0.3", "0.4")
_BEGIN, _END = "<!-- {name}: written by docs/average_table.py -->", "<!-- end of {name} -->"


def _up(value: float | Fraction, digits: int = 3) -> str:
    return f"{rounded_up(Fraction(value), digits):.{digits}g}"


def figures() -> str:
    """All rounded up: noise that suffices, bounds that hold."""
    heads = (
        "A",
        "μ₀² (rounded down)",
        "μ₀",
        "σ/w, one measurement",
        "σ/w, nine (Laplace: sd/w)",
        "a guess right with 1 %, 10 %, 50 %",
        "replace: μ, τ",
        "yes/no",
        "ε at δ = 10⁻⁶",
        "g = 2, 5 cases",
        "cost of the pure release by its replace loss",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for text in ADVANTAGES:
        advantage = Fraction(text)
        square = mu_squared_of_advantage(advantage)
        replaced, mu = replaced_square(square), math.sqrt(square)
        loss = Fraction(float(worst_case_loss(float(advantage))))
        after = ", ".join(_up(100 * Fraction(success_after(prior, square))) + " %" for prior in (0.01, 0.1, 0.5))
        groups = ", ".join(_up(advantage_of(group_square(square, members))) for members in (2, 5))
        cells = (
            text,
            f"{math.floor(square * 10**6) / 10**6:.6f}",
            _up(mu, 4),
            _up(1 / mu),
            f"{_up(3 / mu)} ({_up(math.sqrt(2) * 18 / float(loss))})",
            after,
            f"{_up(math.sqrt(replaced))}, {_up(advantage_of(replaced))}",
            _up(yes_no_advantage_of(replaced)),
            _up(epsilon_of(replaced, 1e-6)),
            groups,
            f"{_up(mu_squared_of_pure(loss) / square)}·μ₀²",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def single_outputs() -> str:
    heads = ("a true statement fixed before: by more than A, 0.5, 0.9", "the best guess, chosen after: the same")
    lines = [f"| A | {' | '.join(heads)} |", "|---|---|---|"]
    for text in ADVANTAGES:
        square = mu_squared_of_advantage(Fraction(text))
        amounts = (float(text), 0.5, 0.9)
        fixed = ", ".join(_up(chance_of_more_than(replaced_square(square), by), 2) for by in amounts)
        chosen = ", ".join(_up(chance_of_best_guess(square, by), 2) for by in amounts)
        lines.append(f"| {text} | {fixed} | {chosen} |")
    return "\n".join(lines)


TABLES = {"figures": figures, "single outputs": single_outputs}


def written(page: str, name: str, table: str) -> str:
    """The page with that table in its place."""
    begin, end = _BEGIN.format(name=name), _END.format(name=name)
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{table}\n{end}{after}"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for one, make in TABLES.items():
        text = written(text, one, make())
    PAGE.write_text(text, encoding="utf-8")
