"""Every measurement that the certified method makes, from public parameters alone: kind, subject, weight and ε.

Derived here a second time on purpose, from docs/certified.md and not with the code that releases: a record that was
left out, or has more or less noise than the stated advantage gives it, is then no record of this method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from accounting.events import NoisyMax, ThresholdedHistogram, WeightedHistogram
from accounting.formulas import threshold_delta, worst_case_loss
from amun_dp.report.parameters import CertifiedParameters
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import SLACK, Fault, require

Mechanism = WeightedHistogram | NoisyMax | ThresholdedHistogram
UNITS = 2**20
"""U of docs/certified.md: whole units in which weights are counted."""
CAPS = frozenset(round(2 ** (quarter / 4)) for quarter in range(4, 49))
"""What the cap L on the steps of a case is chosen from."""
_FLOW, _TIMES = "control flow", "times"
_STARTS = _NUMBER = Fraction(5, 100)


@dataclass(frozen=True, slots=True)
class Due:
    """One measurement that must have been recorded."""

    name: str
    kind: type[Mechanism]
    of: str
    weight: int
    """What a case adds at most; of a noisy choice: by how much it moves a score."""
    epsilon: Fraction


def epsilon_of_release(report: PublicReport, cases_of_unit: int) -> Fraction:
    """For one replaced case and one release: 4·artanh(advantage), rounded down, over all cases and releases."""
    return Fraction(float(worst_case_loss(report.advantage))) / (cases_of_unit * report.releases)


def check_records(measured: Sequence[Mechanism], report: PublicReport, chosen: CertifiedParameters, unit: int) -> None:
    """The recorded measurements are those of the form, one by one and in their order; ``unit`` cases are one unit's."""
    forms = _all_due(measured, report, chosen, unit)
    fitting = [form for form in forms if len(form) == len(measured)]
    if not fitting:
        lengths = " or ".join(str(number) for number in sorted({len(form) for form in forms}))
        raise Fault(f"{len(measured)} measurements are recorded where the form '{chosen.variants}' makes {lengths}")
    differing = [_difference(measured, form) for form in fitting]
    if all(differing):
        raise Fault(str(differing[0]))
    if chosen.variants == "threshold":
        _check_threshold(measured, report, chosen, unit)


def _all_due(
    measured: Sequence[Mechanism], report: PublicReport, chosen: CertifiedParameters, unit: int
) -> list[list[Due]]:
    """What may be recorded: more than one list where it depends on facts that a report does not hold.

    These are the lengths of public variants and the number of released pairs; each list spends the same ε.
    """
    epsilon = epsilon_of_release(report, unit)
    number: list[Due] = []
    if chosen.scope == "individual" and chosen.variants != "threshold":
        number = [Due("number of cases", WeightedHistogram, _FLOW, 1, epsilon * _NUMBER)]
        epsilon -= number[0].epsilon
    # Public, or measured; measured, it is the number of released cases, which other checks count.
    cases = report.released.cases if chosen.cases is None else chosen.cases
    share = Fraction(45, 100)
    if chosen.variants == "public":
        share = Fraction(40, 100) * min(Fraction(1), Fraction(math.sqrt(cases / (4 * _given(chosen.public_variants)))))
    flows = {"threshold": _threshold_flow, "public": _public_flow, "generated": _generated_flow}[chosen.variants](
        epsilon * share, chosen, cases, _cap(measured, len(number))
    )
    starts = Due("start times", WeightedHistogram, _TIMES, 1, epsilon * _STARTS)
    return [
        [*number, *flow, *lasting, starts] for flow in flows for lasting in _durations(epsilon * (1 - _STARTS - share))
    ]


def _given(number: int | None) -> int:
    if number is None:
        raise Fault("the report does not state how many variants or activities are public, which this form needs")
    return number


def _cap(measured: Sequence[Mechanism], numbers: int) -> int:
    """L as the record of the number of steps, which is bounded by 2·L, has it; 0 if there is none."""
    place = numbers + 1
    found = measured[place] if place < len(measured) else None
    return found.weight // 2 if isinstance(found, WeightedHistogram) else 0


def _threshold_flow(epsilon: Fraction, _chosen: CertifiedParameters, _cases: int, _cap: int) -> list[list[Due]]:
    return [[Due("variants above the threshold", ThresholdedHistogram, _FLOW, 1, epsilon)]]


