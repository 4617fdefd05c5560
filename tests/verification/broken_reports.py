"""Files and reports that are not what they should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from accounting.accountant import public_account, strictest
from accounting.events import PostProcessing, Sequential
from accounting.guarantee import Relation, Scope
from accounting.publication import public_tree
from amun_dp import anonymize
from amun_dp.folder.parts import file_digest
from amun_dp.report.public_report import PublicReport
from amun_dp.report.terms import NOISE_MEANS
from amun_dp.verification import Name
from tests.verification import forging
from tests.verification.breakages import breaks
from tests.verification.releases import ADVANTAGE, made, original


@breaks(Name.FILES)
def a_copy_of_the_original_beside_the_log(folder: Path) -> None:
    (folder / "original.csv").write_text("case,activity,time\n")


@breaks(Name.FILES)
def a_second_log_that_the_report_does_not_name(folder: Path) -> None:
    (folder / "log.csv").write_text("case:concept:name,concept:name,time:timestamp\n")


@breaks(Name.FILES, internal=True)
def a_stranger_in_the_internal_part(folder: Path) -> None:
    (folder / "internal" / "notes.txt").write_text("notes")


@breaks(Name.HASHES)
def a_hash_of_another_page(folder: Path) -> None:
    data = forging.report_in(folder)
    data["files"]["report.html"] = "0" * 64
    forging.write_report(folder, data)


@breaks(Name.HASHES, Name.LOG)
def a_hash_of_another_log(folder: Path) -> None:
    """The log is then not read at all."""
    data = forging.report_in(folder)
    data["files"]["log.xes.gz"] = "0" * 64
    forging.write_report(folder, data)


# --- report ---------------------------------------------------------------------------------------------------------


@breaks(Name.REPORT)
def a_field_that_the_schema_does_not_know(folder: Path) -> None:
    forging.write_report(folder, forging.report_in(folder) | {"comment": "trust me"})


@breaks(Name.REPORT)
def a_key_that_stands_twice(folder: Path) -> None:
    """Readers differ in which of the two they take."""
    text = (folder / "report.json").read_text(encoding="utf-8")
    (folder / "report.json").write_text(text.replace('  "releases": 1,\n', '  "releases": 1,\n' * 2), encoding="utf-8")


@breaks(Name.REPORT)
def a_report_formatted_otherwise(folder: Path) -> None:
    text = (folder / "report.json").read_text(encoding="utf-8")
    (folder / "report.json").write_text(text.replace("  ", "\t"), encoding="utf-8")


@breaks(Name.REPORT)
def a_confidential_parameter_that_is_published(folder: Path) -> None:
    """The longest case of the log, where the public form of the mechanisms withholds it."""
    data = forging.report_in(folder)
    count = next(each for each in data["mechanisms"] if each["kind"] == "laplace-count")
    count["parameters"]["cells_per_case"] = {"confidential": 11}
    forging.write_report(folder, data)


@breaks(Name.GUARANTEES)
def an_understated_epsilon_with_all_hashes_right(folder: Path) -> None:
    data = forging.report_in(folder)
    line = next(each for each in data["guarantees"] if each["epsilon"] is not None)
    line["epsilon"] /= 10
    forging.reseal(folder, data)


@breaks(Name.GUARANTEES, Name.LEDGER_ACCOUNT, internal=True)
def an_understated_advantage_before_the_ledger(folder: Path) -> None:
    data = forging.report_in(folder)
    line = next(each for each in data["guarantees"] if each["advantage"] is not None)
    line["advantage"] /= 10
    forging.reseal(folder, data)


@breaks(Name.GUARANTEES)
def a_line_left_out(folder: Path) -> None:
    data = forging.report_in(folder)
    del data["guarantees"][-1]
    forging.reseal(folder, data)


@breaks(Name.GUARANTEES, Name.CLAIMS)
def a_refuted_claim_called_proved(folder: Path) -> None:
    data = forging.report_in(folder)
    next(each for each in data["guarantees"] if each["claim"] == "event-time")["verdict"] = "proved"
    forging.reseal(folder, data)


@breaks(Name.MECHANISMS)
def less_count_noise_than_the_parameters_call_for(folder: Path) -> None:
    """Mechanisms, guarantees, page and hashes agree with each other; only the advantage asked for does not."""
    data = forging.report_in(folder)
    forging.reseal(folder, forging.set_mechanism(data, "laplace-count", scale={"float": (0.25).hex()}))


@breaks(Name.MECHANISMS)
def filtering_that_is_not_recorded(folder: Path) -> None:
    """Without that record the account of the control flow looks better than it is."""
    data = forging.report_in(folder)
    at = next(n for n, each in enumerate(data["mechanisms"]) if each["parameters"].get("of") == "cases")
    del data["mechanisms"][at]
    for record in data["mechanisms"]:
        if record["kind"] == "sequential":
            parts = [part["event"] for part in record["parameters"]["parts"]["tuple"] if part["event"] != at]
            record["parameters"]["parts"]["tuple"] = [{"event": part - (part > at)} for part in parts]
    forging.reseal(folder, forging.derive_guarantees(data))


@breaks(Name.MECHANISMS)
def variants_recorded_as_public_and_not_declared_so(folder: Path) -> None:
    data = forging.report_in(folder)
    for record in data["mechanisms"]:
        if record["parameters"].get("of") in ("variants", "groups"):
            record["parameters"]["declared_public"] = True
    forging.reseal(folder, forging.derive_guarantees(data))


@breaks(Name.MECHANISMS, format="csv")
def a_log_called_certified_that_records_nothing(folder: Path) -> None:
    """Of what costs nothing every demand seems to be met."""
    release = made("sampling")
    free = Sequential((PostProcessing("the whole log", "published as it is"),))
    report = replace(release.report, method="certified", mechanisms=public_tree(free))
    rmtree(folder)
    replace(release, report=report).save(folder, format="csv")
    rmtree(folder / "internal")


@breaks(Name.MECHANISMS, format="csv", method="certified")
def less_noise_than_the_stated_advantage_allows_a_certified_release(folder: Path) -> None:
    data = forging.report_in(folder)
    for record in data["mechanisms"]:
        if "scale" in record["parameters"]:
            scale = float.fromhex(record["parameters"]["scale"]["float"])
            record["parameters"]["scale"] = {"float": (0.9 * scale).hex()}
    forging.reseal(folder, forging.derive_guarantees(data))


@breaks(Name.TEXTS)
def something_unprotected_left_out(folder: Path) -> None:
    data = forging.report_in(folder)
    del data["unprotected"][2]
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_message_among_the_versions(folder: Path) -> None:
    data = forging.report_in(folder)
    data["software"]["motto"] = "trust me"
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_message_in_place_of_a_version(folder: Path) -> None:
    data = forging.report_in(folder)
    data["software"]["numpy"] = "p17-started-A-2020-01-01"
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_message_in_place_of_a_window(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"] |= {"conventions": "custom", "window_ms": int.from_bytes(b"p17 was here", "big")}
    forging.write_report(folder, data)


@breaks(Name.REPORT)
def conventions_of_a_name_that_nobody_gave_them(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["conventions"] = "p17-was-here"
    forging.write_report(folder, data)


@breaks(format="csv")
def a_release_of_another_version(folder: Path) -> None:
    """That is no fault: versions are information, and the bytes are compared by formats."""
    data = forging.report_in(folder)
    data["software"]["amun-dp"] = "0.9.1"
    forging.reseal(folder, data)


@breaks(Name.TEXTS, Name.PAGE, Name.GUARANTEES, format="csv")
def another_version_so_that_page_and_sentences_are_not_looked_at(folder: Path) -> None:
    """The original in place of the page, and texts of one's own in the report; all hashes right."""
    data = forging.report_in(folder)
    data["software"]["amun-dp"] = "0.9.1"
    data["guarantees"][0]["why"] = "p17 was here"
    data["unprotected"] = ["nothing: everything is protected"]
    (folder / "report.html").write_text("case,activity,time\np17,A,2020-01-01\n", encoding="utf-8")
    forging.reseal(folder, data, page=False)


