"""A message names options; each front end spells them, and nothing else in it changes."""

from __future__ import annotations

import copy
import json
import pickle
import string
from dataclasses import asdict, dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.messages import (
    Message,
    all_spelled,
    as_data,
    changed,
    from_data,
    joined,
    message_of,
    spelled,
)
from amun_dp._base.options import OPTIONS, Mention
from amun_dp.errors import AmunError, ParameterError

texts = st.text(st.characters(codec="utf-8"), max_size=20)
mentions = st.builds(
    lambda option, values: Mention(option, tuple(values)),
    st.sampled_from(list(OPTIONS.values())),
    st.lists(texts, max_size=2),
)
messages = st.lists(texts | mentions, max_size=6).map(lambda pieces: joined("", pieces))


def by_number(mention: Mention) -> str:
    return f"<{list(OPTIONS).index(mention.option.name)}:{'|'.join(mention.values)}>"


@pytest.mark.parametrize(
    ("template", "python"),
    [
        ("Raise {max_case_length}.", "Raise `max_case_length`."),
        ("Use {scope:individual}.", "Use scope='individual'."),
        ("Try {advantage:0.2}.", "Try advantage=0.2."),
        ("Declare {max_cases_per_individual:C}.", "Declare max_cases_per_individual=C."),
        ("Name it: {individual:COLUMN}.", "Name it: individual=COLUMN."),
        ("Leave {new_log} out.", "Leave new_log=True out."),
        ("Use {same_log_as:L-1}.", "Use same_log_as=['L-1']."),
        ("{{no option}}", "{no option}"),
    ],
)
def test_as_a_text_it_has_the_names_of_python(template: str, python: str) -> None:
    assert Message(template) == python
    assert str(ParameterError(Message(template))) == python


def test_values_are_filled_in_as_str_format_does() -> None:
    said = Message("{n:,} of {name!r}: {advantage:{fits:g}}", n=1234, name="a'b", fits=0.050000)
    assert said == "{:,} of {!r}: advantage={:g}".format(1234, "a'b", 0.05)


@given(texts)
def test_a_value_is_never_read_as_a_template(value: str) -> None:
    for hostile in (value, f"{{scope}}{value}", "{", "{max_case_length!r}"):
        said = Message("{value} ({activity:{value}})", value=hostile)
        assert said.options == ("activity",)
        advised = Mention(OPTIONS["activity"], (hostile,) if hostile else ())
        assert spelled(said, by_number) == f"{hostile} ({by_number(advised)})"


@given(st.lists(texts | mentions | messages, max_size=5), texts)
def test_what_a_front_end_spells_is_the_options_and_nothing_else(parts: list[str | Mention], between: str) -> None:
    def own(part: str | Mention) -> str:
        if isinstance(part, Mention):
            return by_number(part)
        return "".join(map(own, part.pieces)) if isinstance(part, Message) else part

    assert spelled(joined(between, parts), by_number) == between.join(map(own, parts))


@given(messages)
def test_it_stays_a_message_on_every_way_through_the_program(said: Message) -> None:
    @dataclass(frozen=True)
    class Found:
        notes: tuple[str, ...]

    noted = AmunError("first")
    noted.add_note(said)
    ways = [
        copy.deepcopy(said),
        pickle.loads(pickle.dumps(said)),
        from_data(json.loads(json.dumps(as_data(said)))),
        asdict(Found((said,)))["notes"][0],
        message_of(ParameterError(said)),
        ParameterError(said).message,
        noted.__notes__[0],
        Message("{inner}", inner=said),
        Message("{inner}", inner=ParameterError(said)),
        changed(said, str),
    ]
    for way in ways:
        assert way == said
        assert spelled(way, by_number) == spelled(said, by_number)
    assert all_spelled({"a": [said, 1, None, {"b": (said,)}]}, by_number) == {
        "a": [spelled(said, by_number), 1, None, {"b": [spelled(said, by_number)]}]
    }
    assert json.loads(json.dumps([said])) == [str(said)]


@given(texts)
def test_a_text_without_options_is_the_same_everywhere(text: str) -> None:
    assert spelled(text, by_number) == text
    assert message_of(ValueError(text)) == text
    assert spelled(from_data(as_data(text)), by_number) == text


def test_an_error_knows_its_options() -> None:
    assert ParameterError(Message("{scope:case} needs {max_case_length}.")).options == ("scope", "max_case_length")
    assert ParameterError("Nothing to set.").options == ()
    assert ParameterError().options == ()
    assert ParameterError().message == ""


def test_a_change_reaches_the_text_and_the_values_and_not_the_options() -> None:
    said = changed(Message("a {activity:b} c"), str.upper)
    assert said == "A activity='B' C"


@pytest.mark.parametrize("template", ["{no_such_option}", "{}", "{scope.name}"])
def test_a_name_that_is_no_option_is_a_mistake_of_whoever_wrote_it(template: str) -> None:
    with pytest.raises(KeyError):
        Message(template)


def test_names_of_options_can_stand_in_a_template() -> None:
    assert all(set(name) <= {*string.ascii_lowercase, "_"} for name in OPTIONS)
