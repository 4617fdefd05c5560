"""The article's figures against ones that were typed from its tables by hand."""

from __future__ import annotations

import pytest

from amun_dp.comparing.article_figures import article_emd, article_log, article_minutes, article_phi
from amun_dp.comparing.cells import PHIS, Phi

AMUN = ("sampling", "filtering", "oversampling")


@pytest.mark.parametrize(
    ("log", "advantage", "frequency", "time"),
    [
        # Table 2: Amun_s, Amun_f, Amun_o, PRIPEL, SaCoFa; then the first four of times.
        ("BPIC12", 0.2, (331.02, 653.36, 2301.62, 946.9, 1006.6), (40.3, 8.08, 192.13, 25.75)),
        ("BPIC13_incidents", 0.3, (840.55, 258.45, 5417.64, 3792.55, 2562.55), (592.36, 307.26, 2055.23, 197.38)),
        ("BPIC14", 0.4, (208.55, 179.94, 1012.62, None, 385.8), (47.12, 50.61, 178.08, None)),
        ("BPIC15_1", 0.3, (14.82, 7.93, 52.42, 10.71, 10.84), (3.15, 2.28, 11.17, 0.8)),
        ("BPIC17", 0.3, (78.6, 2667.91, 938.79, None, 1271.89), (95.07, 131.76, 206.76, None)),
        ("BPIC18", 0.2, (3775.468, 659.01, 17668.46, None, 3555.97), (2176.17, 179.39, 3206.75, None)),
        ("BPIC18", 0.4, (2372.08, 2812.65, 9055.04, None, 3789.32), (885.81, 517.59, 1647.15, None)),
        ("BPIC19", 0.4, (612.48, 399.36, 2376.21, None, 872.76), (500.57, 360.54, 751.67, None)),
        ("BPIC20_PermitLog", 0.2, (18.97, 18.69, 138.05, 98.1, 142.92), (65.23, 69.04, 180.5, 23.94)),
        ("CCC19", 0.2, (12.78, 3.7, 30.81, None, None), (0, 0, 0, None)),
        ("CredReq", 0.2, (0, 2, 4, 0, 0), (233.08, 238.79, 186.94, 0)),
        ("Hospital", 0.3, (57.91, 61.96, 264.09, None, 84.86), (7.86, 7.42, 31.71, None)),
        ("Sepsis", 0.4, (43.38, 101.64, 232.5, 118.71, 96.84), (4.26, 6.48, 26.61, 8.64)),
        ("RoadTrafficFines", 0.4, (0, 2951.5, 21, None, 22.5), (7182.96, 12788.57, 7419.02, None)),
        ("Unrineweginfectie", 0.2, (6.53, 5.53, 66, 290, 25.6), (44.96, 39.34, 184.68, 94.74)),
    ],
)
def test_distances_at_the_average_are_those_of_the_main_table(
    log: str, advantage: float, frequency: tuple[float | None, ...], time: tuple[float | None, ...]
) -> None:
    methods = (*AMUN, "pripel", "sacofa")
    assert tuple(article_emd(log, advantage, "frequency", method, "average") for method in methods) == frequency
    assert tuple(article_emd(log, advantage, "time", method, "average") for method in methods) == (*time, None)


@pytest.mark.parametrize(
    ("phi", "log", "advantage", "epsilon", "pripel", "sacofa", "pripel_time"),
    [
        # Tables B.2 and B.3
        ("minimum", "BPIC12", 0.2, 0.058, None, 936.55, None),
        ("minimum", "BPIC13_incidents", 0.4, 0.1, None, 3795.81, None),
        ("minimum", "BPIC14", 0.2, 0.034, None, 473.48, None),
        ("minimum", "BPIC15_1", 0.4, 0.88, 10.84, 10.832, 585.2),
        ("minimum", "BPIC17", 0.2, 0.058, None, 1488, None),
        ("minimum", "BPIC18", 0.4, 0.054, None, 3028.82, None),
        ("minimum", "BPIC20_PermitLog", 0.3, 0.14, None, 84.004, None),
        ("minimum", "CCC19", 0.4, 0.233, None, None, None),
        ("minimum", "CredReq", 0.3, 0.7, 0, 0, 0),
        ("minimum", "Hospital", 0.2, 0.048, None, 85.19, None),
        ("minimum", "RoadTrafficFines", 0.3, 0.619, None, 77.33, None),
        ("minimum", "Unrineweginfectie", 0.4, 1.417, 291.6, 113.8, 68233.9),
        ("maximum", "BPIC12", 0.4, 9.97, 905.11, 555.66, 18101.72),
        ("maximum", "BPIC13_incidents", 0.2, 3.13, 3713.82, 3874.63, 140484),
        ("maximum", "BPIC14", 0.4, 3.6, 508.15, 507.28, 7143.46),
        ("maximum", "BPIC15_1", 0.4, 2.9, 10.84, 10.42, 583.8),
        ("maximum", "BPIC18", 0.3, 2.99, None, 2494.17, None),
        ("maximum", "BPIC18", 0.4, 3.28, 3537.58, 2372.69, 504500.1),
        ("maximum", "BPIC19", 0.4, 5.17, None, 813.17, None),
        ("maximum", "CCC19", 0.2, 1.85, None, 7.17, None),
        ("maximum", "CredReq", 0.2, 7.8, 0, 0, 0),
        ("maximum", "Sepsis", 0.3, 3.29, 118.71, 102.39, 6217.93),
        ("maximum", "RoadTrafficFines", 0.4, 5.74, None, 75.87, None),
        ("maximum", "Unrineweginfectie", 0.2, 3.77, 113.87, 113.53, 58296),
    ],
)
def test_distances_at_the_minimum_and_maximum_are_those_of_the_appendix(
    phi: Phi,
    log: str,
    advantage: float,
    epsilon: float,
    pripel: float | None,
    sacofa: float | None,
    pripel_time: float | None,
) -> None:
    assert article_phi(log, advantage, phi) == epsilon
    assert article_emd(log, advantage, "frequency", "pripel", phi) == pripel
    assert article_emd(log, advantage, "frequency", "sacofa", phi) == sacofa
    assert article_emd(log, advantage, "time", "pripel", phi) == pripel_time


