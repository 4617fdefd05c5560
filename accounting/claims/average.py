"""Claims about the average reading: what the best guess gains on average over the noise (docs/average.md).

V₀ is the chance of the best guess before the release, V₁ after it; τ₀ the largest total variation distance between the
release, for any value of the case, and one that does not see the case (the case left out, public facts held fixed);
τ that between any two values (replace). μ₀ and μ are the same distances in units of Gaussian noise.
"""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

_GDP = "Dong, Roth, Su: Gaussian Differential Privacy (2022)"
_CALIBRATION = "Kulynych et al.: Attack-Aware Noise Calibration for Differential Privacy (2024), arXiv 2407.02191"
_REPORTING = (
    "Gomez et al.: (ε, δ) Considered Harmful: Best Practices for Reporting Differential Privacy Guarantees (2025), "
    "arXiv 2503.10945"
)
_UNIFYING = (
    "Kulynych et al.: Unifying Re-Identification, Attribute Inference, and Data Reconstruction Risks in Differential "
    "Privacy (2025)"
)
_RECONSTRUCTION = (
    "Balle, Cherubin, Hayes: Reconstructing Training Data with Informed Adversaries (2022); Hayes, Mahloujifar, Balle: "
    "Bounding Training Data Reconstruction in DP-SGD (2023)"
)
_INDEPENDENT = (Assumption.INDEPENDENT_CASES,)

