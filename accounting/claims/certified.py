"""Claims about the mechanisms of the certified method, which this project makes and the article does not."""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

CERTIFIED_CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="weighted-histogram",
        statement="Noisy cells, to which a case adds a total weight of at most W, lose W/b about a case that is added "
        "or removed and 2W/b about one that is replaced, however many cells it touches.",
        formula="Π q^(|o-c|-|o-c'|) ≤ q^(-Σ|c-c'|) = e^(Σ|c-c'|/b), Σ|c-c'| ≤ W or 2W",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="each cell's likelihood ratio is at most q to the power of minus its change; the changes of a case sum to "
        "at most its weight, those of a replaced one to at most twice that",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
    ),
    Claim(
        id="noisy-max",
        statement="Telling which of several scores is largest after noise loses 2·s/b, however many there are, if a "
        "case moves no score by more than s.",
        formula="i wins iff Zᵢ ≥ t(others); t moves by at most 2s; P(Z ≥ t) ≤ e^(2s/b)·P(Z ≥ t+2s)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="given the noise of the others, the winner is who reaches a whole number; that number moves by at most s "
        "for its own score and s for theirs, and the tail of the noise falls by at most the factor q at a step",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
    ),
    Claim(
        id="threshold-mixture",
        statement="Whatever one unit of at most C cases is, a thresholded histogram is with probability 1-δ a draw "
        "from a mechanism that loses 2C/b about that unit, and with probability δ a draw from another.",
        formula="Mₓ = (1-δ)·Aₓ + δ·Bₓ, Aₓ ≤ e^(2C/b)·Aₓ', δ = C·P(C + Z ≥ t)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="A is the release given that no cell that the unit alone is in reaches the threshold; the noises are "
        "independent, so A is a noisy histogram over the cells of the others, and what is left of M is a law",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
    ),
    Claim(
        id="mixture-advantage",
        statement="If what is released about a unit is with probability 1-δ a draw from a mechanism that loses ε about "
        "it, whatever the unit is, then no guess gains more than tanh(ε/4) from such a draw, and no guesser succeeds "
        "more often than with probability (1-δ)·(P + tanh(ε/4)) + δ.",
        formula="P·(1-δ)·l₁/(P·(1-δ)·l₁ + (1-P)·(1-δ)·l₀) ≤ P + tanh(ε/4) for l₁ ≤ e^ε·l₀",
        verdict=Verdict.PROVED,
        why="the factor 1-δ is the same for every value of the unit and cancels; what remains is the bound for pure ε",
        reference="",
    ),
    Claim(
        id="mixture-composition",
        statement="A mixture and whatever is released after it with pure loss, or another mixture, are a mixture: ε "
        "and δ add up.",
        formula="((1-δ)·A + δ·B)·K = (1-δ)·(A·K) + δ·(B·K); (1-δ₁)(1-δ₂) ≥ 1-δ₁-δ₂",
        verdict=Verdict.PROVED,
        why="the product is distributed over the sum; A·K keeps the product of the two ratios",
        reference="",
    ),
    Claim(
        id="approximate-advantage",
        statement="Approximate differential privacy by itself keeps a guess within tanh(ε/4) except with "
        "probability δ.",
        formula="ε = ln 2, δ = 1/100: masses 61/100 and 30/100 of one output",
        verdict=Verdict.REFUTED,
        why="two outputs with masses 61/100 and 39/100 for one value, 30/100 and 70/100 for the other, are (ln 2, "
        "1/100); the first output is seen with probability at least 30/100 and its likelihood ratio exceeds 2",
        reference="",
    ),
)
