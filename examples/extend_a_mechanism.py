# %% [markdown]
# # Extend: a sampling rule, a record and a mechanism of your own
# The article draws noise for the count of every *transition* and then copies and deletes whole cases, which moves all
# transitions on their way: what is released is not the count plus its noise (claim `released-counts`, refuted). A case
# counts in exactly one *variant*. So: noise on the histogram of variants, and as many cases of each as its noisy count.
# Writes into a temporary folder only.

# %%
import itertools
import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pandas as pd

import amun_dp
from accounting import (
    FREE,
    Assumption,
    Claim,
    Confidential,
    Epsilon,
    Guarantee,
    Loss,
    PerEventNoise,
    PostProcessing,
    PrivacyEvent,
    Relation,
    Scope,
    Sequential,
    TakenAsPublic,
    Verdict,
    View,
    account,
    curve_of,
    gaussian,
    on_average,
    public_tree,
    register_claim,
    register_event,
    strict_loss,
    strictest,
    unregister_claim,
    unregister_event,
)
from accounting.algebra import laplace_mass, laplace_tail
from accounting.claims import checks_from_outside
from accounting.formulas import threshold_delta, worst_case_loss
from amun_dp import EventLog
from amun_dp.article.methods import ArticleMethod
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.auditing import OneByOne, audit_mechanism, audit_release
from amun_dp.auditing.worst_cases import worst_case_pairs
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.mechanisms.laplace_count import laplace_count_noise
from amun_dp.noise.sources import NoiseSource, integers_below
from amun_dp.release.methods import method_named, register_method, requested, unregister_method
from amun_dp.synthetic import hospital_log

ADVANTAGE = 0.3
log = hospital_log()

# %% [markdown]
# ## The rule, and what it records
# All randomness comes from `source`. `LaplaceCount` is what the accountant knows: independent discrete Laplace noise on
# counts, of which one case moves one (`cells_per_case`). What follows uses the noisy counts only, and so costs nothing.


# %%
def noise_on_variants(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    noise, event = laplace_count_noise(len(control_flow.cases), 1, epsilon, source)
    cut = PostProcessing("counts below zero", "set to zero after the noise")
    return Sampled(cases=np.maximum(control_flow.cases + noise, 0), event=Sequential((event, cut)))


def epsilon_of_a_variant(advantage: float) -> float:
    """A replaced case leaves one variant and enters another: two counts, so half of the ε for each."""
    return float(worst_case_loss(advantage)) / 2


histogram = ArticleMethod("histogram", "noise on the variants", False, epsilon_of_a_variant, noise_on_variants)

# %% [markdown]
# The times would still be the article's, whose noise depends on what it hides. Left out, they cost nothing: every event
# is put at the first start of the log, and that this is public is recorded, as the assumption that it is.


# %%
def no_times(times: RelativeTimes, _advantage: float, _source: NoiseSource) -> NoisedTimes:
    zero = np.zeros(len(times.value))
    none = PerEventNoise(times.case, times.value_range, zero, times.copies, times.origin, times.individual)
    why = PostProcessing("times", "no time is released: all are the first start of the log")
    return NoisedTimes(
        zero.astype(np.int64), Sequential((TakenAsPublic("time frame", from_log=True), why)), Confidential(none)
    )


untimed = replace(histogram, name="histogram-untimed", noise_times=no_times)
# What goes wrong if one forgets that a replaced case moves two counts: all of ε for each.
careless = replace(untimed, name="histogram-careless", control_flow_epsilon=lambda a: float(worst_case_loss(a)))
for method in (histogram, untimed, careless):
    unregister_method(method.name)  # so that this cell can be run again
    register_method(method)

# %% [markdown]
# ## What the accountant makes of it
# Nothing above claims a guarantee: it follows from the records. `public_variants` declares that it is known, for
# reasons outside the log, which variants occur in it; neighbouring logs then have the same ones. Where that is not
# true, whoever has a variant alone is disclosed, and no ε bounds it. (A public list that merely contains them would not
# do: a variant without a case gets no noise here.)


# %%
def shown(name: str, bound: Guarantee) -> None:
    print(f"{name}: {bound.verdict.value}, ε {bound.epsilon}, advantage {bound.advantage}; {bound.why}")


side_by_side: tuple[Any, ...] = (method_named("sampling"), histogram, careless, untimed)
for method, public in [(untimed, False), *((each, True) for each in side_by_side)]:
    release = amun_dp.anonymize(log, ADVANTAGE, method, public_variants=public)
    bound = strictest(release.report.guarantees, Scope.CASE, Relation.REPLACE)
    shown(f"{method.name}, variants {'public' if public else 'not public'}", bound)
print("The last one assumes:", *(f"{each.value}: {each.explanation}" for each in bound.assumptions), sep="\n  - ")

# %% [markdown]
# A record that the accountant does not know is not taken for free: the step has no bound until somebody proves one.
# And an auditor does not know what your method should have recorded, so whether it meets a demand of `verify --require`
# cannot be judged.


# %%
@dataclass(frozen=True, slots=True)
class MyOwnNoise(PrivacyEvent):
    scale: float


shown("a step of its own", strictest(account(MyOwnNoise(5.0)).public, Scope.CASE, Relation.REPLACE))
with TemporaryDirectory() as folder:
    release.save(folder, force=True)
    found = amun_dp.verify(folder, require=[f"case:{ADVANTAGE}"], prove=False)
    [demand] = [check for check in found.checks if check.name.value == "required guarantee"]
    print(f"verify: {found.outcome.value}; {demand.name.value} {demand.detail}")

# %% [markdown]
# ## A record that brings its loss along
# Two mechanisms from outside the package. *Thresholded variants*: noise on the count of every variant that occurs, and
# only what reaches a threshold is released, so that the variants need not be public. *A Gaussian count*: one number
# with discrete Gaussian noise; no ε bounds it, but guesses on average over the noise. Each record says what it loses
# at a scope, in a relation (`Accounted`), and `register_event` names it, so that ledgers and reports can carry it; an
# installed package does that by an entry point in the group `accounting.events`.


# %%
@dataclass(frozen=True, slots=True)
class ThresholdedVariants(PrivacyEvent):
    """Counts of variants with noise P(Z = k) ∝ exp(-|k|/scale), released where they reach the threshold."""

    scale: float
    threshold: int
    claim: ClassVar[str] = "example-thresholded-variants"
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.EXACT_SAMPLER,)

    def loss(self, scope: Scope, relation: Relation, _view: View) -> Loss:
        if scope is Scope.EVENT:
            return FREE  # which variant a case has does not depend on one of its times
        moved = 2 if relation is Relation.REPLACE else 1
        seen = Fraction(threshold_delta(self.scale, self.threshold))  # in a variant that nobody else has
        # mixture=False: (ε, δ) and no more, because no more is checked below.
        return Loss(Epsilon(moved / Fraction(self.scale)), seen, mixture=False)


