"""What a user asks of a release, spelled once: command line, local page and Python all fill in a ``Request``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast

from amun_dp._base.messages import Message, joined
from amun_dp.article.conventions import CORRECTED, Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.errors import ParameterError
from amun_dp.release.policies import chosen_advantage

if TYPE_CHECKING:
    from amun_dp.certified.public_facts import GivenFacts
    from amun_dp.certified.settings import CertifiedSettings

MethodName = Literal["certified", "filtering", "sampling", "oversampling"]
ArticleName = Literal["filtering", "sampling", "oversampling"]
VariantsName = Literal["threshold", "public", "generated"]
ScopeName = Literal["event", "case", "individual"]
CERTIFIED = "certified"


class ReleaseOptions(TypedDict, total=False):
    """What may be asked of a release beside the method and the advantage. ``amun_dp.anonymize`` explains each."""

    max_cases_per_individual: int | None
    """Declared from outside the log: nobody has more cases. At scope ``individual``: only so many cases of each count.
    """
    one_case_per_individual: bool
    """Declared from outside the log: nobody has more than one case."""
    releases: int
    """How often the log will be released; every ε is divided by it."""
    max_individual_loss: float | None
    """The article's methods: refuse the release if the times of one individual would lose more than this ε."""
    public_variants: bool
    """The article's methods: which variants occur is not a secret."""
    scope: ScopeName | None
    """The unit that is protected: ``event`` or ``case`` (article), ``case`` or ``individual`` (``certified``)."""
    max_case_length: int | None
    """The article's methods at scope ``case``: declared, no case has more events."""
    variants: VariantsName | None
    """``certified``: the form of control flow, ``threshold`` by default."""
    public: str | Path | GivenFacts | None
    """``certified``: what is known from outside the log, a file or ``GivenFacts``."""
    dp_delta: float | None
    """``certified`` with ``threshold``: the δ of its guarantee."""
    epsilon: float | None
    """``certified``: given instead of an advantage, for one unit replaced by another and δ = 0."""
    variants_from_log: bool
    """``certified`` with public variants: take the log's own, which discloses every variant that only one case has."""
    public_from_log: bool
    """``certified``: the given facts were taken from the log; the label says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a release, before a method has checked it. Its fields are the method, the advantage, the
    conventions and the options of ``ReleaseOptions``, except ``epsilon`` and ``public_variants``, which are expressed
    by ``advantage`` and ``variants``."""

    method: str
    """Name of the method."""
    advantage: float
    """The advantage that was given, or the one that belongs to the given ε."""
    conventions: Conventions = CORRECTED
    max_cases_per_individual: int | None = None
    one_case_per_individual: bool = False
    releases: int = 1
    max_individual_loss: float | None = None
    scope: str | None = None
    max_case_length: int | None = None
    variants: str | None = None
    public: str | Path | GivenFacts | None = None
    dp_delta: float | None = None
    variants_from_log: bool = False
    public_from_log: bool = False

    def refuse(self, foreign: dict[str, bool], why: str) -> None:
        """Refuse (``ParameterError``) options that the method does not have; if they were ignored they would seem to be
        in force. ``foreign`` maps each such option, a ``Message`` that names it, to whether it was used; ``why``
        completes the sentence "that is something …"."""
        wrong = [name for name, used in foreign.items() if used]
        if wrong:
            raise ParameterError(
                Message("{wrong}: that is something {why}. Leave it out.", wrong=joined(" and ", wrong), why=why)
            )


def request_of(
    advantage: float | None, method: str, conventions: Conventions, **options: Unpack[ReleaseOptions]
) -> Request:
    """A request, as far as it can be judged without knowing the method: an ε becomes an advantage, one case per
    individual a number, and public variants a form."""
    chosen: dict[str, Any] = dict(options)
    _check_names(chosen)
    if chosen.pop("public_variants", False):
        if chosen.get("variants") not in (None, "public"):
            raise ParameterError(
                'public_variants says variants="public", and variants says something else. Choose one.'
            )
        chosen["variants"] = "public"
    epsilon = chosen.pop("epsilon", None)
    advantage = chosen_advantage(advantage, epsilon, method, chosen.get("variants"), chosen.get("dp_delta"))
    if chosen.get("one_case_per_individual", False):
        _check_one_case(chosen.get("scope"), chosen.get("max_cases_per_individual"))
        chosen["max_cases_per_individual"] = 1
    return Request(method=method, advantage=advantage, conventions=conventions, **chosen)


