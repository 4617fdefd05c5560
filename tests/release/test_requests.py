"""What is asked of a release is spelled once, and every front end fills in the same."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import amun_dp
from amun_dp.cli.parser import build_parser
from amun_dp.errors import ParameterError
from amun_dp.release.methods import Method, Planned, method_named, method_names, requested
from amun_dp.release.requests import ReleaseOptions, Request, options_from
from amun_dp.synthetic import hospital_log

SPELLED_BY_OTHERS = {"epsilon", "public_variants"}
"""An ε becomes an advantage, and public variants are a form."""


def test_a_request_has_every_option_and_nothing_else_but_method_advantage_and_conventions() -> None:
    names = {field.name for field in fields(Request)}
    assert names == set(ReleaseOptions.__annotations__) - SPELLED_BY_OTHERS | {"method", "advantage", "conventions"}


def test_the_command_line_has_a_flag_for_every_option_but_the_python_spelling_of_public_variants() -> None:
    options = build_parser().parse_args(["anonymize", "log.xes", "--advantage", "0.2", "--out", "release"])
    assert set(options_from(options)) == set(ReleaseOptions.__annotations__) - {"public_variants"}


def test_an_option_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="no option advantge"):
        amun_dp.plan(hospital_log(), 0.2, advantge=0.3)  # type: ignore[call-overload]  # what it is about


@pytest.mark.parametrize("name", ["certified", "filtering", "sampling", "oversampling"])
def test_every_method_has_the_one_shape(name: Any) -> None:
    method: Method = method_named(name)
    assert method.name == name
    assert method.summary
    parameters = requested(0.3, name)
    assert (parameters.method, parameters.family) == (name, method.family)
    planned: Planned = method.plan(hospital_log(), parameters, lambda _: None)
    assert planned.parameters == parameters
    assert planned.cost.advantage is None or 0 < planned.cost.advantage < 1
    assert planned.details["method"] == name
    assert name in method_names()


def test_an_unknown_method_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(ParameterError, match="certified, filtering, sampling, oversampling"):
        method_named("certifed")
