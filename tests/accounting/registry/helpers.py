"""Registries of small made-up logs, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from accounting.losses import Loss
from accounting.quantities import Epsilon
from accounting.registry import Cost, Fingerprint, Hasher, UnitLoss


def prints(hasher: Hasher, cases: Sequence[str]) -> Fingerprint:
    """The fingerprint of a log in which a case is a word: its tokens are from its first letters, its last, and all."""
    words = [case.encode() for case in cases]
    columns = [
        hasher.tokens(part, made) for part, made in (("a", [w[:4] for w in words]), ("b", [w[-4:] for w in words]))
    ]
    content = hasher.tokens("c", words)
    return Fingerprint(hasher.digest("whole", b"".join(sorted(words))), np.column_stack((*columns, content)))


def article(advantage: str, releases: int = 1) -> Cost:
    """A release by one of the article's methods."""
    return Cost(advantage=Fraction(advantage), releases=releases)


def certified(epsilon: str, delta: str = "0", releases: int = 1) -> Cost:
    """A release with a strict bound for a whole case."""
    return strict(Fraction(epsilon), Fraction(delta), releases=releases)


def strict(
    epsilon: Fraction, delta: Fraction = Fraction(0), advantage: Fraction | None = None, releases: int = 1
) -> Cost:
    """A release with a strict bound for a whole case, replaced by another, and for nothing else."""
    return Cost(UnitLoss(Loss(Epsilon(epsilon), delta)), advantage=advantage, releases=releases)