def _check_names(chosen: dict[str, Any]) -> None:
    unknown = chosen.keys() - ReleaseOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"a release has no option {', '.join(sorted(unknown))}")


def options_from(values: object) -> ReleaseOptions:
    """The options among the attributes of whatever was filled in: parsed flags, for instance."""
    names = [name for name in ReleaseOptions.__annotations__ if hasattr(values, name)]
    return cast(ReleaseOptions, {name: getattr(values, name) for name in names})


def article_parameters(request: Request) -> Parameters:
    """The request as parameters of a method of the article's shape. Raises ``ParameterError`` for options of
    ``certified``."""
    request.refuse(
        {
            Message("{public}"): request.public is not None,
            Message("{dp_delta}"): request.dp_delta is not None,
            Message("{variants_from_log}"): request.variants_from_log,
            Message("{public_from_log}"): request.public_from_log,
            Message("{variants:threshold} or {variants:generated}"): request.variants not in (None, "public"),
        },
        Message("only {method:certified} has"),
    )
    return Parameters(
        advantage=request.advantage,
        method=request.method,
        conventions=request.conventions,
        max_cases_per_individual=request.max_cases_per_individual,
        releases=request.releases,
        max_individual_loss=request.max_individual_loss,
        public_variants=request.variants == "public",
        scope="event" if request.scope is None else request.scope,
        max_case_length=request.max_case_length,
    )


def certified_settings(request: Request) -> CertifiedSettings:
    """The request as settings of the certified method; ``ParameterError`` if it asks for something that method does not
    have. A file named by ``public`` is read here."""
    from amun_dp.certified.choices import CertifiedChoices
    from amun_dp.certified.settings import CertifiedSettings

    request.refuse(
        {
            Message("{conventions} and windows"): request.conventions != CORRECTED,
            Message("{max_individual_loss}"): request.max_individual_loss is not None,
            Message("{max_case_length}"): request.max_case_length is not None,
        },
        "the certified method does not have; it needs neither priors nor a longest case",
    )
    given = _given(request.public, request.public_from_log)
    if request.scope not in (None, "case", "individual"):
        raise ParameterError(
            Message("The certified method protects a whole case ({scope:case}) or an individual ({scope:individual}).")
        )
    number, truncates = request.max_cases_per_individual, request.scope == "individual"
    if truncates and number is None:
        raise ParameterError(
            Message(
                "To protect an individual, declare how many cases of one person count: {scope:individual} and "
                "{max_cases_per_individual:C}. The number must come from outside the log."
            )
        )
    # At scope case nobody is truncated: the number is then the publisher's word.
    counted, declared = (number, None) if truncates else (None, number)
    # The type of the form is checked where it is used, also for callers without a type checker.
    form: Any = "threshold" if request.variants is None else request.variants
    return CertifiedSettings(
        advantage=request.advantage,
        choices=CertifiedChoices(form, request.dp_delta, counted, declared),
        given=given,
        releases=request.releases,
        variants_from_log=request.variants_from_log,
    )


def _check_one_case(scope: str | None, cases: int | None) -> None:
    if scope == "individual":
        raise ParameterError(
            Message(
                "{one_case_per_individual} declares that nobody has more than one case, and {scope:individual} counts "
                "the first C of each, however many they have. Use one of them; {scope:individual} needs "
                "{max_cases_per_individual:C}."
            )
        )
    if cases not in (None, 1):
        raise ParameterError(
            Message(
                "{one_case_per_individual} declares one case, and {max_cases_per_individual:{cases}} another number. "
                "Leave one of them out.",
                cases=cases,
            )
        )


def _given(public: str | Path | GivenFacts | None, from_log: bool) -> GivenFacts:
    from amun_dp.certified.given_facts import read_given_facts
    from amun_dp.certified.public_facts import GivenFacts

    if public is None and from_log:
        raise ParameterError(
            Message("{public_from_log} is a declaration about the facts of {public:FILE}: there are none.")
        )
    given = read_given_facts(public) if isinstance(public, str | Path) else public or GivenFacts()
    return replace(given, from_log=True) if from_log else given
