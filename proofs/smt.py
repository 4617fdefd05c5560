"""The inequalities by SMT solvers: z3, and cvc5 as a second opinion. Each query is also a file that anyone can run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from accounting.claims import CLAIMS
from proofs.queries import queries
from proofs.query import Query
from proofs.registry import Check, Undecided, checker, require
from proofs.subject import SHIPPED, Subject

DIRECTORY = Path(__file__).parent / "smtlib"
"""Where the queries of the shipped functions are kept; a test compares."""

MILLISECONDS = 60_000
"""Time limit of one query. The slowest takes three seconds; a machine may be busy with other things."""


def ask_z3(query: Query) -> str:
    import z3

    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    solver.from_string(query.text)
    return str(solver.check())


def ask_cvc5(query: Query) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(MILLISECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query.text, query.file_name)
    symbols = parser.getSymbolManager()
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, symbols))
    return answer.strip()


def write_queries(directory: Path = DIRECTORY, subject: Subject = SHIPPED) -> list[Path]:
    """One SMT-LIB 2 file a query."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for query in queries(subject):
        path = directory / query.file_name
        path.write_text(query.text, encoding="utf-8")
        written.append(path)
    return written


def _check(claim: str, ask: Callable[[Query], str]) -> Check:
    def check(subject: Subject) -> str:
        asked = [query for query in queries(subject) if query.claim == claim]
        for query in asked:
            answer = ask(query)
            if answer.startswith(("unknown", "timeout")):
                raise Undecided(f"{query.name}: {answer}")
            require(answer == "unsat", f"{query.name}: {answer}, where unsat would mean: {query.unsat_means}")
        return f"unsat: {', '.join(query.name for query in asked)}"

    return check


for _claim in dict.fromkeys(query.claim for query in queries(SHIPPED)):
    for _tool, _ask in (("z3", ask_z3), ("cvc5", ask_cvc5)):
        checker(_claim, _tool, CLAIMS[_claim].verdict)(_check(_claim, _ask))


if __name__ == "__main__":
    write_queries()