def _turned(found: dict[str, Any]) -> dict[str, Any]:
    """The same fields in another order: n of them have room for log2(n!) bits."""
    return dict(reversed(found.items()))


@breaks(Name.REPORT)
def a_message_in_the_order_of_the_fields(folder: Path) -> None:
    forging.write_report(folder, _turned(forging.report_in(folder)))


@breaks(Name.REPORT)
def a_message_in_the_order_of_a_line(folder: Path) -> None:
    data = forging.report_in(folder)
    data["guarantees"][3] = _turned(data["guarantees"][3])
    forging.write_report(folder, data)


@breaks(Name.REPORT)
def a_message_in_the_order_of_the_versions(folder: Path) -> None:
    data = forging.report_in(folder)
    data["software"] = _turned(data["software"])
    forging.write_report(folder, data)


@breaks(Name.REPORT)
def a_message_in_the_order_of_the_hashes(folder: Path) -> None:
    data = forging.report_in(folder)
    data["files"] = _turned(data["files"])
    forging.write_report(folder, data)


@breaks(Name.REPORT, format="csv", method="certified")
def a_message_in_the_order_of_what_was_taken_from_the_log(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["from_log"].reverse()
    forging.reseal(folder, data)


@breaks(Name.GUARANTEES)
def a_message_in_the_order_of_assumptions(folder: Path) -> None:
    data = forging.report_in(folder)
    line = next(each for each in data["guarantees"] if len(each["assumptions"]) > 1)
    line["assumptions"] = _turned(line["assumptions"])
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_day_that_no_calendar_has(folder: Path) -> None:
    data = forging.report_in(folder)
    data["release"]["made_on"] = "2026-17-93"
    forging.reseal(folder, data)


def _left_out(folder: Path, leave: Callable[[list[dict[str, Any]]], list[int]]) -> None:
    """Without these records, and for the advantage that the others add up to: as consistent as it can be made."""
    data = forging.report_in(folder)
    gone = leave(data["mechanisms"])
    kept = [place for place in range(len(data["mechanisms"])) if place not in gone]
    data["mechanisms"] = [data["mechanisms"][place] for place in kept]
    parts = data["mechanisms"][-1]["parameters"]["parts"]
    parts["tuple"] = [{"event": kept.index(part["event"])} for part in parts["tuple"] if part["event"] not in gone]
    data["advantage"] = _advantage_of(data)
    data = forging.derive_guarantees(data)
    forging.write_report(folder, data)
    forging.put_log(folder, forging.log_in(folder))


def _advantage_of(data: dict[str, Any]) -> float:
    derived = public_account(PublicReport.from_dict(data).mechanisms)
    value = strictest(derived, Scope.CASE, Relation.REPLACE).epsilon.value
    assert value is not None
    return math.tanh(float(value) / 4)


@breaks(Name.MECHANISMS, format="csv", method="certified")
def a_noisy_choice_left_out_and_the_advantage_made_smaller(folder: Path) -> None:
    _left_out(folder, lambda found: [n for n, each in enumerate(found) if each["kind"] == "noisy-max"])


@breaks(Name.MECHANISMS, format="csv", method="certified")
def the_most_expensive_records_left_out_and_the_advantage_made_smaller(folder: Path) -> None:
    """Of each subject one histogram stays, the one with the most noise for its weight."""

    def expensive(found: list[dict[str, Any]]) -> list[int]:
        gone = []
        for of in ("control flow", "times"):
            those = [n for n, each in enumerate(found) if each["parameters"].get("of") == of and "weight" in str(each)]
            noise = {n: _relative(found[n]["parameters"]) for n in those}
            gone += sorted(noise, key=lambda n: noise[n])[:-1]
        return gone

    _left_out(folder, expensive)


def _relative(parameters: dict[str, Any]) -> float:
    return float.fromhex(parameters["scale"]["float"]) / int(parameters["weight"])


@breaks(Name.MECHANISMS, format="csv", method="certified")
def half_the_noise_on_times_paid_for_by_the_control_flow(folder: Path) -> None:
    """The sum is right, and the noise is not where the method puts it."""
    data = forging.report_in(folder)
    scaled = [each["parameters"] for each in data["mechanisms"] if "weight" in each["parameters"]]
    one, other = scaled[-1], scaled[0]
    for parameters, factor in ((one, 0.9), (other, 1 / (1 - (1 / 0.9 - 1) * _ratio(one, other)))):
        scale = float.fromhex(parameters["scale"]["float"])
        parameters["scale"] = {"float": (factor * scale).hex()}
    forging.reseal(folder, forging.derive_guarantees(data))


def _ratio(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Of the ε of one to that of the other."""
    return _relative(other) / _relative(one)


@breaks(Name.TEXTS)
def conventions_under_a_name_that_is_not_theirs(folder: Path) -> None:
    data = forging.report_in(folder)
    data["parameters"]["window_ms"] = 1
    forging.reseal(folder, data)


def _flag(folder: Path, unpredictable: bool) -> None:
    data = forging.report_in(folder)
    data["noise"]["predictable"] = not unpredictable
    data["noise"]["means"] = NOISE_MEANS[unpredictable]
    forging.write_report(folder, data)
    forging.put_log(folder, forging.log_in(folder))


@breaks(Name.SEED, Name.UNSEEDED)
def a_flag_of_predictable_noise_without_its_record(folder: Path) -> None:
    _flag(folder, unpredictable=False)


def _seeded(folder: Path) -> None:
    rmtree(folder)
    anonymize(original(), ADVANTAGE, seed=1).save(folder)
    rmtree(folder / "internal")


@breaks(Name.SEED, Name.UNSEEDED)
def predictable_noise_flagged_as_private(folder: Path) -> None:
    _seeded(folder)
    _flag(folder, unpredictable=True)


@breaks(Name.SEED)
def a_seeded_sampler_in_a_private_release(folder: Path) -> None:
    data = forging.report_in(folder)
    data["noise"]["sampler"] = "seeded"
    forging.reseal(folder, data)


@breaks(Name.REPORT)
def a_sampler_that_nobody_has(folder: Path) -> None:
    data = forging.report_in(folder)
    data["noise"]["sampler"] = "p17-was-here"
    forging.write_report(folder, data)


@breaks(Name.UNSEEDED)
def a_seeded_release(folder: Path) -> None:
    _seeded(folder)


@breaks(Name.PAGE)
def a_page_that_says_more_than_the_report(folder: Path) -> None:
    page = folder / "report.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</html>", "<p>ε = 0.001</p></html>"), encoding="utf-8")
    data = forging.report_in(folder)
    data["files"]["report.html"] = file_digest(page)
    forging.write_report(folder, data)
