"""``amun_dp.anonymize``: plan a release, charge it to the budget, draw the noise, and account for what was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

from accounting.registry import Declared, Registry
from amun_dp._base.progress import Progress, silent
from amun_dp.article.conventions import Conventions, conventions_named
from amun_dp.article.methods import ArticleMethod
from amun_dp.budgets.spending import Chargeable, Spending, reserve_plan
from amun_dp.errors import ParameterError
from amun_dp.noise.sources import SamplerName, noise_source
from amun_dp.reading.as_event_log import LogLike, as_event_log
from amun_dp.release.before import warn_publisher
from amun_dp.release.made import Release
from amun_dp.release.methods import Method, carry_out, check_release, make_plan, requested
from amun_dp.release.requests import MethodName, ReleaseOptions

if TYPE_CHECKING:
    pass


def anonymize(
    log: LogLike,
    advantage: float | None = None,
    method: MethodName | Method | ArticleMethod = "filtering",
    conventions: str | Conventions = "corrected",
    *,
    allow_too_small: bool = False,
    noise: SamplerName = "opendp",
    seed: int | None = None,
    registry: Registry | None = None,
    same_log_as: Sequence[str] = (),
    new_log: bool = False,
    progress: Progress = silent,
    **options: Unpack[ReleaseOptions],
) -> Release:
    """Make a release: an anonymised copy of ``log`` with its public report. Nothing is written; ``Release.save`` does
    that.

    ``advantage`` is how much an attacker's chance of guessing right may rise; how far that is kept depends on the
    ``method``: ``filtering``, ``sampling`` and ``oversampling`` work as in the article, ``certified`` has a bound for
    the whole case (``variants``: threshold, public or generated; ``public``: what is known from outside the log, a file
    or ``GivenFacts``; ``dp_delta``: the δ of ``threshold``). For ``certified``, an ``epsilon`` may be given instead of
    the advantage, for one unit replaced by another and δ = 0: it is taken as the advantage tanh(ε/4), and under
    ``threshold`` it needs ``dp_delta`` as well.

    For the article's methods, ``conventions`` say how priors and ranges are computed (``corrected``, ``article``, or a
    ``Conventions``). ``public_variants`` declares that it is not a secret which variants occur. ``scope`` is ``event``
    as in the article, or ``case``, which needs the declared bound ``max_case_length``. ``max_individual_loss`` refuses
    a release whose times would cost one individual more. For ``certified`` the scope is ``case`` or ``individual``.
    ``releases`` says how often the log will be released; every ε is divided by it.

    Nothing is promised about an individual unless it is declared, from outside the log, how many cases one has at most:
    ``max_cases_per_individual``, or ``one_case_per_individual``. This number divides every ε of the article's methods.
    At scope ``individual`` it divides every ε too, and only so many cases of each individual count; at scope ``case``
    of ``certified``, an individual has so many times the ε of a case. A log whose individuals are known and have more
    cases is refused, or truncated.

    Facts that are the log's own are refused as ``public``: a log that shares cases with ``log``, or a list of variants
    in which more belong to a single case than a list from outside would have in all but one of twenty times.
    ``public_from_log`` admits them, and the label says that they were taken from the log. ``variants="public"`` without
    given variants takes the log's own. That discloses every variant that only one case has, and needs
    ``variants_from_log``. A log too small for the method, and a threshold that would probably leave nothing or next to
    nothing, are refused unless ``allow_too_small`` is set; nothing that is published shows that it was set
    (docs/certified.md says how the limits are derived). What the publisher must know before anything is reserved is
    issued as a ``PublisherWarning``.

    The guarantees of the release, and what is not guaranteed, are in ``release.report.guarantees``: read them before
    you publish. The input is not changed. ``noise`` chooses the sampler: OpenDP's (``opendp``), or the faster one of
    this package (``exact``). With a ``seed`` the result is repeatable and therefore not private, and the report says
    so.

    Without a ``registry`` (``open_registry``) nothing is recorded and no budget is checked. With one, the release is
    charged to the log's budget before noise is drawn, or refused; ``save`` notes it as published. If the log shares
    cases with registered ones, say of which it is another state (``same_log_as``), or that the people are others
    (``new_log``). A registry and a seed exclude each other. ``progress`` is called with the name of each step.

    Raises ``InputError`` if the log cannot be read, ``ParameterError`` for options that are out of range or do not fit
    together, ``ReleaseError`` if nothing can or should be released, ``BudgetError`` if the budget does not hold the
    release, ``RegistryRefused`` if the registry cannot be used, and ``SamplerError`` or ``MemoryError`` if the sampler
    does not work or memory is too small. The last two are tried out before the budget is charged. What was charged
    stays spent if an error occurs later.
    """
    if registry is not None and seed is not None:
        raise ParameterError("A seeded release must not be published, so none is recorded: leave seed or registry out.")
    declared = Declared(same_as=tuple(same_log_as), new_log=new_log)
    reserve = None if registry is None else partial(reserve_plan, registry, declared=declared)
    parameters = requested(advantage, method, conventions_named(conventions), **options)
    planned = make_plan(as_event_log(log), parameters, progress)
    for note in check_release(planned, allow_too_small=allow_too_small):
        warn_publisher(note)
    source = noise_source(seed, noise)
    if reserve is None:
        return carry_out(planned, source, progress)
    reserved: list[Spending] = []

    def remembered(chargeable: Chargeable, release: str) -> Spending:
        reserved.append(reserve(chargeable, release))
        return reserved[0]

    try:
        return carry_out(planned, source, progress, remembered)
    finally:  # also if it is interrupted: a notebook lives on, and a traceback holds what was drawn
        for spending in reserved:
            spending.expose("handing over")