@dataclass(frozen=True, slots=True)
class GaussianCount(PrivacyEvent):
    """A number of cases with noise P(Z = k) ∝ exp(-k²/2·variance). A case moves it by 1."""

    variance: int
    claim: ClassVar[str] = "example-gaussian-count"
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.EXACT_SAMPLER,)

    def loss(self, scope: Scope, _relation: Relation, _view: View) -> Loss:
        if scope is Scope.EVENT:
            return FREE
        return gaussian(Fraction(1, self.variance - 4), cells=1)  # on whole numbers: σ² - 4, see accounting.average


for kind, cls in (("example-thresholded-variants", ThresholdedVariants), ("example-gaussian-count", GaussianCount)):
    unregister_event(kind)  # so that this cell can be run again
    unregister_claim(kind)
    register_event(kind)(cls)

thresholded, counted = ThresholdedVariants(2 / 0.5, 60), GaussianCount(30)
shown("thresholded variants, not proved yet", strictest(account(thresholded).public, Scope.CASE, Relation.REPLACE))

# %% [markdown]
# A rule is its author's word, and the strict reading does not take it: the figure stands among the claims, not proved.
# It counts once it rests on a claim with a verdict and with a check that anybody can run. A check computes what it can:
# here the exact laws of small logs, all outputs, all neighbours.


# %%
def released_law(counts: tuple[int, ...], threshold: int, q: Fraction) -> dict[tuple[int | None, ...], Fraction]:
    """What a thresholded histogram releases with which probability, q = exp(-1/scale); far outputs as one."""
    cells = list[dict[int | None, Fraction]]()
    for count in counts:
        shown_at: dict[int | None, Fraction] = {}
        if count:
            shown_at |= {k: laplace_mass(q, abs(k - count)) for k in range(threshold, threshold + 4)}
            shown_at |= {threshold + 4: laplace_tail(q, threshold + 4 - count)}
        cells.append(shown_at | {None: 1 - sum(shown_at.values(), Fraction(0))})
    return {
        output: math.prod((cell[at] for cell, at in zip(cells, output, strict=True)), start=Fraction(1))
        for output in itertools.product(*cells)
    }


