"""Claims about the formulas of ``accounting.algebra`` and ``accounting.formulas``.

The numeric claims (ids beginning with ``numeric-``) rest on two facts about the machine: + - × ÷ and the square root
round to nearest (IEEE 754), and exp, expm1, log, log1p, tanh, pow and cbrt of the math library err by at most 16 units
in the last place.
"""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

_MACHINE = "IEEE 754 arithmetic and a math library that errs by at most 16 units in the last place"

FORMULA_CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="posterior-bound",
        statement="If every likelihood ratio is at least y, the chance of a right guess after the release is at "
        "most the "
        "posterior bound.",
        formula="l₀ ≥ y·l₁ ⇒ P·l₁/(P·l₁ + (1-P)·l₀) ≤ 1/(1 + y·(1-P)/P)",
        verdict=Verdict.PROVED,
        why="Bayes for the two hypotheses 'the guess is right' and 'it is wrong'; each is a mixture of values, and "
        "a mixture of "
        "likelihoods that all keep the ratio keeps it",
        reference="article, Prop. posterior",
        about=("posterior",),
    ),
    Claim(
        id="prior-inverse",
        statement="The ε computed from prior and advantage is the one at which the posterior bound equals prior + "
        "advantage.",
        formula="posterior(P, y*) = P + A and y*(P, posterior(P, y) - P) = y, with y* = P/(1-P)·(1/(A+P) - 1)",
        verdict=Verdict.PROVED,
        why="the two formulas undo each other",
        reference="article, Prop. minimum eps",
        about=("likelihood_ratio", "posterior"),
    ),
    Claim(
        id="loss-twin",
        statement="The form without cancellation is the same ε.",
        formula="1/y* = 1 + A/(P·(1-A-P)), hence ε·r = log1p(A/(P·(1-A-P)))",
        verdict=Verdict.PROVED,
        why="an identity of rational functions",
        reference="",
        about=("likelihood_ratio", "loss_for_prior"),
    ),
    Claim(
        id="loss-derivative",
        statement="As a function of the prior, ε falls up to (1-A)/2 and rises after it.",
        formula="dε/dP = A(2P+A-1)/(r·P(P-1)(P+A)(P+A-1)), negative below P = (1-A)/2, positive above",
        verdict=Verdict.PROVED,
        why="the derivative of -ln y*/r; its denominator is positive inside the domain",
        reference="article, Eq. 2",
        about=("likelihood_ratio", "worst_prior"),
    ),
    Claim(
        id="worst-prior",
        statement="The prior (1-A)/2 permits the smallest ε of all priors, and no other prior does.",
        formula="((1-A)/(1+A))² - y*(P, A) = A(2P+A-1)²/((1-P)(P+A)(1+A)²) ≥ 0",
        verdict=Verdict.PROVED,
        why="the certificate is a square over a positive number, zero only at (1-A)/2",
        reference="article, Eq. 2",
        about=("worst_prior", "likelihood_ratio", "worst_ratio"),
    ),
    Claim(
        id="worst-loss",
        statement="The loss 4·artanh(A) keeps the advantage within A for every prior, and no larger loss does.",
        formula="y ≥ ((1-A)/(1+A))² ⇒ posterior(P, y) - P ≤ A for all P; -ln ((1-A)/(1+A))² = 4·artanh(A)",
        verdict=Verdict.PROVED,
        why="the worst prior is the global minimum; at it a larger loss exceeds A",
        reference="article, Prop. CT",
        about=("worst_ratio", "worst_case_loss", "posterior"),
    ),
    Claim(
        id="any-prior-advantage",
        statement="A release that loses at most ε about a case (replace relation) lets no guess about it gain more "
        "than tanh(ε/4), "
        "whatever the prior.",
        formula="posterior(P, x²) - P ≤ (1-x)/(1+x) = tanh(ε/4), x = exp(-ε/2); attained at P = x/(1+x)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the posterior bound at its worst prior; ε-DP bounds the likelihoods of one case's values only if the "
        "others do not "
        "move with it",
        reference="",
        assumptions=(Assumption.INDEPENDENT_CASES,),
        about=("worst_advantage", "worst_case_advantage", "advantage_for_prior"),
    ),
    Claim(
        id="group-advantage",
        statement="If the case depends on g-1 others, the bound is tanh(g·ε/4).",
        formula="y = exp(-g·ε); five identical cases at ε = 0.8109 and P = 0.4: advantage 0.575",
        verdict=Verdict.PROVED,
        why="changing one value of g dependent cases is a chain of g replacements, whose ratios multiply",
        reference="",
        about=("group_loss", "worst_case_advantage", "worst_advantage"),
    ),
    Claim(
        id="monotonicity",
        statement="A larger permitted advantage permits a larger loss, and a larger loss permits a larger advantage.",
        formula="((1-A)/(1+A))² falls in A; (1-x)/(1+x) falls in x; posterior(P, y) falls in y",
        verdict=Verdict.PROVED,
        why="their derivatives have one sign",
        reference="",
        about=("worst_ratio", "worst_advantage", "posterior"),
    ),
    Claim(
        id="one-sided-cubic",
        statement="The article's advantage of one-sided noise equals A exactly where the cubic vanishes.",
        formula="x²·(1-x)/(1+x) + 1 - x² = A ⇔ 2x³ + (A-1)x + (A-1) = 0, for x > 0",
        verdict=Verdict.PROVED,
        why="multiply by 1+x; that the advantage itself is not a bound is another claim (one-sided-count)",
        reference="article, Prop. oversampling",
        about=("one_sided_advantage", "oversampling_polynomial"),
    ),
    Claim(
        id="cubic-root-unique",
        statement="The cubic has exactly one root between 0 and 1, and it falls in A.",
        formula="p(0) = A-1 < 0 < 2A = p(1); p(x₁) = p(x₂) = 0 ⇒ x₁ = x₂",
        verdict=Verdict.PROVED,
        why="a sign change gives one; two would contradict 2x³/(1+x) = 1-A, which rises in x",
        reference="",
        about=("oversampling_polynomial",),
    ),
    Claim(
        id="oversampling-closed-form",
        statement="The article's closed form is the root of the cubic.",
        formula="c³ = 6, s² = 3·(2A³+21A²-48A+25), B³ = s-9A+9 ⇒ p(B/c² - (A-1)/(c·B)) = 0",
        verdict=Verdict.PROVED,
        why="the numerator lies in the ideal of the three equations (Gröbner basis); the radicand is (A-1)²(2A+25), "
        "so s and B "
        "are real",
        reference="article, Prop. oversampling",
        about=("oversampling_root", "oversampling_polynomial"),
    ),
    Claim(
        id="laplace-law",
        statement="The masses of discrete Laplace noise are a probability law, symmetric around 0.",
        formula="Σ over k of (1-q)/(1+q)·q^|k| = 1",
        verdict=Verdict.PROVED,
        why="two geometric series",
        reference="",
        about=("laplace_mass",),
    ),
    Claim(
        id="laplace-ratio",
        statement="Discrete Laplace noise of scale b on a value that moves by at most Δ loses at most Δ/b.",
        formula="q^|k-x| ≤ q^(-Δ)·q^|k-x'| for |x-x'| ≤ Δ, q = exp(-1/b)",
        verdict=Verdict.PROVED,
        why="the triangle inequality in the exponent; the bound is attained",
        reference="article, Prop. CT-DP (1)",
        about=("laplace_mass", "laplace_loss"),
    ),
    Claim(
        id="laplace-tail",
        statement="The tail of discrete Laplace noise from t ≥ 1 on has the stated probability.",
        formula="Σ over k ≥ t of (1-q)/(1+q)·q^k = q^t/(1+q)",
        verdict=Verdict.PROVED,
        why="a geometric series",
        reference="",
        about=("laplace_tail", "laplace_mass"),
    ),
    Claim(
        id="geometric-law",
        statement="One-sided noise is what remains of discrete Laplace noise when negative draws are rejected.",
        formula="mass(k)/P(Z ≥ 0) = (1-q)·q^k; each step down divides by q",
        verdict=Verdict.PROVED,
        why="conditioning divides by P(Z ≥ 0) = 1/(1+q)",
        reference="",
        about=("geometric_mass", "laplace_mass"),
    ),
    Claim(
        id="folded-law",
        statement="The absolute value of discrete Laplace noise has the same law, and keeps the ratio exp(ε) of the "
        "proof.",
        formula="P(|Z| = 0)/P(|Z| = 1) = 1/(2q), not 1/q; and 2q > 1/q where 2q² > 1 (ε < ln 2/2)",
        verdict=Verdict.REFUTED,
        why="folding doubles every mass but that of 0; at q = 9/10 the ratio P(1)/P(0) is 9/5, above exp(ε) = 10/9",
        reference="article, Prop. oversampling",
        about=("laplace_mass", "geometric_mass"),
    ),
    Claim(
        id="threshold-delta",
        statement="Releasing a key only if its noisy count reaches t costs δ for a key that one case alone could have.",
        formula="δ = P(influence + Z ≥ t) = q^(t-influence)/(1+q), for t > influence",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="without the case the key cannot occur, so its release is covered by δ alone; keys that occur anyway "
        "are covered by ε",
        reference="",
        assumptions=(Assumption.EXACT_SAMPLER,),
        about=("laplace_tail", "threshold_delta"),
    ),
    Claim(
        id="numeric-headroom",
        statement="1 - A - P is computed with a relative error of at most two roundings, also next to P + A = 1.",
        formula="|headroom - (1-A-P)| ≤ 2·2⁻⁵³·(1-A-P)(1 + 2⁻⁵²)",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why=f"the error of the sum is recovered exactly (Knuth), and 1 - total is exact from 1/2 on (Sterbenz); "
        f"under {_MACHINE}",
        reference="",
        about=("headroom",),
    ),
    Claim(
        id="numeric-loss",
        statement="The loss and the rate for a prior are on the safe side of the true value, whichever way they are "
        "rounded.",
        formula="down ≤ -ln y*(P, A) ≤ up, for 10⁻¹² ≤ A, P and A + P ≤ 1 - 10⁻¹²; over r, for 10⁻¹⁰⁰ ≤ r ≤ 10¹⁰⁰",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why=f"the error is below the rounding margin over the whole domain; under {_MACHINE}",
        reference="",
        assumptions=(Assumption.MATH_LIBRARY,),
        about=("loss_for_prior", "rate_for_prior"),
    ),
    Claim(
        id="numeric-worst-loss",
        statement="The loss for the worst prior is on the safe side of the true value.",
        formula="down ≤ 4·artanh(A) ≤ up, for 10⁻¹² ≤ A ≤ 1 - 10⁻¹²",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why=f"the error is below the rounding margin over the whole domain; under {_MACHINE}",
        reference="",
        assumptions=(Assumption.MATH_LIBRARY,),
        about=("worst_case_loss",),
    ),
    Claim(
        id="numeric-advantage",
        statement="A reported advantage is never below the true one.",
        formula="≥ tanh(g·loss/4) and ≥ posterior(P, exp(-loss)) - P, for 10⁻¹² ≤ P ≤ 1 - 10⁻¹², every loss from "
        "10⁻²⁰⁰ on, "
        "zero and infinity, and g ≤ 2⁵³",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why=f"the error is below the rounding margin over the whole domain; under {_MACHINE}",
        reference="",
        assumptions=(Assumption.MATH_LIBRARY,),
        about=("worst_case_advantage", "advantage_for_prior", "group_loss"),
    ),
    Claim(
        id="numeric-oversampling",
        statement="The ε of one-sided noise is on the safe side of the root of the cubic.",
        formula="down ≤ -2·ln x ≤ up, p(x) = 0, for 10⁻¹² ≤ A ≤ 1 - 10⁻¹²",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the last Newton step leaves only its own rounding errors, which are below the margin on boxes that "
        "cover the domain; "
        f"under {_MACHINE}",
        reference="",
        assumptions=(Assumption.MATH_LIBRARY,),
        about=("oversampling_epsilon",),
    ),
    Claim(
        id="numeric-laplace-loss",
        statement="The reported loss of discrete Laplace noise is never below sensitivity/scale.",
        formula="laplace_loss(Δ, b) ≥ Δ/b, for Δ and b from 10⁻¹⁰⁰ to 10¹⁰⁰; infinite for b = 0 < Δ; 0 for Δ = 0",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="the quotient is correctly rounded and the next number up is taken; under IEEE 754 arithmetic",
        reference="article, Prop. CT-DP (1)",
        about=("laplace_loss",),
    ),
    Claim(
        id="numeric-threshold",
        statement="A reported δ of a threshold is never below the true one.",
        formula="≥ q^(t-influence)/(1+q), for (t-influence)/scale ≤ 690 (δ down to 10⁻³⁰⁰) and scale ≤ 2⁵⁰",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why=f"the error is below the rounding margin over the whole domain; under {_MACHINE}",
        reference="",
        assumptions=(Assumption.MATH_LIBRARY,),
        about=("threshold_delta",),
    ),
)