def _public_flow(epsilon: Fraction, chosen: CertifiedParameters, _cases: int, _cap: int) -> list[list[Due]]:
    alone = [Due("variants", WeightedHistogram, _FLOW, 1, epsilon)]
    with_classes = [
        Due("variants", WeightedHistogram, _FLOW, 1, epsilon * Fraction(3, 4)),
        Due("length classes", WeightedHistogram, _FLOW, 1, epsilon * Fraction(1, 4)),
    ]
    return [alone, with_classes] if _given(chosen.public_variants) >= 100 else [alone]


def _generated_flow(epsilon: Fraction, chosen: CertifiedParameters, cases: int, cap: int) -> list[list[Due]]:
    many = cases >= 100 * (_given(chosen.activities) + 1) ** 2
    percent = (5, 5, 5, 70, 15) if many else (5, 10, 15, 70)
    require(cap in CAPS, "the recorded number of steps has a weight that no cap of the certified method gives")
    table = (
        ("length of cases", NoisyMax, 1),
        ("number of steps", WeightedHistogram, 2 * cap),
        ("activities", WeightedHistogram, cap * UNITS),
        ("steps", WeightedHistogram, cap * UNITS),
        ("second order", WeightedHistogram, cap * UNITS),
    )
    rows = zip(table[: len(percent)], percent, strict=True)
    return [[Due(name, kind, _FLOW, weight, epsilon * Fraction(part, 100)) for (name, kind, weight), part in rows]]


def _durations(epsilon: Fraction) -> list[list[Due]]:
    cap = Due("cap on durations", NoisyMax, _TIMES, 1, epsilon * Fraction(8, 100))
    whole = epsilon * Fraction(80, 100)
    bins = [
        Due(name, WeightedHistogram, _TIMES, UNITS, epsilon * Fraction(6, 100))
        for name in ("durations of the log", "durations of pairs")
    ]
    alone = [Due("total durations", WeightedHistogram, _TIMES, UNITS, whole)]
    with_grand = [
        Due("total durations", WeightedHistogram, _TIMES, UNITS, whole * Fraction(85, 100)),
        Due("grand total", WeightedHistogram, _TIMES, UNITS, whole * Fraction(15, 100)),
    ]
    return [[cap, *totals, *bins] for totals in (alone, with_grand)]


def _difference(measured: Sequence[Mechanism], form: list[Due]) -> str:
    """What is not as it is due; nothing where all is."""
    try:
        for found, due in zip(measured, form, strict=True):
            _compare(found, due)
    except Fault as fault:
        return str(fault)
    return ""


def _compare(found: Mechanism, due: Due) -> None:
    require(
        type(found) is due.kind,
        f"'{due.name}' is recorded as a {type(found).__name__}, and the certified method makes a {due.kind.__name__}",
    )
    if not isinstance(found, ThresholdedHistogram):
        weight = found.weight if isinstance(found, WeightedHistogram) else found.sensitivity
        require(found.of == due.of, f"'{due.name}' is recorded as a measurement of {found.of}")
        require(weight == due.weight, f"'{due.name}' is recorded with weight {weight}, and has {due.weight}")
    scale = found.scale
    if not isinstance(scale, float | int):
        raise Fault(f"the scale of '{due.name}' is withheld, which the certified method never does")
    called_for = 2 * due.weight / due.epsilon
    require(
        abs(Fraction(scale) - called_for) <= called_for * SLACK,
        f"'{due.name}' has noise of scale {scale:.6g}, and the stated advantage gives it {float(called_for):.6g}",
    )


def _check_threshold(
    measured: Sequence[Mechanism], report: PublicReport, chosen: CertifiedParameters, unit: int
) -> None:
    """The threshold is the smallest one for the stated δ."""
    histogram = next(each for each in measured if isinstance(each, ThresholdedHistogram))
    threshold, scale = histogram.threshold, histogram.scale
    assert isinstance(scale, float | int)  # compared before
    if chosen.delta is None:
        raise Fault("no δ is stated, and a threshold has one")
    delta = Fraction(chosen.delta) / report.releases
    smallest = max(unit + 1, 3 if chosen.scope == "individual" else 1)
    require(threshold >= smallest, f"the threshold is {threshold}, and {smallest} is the least for such a unit")

    def failing(level: int) -> Fraction:
        return unit * Fraction(threshold_delta(float(scale), level, unit))

    require(
        failing(threshold) <= delta * (1 + SLACK),
        f"the mechanisms fail with probability up to {float(failing(threshold)):g}, and δ {float(delta):g} is stated "
        "for one release",
    )
    require(
        threshold == smallest or failing(threshold - 1) > delta * (1 - SLACK),
        "the threshold is larger than the stated δ calls for, so one of them is not that of the release",
    )