def check_thresholded_variants() -> str:
    q, threshold, pairs = Fraction(1, 2), 4, 0
    delta = laplace_tail(q, threshold - 1)
    for others in itertools.product(range(3), repeat=2):
        cases = [(others[0] + 1, others[1]), (others[0], others[1] + 1), others]  # one variant, the other, or none
        for one, other in itertools.permutations(cases, 2):
            ratio = (1 / q) ** (1 if others in (one, other) else 2)
            laws = [released_law(counts, threshold, q) for counts in (one, other)]
            excess = sum(
                max(p - ratio * laws[1].get(output, Fraction(0)), Fraction(0)) for output, p in laws[0].items()
            )
            if excess > delta:
                raise ValueError(f"{one} and {other}: {excess} is more than δ = {delta}")
            pairs += 1
    return f"{pairs} pairs of logs with two variants: never more than δ = {delta} beyond exp(ε)"


def check_gaussian_count() -> str:
    for variance in (9, 30):
        whole = math.fsum(math.exp(-k * k / (2 * variance)) for k in range(-200, 201))
        masses = {k: math.exp(-k * k / (2 * variance)) / whole for k in range(-200, 201)}
        distance = math.fsum(max(p - masses.get(k - 1, 0.0), 0.0) for k, p in masses.items())
        stated = curve_of(GaussianCount(variance).loss(Scope.CASE, Relation.LEAVE_OUT, View.PUBLIC), Relation.LEAVE_OUT)
        if stated is None or distance > stated.advantage:
            raise ValueError(f"variance {variance}: a distance of {distance}")
    return "two variances: the laws of neighbouring counts are no further apart than is stated"


PROVED = Verdict.PROVED_UNDER_ASSUMPTIONS
register_claim(
    Claim(
        id=ThresholdedVariants.claim,
        statement="Thresholded counts of variants lose 1/b about a case that comes or goes and 2/b about one that is "
        "replaced, except with the probability that a variant of its own reaches the threshold.",
        formula="δ = P(Z ≥ t - 1)",
        verdict=PROVED,
        why="each case is in one cell, and a cell that it is not alone in is there in both logs",
        reference="Korolova, Kenthapadi, Mishra, Ntoulas 2009",
    ),
    check_thresholded_variants,
)
register_claim(
    Claim(
        id=GaussianCount.claim,
        statement="A count with discrete Gaussian noise loses a μ² of 1/(σ²-4).",
        formula="μ² = 1/(σ²-4)",
        verdict=PROVED,
        why="a case moves it by 1; see discrete-gaussian-release",
        reference="Canonne, Kamath, Steinke 2020",
    ),
    check_gaussian_count,
)
for name, check in checks_from_outside().items():
    print(f"{name}: {check()}")
shown("thresholded variants", strictest(account(thresholded).public, Scope.CASE, Relation.REPLACE))
shown("a Gaussian count", strictest(account(counted).public, Scope.CASE, Relation.REPLACE))
average = on_average(account(Sequential((counted, counted))).public, Scope.CASE)
assert average is not None
assert average.curve is not None
print(
    f"two Gaussian counts, on average: {average.verdict.value}, μ {average.curve.mu:.4f}, advantage "
    f"{average.advantage}; a guess right 10 times in 100 is right at most "
    f"{100 * average.curve.success_after(0.1):.1f} times; "
    f"ε {average.curve.epsilon_at(1e-5):.2f} at δ = 1e-5"
)
print("published:", *(record["kind"] for record in public_tree(Sequential((thresholded, counted))).records()))

# %% [markdown]
# The two as functions from a log to a log, so that they can be attacked: a case of each variant that is shown, as often
# as its noisy count says; and as many cases as the noisy count of those that begin with the first label.


# %%
def log_of(paths: list[list[str]]) -> EventLog | None:
    """Cases that follow these paths, all times the same."""
    rows = [(str(case), label, 0) for case, path in enumerate(paths) for label in path]
    if not rows:
        return None
    return amun_dp.read_log(
        pd.DataFrame(rows, columns=["case", "activity", "time"]).assign(time=pd.Timestamp("2024-01-01", tz="UTC"))
    )


def paths_of(log: EventLog) -> Counter[tuple[str, ...]]:
    pieces = np.split(log.activity, log.offsets[1:-1])
    return Counter(tuple(log.activities[code] for code in piece) for piece in pieces)


