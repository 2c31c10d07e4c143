"""The contract that every reader of documents and texts keeps, on every fixture of these shapes."""

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.contract_cases import Case, agent_of, all_cases
from tests.agents.test_contract import DEEP, MARKER, check, few, leaves, said, spoilt, total
from tests.every import for_every, per_group
from tests.thoroughness import STRIDE

from afterwit.agents.log_reader import Shape
from afterwit.agents.registry import agent
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Reading
from afterwit.sources.documents import UNFINISHED_DOCUMENT, Piecemeal, items, read_document, read_piece, read_text
from afterwit.sources.framing import Record

CASES = [case for case in all_cases() if case.shape is not Shape.LINES]
DOCUMENTS = [case for case in CASES if case.shape is Shape.DOCUMENT]
TEXTS = [case for case in CASES if case.shape is Shape.TEXT]
per_case = per_group("case", CASES, agent_of)
per_document = per_group("case", DOCUMENTS, agent_of)
per_text = per_group("case", TEXTS, agent_of)
SEARCHED = (EventKind.PROMPT, EventKind.REPLY, EventKind.CALL, EventKind.RESULT, EventKind.COMPACTION)
_MOST_LEAVES = 400


def read(case: Case, data: bytes) -> list[Reading]:
    whole = read_document if case.shape is Shape.DOCUMENT else read_text
    return whole(case.start(), data)


def records_of(data: bytes) -> Iterator[Any]:
    value = json.loads(data)
    yield from value if isinstance(value, list) else [value]


@per_case
def test_a_fixture_is_a_transcript_where_it_lies(case: Case) -> None:
    assert case.reader.primary(case.file.path) == case.file.path
    assert agent(case.agent).matches(case.file.path)


@per_case
def test_the_shape_is_told_by_the_name_alone(case: Case) -> None:
    assert case.reader.shape(PurePosixPath("given/by/hand") / case.file.path.name) is case.shape


@per_document
def test_the_reader_recognises_its_own_document(case: Case) -> None:
    assert any(case.reader.sniffs(record) for record in records_of(case.data))


@per_case
def test_a_fixture_yields_valid_readings(case: Case) -> None:
    readings = read(case, case.data)
    check(readings, len(case.data))
    assert any(isinstance(each, Event) for each in readings)
    assert read(case, case.data) == readings


@per_case
def test_records_are_counted_as_known_or_unknown(case: Case) -> None:
    reading = case.start()
    (read_document if case.shape is Shape.DOCUMENT else read_text)(reading, case.data)
    assert total(reading.known) + total(reading.unknown) >= 1


@per_document
def test_events_lie_at_json_values(case: Case) -> None:
    for each in read(case, case.data):
        if isinstance(each, Event):
            assert isinstance(json.loads(case.data[each.offset : each.offset + each.length]), dict | list)


@per_case
def test_what_can_be_found_says_the_same_when_its_piece_is_read_alone(case: Case) -> None:
    for each in read(case, case.data):
        if isinstance(each, Event) and each.kind in SEARCHED:
            reading = case.start()
            assert isinstance(reading, Piecemeal)
            alone = read_piece(reading, Record(0, each.length, case.data[each.offset : each.offset + each.length]))
            assert said([each])[0][2:5] in [what[2:5] for what in said(alone) if what[0] is each.kind]


@per_document
def test_a_half_written_document_is_a_passing_problem_and_no_session(case: Case) -> None:
    end = len(case.data.rstrip())
    for stop in range(1, end, max(1, end * STRIDE // 300)):
        readings = read(case, case.data[:stop])
        assert all(isinstance(each, Problem) and each.is_passing for each in readings)
        assert not readings or [each.reason for each in readings if isinstance(each, Problem)] == [UNFINISHED_DOCUMENT]


@per_text
def test_a_text_cut_anywhere_is_survived(case: Case) -> None:
    for stop in range(1, len(case.data), max(1, len(case.data) * STRIDE // 300)):
        check(read(case, case.data[:stop]), stop)


@per_case
@few
@given(data=st.data())
def test_flipped_bytes_are_survived(case: Case, data: st.DataObject) -> None:
    flipped = bytearray(case.data)
    for place in data.draw(st.sets(st.integers(0, len(flipped) - 1), min_size=1, max_size=3)):
        flipped[place] = data.draw(st.sampled_from([0, 10, 34, 44, 92, 123, 125, 128, 255]))
    check(read(case, bytes(flipped)), len(flipped))


@per_document
def test_layout_and_marks_change_nothing_that_was_said(case: Case) -> None:
    expected = said(read(case, case.data))
    value = json.loads(case.data)
    for variant in (
        b"\xef\xbb\xbf" + case.data,
        b"\n \t" + case.data + b"\r\n \n",
        json.dumps(value, ensure_ascii=False).encode(),
        json.dumps(value, indent=4).replace("\n", "\r\n").encode(),
    ):
        assert said(read(case, variant)) == expected


@per_document
def test_bad_text_inside_is_replaced_and_the_document_is_read(case: Case) -> None:
    kinds = [each.kind for each in read(case, case.data) if isinstance(each, Event)]
    at = case.data.rfind(b'": "') + 4
    for bad in (b"\\ud800", b"\xff\xfe", b"\x00\x1b"):
        readings = read(case, case.data[:at] + bad + case.data[at:])
        assert len([each for each in readings if isinstance(each, Event)]) >= len(kinds) - 1


@per_document
@for_every("tail", [b"{", b"]", b"x", b'{"a":1}'])
def test_a_damaged_document_is_a_problem_and_nothing_else(case: Case, tail: bytes) -> None:
    readings = read(case, case.data.rstrip() + tail)
    assert readings
    assert all(isinstance(each, Problem) and not each.is_passing for each in readings)


@per_document
def test_bytes_that_are_no_document_are_refused_and_change_nothing(case: Case) -> None:
    reading = case.start()
    for raw in (b"", b"{", b"12", b"null", b'"x"', b'{"type":"user"', b"{}}", b'{"type":NaN}', DEEP[:-1]):
        with pytest.raises((msgspec.DecodeError, RecursionError)):
            list(reading.feed(Record(0, len(raw), raw)))
        assert not reading.known
        assert not reading.unknown


@per_document
def test_wrong_types_and_missing_fields_never_raise(case: Case) -> None:
    fields = len(list(leaves(json.loads(case.data))))
    for data in spoilt(case.data, max(STRIDE, fields * STRIDE // _MOST_LEAVES)):
        check(read(case, data), len(data))


@per_document
def test_a_foreign_document_yields_no_event(case: Case) -> None:
    foreign: tuple[Any, ...] = (
        {},
        [],
        {"type": MARKER},
        [{"type": MARKER}],
        [None],
        {"messages": {}},
        {"messages": [[]]},
    )
    for value in foreign:
        readings = read(case, json.dumps(value).encode())
        assert not any(isinstance(each, Event) for each in readings)


def test_elements_are_found_at_their_places() -> None:
    raw = ' {"é": [1], "m" :[ {"t": "é]"} ,[2, "\\""], null], "m2": {"a": [true]}} '.encode()
    document = Record(7, len(raw), raw)
    found = list(items(document, "m"))
    assert [json.loads(each.raw) for each in found] == [{"t": "é]"}, [2, '"'], None]
    assert all(raw[each.offset - 7 :][: each.length] == each.raw for each in found)
    assert [each.raw for each in items(document, "m2", "a")] == [b"true"]
    assert [each.raw for each in items(document, "m", 1)] == [b"2", b'"\\""']
    assert not list(items(document, "none"))
    assert not list(items(document, "m", 2))
