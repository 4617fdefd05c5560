"""What neighbouring logs are: the unit in which they differ, and how."""

from __future__ import annotations

from enum import Enum


class Scope(Enum):
    """The privacy unit: what may change between two neighbouring logs."""

    CELL = "cell"
    EVENT = "event"
    CASE = "case"
    INDIVIDUAL = "individual"


class Relation(Enum):
    """How neighbouring logs differ in that unit."""

    ADD_REMOVE = "add-remove"
    """The unit is there or not, and whatever counts the cases follows."""
    REPLACE = "replace"
    """The unit has other values."""
    LEAVE_OUT = "leave-out"
    """The unit contributes nothing, and public facts stay as they are: what is released is compared with what the same
    mechanism, with the same public parameters, releases of the others alone."""
