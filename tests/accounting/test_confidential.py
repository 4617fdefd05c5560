"""A confidential value leaves its box only by reveal()."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from accounting.confidential import Confidential

SECRET = "patient 4711"


def test_reveal_gives_the_value() -> None:
    assert Confidential(SECRET).reveal() == SECRET


def test_repr_shows_the_type_and_not_the_value() -> None:
    assert SECRET not in repr(Confidential(SECRET))
    assert "str" in repr(Confidential(SECRET))


def test_it_is_not_turned_into_text_or_json_or_bytes() -> None:
    box = Confidential(SECRET)
    with pytest.raises(TypeError):
        str(box)
    with pytest.raises(TypeError):
        f"{box}"
    with pytest.raises(TypeError):
        "{}".format(box)  # noqa: UP032 — the method is what is tested
    with pytest.raises(TypeError):
        json.dumps(box)
    with pytest.raises(TypeError):
        pickle.dumps(box)
    with pytest.raises(TypeError):
        copy.copy(box)
    with pytest.raises(TypeError):
        box.__getstate__()
    with pytest.raises(TypeError):
        box == SECRET  # noqa: B015 — the comparison is what is tested
    with pytest.raises(TypeError):
        hash(box)


def test_it_has_no_other_way_in() -> None:
    box = Confidential([SECRET])
    with pytest.raises(TypeError):
        iter(box)  # type: ignore[call-overload]  # that it does not type-check is the point
    with pytest.raises(AttributeError):
        box.value  # type: ignore[attr-defined]  # noqa: B018 — that it does not type-check is the point
    assert not hasattr(box, "__dict__")