AVERAGE_CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="average-any-guess",
        statement="On average over the noise, the best guess after the release is right with a probability at most τ₀ "
        "higher than the best guess before, whatever is guessed and whatever the prior.",
        formula="V₁ - V₀ ≤ τ₀ = sup TV(Mₓᵧ, Qᵧ), Q any law that does not depend on x",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="with Q for M the output tells nothing about x, so no strategy succeeds more often than V₀; for each x the "
        "chance of any event differs by at most TV. For an attacker who knows the other cases the independence is not "
        "needed",
        reference=f"{_REPORTING}; {_CALIBRATION}; {_UNIFYING}",
        assumptions=_INDEPENDENT,
        about=("success_bound", "advantage_of", "mu_squared_of_advantage"),
    ),
    Claim(
        id="average-replace",
        statement="If any two values of the case are within τ, the best guess gains at most τ times the prior of all "
        "values but the likeliest.",
        formula="V₁ - V₀ ≤ τ·(1 - max π)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the law of the likeliest value is a reference, and for that value itself nothing is lost",
        reference=_CALIBRATION,
        assumptions=_INDEPENDENT,
        about=("success_bound_replace",),
    ),
    Claim(
        id="average-yes-no",
        statement="The best answer to a yes/no question gains at most τ·min(p, 1-p), which is at most τ/2, and that "
        "is attained.",
        formula="V₁ - V₀ ≤ τ·min(p, 1-p) ≤ τ/2",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the laws given yes and given no are mixtures over values, so they are within τ too; with the case "
        "published in clear with probability τ the bound is reached at every p",
        reference=f"{_CALIBRATION}; Chatzikokolakis et al.: Bayes Security: A Not So Average Metric (2023)",
        assumptions=_INDEPENDENT,
        about=("success_bound_replace", "yes_no_advantage_of"),
    ),
    Claim(
        id="average-success",
        statement="If no test tells a value's release from the reference better than N(μ₀, 1) from N(0, 1), then a "
        "guess that was right with probability V₀ is right with probability at most Φ(Φ⁻¹(V₀) + μ₀), plus δ where with "
        "probability δ something else is released.",
        formula="V₁ ≤ Φ(Φ⁻¹(V₀) + μ₀) = inf over ε of e^ε·V₀ + δ(ε)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="a strategy is a test between (x, M) and (x, Q); its power is an average over x of powers on a concave "
        "curve, hence at most the curve at the average, which is at most V₀; attained",
        reference=f"{_GDP}; {_RECONSTRUCTION}; {_UNIFYING}",
        assumptions=_INDEPENDENT,
        about=("success_after", "success_line"),
    ),
    Claim(
        id="average-half-of-distance",
        statement="Half the replace distance bounds the gain of every guess, not only of answers to yes/no questions.",
        formula="n equally likely values, published in clear with probability τ: gain τ·(1 - 1/n) > τ/2 for n ≥ 3",
        verdict=Verdict.REFUTED,
        why="one of three values, published in clear with probability 1/5: the best guess gains 2/15, above 1/10",
        reference=_CALIBRATION,
        assumptions=_INDEPENDENT,
        about=("success_bound_replace",),
    ),
    Claim(
        id="average-share-of-the-rest",
        statement="The gain of every guess is at most τ·(1 - V₀).",
        formula="four equally likely values, guess any pair, τ = 1/5: gain 3/20 > 1/5·(1 - 1/2) = 1/10",
        verdict=Verdict.REFUTED,
        why="release a pair, each pair that contains the value with probability 13/60, each other with 7/60: any two "
        "values are within 1/5, and the released pair is right with probability 13/20, where V₀ is 1/2",
        reference=_CALIBRATION,
        assumptions=_INDEPENDENT,
        about=("success_bound_replace",),
    ),
    Claim(
        id="distance-as-definition",
        statement="A total variation distance of at most A is enough as a definition of privacy.",
        formula="publish each case in clear with probability A: TV = A, and δ(ε) = A for every ε",
        verdict=Verdict.REFUTED,
        why="publishing each case in clear with probability 1/5 has that distance, and gives every fifth case away for "
        "certain; with Gaussian noise of the same distance δ(6) is below 10⁻¹⁰. So what is promised is the whole "
        "curve, never the distance alone",
        reference=_REPORTING,
        about=("delta_of",),
    ),
    Claim(
        id="average-to-each",
        statement="A release that keeps the average reading keeps, with some finite ε, the reading for every output.",
        formula="q₁(k)/q₀(k) = exp((2k-1)/2σ²), unbounded in k",
        verdict=Verdict.REFUTED,
        why="the likelihood ratio of Gaussian noise on two values grows with the output without end",
        reference=_GDP,
    ),
    Claim(
        id="pure-meets-average",
        statement="A pure release of advantage A (replace loss 4·artanh A), whatever its steps, keeps the average "
        "reading of A: the best guess gains at most A on average, and a guess right with V₀ is right with at most "
        "Φ(Φ⁻¹(V₀) + μ₀(A)).",
        formula="posterior(V₀, e^(-ε)) ≤ Φ(Φ⁻¹(V₀) + μ₀(A)), e^(ε/2) = (1+A)/(1-A), μ₀(A) = 2Φ⁻¹((1+A)/2)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="each output keeps every posterior within posterior(V₀, e^(-ε)), so the average does; Φ⁻¹ of the logistic "
        "function is concave from 0 on, so of all shifts by ε the centred one is largest, and that is μ₀(A)",
        reference=_GDP,
        assumptions=_INDEPENDENT,
        about=("success_after", "mu_squared_of_advantage"),
    ),
    Claim(
        id="single-output",
        statement="If no test tells two values of the case apart better than N(μ, 1) from N(0, 1), then a true "
        "statement that was fixed before is raised above P + tanh(ε/4) with probability at most the infimum of "
        "δ(ε₀)/(1 - e^(ε₀-ε)) over ε₀ < ε.",
        formula="P[LR > e^ε | S] ≤ δ(ε₀)/(1 - e^(ε₀-ε)); the infimum is Φ(μ-t) with Φ(μ-t)/Φ(-t) = e^ε",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the event E has M(E|S) - e^ε₀·M(E|not S) ≤ δ(ε₀), also for mixtures over values and other cases, and "
        "M(E|not S) ≤ e^(-ε)·M(E|S) on it; outside it the posterior is bounded as for pure loss ε. Fixed before the "
        "release is seen: see single-output-chosen-later",
        reference=_GDP,
        assumptions=_INDEPENDENT,
        about=("exception_bound", "chance_of_more_than"),
    ),
    Claim(
        id="single-output-attained",
        statement="No smaller chance holds for every release with that curve: one that reports only whether a Gaussian "
        "measurement exceeds t reaches it.",
        formula="P[yes | S] = Φ(μ-t), P[yes | not S] = Φ(-t): ratio e^ε exactly",
        verdict=Verdict.PROVED,
        why="what is released is computed from the measurements and may tell less: merging outputs of high and of "
        "medium ratio makes more of them exceed e^ε, not fewer; the smaller figure Φ(μ/2 - ε/μ) holds for whoever "
        "sees the measurement itself",
        reference=_GDP,
        about=("chance_of_more_than",),
    ),
    Claim(
        id="single-output-chosen-later",
        statement="The same chance bounds how often some true statement, chosen after seeing the release, is raised "
        "that much.",
        formula="release a pair: a = 13/60 if it contains the value, else b = 7/60: raised by 3/20 always",
        verdict=Verdict.REFUTED,
        why="of four equally likely values a pair is released that contains the value more often than not: the "
        "statement 'it is in this pair' goes from 1/2 to 13/20 at every output, while a statement fixed before is "
        "raised that much with probability 13/60, and the bound for it is below 1/2. For statements chosen later see "
        "best-guess-exception",
        reference=_RECONSTRUCTION,
        about=("chance_of_more_than",),
    ),
    Claim(
        id="best-guess-exception",
        statement="The best guess, chosen after seeing the release, is raised above V₀ + a with at most the stated "
        "probability over noise, case and others, whatever V₀; and what it is raised above V₀, zero where it is not, "
        "is on average at most τ₀, so that the probability is at most τ₀/a.",
        formula="p₁ ≤ G(r₁), r₂ ≤ G(p₂), p₁·r₂ ≥ p₂·r₁·(1-s)(1-s')/(s·s') with s = V₀, s' = 1-a-V₀; β ≤ p₁/(1-s')",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="'such an output, and the guess is right' and 'such an output, and it is wrong' are two tests between the "
        "release and the reference; one of them has a likelihood ratio beyond the root of the odds that were raised. "
        "For the average: (1-V₀) where right and -V₀ where wrong is a function of range 1 whose mean at the reference "
        "is at most 0",
        reference=_GDP,
        assumptions=_INDEPENDENT,
        about=("chance_of_best_guess", "raised_odds"),
    ),
)
