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
        id="mixture-excess",
        statement="If what is released about a unit is with probability 1-δ a draw from a mechanism that loses ε about "
        "it, whatever the unit is, then what a guess is surer of after the release than P + tanh(ε/4), zero where it "
        "is not, is on average at most δ·(1 - P - tanh(ε/4)), whatever the attacker knows or does not know about the "
        "others.",
        formula="E[(posterior - P - A)₊] = Σ (P·m₁ - (P+A)·m)₊ ≤ Σ δ·(1-P-A)·b, with m = (1-δ)·a + δ·b",
        verdict=Verdict.PROVED,
        why="of each output the part that is a draw from the mechanism with loss ε stays within P + tanh(ε/4), so only "
        "the other part can exceed it, and that has mass δ in all; a mixture averaged over what the others may be is "
        "such a mixture again",
        reference="",
    ),
    Claim(
        id="threshold-known-others",
        statement="For an attacker who knows all other cases, a thresholded histogram keeps the posterior within P + "
        "tanh(ε/4) with probability at least 1-δ, whatever the unit is, if δ ≤ 1 - e^(-1/b).",
        formula="mₓ = (1-pₓ)·aₓ where no cell of the unit alone is seen, pₓ ≤ δ; j own cases: aₓ ≤ e^((2C-j)/b)·aₓ'",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="whoever knows the others sees whether a cell of the unit alone is shown, which has probability δ at most; "
        "if none is, a unit with cells of its own moves at least one count less, a factor of e^(1/b), which makes up "
        "for the 1-δ by which such outputs are rarer for it",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
    ),
    Claim(
        id="mixture-exception",
        statement="If what is released about a unit is with probability 1-δ a draw from a mechanism that loses ε about "
        "it, then the posterior of every attacker stays within P + tanh(ε/4) except with probability δ.",
        formula="q = 49/51 (A = 0.02), t = 331: δ < 10⁻⁶, and the posterior is above P + A with probability 0.247",
        verdict=Verdict.REFUTED,
        why="an attacker who is not sure whether anybody else has the variant: outputs on which the likelihood ratio "
        "is e^ε exactly become a little likelier still, because the variant may be shown for this case alone; all "
        "of them then exceed P + A, by very little, and together they have probability 0.247 where δ is below 10⁻⁶",
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
