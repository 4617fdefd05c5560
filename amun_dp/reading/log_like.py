"""What the public functions take for a log: each is told by what it offers, so that no library need be imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

from amun_dp.eventlog.log import EventLog

if TYPE_CHECKING:
    import pandas as pd


@runtime_checkable
class ArrowStream(Protocol):
    """A table of pyarrow, polars, DuckDB or another library that has Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream of record batches."""


@runtime_checkable
class HasEventLog(Protocol):
    """A release: its log is meant."""

    @property
    def event_log(self) -> EventLog:
        """The log as columns."""


class Pm4pyLog(Protocol):
    """A log object of pm4py's own (``EventLog``, ``EventStream``), told by what it offers."""

    @property
    def attributes(self) -> Any: ...
    @property
    def extensions(self) -> Any: ...
    @property
    def omni_present(self) -> Any: ...
    @property
    def classifiers(self) -> Any: ...


def is_of_pm4py(source: object) -> TypeGuard[Pm4pyLog]:
    """Whether it is an object of pm4py's."""
    return type(source).__module__.startswith("pm4py.")


def frame_of_pm4py(source: Pm4pyLog) -> pd.DataFrame:
    """pm4py turns its own objects into a table; whoever has one has pm4py."""
    import pm4py

    frame: pd.DataFrame = pm4py.convert_to_dataframe(source)
    return frame
