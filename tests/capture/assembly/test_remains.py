"""What is kept of a transcript after its original is gone."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.captured import (
    REMAINS_FORMAT,
    ActionRow,
    Captured,
    EventRow,
    Extract,
    LeftCompanion,
    PartFacts,
    Remains,
    SpendRow,
    pack_remains,
    searchable,
    unpack_remains,
    without_places,
)
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import ActionKind, EventKind, Lean, NoteKind, Status
from afterwit.model.readings import Problem


def action(ordinal: int, offset: int, result_offset: int | None, **more: object) -> ActionRow:
    row = ActionRow(
        0, ordinal, f"c{ordinal}", "Bash", ActionKind.SHELL, "make prune", Status.FAILED, Lean.FAILED, 2, "no rule", 5,
        None, offset, result_offset,
    )  # fmt: skip
    return msgspec.structs.replace(row, **more)


def captured() -> Captured:
    """A prompt, a copied call, two calls in one record, and their results in another."""
    return Captured(
        parts=[PartFacts(native_id="s1", prompts=1, events=6, calls=2)],
        events=[
            EventRow(0, 0, EventKind.PROMPT, 1, 0, 50, False),
            EventRow(0, 1, EventKind.CALL, 2, 50, 60, True),
            EventRow(0, 2, EventKind.CALL, 3, 110, 60, False),
            EventRow(0, 3, EventKind.CALL, 3, 110, 60, False),
            EventRow(0, 4, EventKind.RESULT, None, 170, 90, False),
            EventRow(0, 5, EventKind.RESULT, 4, 170, 90, False),
        ],
        actions=[action(0, 110, 170), action(1, 110, 170, lean=None, error="", status=Status.SUCCEEDED)],
        spends=[SpendRow(0, 77, 3, "a-model", 1, 2, 3, 4, 5, None)],
        texts=[],
        notes=[Extract(0, NoteKind.PROMPT, 0, 1, "Prune the plums")],
        problems=[Problem(260, 9, "not a JSON object")],
        claims=[[1, 2]],
        resume=b"",
    )


def whole() -> Remains:
    companion = LeftCompanion(path=b"s1/\xff.txt", generation=0, dropped_bytes=3, sha256="ab")
    return Remains(
        captured=without_places(captured()),
        keys={"s1": [1, 2, 3]},
        known={"user": 3},
        unknown={"of-tomorrow": 1},
        cursor=269,
        companions=[companion],
    )


def test_remains_come_back_as_they_were() -> None:
    assert unpack_remains(pack_remains(whole())) == whole()


def test_actions_point_at_the_ordinals_of_their_call_and_result() -> None:
    found = without_places(captured())
    assert [(row.offset, row.result_offset) for row in found.actions] == [(2, 4), (3, 5)]
    assert [(row.offset, row.length) for row in found.events] == [(number, 0) for number in range(6)]


def test_an_action_without_a_result_points_at_none() -> None:
    found = without_places(msgspec.structs.replace(captured(), actions=[action(0, 110, None), action(1, 110, 999)]))
    assert [row.result_offset for row in found.actions] == [None, None]


def test_prompts_commands_and_errors_can_be_searched() -> None:
    texts = [(row.ordinal, row.text) for row in searchable(without_places(captured()))]
    assert texts == [(0, "Prune the plums"), (2, "make prune"), (3, "make prune"), (4, "no rule")]


def test_remains_of_another_version_are_read_by_the_names_of_their_columns() -> None:
    content = msgspec.msgpack.decode(pack_remains(whole()))
    content["events"]["of_tomorrow"] = [0] * 6
    content["of_tomorrow"] = True
    del content["problems"]["is_passing"]
    assert unpack_remains(msgspec.msgpack.encode(content)) == whole()


def test_a_later_format_is_refused() -> None:
    content = msgspec.msgpack.decode(pack_remains(whole())) | {"format": REMAINS_FORMAT + 1}
    with pytest.raises(DamagedError, match="upgrade afterwit"):
        unpack_remains(msgspec.msgpack.encode(content))


def test_a_missing_column_is_damage() -> None:
    content = msgspec.msgpack.decode(pack_remains(whole()))
    del content["actions"]["target"]
    with pytest.raises(DamagedError, match="target"):
        unpack_remains(msgspec.msgpack.encode(content))


@given(st.data())
def test_damaged_bytes_are_an_error_or_remains(data: st.DataObject) -> None:
    content = bytearray(pack_remains(whole()))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255))
    try:
        assert isinstance(unpack_remains(bytes(content[: data.draw(st.integers(0, len(content)))])), Remains)
    except DamagedError:
        return