def release_thresholded(log: EventLog, source: NoiseSource, record: ThresholdedVariants) -> EventLog | None:
    counts = paths_of(log)
    noise = source.discrete_laplace(np.full(len(counts), record.scale)).tolist()
    noisy = {path: count + drawn for (path, count), drawn in zip(sorted(counts.items()), noise, strict=True)}
    return log_of([list(path) for path, count in noisy.items() if count >= record.threshold for _ in range(count)])


def bernoulli(chance: Fraction, source: NoiseSource) -> bool:
    return int(integers_below(source, chance.denominator, 1)[0]) < chance.numerator


def bernoulli_exp(gamma: Fraction, source: NoiseSource) -> bool:
    """True with probability exp(-gamma), exactly (Canonne, Kamath, Steinke 2020, Algorithm 1)."""
    while gamma > 1:
        if not bernoulli_exp(Fraction(1), source):
            return False
        gamma -= 1
    k = 1
    while bernoulli(gamma / k, source):
        k += 1
    return k % 2 == 1


def discrete_gaussian(variance: int, source: NoiseSource) -> int:
    """Exactly, from discrete Laplace noise (Algorithm 3 there)."""
    t = math.isqrt(variance) + 1
    while True:
        drawn = int(source.discrete_laplace(np.array([float(t)]))[0])
        if bernoulli_exp(Fraction((abs(drawn) * t - variance) ** 2, 2 * variance * t * t), source):
            return drawn


def release_counted(log: EventLog, source: NoiseSource, record: GaussianCount) -> EventLog | None:
    beginning = int(np.count_nonzero(log.activity[log.offsets[:-1]] == 0))
    return log_of([["yes"]] * max(0, beginning + discrete_gaussian(record.variance, source)))


# %% [markdown]
# ## Attack it
# On made-up pairs of neighbouring logs with the same variants. The careless one claims as much and is caught.

# %%
for name in ("histogram-untimed", "histogram-careless"):
    attacked = audit_release(None, requested(ADVANTAGE, name, variants="public"), runs=1_000, seed=1)
    [whole] = [each for each in attacked.claims if each.strongest.claimed.claim == "whole-release"]
    test = whole.strongest
    print(
        f"{name}: {whole.finding.value}; claimed ε {test.claimed.epsilon:.2f}, at least {test.tested.epsilon_low:.2f}"
    )

# %% [markdown]
# What is no method of the package is audited by the claim that its own record makes (`OneByOne`). An audit tests a
# pair (ε, δ); of a Gaussian curve that is one point, here the one at δ = 1/1000. A threshold that is too low for the
# δ that it claims is caught.

# %%
point = curve_of(strict_loss(counted, Scope.CASE, Relation.REPLACE, View.PUBLIC), Relation.REPLACE)
assert point is not None
low = replace(thresholded, threshold=3)
pairs = [pair for pair in worst_case_pairs(ADVANTAGE, amun_dp.CORRECTED) if pair.name in ("own variant", "two cells")]
claimed = strict_loss(thresholded, Scope.CASE, Relation.REPLACE, View.PUBLIC)
assert claimed.epsilon.value is not None
epsilon, delta = float(claimed.epsilon.value), float(claimed.delta)
for name, mechanism in (
    ("thresholded variants", OneByOne(partial(release_thresholded, record=thresholded), epsilon, delta=delta)),
    ("too low a threshold", OneByOne(partial(release_thresholded, record=low), epsilon, delta=delta)),
    ("a Gaussian count", OneByOne(partial(release_counted, record=counted), point.epsilon_at(1e-3), delta=1e-3)),
):
    tested = audit_mechanism(mechanism, pairs, runs=1_000, seed=1)
    assert not tested.void
    [result] = tested.claims
    at_least = result.strongest.tested.epsilon_low
    print(f"{name}: {result.finding.value}; claimed ε {result.strongest.claimed.epsilon:.2f}, at least {at_least:.2f}")

# %% [markdown]
# ## Compare it
# With a built-in method that has no bound for a case, and with one that has. Figures of the log: confidential. What
# `compare`, `anonymize` and `verify` know are methods; a function that is none of them, as the two above, is held
# against its original by `amun_dp.evaluate`. What is missing: a method that chooses its variants by a private step is
# still recorded as letting the log choose them; an audit of a whole curve, not of one point; and demands of `verify
# --require` on what comes from outside, because nobody here can say what it should have recorded.

# %%
compared = amun_dp.compare(
    {"hospital": log},
    methods=("sampling", "histogram", "histogram-untimed", "certified:generated"),
    advantages=(0.2, 0.3),
    runs=3,
)
print(compared.reveal().markdown())
