"""Claims of the article about its release, and what became of them."""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.claims.claim import Claim
from accounting.guarantee import Verdict

ARTICLE_CLAIMS = (
    Claim(
        id="count-cell",
        statement="One cell of the noisy transition table is ε-differentially private.",
        formula="sensitivity 1, noise of scale 1/ε: P[c+Z = k] ≤ exp(ε)·P[c'+Z = k] for |c-c'| ≤ 1",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="discrete Laplace noise on a count that adding, removing or replacing one case moves by at most 1",
        reference="article, Prop. CT-DP (1)",
        assumptions=(Assumption.PUBLIC_GROUPS, Assumption.EXACT_SAMPLER),
    ),
    Claim(
        id="count-table",
        statement="The noise that suffices for one cell suffices for the whole noisy table, because the prior is "
        "the worst one.",
        formula="A = 1/2, P = 1/4, two cells: posterior 27/28 > P + A = 3/4",
        verdict=Verdict.REFUTED,
        why="variants ⟨A⟩ and ⟨B⟩: replacing one by the other moves two cells; with advantage 1/2 and prior 1/4 the "
        "posterior is "
        "27/28",
        reference="article, Prop. CT (guessing advantage)",
        assumptions=(
            Assumption.PUBLIC_GROUPS,
            Assumption.EXACT_SAMPLER,
        ),
    ),
    Claim(
        id="count-table-composed",
        statement="The whole noisy table costs k·ε for a case of length k under add-remove, and (k+k')·ε ≤ 2m·ε "
        "under replace.",
        formula="k·ε; (k+k')·ε",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="a case moves one cell for each of its events, and the losses of independent noises add",
        reference="article, Prop. CT-DP (2)",
        assumptions=(Assumption.PUBLIC_GROUPS, Assumption.PUBLIC_LENGTH, Assumption.EXACT_SAMPLER),
    ),
    Claim(
        id="selection-of-variants",
        statement="Releasing only variants of the log (R1) is compatible with a bound for every case.",
        formula="P[variant of its own is released] > 0 with the case, = 0 without it",
        verdict=Verdict.REFUTED,
        why="a variant that one case alone has occurs with probability 0 without that case, so no ε bounds its release",
        reference="article, R1",
        assumptions=(Assumption.PUBLIC_VARIANTS,),
    ),
    Claim(
        id="selection-of-groups",
        statement="Building the automaton and the groups of events from the log costs nothing.",
        formula="range of a group: 5 days with ⟨b, c⟩, 17 minutes with ⟨a, d⟩ in its place",
        verdict=Verdict.REFUTED,
        why="one case decides which states of the automaton are one: where it goes another way, the times of everybody "
        "else are grouped anew and get noise of another scale, and the ratio of two scales' tails is unbounded",
        reference="article, Sect. 3.2",
        assumptions=(Assumption.PUBLIC_GROUPS,),
    ),
    Claim(
        id="selection-of-cases",
        statement="Case filtering does not affect privacy because it does not depend on private data.",
        formula="one more case: a cell moves from 3 to 11",
        verdict=Verdict.REFUTED,
        why="priors come from the log: in a log of fifteen cases at advantage 0.3, adding one saves seven that are "
        "filtered "
        "without it, and moves a cell from 3 to 11",
        reference="article, Sect. 3.4",
    ),
    Claim(
        id="event-time",
        statement="A relative time x with noise of scale 1/ε(x) keeps the guessing advantage for its prior.",
        formula="sup over k of P[x+Z_x = k] / P[x'+Z_x' = k] = ∞ for scales b > b'",
        verdict=Verdict.REFUTED,
        why="the scale is computed from the value that it hides; where two values have different scales, the ratio "
        "of their tails "
        "is unbounded",
        reference="article, Prop. minimum eps and Prop. timestamps",
        assumptions=(
            Assumption.ESTIMATED_PRIOR,
            Assumption.PUBLIC_RANGES,
            Assumption.PUBLIC_SCALES,
            Assumption.PUBLIC_GROUPS,
            Assumption.PUBLIC_TIME_FRAME,
            Assumption.EXACT_SAMPLER,
        ),
    ),
    Claim(
        id="event-time-public-scale",
        statement="A relative time in a public range [0, r] with noise of public scale b loses at most r/b.",
        formula="P[x+Z = k] ≤ exp(r/b)·P[x'+Z = k] for |x-x'| ≤ r",
        verdict=Verdict.PROVED_UNDER_ASSUMPTIONS,
        why="discrete Laplace noise on a value that moves by at most r",
        reference="article, Def. 3 and Prop. timestamps",
        assumptions=(Assumption.PUBLIC_SCALES, Assumption.PUBLIC_RANGES, Assumption.EXACT_SAMPLER),
    ),
    Claim(
        id="event-time-any-prior",
        statement="The ε computed from an estimated prior bounds every attacker.",
        formula="A = 0.3: loss(P = 0.01) = 3.795, tanh(3.795/4) = 0.74",
        verdict=Verdict.REFUTED,
        why="at advantage 0.3 the ε for a prior of 0.01 is 3.795, and from that the worst prior gains 0.74",
        reference="article, Sect. 3.5",
        assumptions=(Assumption.PUBLIC_SCALES,),
    ),
    Claim(
        id="case-times",
        statement="The noise on each time suffices for all times of one case together.",
        formula="two values that both move by r: loss 2·r/b",
        verdict=Verdict.REFUTED,
        why="the losses of the events of a case add up; the appendix divides by the longest case, Algorithm 1 and "
        "the final lemma "
        "do not",
        reference="article, Prop. timestamps, Alg. 1, final lemma",
        assumptions=(
            Assumption.PUBLIC_SCALES,
            Assumption.PUBLIC_RANGES,
            Assumption.PUBLIC_LENGTH,
            Assumption.KNOWN_CONTROL_FLOW,
        ),
    ),
    Claim(
        id="copies",
        statement="Dividing ε by the number of copies D of a case makes up for releasing it D times.",
        formula="D·(ε/D) = ε",
        verdict=Verdict.NOT_PROVED,
        why="true for a D that does not depend on times and is no secret; here D is private and random, and sets "
        "the scale",
        reference="article, Alg. 1 line 26",
        assumptions=(
            Assumption.COPIES_IGNORE_TIMES,
            Assumption.PUBLIC_SCALES,
        ),
    ),
    Claim(
        id="one-sided-count",
        statement="One-sided noise keeps the stated guessing advantage for a cell.",
        formula="P[c+Z = c] = 1 - exp(-ε) > 0, P[(c+1)+Z = c] = 0",
        verdict=Verdict.REFUTED,
        why="a released count equal to the true one rules out a larger log; the article bounds an average over "
        "outputs, its own "
        "definition every output, and calls 1 - exp(-ε) the probability of |z| ≥ 1, which is that of |z| < 1",
        reference="article, Prop. oversampling",
    ),
    Claim(
        id="released-counts",
        statement="Copying and deleting cases has the privacy of adding the drawn noise to the counts.",
        formula="⟨x, a⟩ N times, ⟨x, b⟩ once or twice: P[b is lost | once] / P[b is lost | twice] ≥ c·N, unbounded",
        verdict=Verdict.REFUTED,
        why="a moved case shifts every transition on its path: a variant keeps its count only if all its transitions "
        "drew 0, so the true count is the one that is hardly ever released (a ratio of 3.81 in one cell for three "
        "events at advantage 1/5, above exp(ε) = 2.25); and a rare branch of a transition with N cases is lost with a "
        "ratio that grows like N between one case and two, so that no ε bounds it, public variants or not",
        reference="article, Prop. sampling",
        assumptions=(
            Assumption.PUBLIC_VARIANTS,
            Assumption.PUBLIC_GROUPS,
        ),
    ),
    Claim(
        id="relation",
        statement="An ε for adding or removing a case bounds the guessing advantage about what the case did.",
        formula="replace = remove + add: up to 2·ε",
        verdict=Verdict.REFUTED,
        why="the advantage compares two values of the same case, which is the replace relation: an add-remove ε "
        "counts up to twice "
        "there, twice for histograms, once for a single cell",
        reference="article, Def. 1 and Def. guessing advantage",
        assumptions=(Assumption.PUBLIC_NUMBER_OF_CASES,),
    ),
    Claim(
        id="personalised-dp",
        statement="The released log is Φ-personalised differentially private.",
        formula="P[M(L) ∈ S] ≤ exp(Φ_u)·P[M(L') ∈ S]",
        verdict=Verdict.REFUTED,
        why="Φ must be fixed before the data are seen; here each Φ is computed from the value that it protects (see "
        "event-time), and "
        "filtering and variants have no bound at all",
        reference="article, Def. PDP and final lemma",
        assumptions=(
            Assumption.PUBLIC_SCALES,
            Assumption.PUBLIC_RANGES,
        ),
    ),
    Claim(
        id="requirement-r1",
        statement="No released case has a variant that the original does not have.",
        formula="variants(L') ⊆ variants(L)",
        verdict=Verdict.PROVED,
        why="whole cases are copied or deleted, and noise on times never changes the order of a case",
        reference="article, R1",
    ),
    Claim(
        id="requirement-r2",
        statement="No larger ε keeps the posterior within prior + advantage.",
        formula="y < y* ⇒ posterior(P, y) > P + A",
        verdict=Verdict.PROVED,
        why="the posterior bound falls strictly as y = exp(-ε·r) grows, and equals P + A at y*",
        reference="article, R2, Prop. minimum eps",
        about=("likelihood_ratio", "posterior"),
    ),
    Claim(
        id="predictable-noise",
        statement="The noise cannot be predicted.",
        formula="",
        verdict=Verdict.REFUTED,
        why="it came from a seeded generator: who knows the seed can subtract it",
        reference="this release",
    ),
    Claim(
        id="unknown-step",
        statement="A step of the release that the accountant does not know is differentially private.",
        formula="",
        verdict=Verdict.NOT_PROVED,
        why="nothing is known about it, so nothing is claimed",
        reference="this release",
    ),
    Claim(
        id="whole-release",
        statement="The whole release is differentially private.",
        formula="Σ of all parts",
        verdict=Verdict.NOT_PROVED,
        why="the parts compose: the sum of their losses, unbounded if any part is",
        reference="basic composition",
        assumptions=(Assumption.INDEPENDENT_CASES,),
    ),
    Claim(
        id="average-release",
        statement="The whole release keeps the average reading.",
        formula="Σ of the μ² of all parts, and of their δ",
        verdict=Verdict.NOT_PROVED,
        why="the parts compose: the sum of their μ², to which pure parts are turned, unbounded if any part is",
        reference="composition of Gaussian curves (gaussian-steps, gaussian-with-pure)",
        assumptions=(Assumption.INDEPENDENT_CASES,),
    ),
    Claim(
        id="individuals-from-the-log",
        statement="Dividing ε by the largest number of cases of one individual in the log protects individuals.",
        formula="scale g/ε, g from the log: g = 2 and g = 3 have tails of different rates",
        verdict=Verdict.REFUTED,
        why="the number sets the scale of the noise and depends on private data; where two logs differ in it, the "
        "ratio of the tails is unbounded; declare a bound instead",
        reference="article, Sect. 3.1",
        assumptions=(Assumption.PUBLIC_CASES_PER_INDIVIDUAL,),
    ),
)
