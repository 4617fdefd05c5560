"""The exported questions are those of the shipped functions, and none is ``unsat`` for want of a possibility."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sympy")
pytest.importorskip("z3")

from proofs.mutations import FREE_STANDING
from proofs.queries import queries
from proofs.query import Query
from proofs.smt import DIRECTORY, ask_z3, write_queries
from proofs.subject import SHIPPED

QUERIES = list(queries(SHIPPED))
every_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.file_name)


def test_the_committed_files_are_those_of_the_shipped_functions(tmp_path: Path) -> None:
    written = write_queries(tmp_path)
    assert {path.name for path in written} == {path.name for path in DIRECTORY.glob("*.smt2")}
    for path in written:
        assert path.read_text(encoding="utf-8") == (DIRECTORY / path.name).read_text(encoding="utf-8"), path.name


@every_query
def test_the_premises_of_a_question_are_possible(query: Query) -> None:
    assert ask_z3(replace(query, constraints=query.constraints[:-1])) == "sat"


@pytest.mark.parametrize(
    "query", [query for query in QUERIES if (query.claim, "z3") in FREE_STANDING], ids=lambda query: query.file_name
)
def test_a_question_that_calls_no_shipped_function_fails_without_one_of_its_premises(query: Query) -> None:
    *premises, question = query.constraints
    weakened = [replace(query, constraints=(*premises[:n], *premises[n + 1 :], question)) for n in range(len(premises))]
    assert any(ask_z3(one) == "sat" for one in weakened)


def test_each_file_says_what_unsat_means(tmp_path: Path) -> None:
    for path in write_queries(tmp_path):
        assert "; unsat means: " in path.read_text(encoding="utf-8")
