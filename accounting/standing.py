"""How a bound for a whole release stands: what stands against it, and what it rests on."""

from __future__ import annotations

from accounting.assumptions import Assumption
from accounting.change import View
from accounting.claims import claim
from accounting.events import PrivacyEvent, RepeatedRelease, SharedByIndividual, TakenAsPublic
from accounting.guarantee import Relation, Scope, Verdict
from accounting.loss import Loss
from accounting.losses import strict_loss
from accounting.rules import rule_of
from accounting.trees import individuals_from_the_log, leaves, nodes, with_surroundings

NUMBER_TOLD = "the number of cases was read off the log and is told, and adding or removing a case changes it"
CASES_TOLD = (
    "the number of cases was read off the log and is told, and somebody who may have several changes it by how many "
    "they have"
)
NO_DECLARED_CASES = "no bound on the cases of one individual is declared, and somebody may have any number"


UNIT = {
    Scope.CELL: "what one table cell says about one case",
    Scope.EVENT: "one relative time of one event",
    Scope.CASE: "one case",
    Scope.INDIVIDUAL: "one individual with all their cases",
}
"""The unit of each scope, in words."""


def subject(tree: PrivacyEvent) -> str:
    """What the figures are about: with an ε divided over several releases they are for all of these."""
    releases = max((node.releases for node in nodes(tree) if isinstance(node, RepeatedRelease)), default=1)
    return "The whole release" if releases == 1 else f"All {releases} releases together"


def number_from_the_log(tree: PrivacyEvent) -> bool:
    """Whether the number of cases was read off the log, and not given from outside or measured."""
    return any(
        isinstance(leaf, TakenAsPublic) and leaf.what == "number of cases" and leaf.from_log for leaf in leaves(tree)
    )


def number_tells_of_individuals(tree: PrivacyEvent) -> bool:
    """Somebody's cases, replaced by another number of cases, change the number of all. (Where individuals are
    truncated it is measured with noise; with one case each it stays.)"""
    several = any(
        isinstance(node, SharedByIndividual) and not node.truncated and isinstance(node.cases, int) and node.cases > 1
        for node in nodes(tree)
    )
    return several and number_from_the_log(tree)


def cases_unknown(tree: PrivacyEvent) -> bool:
    """Whether something costs a case and nothing, not even the log, says how many cases an individual has."""
    return any(
        not any(isinstance(outer, SharedByIndividual) and outer.cases is not None for outer in around)
        for leaf, around in with_surroundings(tree)
        if rule_of(leaf).costs_a_case(leaf)
    )


def _undeclared_cases(tree: PrivacyEvent) -> bool:
    """Whether something costs a case and nobody said how many cases an individual has at most."""
    return any(
        not any(isinstance(outer, SharedByIndividual) and isinstance(outer.cases, int) for outer in around)
        for leaf, around in with_surroundings(tree)
        if rule_of(leaf).costs_a_case(leaf)
    )


def standing(tree: PrivacyEvent, scope: Scope, loss: Loss, *, on_average: bool = False) -> tuple[Verdict, str]:
    """The verdict on a bound for everything together, from the verdicts on what has none; on the average over the
    noise, or on every output."""
    if _bounded(loss, on_average):
        return Verdict.PROVED_UNDER_ASSUMPTIONS, "every part has a proved loss, and losses add"
    # What stands against a bound for an individual's case stands against one for the individual.
    unit = Scope.CASE if scope is Scope.INDIVIDUAL else scope
    obstacles = {
        name: rule_of(leaf).why_not(leaf) or claim(name).why
        for leaf in reversed(leaves(tree))
        if (name := _obstacle(leaf, unit, on_average)) is not None
    }
    obstacles = dict(reversed(obstacles.items()))  # the first leaf first, and its reason
    if individuals_from_the_log(tree):
        obstacles["individuals-from-the-log"] = claim("individuals-from-the-log").why
    for name, why in obstacles.items():
        if claim(name).verdict is Verdict.REFUTED:
            return Verdict.REFUTED, f"{name}: {why}"
    for name, why in obstacles.items():
        return Verdict.NOT_PROVED, f"{name}: {why}"
    if scope is Scope.INDIVIDUAL and _undeclared_cases(tree):
        return Verdict.NOT_PROVED, NO_DECLARED_CASES
    return (
        Verdict.NOT_PROVED,
        "a fact that the bound needs (length of a case, cases of an individual) is not declared public",
    )


def _bounded(loss: Loss, on_average: bool) -> bool:
    return loss.bounded if on_average else loss.epsilon.bounded


def _obstacle(leaf: PrivacyEvent, scope: Scope, on_average: bool) -> str | None:
    """The claim that would have to hold for the leaf to have a bound at this scope."""
    if _bounded(strict_loss(leaf, scope, Relation.REPLACE, View.CONFIDENTIAL), on_average):
        return None
    return rule_of(leaf).obstacle(leaf, on_average)


def is_article_s(tree: PrivacyEvent) -> bool:
    """Whether the article's reading has anything to say of it; of a step from outside it is asked as well."""
    return any(rule_of(leaf).in_the_article for leaf in leaves(tree))


def assumed(tree: PrivacyEvent, scope: Scope) -> tuple[Assumption, ...]:
    """What a bound for this tree rests on, or would need, each once, in the order of the list of assumptions."""
    found = {Assumption.INDEPENDENT_CASES, Assumption.READING, Assumption.CHOICES}
    if is_article_s(tree):  # its tables have a cell for each label of the log
        found.add(Assumption.PUBLIC_LABELS)
    whole_case = scope in (Scope.CASE, Scope.INDIVIDUAL)
    for leaf in leaves(tree):
        found |= set(rule_of(leaf).assumptions(leaf, whole_case))
    if scope is Scope.INDIVIDUAL and any(rule_of(leaf).costs_a_case(leaf) for leaf in leaves(tree)):
        found.add(Assumption.PUBLIC_CASES_PER_INDIVIDUAL)
    return tuple(assumption for assumption in Assumption if assumption in found)
