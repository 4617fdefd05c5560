"""Guesses about one case on small instances with exact masses: the average reading's bounds, and what exceeds them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

from accounting.guarantee import Verdict
from proofs.registry import checker, require
from proofs.subject import Subject

ASSUMED = Verdict.PROVED_UNDER_ASSUMPTIONS
Law = tuple[Fraction, ...]
"""A probability for each output."""
_INSTANCES = 300


@dataclass(frozen=True, slots=True)
class Instance:
    """Values of a case with their priors, what is released for each, and what may be guessed: sets of values."""

    prior: Law
    release: tuple[Law, ...]
    guesses: tuple[frozenset[int], ...]

    @property
    def before(self) -> Fraction:
        """V₀."""
        return max(sum((self.prior[x] for x in guess), Fraction(0)) for guess in self.guesses)

    @property
    def after(self) -> Fraction:
        """V₁: at each output the guess that is right most often there."""
        return sum(
            (
                max(
                    sum((self.prior[x] * self.release[x][output] for x in guess), Fraction(0)) for guess in self.guesses
                )
                for output in range(len(self.release[0]))
            ),
            Fraction(0),
        )

    def distance_to(self, reference: Law) -> Fraction:
        return max(distance(law, reference) for law in self.release)

    @property
    def replaced(self) -> Fraction:
        """Largest distance of two values."""
        return max(distance(one, other) for one in self.release for other in self.release)


def distance(one: Law, other: Law) -> Fraction:
    return sum((max(a - b, Fraction(0)) for a, b in zip(one, other, strict=True)), Fraction(0))


def a_law(generator: random.Random, outputs: int, whole: int = 64) -> Law:
    """Multiples of 1/64, none of them 0: floats hold them exactly."""
    cuts = sorted(generator.sample(range(1, whole), outputs - 1))
    return tuple(Fraction(b - a, whole) for a, b in zip((0, *cuts), (*cuts, whole), strict=True))


def instances(seed: int, count: int = _INSTANCES) -> Iterator[tuple[Instance, Law]]:
    """At random, with a law that does not depend on the value."""
    generator = random.Random(seed)
    for _ in range(count):
        values, outputs = generator.randint(2, 4), generator.randint(2, 4)
        sets = [frozenset(chosen) for size in range(1, values) for chosen in combinations(range(values), size)]
        guesses = generator.choice(
            (
                [guess for guess in sets if len(guess) == 1],
                sets,
                generator.sample(sets, generator.randint(1, len(sets))),
            )
        )
        release = tuple(a_law(generator, outputs) for _ in range(values))
        yield Instance(a_law(generator, values), release, tuple(guesses)), a_law(generator, outputs)


def in_clear(values: int, chance: Fraction) -> Instance:
    """One of several equally likely values, published with a probability; else nothing (the last output)."""
    release = tuple(
        (*(chance if output == x else Fraction(0) for output in range(values)), 1 - chance) for x in range(values)
    )
    return Instance((Fraction(1, values),) * values, release, tuple(frozenset({x}) for x in range(values)))


PAIRS = tuple(frozenset(pair) for pair in combinations(range(4), 2))


def a_pair(more: Fraction) -> Instance:
    """Of four equally likely values a pair is released, each that contains the value ``more`` often than the others."""
    inside = (Fraction(1, 3) + more) / 2
    release = tuple(tuple(inside if x in pair else inside - more for pair in PAIRS) for x in range(4))
    return Instance((Fraction(1, 4),) * 4, release, PAIRS)


@checker("average-any-guess", "exact", ASSUMED)
def _any_guess(subject: Subject) -> str:
    bound = subject.average_algebra.success_bound
    for instance, reference in instances(1):
        for law in (reference, *instance.release):
            require(instance.after <= bound(instance.before, instance.distance_to(law)), f"exceeded by {instance}")
    tight = a_pair(Fraction(1, 10))
    uniform = (Fraction(1, 6),) * 6
    require(tight.after == bound(tight.before, tight.distance_to(uniform)), "the bound is not attained")
    return f"{_INSTANCES} random instances with up to four values, outputs and any guesses; attained by a released pair"


@checker("average-replace", "exact", ASSUMED)
def _replaced(subject: Subject) -> str:
    bound = subject.average_algebra.success_bound_replace
    for instance, _ in instances(2):
        allowed = bound(instance.before, max(instance.prior), instance.replaced)
        require(instance.after <= allowed, f"exceeded by {instance}")
    for tight in (in_clear(5, Fraction(1, 5)), a_pair(Fraction(1, 10))):
        require(tight.after == bound(tight.before, max(tight.prior), tight.replaced), "the bound is not attained")
    return f"{_INSTANCES} random instances; attained by one of five values in clear, and by a released pair"


@checker("average-yes-no", "exact", ASSUMED)
def _yes_no(subject: Subject) -> str:
    bound = subject.average_algebra.success_bound_replace
    count = 0
    for instance, _ in instances(3):
        values = frozenset(range(len(instance.prior)))
        for guess in instance.guesses:
            question = Instance(instance.prior, instance.release, (guess, values - guess))
            require(question.after <= bound(question.before, question.before, question.replaced), f"{question}")
            count += 1
    for prior in (Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)):
        clear = Instance((prior, 1 - prior), in_clear(2, Fraction(1, 5)).release, in_clear(2, Fraction(1, 5)).guesses)
        gained = clear.after - clear.before
        require(gained == clear.replaced * min(prior, 1 - prior), f"in clear it is {gained} at {prior}")
        require(clear.after == bound(clear.before, clear.before, clear.replaced), "the bound is not attained")
    return f"{count} questions about random instances; attained at every prior by publishing in clear"


@checker("pure-meets-average", "exact", ASSUMED)
def _pure(subject: Subject) -> str:
    """One of n values, named truly with odds e^ε = ((1+A)/(1-A))² against each other one."""
    count = 0
    for advantage, values in product((Fraction(1, 100), Fraction(1, 5), Fraction(2, 5)), (2, 3, 4)):
        odds = 1 / subject.algebra.worst_ratio(advantage)
        release = tuple(
            tuple((odds if o == x else 1) / (odds + values - 1) for o in range(values)) for x in range(values)
        )
        sets = [frozenset(chosen) for size in range(1, values) for chosen in combinations(range(values), size)]
        generator = random.Random(6)
        for prior in ((Fraction(1, values),) * values, *(a_law(generator, values) for _ in range(10))):
            for guesses in (tuple(frozenset({x}) for x in range(values)), tuple(sets)):
                instance = Instance(prior, release, guesses)
                allowed = subject.average_algebra.success_bound(instance.before, advantage)
                require(instance.after <= allowed, f"{instance} gains more than {advantage}")
                posterior = subject.algebra.posterior(instance.before, 1 / odds)
                require(instance.after <= posterior, f"{instance} exceeds the posterior bound")
                count += 1
    return f"{count} randomised responses: within V₀ + A, and within the posterior bound at V₀"


@checker("average-half-of-distance", "exact", Verdict.REFUTED)
def _half(subject: Subject) -> str:
    clear = in_clear(3, Fraction(1, 5))
    gained = clear.after - clear.before
    require(clear.replaced == Fraction(1, 5), "any two values are not within 1/5")
    require(gained == Fraction(2, 15), f"the gain is {gained}")
    require(gained > clear.replaced / 2, "the gain is within τ/2")
    allowed = subject.average_algebra.success_bound_replace(clear.before, max(clear.prior), clear.replaced)
    require(clear.after == allowed, "the gain is not the proved bound")
    return "one of three values in clear with probability 1/5: gain 2/15 > 1/10"


@checker("average-share-of-the-rest", "exact", Verdict.REFUTED)
def _rest(subject: Subject) -> str:
    pair = a_pair(Fraction(1, 10))
    require({mass for law in pair.release for mass in law} == {Fraction(13, 60), Fraction(7, 60)}, "other masses")
    require(all(sum(law) == 1 for law in pair.release), "a law does not sum to 1")
    require(pair.replaced == Fraction(1, 5), "any two values are not within 1/5")
    gained = pair.after - pair.before
    require(gained == Fraction(3, 20), f"the gain is {gained}")
    require(gained > pair.replaced * (1 - pair.before), "the gain is within τ·(1-V₀)")
    allowed = subject.average_algebra.success_bound_replace(pair.before, max(pair.prior), pair.replaced)
    require(pair.after == allowed, "the gain is not the proved bound")
    return "four values, any pair: gain 3/20 > 1/10"


@checker("distance-as-definition", "exact", Verdict.REFUTED)
def _definition(subject: Subject) -> str:
    advantage = Fraction(1, 5)
    clear = in_clear(4, advantage)
    nothing: Law = (Fraction(0),) * 4 + (Fraction(1),)
    require(clear.distance_to(nothing) == advantage, "the distance is not 1/5")
    for ratio in (1, 10, 10**6):
        excess = [
            sum((max(a - ratio * b, Fraction(0)) for a, b in zip(law, nothing, strict=True)), Fraction(0))
            for law in clear.release
        ]
        require(set(excess) == {advantage}, f"the excess over {ratio} is {excess}")
    average = subject.average
    gaussian = average.delta_of(average.mu_squared_of_advantage(advantage), 6.0)
    require(0 < gaussian < 1e-10, f"with Gaussian noise δ(6) is {gaussian:.3g}")
    return (
        f"in clear with probability 1/5: δ(ε) = 1/5 for every ε; Gaussian noise of that distance: δ(6) = {gaussian:.2g}"
    )


@checker("average-to-each", "exact", Verdict.REFUTED)
def _to_each(subject: Subject) -> str:
    """Masses proportional to exp(-k²/2σ²): ln of the ratio at k of the laws around 1 and 0 is (2k-1)/2σ²."""
    variance = 1 / subject.average.mu_squared_of_advantage(Fraction(1, 5))
    found = [((k * k) - (k - 1) ** 2) / (2 * variance) for k in range(1, 200)]
    require(all(b - a == 1 / variance > 0 for a, b in pairwise(found)), "the ratio does not grow")
    require(subject.average.advantage_of(1 / variance) <= 0.2, "the average reading of 1/5 is not kept")
    return f"σ² = {float(variance):.3f} keeps 1/5 on average; ln LR grows by 1/σ² with every output"


def mixed(laws: Sequence[Law], weights: Sequence[Fraction]) -> Law:
    """One of several laws, drawn with weights."""
    return tuple(
        sum((w * law[o] for w, law in zip(weights, laws, strict=True)), Fraction(0)) for o in range(len(laws[0]))
    )
