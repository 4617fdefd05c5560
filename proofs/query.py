"""One question to an SMT solver, as an SMT-LIB 2 file."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    claim: str
    name: str
    unsat_means: str
    variables: tuple[str, ...]
    constraints: tuple[str, ...]
    logic: str = "QF_NRA"

    @property
    def file_name(self) -> str:
        return f"{self.claim}.{self.name}.smt2"

    @property
    def text(self) -> str:
        sort = "Int" if "IA" in self.logic else "Real"
        comment = textwrap.wrap(f"unsat means: {self.unsat_means}", width=110)
        return "\n".join(
            [
                f"; claim: {self.claim}",
                *(f"; {line}" for line in comment),
                f"(set-logic {self.logic})",
                *(f"(declare-const {name} {sort})" for name in self.variables),
                *(f"(assert {constraint})" for constraint in self.constraints),
                "(check-sat)",
                "",
            ]
        )
