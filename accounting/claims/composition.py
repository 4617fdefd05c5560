"""Claims about how losses compose: the rules that the accountant applies.

A loss bounds the likelihood ratio of every single output; for countably many outputs that is the definition of pure
differential privacy, and the rules below are inequalities between the masses of one output, summed.
"""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

COMPOSITION_CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="sequential-composition",
        statement="Losses of releases about the same cases add up, even if a later one depends on earlier outputs.",
        formula="a ≤ e^ε₁·b, c ≤ e^ε₂·d ⇒ a·c ≤ e^(ε₁+ε₂)·b·d",
        verdict=Verdict.PROVED,
        why="the mass of a pair of outputs is the product of the first mass and the second one given the first; the "
        "sum is "
        "attained by randomised response",
        reference="basic composition",
    ),
    Claim(
        id="parallel-composition",
        statement="Over disjoint parts of the cases the largest loss counts, if a case stays in its part or is "
        "added or removed.",
        formula="max εᵢ, under add-remove or a publicly fixed partition",
        verdict=Verdict.PROVED,
        why="only the part of the changed case sees a change; the masses of the others are equal",
        reference="basic composition",
    ),
    Claim(
        id="parallel-replace",
        statement="Under replace, with a partition that depends on values, the two largest losses add up.",
        formula="ε₁ + ε₂, the two largest",
        verdict=Verdict.PROVED,
        why="a replaced case leaves one part and enters another: at most two parts see a change",
        reference="",
    ),
    Claim(
        id="parallel-replace-maximum",
        statement="Under replace, with a partition that depends on values, the largest loss suffices.",
        formula="two cells, q = 1/2: ratio 4 > 2",
        verdict=Verdict.REFUTED,
        why="a histogram of two cells with noise of ratio 2 each: a case that moves from one cell to the other "
        "changes the "
        "likelihood of an output by 4",
        reference="",
    ),
    Claim(
        id="replication",
        statement="A case released D times with independent noise costs D times the loss; with ε/D each, it costs ε.",
        formula="D copies: D·ε; D·(ε/D) = ε",
        verdict=Verdict.PROVED,
        why="sequential composition of D releases of the same case, for a D that does not depend on it",
        reference="article, Alg. 1 line 26",
    ),
    Claim(
        id="cases-of-an-individual",
        statement="An individual with at most c cases loses at most c times the loss of one case; ε/c each makes it ε.",
        formula="p₀ ≤ e^ε·p₁ ≤ … ≤ e^(c·ε)·p_c",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="a chain of c neighbouring logs; c must be declared, not counted in the log",
        reference="article, Sect. 3",
        assumptions=(Assumption.PUBLIC_CASES_PER_INDIVIDUAL,),
    ),
    Claim(
        id="repeated-releases",
        statement="N releases of the same log share the budget: N·ε in all, and ε/N each makes it ε.",
        formula="N·(ε/N) = ε",
        verdict=Verdict.PROVED,
        why="sequential composition",
        reference="",
    ),
    Claim(
        id="post-processing",
        statement="What is computed from a release, without the private data, costs nothing.",
        formula="aᵢ ≤ e^ε·bᵢ, wᵢ ≥ 0 ⇒ Σ wᵢ·aᵢ ≤ e^ε·Σ wᵢ·bᵢ",
        verdict=Verdict.PROVED,
        why="the mass of a result is a weighted sum of masses of outputs, with weights that do not depend on the data",
        reference="basic composition",
    ),
    Claim(
        id="add-remove-to-replace",
        statement="A loss for adding or removing a case counts at most twice for replacing one, and twice for a "
        "histogram.",
        formula="a ≤ e^ε·m ≤ e^(2ε)·b; two cells: ratio q⁻²",
        verdict=Verdict.PROVED,
        why="replacing is removing and adding; in a histogram the two changes fall in different cells and their "
        "ratios multiply",
        reference="",
    ),
    Claim(
        id="approximate-composition",
        statement="For approximate differential privacy, ε and δ add up.",
        formula="(ε₁, δ₁), (ε₂, δ₂) ⇒ (ε₁+ε₂, δ₁+δ₂)",
        verdict=Verdict.PROVED,
        why="split each mass into a part within the ratio and an excess that sums to δ; the product is bounded term "
        "by term",
        reference="basic composition",
    ),
    Claim(
        id="unbounded-absorbs",
        statement="A release with an unbounded part is unbounded.",
        formula="ε + ∞ = ∞; a > 0 = b ⇒ a·c > e^ε·b·d for every ε, where c > 0",
        verdict=Verdict.PROVED,
        why="an output that is possible with a case and impossible without it stays so, whatever else is released "
        "beside it",
        reference="basic composition",
    ),
)
