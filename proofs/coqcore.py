"""A core in Coq: the shipped functions, written by themselves as Coq definitions, and hand-written proofs about them.

Runs where ``coqc`` is on the path (Debian package ``coq``) and is skipped elsewhere.
"""

from __future__ import annotations

import inspect
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from proofs.registry import Check, checker, require
from proofs.subject import SHIPPED, Subject

DIRECTORY = Path(__file__).parent / "coq"
DEFINITIONS = DIRECTORY / "Formulas.v"
"""The definitions of the shipped functions, kept for readers; a test compares."""
SECONDS = 120

_FUNCTIONS = (
    "likelihood_ratio",
    "posterior",
    "worst_prior",
    "worst_ratio",
    "worst_advantage",
    "one_sided_advantage",
    "oversampling_polynomial",
)
_PROOFS = {
    "prior-inverse": "Inverse",
    "worst-prior": "Minimum",
    "worst-loss": "Worst",
    "cubic-root-unique": "Cubic",
}


class _Expression:
    """A Coq expression over the reals."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __pow__(self, exponent: int) -> _Expression:
        return _Expression(f"({self.text} ^ {exponent})")


def _operator(sign: str, reflected: bool) -> Any:
    def operation(self: _Expression, other: _Expression | int) -> _Expression:
        right = other.text if isinstance(other, _Expression) else str(other)
        left, right = (right, self.text) if reflected else (self.text, right)
        return _Expression(f"({left} {sign} {right})")

    return operation


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/")):
    setattr(_Expression, f"__{_name}__", _operator(_sign, reflected=False))
    setattr(_Expression, f"__r{_name}__", _operator(_sign, reflected=True))


def definitions(subject: Subject = SHIPPED) -> str:
    lines = [
        "(* Written by the functions of accounting/algebra.py (python -m proofs.coqcore); do not edit. *)",
        "From Coq Require Import Reals.",
        "Open Scope R_scope.",
        "",
    ]
    for name in _FUNCTIONS:
        arguments = list(inspect.signature(getattr(SHIPPED.algebra, name)).parameters)
        body = getattr(subject.algebra, name)(*(_Expression(argument) for argument in arguments))
        lines.append(f"Definition {name} ({' '.join(arguments)} : R) : R := {body.text}.")
    return "\n".join([*lines, ""])


def _check(proof: str) -> Check:
    def check(subject: Subject) -> str:
        compiler = shutil.which("coqc")
        require(compiler is not None, "coqc is not installed")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / DEFINITIONS.name).write_text(definitions(subject), encoding="utf-8")
            source = (DIRECTORY / f"{proof}.v").read_text(encoding="utf-8")
            (folder / f"{proof}.v").write_text(source, encoding="utf-8")
            for name in (DEFINITIONS.stem, proof):
                done = subprocess.run(
                    [str(compiler), "-q", f"{name}.v"],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=SECONDS,
                    check=False,
                )
                require(done.returncode == 0, f"{name}.v: {' '.join(done.stderr.split())}")
        require("Admitted" not in source and "Axiom" not in source, "a proof is left out")
        theorems = [line.split()[1] for line in source.splitlines() if line.startswith("Theorem")]
        return f"{proof}.v: {', '.join(theorems)}"

    return check


for _claim, _proof in _PROOFS.items():
    checker(_claim, "coq")(_check(_proof))


if __name__ == "__main__":
    DEFINITIONS.write_text(definitions(), encoding="utf-8")
