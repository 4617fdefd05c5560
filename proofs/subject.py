"""What is being proved: the shipped modules, or the same with functions substituted to see the proofs fail."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from accounting import algebra, average, average_algebra, best_guess, formulas, norms, quantities


@dataclass(frozen=True, slots=True)
class Subject:
    """The namespaces that checkers call. They are called with symbols, SMT terms, fractions and error bounds."""

    algebra: Any
    formulas: Any
    quantities: Any
    average_algebra: Any
    average: Any
    best_guess: Any
    norms: Any

    def with_algebra(self, **substitutes: Any) -> Subject:
        return replace(self, algebra=_substituted(self.algebra, substitutes))

    def with_formulas(self, **substitutes: Any) -> Subject:
        """A fresh copy of the module, so that its own functions see the substitutes too."""
        return replace(self, formulas=fresh_formulas(**substitutes))

    def with_quantities(self, **substitutes: Any) -> Subject:
        return replace(self, quantities=_substituted(self.quantities, substitutes))

    def with_average_algebra(self, **substitutes: Any) -> Subject:
        return replace(self, average_algebra=_substituted(self.average_algebra, substitutes))

    def with_average(self, **substitutes: Any) -> Subject:
        """A fresh copy of ``accounting.average``, as of the formulas."""
        return replace(self, average=fresh_module(average, **substitutes))

    def with_best_guess(self, **substitutes: Any) -> Subject:
        return replace(self, best_guess=fresh_module(best_guess, **substitutes))

    def with_norms(self, **substitutes: Any) -> Subject:
        return replace(self, norms=_substituted(self.norms, substitutes))


SHIPPED = Subject(algebra, formulas, quantities, average_algebra, average, best_guess, norms)


def fresh_formulas(**substitutes: Any) -> ModuleType:
    """``accounting.formulas`` executed anew from its source, with some of its globals replaced."""
    return fresh_module(formulas, **substitutes)


def fresh_module(original: Any, **substitutes: Any) -> ModuleType:
    spec = importlib.util.spec_from_file_location(original.__name__, Path(original.__file__))
    if spec is None or spec.loader is None:
        raise ImportError(f"the source of {original.__name__} is not at hand")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    substituted = {name: value for name, value in vars(original).items() if not name.startswith("__")}
    # Substitutes made earlier are carried over, functions are not: they would look up their globals in the original.
    carried = {name: value for name, value in substituted.items() if name in getattr(original, "__substitutes__", ())}
    vars(module).update({name: _rebound(value, module) for name, value in (carried | substitutes).items()})
    vars(module)["__substitutes__"] = (*carried, *substitutes)
    return module


def _rebound(value: Any, module: ModuleType) -> Any:
    """A mutated function looks up its globals where the shipped one does: in the copy."""
    if isinstance(value, FunctionType) and Path(value.__code__.co_filename).stem == "mutations":
        return FunctionType(value.__code__, vars(module), value.__name__, value.__defaults__, value.__closure__)
    return value


def _substituted(namespace: Any, substitutes: dict[str, Any]) -> SimpleNamespace:
    unknown = [name for name in substitutes if not hasattr(namespace, name)]
    if unknown:
        raise AttributeError(f"nothing to substitute: {', '.join(unknown)}")
    return SimpleNamespace(**(vars(namespace) | substitutes))
