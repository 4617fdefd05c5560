"""From what a user asks for to the parameters of the method: the article's, or the certified one's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp.conventions import CORRECTED, Conventions
from amun_dp.errors import ParameterError
from amun_dp.parameters import Parameters
from amun_dp.policies import chosen_advantage

if TYPE_CHECKING:
    from amun_dp.certified.facts import GivenFacts
    from amun_dp.certified.settings import CertifiedSettings

    AnyParameters = Parameters | CertifiedSettings
else:
    AnyParameters = Any

CERTIFIED = "certified"


def requested(
    advantage: float | None,
    method: str,
    conventions: Conventions = CORRECTED,
    *,
    max_cases_per_individual: int | None = None,
    one_case_per_individual: bool = False,
    releases: int = 1,
    max_individual_loss: float | None = None,
    scope: str | None = None,
    max_case_length: int | None = None,
    variants: str | None = None,
    public: str | Path | GivenFacts | None = None,
    dp_delta: float | None = None,
    epsilon: float | None = None,
    variants_from_log: bool = False,
    public_from_log: bool = False,
) -> AnyParameters:
    """The parameters of a release, checked, as an audit and a plan take them. What does not belong to the method is
    refused, not ignored: it would seem to be in force.

    ``advantage``, ``method``, ``conventions``, ``max_cases_per_individual``, ``one_case_per_individual``, ``releases``,
    ``max_individual_loss``, ``scope``, ``max_case_length``, ``variants``, ``public``, ``dp_delta``, ``epsilon``,
    ``variants_from_log`` and ``public_from_log`` are those of ``amun_dp.anonymize``.
    """
    advantage = chosen_advantage(advantage, epsilon, method, variants, dp_delta)
    if one_case_per_individual:
        _check_one_case(scope, max_cases_per_individual)
        max_cases_per_individual = 1
    if method == CERTIFIED:
        foreign = {
            "--conventions and windows": conventions != CORRECTED,
            "--max-individual-loss": max_individual_loss is not None,
            "--max-case-length": max_case_length is not None,
        }
        _refuse(foreign, "the certified method does not have; it needs neither priors nor a longest case")
        given = _given(public, public_from_log)
        return _certified(
            advantage, variants, dp_delta, scope, max_cases_per_individual, releases, given, variants_from_log
        )
    _refuse(
        {
            "--public": public is not None,
            "--dp-delta": dp_delta is not None,
            "--variants-from-log": variants_from_log,
            "--public-from-log": public_from_log,
            "--variants threshold or generated": variants not in (None, "public"),
        },
        "only --method certified has",
    )
    return Parameters(
        advantage=advantage,
        method=method,
        conventions=conventions,
        max_cases_per_individual=max_cases_per_individual,
        releases=releases,
        max_individual_loss=max_individual_loss,
        public_variants=variants == "public",
        scope="event" if scope is None else scope,
        max_case_length=max_case_length,
    )


def _certified(
    advantage: float,
    variants: str | None,
    dp_delta: float | None,
    scope: str | None,
    max_cases_per_individual: int | None,
    releases: int,
    given: GivenFacts,
    variants_from_log: bool,
) -> CertifiedSettings:
    from amun_dp.certified.choices import CertifiedChoices
    from amun_dp.certified.settings import CertifiedSettings

    if scope not in (None, "case", "individual"):
        raise ParameterError("The certified method protects a whole case (--scope case) or an individual.")
    if scope == "individual" and max_cases_per_individual is None:
        raise ParameterError(
            "To protect an individual, declare how many cases of one person count: --scope individual "
            "--max-cases-per-individual C. The number must come from outside the log."
        )
    counted, declared = max_cases_per_individual, None
    if scope != "individual":  # nobody is truncated: the number is the publisher's word
        counted, declared = None, max_cases_per_individual
    # The type of the form is checked where it is used, also for callers without a type checker.
    form: Any = "threshold" if variants is None else variants
    return CertifiedSettings(
        advantage=advantage,
        choices=CertifiedChoices(form, dp_delta, counted, declared),
        given=given,
        releases=releases,
        variants_from_log=variants_from_log,
    )


def _check_one_case(scope: str | None, cases: int | None) -> None:
    if scope == "individual":
        raise ParameterError(
            "--one-case-per-individual declares that nobody has more than one case, and --scope individual counts the "
            "first C of each, however many they have. Use one of them; --scope individual needs "
            "--max-cases-per-individual C."
        )
    if cases not in (None, 1):
        raise ParameterError(
            f"--one-case-per-individual declares one case, and --max-cases-per-individual {cases}. Leave one of them "
            "out."
        )


def _given(public: str | Path | GivenFacts | None, from_log: bool) -> GivenFacts:
    from amun_dp.certified.facts import GivenFacts
    from amun_dp.certified.given import read_given_facts

    if public is None and from_log:
        raise ParameterError("--public-from-log is a declaration about the facts of --public FILE: there are none.")
    given = read_given_facts(public) if isinstance(public, str | Path) else public or GivenFacts()
    return replace(given, from_log=True) if from_log else given


def _refuse(asked: dict[str, bool], why: str) -> None:
    wrong = [name for name, used in asked.items() if used]
    if wrong:
        raise ParameterError(f"{' and '.join(wrong)}: that is something {why}. Leave it out.")
