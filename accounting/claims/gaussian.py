"""Claims about Gaussian noise in the average reading: its curve, its composition, its discrete twin, and the lengths
that set it (docs/average.md; the letters are those of ``accounting.claims.average``)."""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

_GDP = "Dong, Roth, Su: Gaussian Differential Privacy (2022)"
_DISCRETE = "Canonne, Kamath, Steinke: The Discrete Gaussian for Differential Privacy (2020)"
_FILTERS = (
    "Smith, Thakurta: Fully Adaptive Composition for Gaussian Differential Privacy (2022), arXiv 2210.17520; Koskela, "
    "Tobaben, Honkela: Individual Privacy Accounting with Gaussian Differential Privacy (2022), arXiv 2209.15596"
)

GAUSSIAN_CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="gaussian-curve",
        statement="N(μ, 1) and N(0, 1) have total variation 2Φ(μ/2) - 1, and N(μ, 1) exceeds e^ε·N(0, 1) by δ(ε).",
        formula="δ(ε) = Φ(-ε/μ + μ/2) - e^ε·Φ(-ε/μ - μ/2); δ(0) = 2Φ(μ/2) - 1",
        verdict=Verdict.PROVED,
        why="the densities cross e^ε once, at ε/μ + μ/2; the two tails beyond it",
        reference=f"{_GDP}; Balle, Wang: Improving the Gaussian Mechanism (2018)",
        about=("gaussian_excess", "delta_of", "epsilon_of", "advantage_of"),
    ),
    Claim(
        id="gaussian-steps",
        statement="Measurements with Gaussian noise, each chosen by what the earlier ones gave, are together no easier "
        "to tell apart than N(μ, 1) from N(0, 1), if the squared lengths of the case's contributions in units of the "
        "noise sum to at most μ² in every course that they can take. So μ² adds up over steps and releases.",
        formula="Σ‖cᵢ - rᵢ‖²/σᵢ² ≤ μ² ⇒ E[(LR - e^ε)₊] ≤ δ(ε)",
        verdict=Verdict.PROVED,
        why="filled up to μ² with a measurement of nothing, ln LR + μ²/2 is a sum of conditionally normal terms whose "
        "variances sum to μ² on every path: exp(is·ΣU + s²·Σv/2) is a bounded martingale, so it is N(0, μ²)",
        reference=_FILTERS,
        about=("gaussian_excess", "delta_of"),
    ),
    Claim(
        id="pure-step",
        statement="A step of pure loss ε is no easier to tell apart than N(μ, 1) from N(0, 1) with μ = "
        "2Φ⁻¹(e^ε/(1+e^ε)), and with no smaller μ in general. The ε is that of the relation in which μ is counted.",
        formula="min(e^ε·α, 1 - e^(-ε)(1-α)) ≤ Φ(Φ⁻¹(α) + μ), equal at α = 1/(1+e^ε)",
        verdict=Verdict.PROVED,
        why="the curve of pure loss is two straight lines that meet at (1/(1+e^ε), e^ε/(1+e^ε)); a concave curve from "
        "(0, 0) to (1, 1) through that point lies above both",
        reference=_GDP,
        about=("pure_distance", "mu_squared_of_pure"),
    ),
    Claim(
        id="pure-histogram-square",
        statement="A pure release of a histogram that keeps the advantage A costs exactly μ₀(A)².",
        formula="leave-out loss ε = 2·artanh A: (e^ε-1)/(e^ε+1) = A",
        verdict=Verdict.PROVED,
        why="left out, a case moves a histogram half as far as replaced; tanh(ε/2) is then A",
        reference=_GDP,
        about=("pure_distance", "mu_squared_of_pure", "mu_squared_of_advantage"),
    ),
    Claim(
        id="gaussian-with-pure",
        statement="Pure steps may stand among Gaussian ones, in any order and each chosen by what came before: their "
        "μ² add up.",
        formula="randomised response of loss ε, then Gaussian noise: E[(LR - e^ε₀)₊] ≤ δ(ε₀) with μ² = μ₁² + μ(ε)²",
        verdict=Verdict.PROVED,
        why="a step whose curve is at most that of N(μ, 1) and N(0, 1) is a random function of one of the two "
        "(Blackwell), so it is one more Gaussian measurement, of which less is told",
        reference=f"{_GDP}; Blackwell: Equivalent Comparisons of Experiments (1953)",
        about=("mu_squared_of_pure", "delta_of"),
    ),
    Claim(
        id="discrete-gaussian-smoothing",
        statement="A discrete Gaussian of variance σ² around a whole number has, at every whole number, within the "
        "factors (1-ϑ)/(1+ϑ) and 1+ϑ the mass of a continuous one of variance σ² - s² that is rounded at random to a "
        "whole number in a way that does not depend on its centre.",
        formula="(1-ϑ)/(1+ϑ) ≤ q(k)/p(k) ≤ 1+ϑ, ϑ = 2·Σ exp(-2π²s²m²) over m ≥ 1, 0 < s² < σ²",
        verdict=Verdict.PROVED,
        why="rounded to k with probability proportional to exp(-(k-y)²/2s²); the divisors are sums over whole numbers "
        "of a bell curve, which by Poisson summation are s√(2π) times 1 within ϑ; the bell curves convolve",
        reference=f"{_DISCRETE} (Poisson summation)",
        about=("smoothed_at_most", "smoothed_at_least"),
    ),
    Claim(
        id="discrete-gaussian-release",
        statement="Whole-number measurements with discrete Gaussian noise in D cells, each chosen by what the earlier "
        "ones gave, keep the reading of continuous noise with σ² - s² for σ², and (1+ϑ)^D - 1 is added: once to the "
        "gain of a guess, twice between two values, and to the curve a factor (1+ϑ)^D at an ε that is "
        "D·ln((1+ϑ)²/(1-ϑ)) smaller.",
        formula="TV(M, P) ≤ (1+ϑ)^D - 1; M - e^ε·M' ≤ (1+ϑ)^D·δ(ε - D·ln((1+ϑ)²/(1-ϑ)))",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the factors of the cells multiply; what is smoothed is a random function of continuous measurements, "
        "which need not be made",
        reference=_DISCRETE,
        assumptions=(Assumption.EXACT_SAMPLER,),
        about=("smoothing_surcharge", "smoothed_at_most", "smoothed_at_least", "delta_of", "chance_of_more_than"),
    ),
    Claim(
        id="discrete-gaussian-same-scale",
        statement="Discrete Gaussian noise has the distance of continuous noise of the same σ, up to a term that is "
        "negligible for σ ≥ 5.",
        formula="σ = 5, shift 1: TV = 1/Σ exp(-j²/50) > 0.0797 > 2Φ(1/10) - 1",
        verdict=Verdict.REFUTED,
        why="a shift by 1 has TV 1/Σ exp(-j²/2σ²), about 1/(σ√(2π)), and the continuous one is smaller by 1/(24σ²) of "
        "it, more than 10⁻⁴ at σ = 5, where ϑ is below 10⁻²¹⁰",
        reference=_DISCRETE,
        about=("advantage_of",),
    ),
    Claim(
        id="discrete-gaussian-tail",
        statement="A cell that a unit alone is in reaches a threshold with at most the stated probability.",
        formula="P(Z ≥ m) ≤ Φ(-(m-1)/σ) for m ≥ 1, Z discrete Gaussian of variance σ²",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="exp(-x²/2σ²) falls from 0 on, so that each term is at most the integral before it; the sum of all is at "
        "least σ√(2π), by Poisson summation",
        reference=_DISCRETE,
        assumptions=(Assumption.EXACT_SAMPLER,),
        about=("threshold_delta_of",),
    ),
    Claim(
        id="average-threshold",
        statement="Under a threshold the gain of every guess is at most that of the measurements and δ: for a unit of "
        "g cases δ is g·P(g + Z ≥ t).",
        formula="M = (1-p)·A + p·B, p ≤ δ = g·P(g + Z ≥ t) ⇒ V₁ ≤ V₀ + TV(A, Q) + δ",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="given that no cell of the unit alone is shown, the release is a thresholded measurement of the cells of "
        "the others, which the reference makes too; at most g such cells hold at most g each",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
        about=("success_bound", "threshold_delta_of"),
    ),
    Claim(
        id="average-group",
        statement="If the case depends on g-1 others, the best guess gains at most 2Φ(g·μ₀/2) - 1, and under a "
        "threshold g·P(g + Z ≥ t) more.",
        formula="Φ(Φ⁻¹(Φ(Φ⁻¹(α) + a)) + b) = Φ(Φ⁻¹(α) + a + b); μ² of the group: g²·μ₀²",
        verdict=Verdict.PROVED,
        why="leaving out g cases is leaving out one after the other: shifts add up; in one measurement lengths do",
        reference=_GDP,
        about=("group_square", "success_after", "advantage_of"),
    ),
    Claim(
        id="norm-nonnegative",
        statement="If a case adds a vector without negative entries and of length at most w, leaving it out moves the "
        "table by at most w and replacing it by at most √2·w.",
        formula="‖v - v'‖² = ‖v‖² + ‖v'‖² - 2·v·v' ≤ 2w²",
        verdict=Verdict.PROVED,
        why="v·v' is not negative; attained by cases that share no cell",
        reference="",
        about=("replaced_square",),
    ),
    Claim(
        id="norm-centred",
        statement="If a case adds what lies within R of a public centre, leaving it out in favour of the centre moves "
        "the total by at most R and replacing it by at most 2R.",
        formula="‖v - v'‖² ≤ 2‖v‖² + 2‖v'‖² ≤ 4R²",
        verdict=Verdict.PROVED,
        why="the triangle inequality; attained by opposite contributions",
        reference="",
        about=("replaced_square_centred",),
    ),
    Claim(
        id="norm-group",
        statement="g cases together move a table by at most g times the length of one.",
        formula="‖v₁ + … + v_g‖² ≤ g²·w²",
        verdict=Verdict.PROVED,
        why="the triangle inequality; attained by g equal cases",
        reference="",
        about=("group_square",),
    ),
    Claim(
        id="norm-clipped",
        statement="A case's counts, each multiplied by t = min(U, ⌊√(R²U²/Σc²)⌋) whole units, have a length of at most "
        "R·U, and t is the largest such number up to U; rounding each product further down keeps the bound.",
        formula="t² ≤ ⌊R²U²/Σc²⌋ ⇒ Σ(t·c)² ≤ R²U²",
        verdict=Verdict.PROVED,
        why="the whole square root of a whole number is exact; smaller entries make no vector longer",
        reference="",
        about=("whole_units",),
    ),
    Claim(
        id="norm-of-events",
        statement="The length of what a case adds is at most the square root of its number of events.",
        formula="two events in one cell: the vector is (2), its squared length 4 > 2",
        verdict=Verdict.REFUTED,
        why="a cell that a case is in twice moves by 2; the length is that of the summed vector",
        reference="",
    ),
    Claim(
        id="numeric-average",
        statement="The numbers of the average reading are on the safe side of the true ones and within 10⁻⁷ of them: "
        "a μ² that calibrates below, everything that is reported above.",
        formula="advantages from 10⁻⁶ to 1 - 10⁻⁶, μ² from 10⁻¹² to 10⁶, ε to 10⁴, δ from 10⁻³⁰⁰",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="every operation on decimals rounds its lower end down and its upper end up, if Python's decimal does what "
        "it is documented to do; ball arithmetic agrees at every point tried",
        reference="",
        about=(
            "mu_squared_of_advantage",
            "advantage_of",
            "yes_no_advantage_of",
            "success_after",
            "delta_of",
            "epsilon_of",
            "chance_of_more_than",
            "mu_squared_of_pure",
            "smoothing_surcharge",
            "threshold_delta_of",
        ),
    ),
)
