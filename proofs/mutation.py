"""A wrong formula, and who must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.subject import Subject


@dataclass(frozen=True, slots=True)
class Mutation:
    name: str
    subject: Subject
    noticed_by: frozenset[tuple[str, str]]
    """(claim, tool)."""


def by(tools: str, *claims: str) -> frozenset[tuple[str, str]]:
    """Each of some tools, for each of some claims."""
    return frozenset((claim, tool) for claim in claims for tool in tools.split())
