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

from accounting.claims import CLAIMS
from proofs.registry import Check, checker, require
from proofs.subject import SHIPPED, Subject

DIRECTORY = Path(__file__).parent / "coq"
DEFINITIONS = DIRECTORY / "Formulas.v"
"""The definitions of the shipped functions, kept for readers; a test compares."""
SECONDS = 120

_FUNCTIONS = {
    "algebra": (
        "likelihood_ratio",
        "posterior",
        "worst_prior",
        "worst_ratio",
        "worst_advantage",
        "one_sided_advantage",
        "oversampling_polynomial",
        "laplace_mass",
    ),
    "average_algebra": (
        "success_bound",
        "success_line",
        "success_bound_replace",
        "exception_bound",
        "smoothed_at_most",
        "replaced_square",
        "replaced_square_centred",
        "group_square",
    ),
}
_WHOLE = {("laplace_mass", "distance")}
"""Arguments that are whole numbers; all others are real."""
_PROOFS = {
    "prior-inverse": ("Inverse",),
    "worst-prior": ("Minimum",),
    "worst-loss": ("Worst",),
    "cubic-root-unique": ("Cubic",),
    "sequential-composition": ("Sums", "PureSteps"),
    "weighted-histogram": ("Histogram",),
    "average-any-guess": ("Sums", "AnyGuess"),
    "average-replace": ("Sums", "AnyGuess", "Replaced"),
    "average-yes-no": ("Sums", "YesNo"),
    "average-success": ("Sums", "AnyGuess", "Success"),
    "single-output": ("Sums", "SingleOutput"),
    "discrete-gaussian-release": ("Sums", "Smoothed"),
    "norm-nonnegative": ("Sums", "Norms"),
    "norm-centred": ("Sums", "Norms"),
    "norm-group": ("Sums", "Norms"),
}
"""Claim → the files that are compiled for it, the last with its theorems."""


class _Expression:
    """A Coq expression over the reals."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __pow__(self, exponent: _Expression | int) -> _Expression:
        power = exponent.text if isinstance(exponent, _Expression) else exponent
        return _Expression(f"({self.text} ^ {power})")


def _operator(sign: str, reflected: bool) -> Any:
    def operation(self: _Expression, other: _Expression | int) -> _Expression:
        right = other.text if isinstance(other, _Expression) else str(other)
        left, right = (right, self.text) if reflected else (self.text, right)
        return _Expression(f"({left} {sign} {right})")

    return operation


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/")):
    setattr(_Expression, f"__{_name}__", _operator(_sign, reflected=False))
    setattr(_Expression, f"__r{_name}__", _operator(_sign, reflected=True))


class _Loss:
    """A loss that is a symbol, so that the shipped sum of losses writes itself."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: _Loss) -> _Loss:
        return _Loss(f"({self.text} + {other.text})")

    def __radd__(self, nothing: Any) -> _Loss:
        if nothing.value != 0:
            raise TypeError("only nothing is added to a loss that is a symbol")
        return self


def definitions(subject: Subject = SHIPPED) -> str:
    lines = [
        "(* Written by the functions of accounting (python -m proofs.coqcore); do not edit. *)",
        "From Coq Require Import Reals.",
        "Open Scope R_scope.",
        "",
    ]
    for module, names in _FUNCTIONS.items():
        for name in names:
            arguments = list(inspect.signature(getattr(getattr(SHIPPED, module), name)).parameters)
            body = getattr(getattr(subject, module), name)(*(_Expression(argument) for argument in arguments))
            sorts = (f"({one} : {'nat' if (name, one) in _WHOLE else 'R'})" for one in arguments)
            lines.append(f"Definition {name} {' '.join(sorts)} : R := {body.text}.")
    summed = subject.quantities.total([_Loss("first"), _Loss("second")])
    lines.append(f"Definition total (first : R) (second : R) : R := {summed.text}.")
    return "\n".join([*lines, ""])


def _check(files: tuple[str, ...]) -> Check:
    def check(subject: Subject) -> str:
        compiler = shutil.which("coqc")
        require(compiler is not None, "coqc is not installed")
        sources = {name: (DIRECTORY / f"{name}.v").read_text(encoding="utf-8") for name in files}
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for name, source in {DEFINITIONS.stem: definitions(subject), **sources}.items():
                (folder / f"{name}.v").write_text(source, encoding="utf-8")
                done = subprocess.run(
                    [str(compiler), "-q", f"{name}.v"],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=SECONDS,
                    check=False,
                )
                require(done.returncode == 0, f"{name}.v: {' '.join(done.stderr.split())}")
        require(
            not any(word in source for source in sources.values() for word in ("Admitted", "Axiom")),
            "a proof is left out",
        )
        theorems = [line.split()[1] for line in sources[files[-1]].splitlines() if line.startswith("Theorem")]
        return f"{files[-1]}.v: {', '.join(theorems)}"

    return check


for _claim, _files in _PROOFS.items():
    checker(_claim, "coq", CLAIMS[_claim].verdict)(_check(_files))


if __name__ == "__main__":
    DEFINITIONS.write_text(definitions(), encoding="utf-8")
