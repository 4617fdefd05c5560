"""Methods and mechanisms registered from outside the package."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import amun_dp
import amun_dp.article.methods
from accounting.events import LaplaceCount, PerEventNoise, PrivacyEvent, Sequential, register_event
from accounting.guarantee import Verdict
from amun_dp._base.units import HOUR
from amun_dp.article.methods import ArticleMethod, article_method_named
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.noise.sources import NoiseSource
from amun_dp.release.methods import method_named, method_names, register_method, unregister_method
from amun_dp.synthetic import hospital_log
from tests.logs import log_of, variants_of
from tests.release.test_release import check_promises


@register_event("test-halving")
@dataclass(frozen=True, slots=True)
class Halving(PrivacyEvent):
    """Every variant keeps half of its cases."""


def halve(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
    return Sampled(cases=(control_flow.cases + 1) // 2, event=Sequential((LaplaceCount(1 / epsilon), Halving())))


def test_a_method_with_its_own_rule_and_event_is_registered_from_outside() -> None:
    method = register_method(ArticleMethod("halving", "keeps half", False, lambda advantage: advantage, halve))
    try:
        assert method_named("halving") == method
        assert "halving" in method_names()
        log = hospital_log()
        release = amun_dp.anonymize(log, 0.25, method)
        assert release.report.method == "halving"
        assert log.n_cases / 2 <= release.report.released.cases <= (log.n_cases + len(variants_of(log))) / 2
        check_promises(log, release, "halving", "corrected")
        # Its own event is not known to the accountant, which says so instead of counting it as free.
        verdicts = {claim.claim: claim.verdict for claim in release.report.guarantees}
        assert verdicts["unknown-step"] is Verdict.NOT_PROVED
        with pytest.raises(ParameterError, match="registered already"):
            register_method(method)
    finally:
        unregister_method("halving")
    with pytest.raises(ParameterError):
        method_named("halving")


def test_a_time_mechanism_of_its_own_is_registered_from_outside() -> None:
    def to_the_hour(times: RelativeTimes, advantage: float, source: NoiseSource) -> NoisedTimes:
        zero = np.zeros(len(times.case))
        nothing = PerEventNoise(times.case, times.value_range, zero, times.copies, times.origin, times.individual)
        return NoisedTimes(times.value // HOUR * HOUR, Halving(), amun_dp.Confidential(nothing))

    register_method(replace(article_method_named("sampling"), name="hours", noise_times=to_the_hour))
    try:
        release = amun_dp.anonymize(hospital_log(), 0.3, method_named("hours"))
        same_case = release.event_log.case[1:] == release.event_log.case[:-1]
        inside = release.event_log.time[1:] < hospital_log().time.max()
        assert (np.diff(release.event_log.time)[same_case & inside] % HOUR == 0).all()
        assert "unknown-step" in [claim.claim for claim in release.report.guarantees]
    finally:
        unregister_method("hours")


def test_an_installed_package_brings_its_method_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    method = replace(article_method_named("sampling"), name="from-elsewhere")

    class Found:
        def load(self) -> ArticleMethod:
            return method

    def entry_points(group: str, name: str) -> list[Found]:
        return [Found()] if (group, name) == ("amun_dp.methods", "from-elsewhere") else []

    monkeypatch.setattr(amun_dp.article.methods, "entry_points", entry_points)
    try:
        assert amun_dp.anonymize(hospital_log(), 0.3, method_named("from-elsewhere")).report.method == "from-elsewhere"
    finally:
        unregister_method("from-elsewhere")


@pytest.mark.parametrize("cases", [[-1], [1, 1], [0, 5]])
def test_a_rule_that_would_invent_cases_is_refused(cases: list[int]) -> None:
    def wrong(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        return Sampled(cases=np.resize(np.array(cases), len(cases)), event=Halving())

    register_method(ArticleMethod("wrong", "is wrong", False, lambda advantage: 1.0, wrong))
    try:
        with pytest.raises(ReleaseError, match="one number of cases for each variant"):
            amun_dp.anonymize(log_of([[("a", 0)]]), 0.3, method_named("wrong"), allow_too_small=True)
    finally:
        unregister_method("wrong")