def test_the_main_table_is_taken_where_the_article_contradicts_itself() -> None:
    assert {article_emd("BPIC18", 0.4, "frequency", "sampling", phi) for phi in PHIS} == {2372.08}  # B.2: 2887.08


@pytest.mark.parametrize(
    ("log", "averages"),
    [
        ("BPIC12", (1.48, 2.0, 2.47)),
        ("CCC19", (0.23, 0.54, 0.85)),
        ("RoadTrafficFines", (4.5, 5.26, 5.28)),
        ("Unrineweginfectie", (2.87, 3.41, 3.84)),
    ],
)
def test_the_average_epsilon_is_the_main_tables(log: str, averages: tuple[float, ...]) -> None:
    assert tuple(article_phi(log, advantage, "average") for advantage in (0.2, 0.3, 0.4)) == averages


@pytest.mark.parametrize(
    ("log", "minutes"),
    [
        # Table 3: Amun_s, Amun_f, Amun_o, PRIPEL
        ("BPIC12", (7.38, 4.44, 12.5, 24.35)),
        ("BPIC14", (43.83, 44.57, 101.4, None)),
        ("BPIC17", (10.8, 6.88, 17.4, 1.46)),
        ("BPIC18", (321.59, 128.32, 542.5, 226)),
        ("CCC19", (0.09, 0.04, 0.1, None)),
        ("CredReq", (1.35, 1.21, 1.2, 14.5)),
        ("Sepsis", (1, 0.87, 1.9, 0.05)),
        ("Unrineweginfectie", (0.16, 0.14, 0.2, 0.02)),
    ],
)
def test_times_are_those_of_table_3(log: str, minutes: tuple[float | None, ...]) -> None:
    assert tuple(article_minutes(log, 0.2, method) for method in (*AMUN, "pripel")) == minutes
    assert article_minutes(log, 0.2, "sacofa") is None
    assert article_minutes(log, 0.3, "sampling") is None


@pytest.mark.parametrize(
    ("log", "cases", "activities", "events", "variants"),
    [
        ("BPIC12", 13087, 23, 262200, 4366),
        ("BPIC13_incidents", 7554, 4, 65533, 1511),
        ("BPIC14", 46616, 39, 466737, 22632),
        ("BPIC15_1", 1199, 398, 52217, 1170),
        ("BPIC17", 31509, 24, 1202267, 3942),
        ("BPIC18", 43809, 14, 2514266, 28457),
        ("BPIC19", 251734, 42, 1595923, 11973),
        ("BPIC20_PermitLog", 7065, 51, 86581, 1478),
        ("CCC19", 20, 29, 1394, 20),
        ("CredReq", 10035, 8, 150525, 1),
        ("Hospital", 1143, 624, 150291, 981),
        ("Sepsis", 1050, 16, 15214, 846),
        ("RoadTrafficFines", 150370, 11, 561470, 231),
        ("Unrineweginfectie", 1650, 10, 6973, 50),
    ],
)
def test_a_log_is_known_by_its_whole_size(log: str, cases: int, activities: int, events: int, variants: int) -> None:
    size = {"cases": cases, "activities": activities, "events": events, "variants": variants}
    assert article_log(size) == log
    for of, number in size.items():
        assert article_log({**size, of: number + 1}) is None


def test_what_the_article_does_not_have_is_none() -> None:
    assert article_emd(None, 0.2, "frequency", "sampling", "average") is None
    assert article_emd("Sepsis", 0.25, "frequency", "sampling", "average") is None
    assert article_emd("Sepsis", 0.2, "frequency", "certified:public", "average") is None
    assert article_phi(None, 0.2, "average") is None
    assert article_phi("Sepsis", 0.1, "average") is None
    assert article_minutes(None, 0.2, "sampling") is None
    assert article_minutes("Sepsis", 0.2, "certified:public") is None
