"""The figures of docs/average.md are those that the code computes."""

from __future__ import annotations

import pytest

from docs.average_table import PAGE, figures, single_outputs, written


def test_the_figures_are_the_computed_ones() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, "figures", figures()) == page, "run: python -m docs.average_table"


@pytest.mark.slow
def test_the_chances_of_single_outputs_are_the_computed_ones() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, "single outputs", single_outputs()) == page, "run: python -m docs.average_table"
