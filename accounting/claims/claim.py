"""What a claim is."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.assumptions import Assumption
from accounting.guarantee import Verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement with its verdict."""

    id: str
    """Stable name, e.g. ``worst-prior``."""
    statement: str
    """In words, as it is claimed (by the article, or by this project); the verdict says whether it holds."""
    formula: str
    """The same in symbols; empty where words say it all."""
    verdict: Verdict
    """What its checkers find, too."""
    why: str
    """The argument in a sentence; for a refuted claim, the counterexample."""
    reference: str
    """Where it is claimed, or where it comes from."""
    assumptions: tuple[Assumption, ...] = ()
    """What it rests on, or would need."""
    about: tuple[str, ...] = ()
    """Names of public functions of ``accounting`` (algebra, formulas, average, norms) that it covers."""
