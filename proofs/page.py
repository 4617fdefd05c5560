"""docs/claims.md: every claim with its verdict and what stands behind it. ``python -m proofs.page`` writes it."""

from __future__ import annotations

from pathlib import Path

from accounting.claims import Claim
from accounting.claims.article import ARTICLE_CLAIMS
from accounting.claims.average import AVERAGE_CLAIMS
from accounting.claims.certified import CERTIFIED_CLAIMS
from accounting.claims.composition import COMPOSITION_CLAIMS
from accounting.claims.formulas import FORMULA_CLAIMS
from accounting.claims.gaussian import GAUSSIAN_CLAIMS
from proofs.arguments import ARGUMENT_ONLY
from proofs.registry import checkers

PAGE = Path(__file__).parent.parent / "docs" / "claims.md"

_TOOLS = {
    "sympy": "computer algebra (sympy)",
    "z3": "SMT solver (z3)",
    "cvc5": "SMT solver (cvc5)",
    "coq": "proof assistant (Coq, `proofs/coq`)",
    "flint": "ball arithmetic (python-flint)",
    "exact": "exact fractions",
}

_HEAD = """\
# Claims

Every claim that reports and documents make or deny, with its verdict. Generated from the registry by
`python -m proofs.page`; do not edit. `amun-dp prove` runs all the checkers and fails if one finds another verdict than
the one recorded here. The SMT queries are in `proofs/smtlib`, each with a comment that says what `unsat` means.

A verdict is `proved`, `proved under assumptions` (named), `refuted` (with the counterexample) or `not proved`. A claim
is written as it is made; what is refuted is the claim, not this page.
"""


def page() -> str:
    parts = [_HEAD]
    for title, claims in (
        ("Formulas", FORMULA_CLAIMS),
        ("Composition", COMPOSITION_CLAIMS),
        ("The certified method", CERTIFIED_CLAIMS),
        ("On average over the noise", AVERAGE_CLAIMS),
        ("Gaussian noise", GAUSSIAN_CLAIMS),
        ("The article's release", ARTICLE_CLAIMS),
    ):
        parts.append(f"## {title}\n")
        parts.append(_overview(claims))
        parts.extend(_section(claim) for claim in claims)
    return "\n".join(parts)


def _overview(claims: tuple[Claim, ...]) -> str:
    rows = [f"| [{claim.id}](#{claim.id}) | {claim.verdict.value} |" for claim in claims]
    return "\n".join(["| claim | verdict |", "|---|---|", *rows, ""])


def _section(claim: Claim) -> str:
    tools = list(dict.fromkeys(one.tool for one in checkers([claim.id])))
    checked = ", ".join(_TOOLS[tool] for tool in tools) or f"by argument only: {ARGUMENT_ONLY[claim.id]}"
    facts = [("Verdict", f"**{claim.verdict.value}**"), ("Why", _sentence(claim.why))]
    if claim.formula:
        facts.insert(0, ("Formula", f"`{claim.formula}`"))
    if claim.assumptions:
        facts.append(("Assumes", "; ".join(f"{one.value} ({one.explanation})" for one in claim.assumptions)))
    facts.append(("Checked", checked))
    if claim.about:
        facts.append(("Covers", ", ".join(f"`{name}`" for name in claim.about)))
    facts.append(("Reference", claim.reference))
    return "\n".join([f"### {claim.id}", "", claim.statement, "", *(f"- {name}: {text}" for name, text in facts), ""])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
