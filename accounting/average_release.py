"""What a release guarantees as a whole on average over the noise.

Theorem T1 of docs/average.md: whatever is guessed about a unit, and whatever the prior, the best guess after seeing the
release is right with a probability at most 2Φ(μ₀/2) - 1 + δ higher than the best guess before, where μ₀ is that of the
*leave-out* relation: what is released is compared with a law that does not depend on the unit. The replace relation
says more of yes/no questions (T2) and what a single output may do (T5).

A release with an ε keeps this, too: at the advantage of its leave-out loss, and at its own (a guess that gains at most
A after every output gains at most A on average). The reverse does not hold: Gaussian noise has no ε.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from accounting.change import View
from accounting.claims import claim
from accounting.curve import Curve, curve_of
from accounting.events import PrivacyEvent
from accounting.guarantee import AVERAGE_RELEASE, Guarantee, Kind, Reading, Relation, Scope, Verdict
from accounting.implied import implied_advantage
from accounting.loss import NO_BOUND, Loss
from accounting.losses import strict_loss
from accounting.quantities import rounded_up
from accounting.standing import CASES_TOLD, UNIT, assumed, number_tells_of_individuals, standing, subject
from accounting.trees import leaves

_MEANS = {
    Relation.LEAVE_OUT: "the best guess after seeing the release is right with a probability at most the advantage "
    "higher than the best guess before it. One release may raise one guess by more.",
    Relation.REPLACE: "two values are no easier to tell apart than two normal laws whose means are μ standard "
    "deviations apart; a yes/no question is answered rightly at most half the advantage more often.",
}


def average_release(tree: PrivacyEvent, view: View) -> Iterator[Guarantee]:
    """For a case and for an individual, if the release bounds the average, or has noise that is made for it. Of two
    values as well, where no ε says more."""
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        for relation in (Relation.LEAVE_OUT, Relation.REPLACE):
            loss = strict_loss(tree, scope, relation, view)
            pure = relation is Relation.LEAVE_OUT and loss.epsilon.bounded
            if pure or _has_noise_for_it(tree, view):
                yield _line(tree, scope, relation, loss, view)


def _has_noise_for_it(tree: PrivacyEvent, view: View) -> bool:
    losses = (strict_loss(leaf, Scope.CASE, Relation.LEAVE_OUT, view) for leaf in leaves(tree))
    return any(loss.bounded and not loss.epsilon.bounded for loss in losses)


def _line(tree: PrivacyEvent, scope: Scope, relation: Relation, loss: Loss, view: View) -> Guarantee:
    if scope is Scope.INDIVIDUAL and number_tells_of_individuals(tree):
        # How many cases somebody has is then known from those of the others: the two are not independent.
        loss, (verdict, why) = NO_BOUND, (Verdict.REFUTED, CASES_TOLD)
    else:
        verdict, why = standing(tree, scope, loss, on_average=True)
    curve = curve_of(loss, relation)
    return Guarantee(
        claim=AVERAGE_RELEASE,
        reading=Reading.STRICT,
        statement=f"{subject(tree)}, with respect to {UNIT[scope]}, on average over the noise: {_MEANS[relation]}",
        scope=scope,
        relation=relation,
        kind=Kind.ON_AVERAGE,
        epsilon=loss.epsilon,
        delta=rounded_up(loss.delta) if loss.delta and curve is not None else 0.0,
        advantage=None if curve is None else _advantage(tree, scope, curve, view),
        verdict=verdict,
        why=why,
        assumptions=assumed(tree, scope),
        reference=claim(AVERAGE_RELEASE).reference,
        curve=curve,
    )


def _advantage(tree: PrivacyEvent, scope: Scope, curve: Curve, view: View) -> float:
    """Rounded up to six digits; of a release with an ε no more than what that allows after every output, and δ."""
    found = [min(1.0, rounded_up(Fraction(curve.advantage)))]
    replaced = strict_loss(tree, scope, Relation.REPLACE, view)
    always = implied_advantage(replaced, scope, Relation.REPLACE)
    if always is not None:
        found.append(min(1.0, rounded_up(Fraction(always) + replaced.delta)))
    return min(found)
