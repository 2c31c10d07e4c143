"""Framing is tested with a reader that takes every JSON object and tells its number and its bytes."""

import json
from collections.abc import Iterable, Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Reading
from afterwit.sources.framing import UNFINISHED, Framing, Record

BOM = b"\xef\xbb\xbf"


class Echo:
    """Reads any object. Lazy on purpose: framing must cope with readers that are generators."""

    def feed(self, record: Record) -> Iterator[Reading]:
        value = msgspec.json.decode(record.raw, type=dict)
        text = json.dumps(value, sort_keys=True)
        yield Event(session="s", kind=EventKind.NOTICE, offset=record.offset, length=record.length, text=text)


def lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def whole(data: bytes) -> list[Reading]:
    return list(Framing(Echo()).read(lines(data)))


def in_appends(data: bytes, stops: Iterable[int]) -> list[Reading]:
    """What the runs of a program that reads the growing file see, the unfinished tails aside."""
    readings: list[Reading] = []
    start = 0
    for stop in [*sorted(stops), len(data)]:
        framing = Framing(Echo(), start)
        readings += [each for each in framing.read(lines(data[start:stop])) if not is_tail(each)]
        assert start <= framing.consumed <= stop
        start = framing.consumed
    return readings


def is_tail(reading: Reading) -> bool:
    return isinstance(reading, Problem) and reading.reason == UNFINISHED


def texts(readings: Iterable[Reading]) -> list[str]:
    return [each.text for each in readings if isinstance(each, Event)]


def problems(readings: Iterable[Reading]) -> list[Problem]:
    return [each for each in readings if isinstance(each, Problem)]


def bytes_of(data: bytes, reading: Reading) -> bytes:
    assert isinstance(reading, Event | Problem)
    return data[reading.offset : reading.offset + reading.length]


def test_each_line_is_a_record_with_its_place() -> None:
    data = b'{"a":1}\n{"b":2}\n'
    readings = whole(data)
    assert texts(readings) == ['{"a": 1}', '{"b": 2}']
    assert [bytes_of(data, each) for each in readings] == [b'{"a":1}', b'{"b":2}']


@pytest.mark.parametrize(
    "data",
    [
        BOM + b'{"a":1}\n{"b":2}\n',
        b'{"a":1}\r\n{"b":2}\r\n',
        b'\n\n{"a":1}\n \t\r\n{"b":2}\n\n',
        BOM + b' {"a":1} \r\n\n{"b":2}',
        b'{"a":1}{"b":2}\n',
        b'{"a":1} \t\r{"b":2}',
        BOM + b'\n{"a":1}{"b":2}',
    ],
)
def test_marks_blanks_line_ends_and_glue_are_no_problem(data: bytes) -> None:
    readings = whole(data)
    assert texts(readings) == ['{"a": 1}', '{"b": 2}']
    assert [bytes_of(data, each) for each in readings] == [b'{"a":1}', b'{"b":2}']


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\n", BOM, BOM + b"\n", BOM + b" \n\n"])
def test_a_file_without_records_has_no_readings(data: bytes) -> None:
    assert whole(data) == []


def test_a_byte_order_mark_alone_is_not_consumed_before_its_line_is() -> None:
    framing = Framing(Echo())
    assert list(framing.read([BOM])) == []
    assert framing.consumed == 0


@for_every("damage", [b"oops", b"\0\0\0", b'{"torn', b"[1]", b"12", b"null", b'"text"', b"}", BOM + BOM])
def test_a_bad_line_is_a_problem_and_its_neighbours_are_read(damage: bytes) -> None:
    data = b'{"a":1}\n' + damage + b'\n{"b":2}\n'
    readings = whole(data)
    assert texts(readings) == ['{"a": 1}', '{"b": 2}']
    assert [bytes_of(data, each) for each in problems(readings)] == [damage]


@pytest.mark.parametrize("damage", [b"oops ", b"\0\0\0", BOM, b",", b"]", b"\x85", b"\xa0"])
def test_bytes_between_two_records_on_one_line_are_a_problem(damage: bytes) -> None:
    data = b'{"a":1}' + damage + b'{"b":2}\n'
    readings = whole(data)
    assert texts(readings) == ['{"a": 1}', '{"b": 2}']
    assert [bytes_of(data, each) for each in problems(readings)] == [damage]


FULL = b'{"k":"a\\\\b\\u00e9\\"","n":[-1.5e3,true,null,{"x":{}}],"m":{"role":"user","t":"{"},"z":12}'
NEXT = b'{"b":{"c":[{"d":2}]}}'


BEHIND_NESTED = [at for at in range(1, len(FULL)) if FULL[at - 1 : at] == b"}"]


@for_every("cut_at", [at for at in range(1, len(FULL)) if at not in BEHIND_NESTED])
def test_a_record_glued_to_a_torn_one_is_read_wherever_the_tear_is(cut_at: int) -> None:
    data = FULL[:cut_at] + NEXT + b"\n"
    readings = whole(data)
    assert [bytes_of(data, each) for each in readings] == [FULL[:cut_at], NEXT]
    assert isinstance(readings[1], Event)


@pytest.mark.parametrize("cut_at", BEHIND_NESTED)
def test_an_object_torn_off_right_behind_it_counts_as_a_record_and_hides_no_other(cut_at: int) -> None:
    data = FULL[:cut_at] + NEXT + b"\n"
    events = [bytes_of(data, each) for each in whole(data) if isinstance(each, Event)]
    assert len(events) == 2
    assert events[1] == NEXT


@for_every("cut_at", [at for at in range(1, len(FULL)) if at not in BEHIND_NESTED])
def test_all_records_glued_to_a_torn_one_are_read(cut_at: int) -> None:
    data = FULL[:cut_at] + NEXT + b'{"e":1}\0\0{"f":2}' + FULL[:cut_at] + NEXT + b"\n"
    events = [bytes_of(data, each) for each in whole(data) if isinstance(each, Event)]
    assert events == [NEXT, b'{"e":1}', b'{"f":2}', NEXT]


def test_a_torn_record_with_many_nested_objects_does_not_hide_the_next() -> None:
    torn = b'{"list":[' + b'{"x":1},' * 5000 + b'{"y":"to'
    assert texts(whole(torn + b'{"b":2}\n')) == ['{"b": 2}']


def test_an_object_inside_a_damaged_record_is_no_record() -> None:
    data = b'{"type":"user","message":{"role":"user"}X"id":1}\n'
    assert texts(whole(data)) == []
    assert [bytes_of(data, each) for each in problems(whole(data))] == [data[:-1]]


def test_an_object_in_the_middle_of_other_text_is_no_record() -> None:
    assert texts(whole(b'debug: wrote {"a":1} to disk\n')) == []


@for_every(
    "raw, text",
    [
        (b'{"a":"x\xff\xfey"}', '{"a": "x\\ufffd\\ufffdy"}'),
        (b'{"a":"cut \xe2\x82"}', '{"a": "cut \\ufffd"}'),
        (b'{"a":"\\ud83d"}', '{"a": "?"}'),
        (b'{"a":"\\ude00 \\ud83d\\ude00"}', '{"a": "? \\ud83d\\ude00"}'),
        (b'{"a":"tab\there\x00\x1b"}', '{"a": "tab\\there\\u0000\\u001b"}'),
        (b'{"a":NaN,"b":-Infinity}', '{"a": null, "b": null}'),
        (b'{"a":1e999}', '{"a": null}'),
        (b'{"a":' + b"1" * 5000 + b"}", '{"a": null}'),
    ],
)
def test_an_object_that_is_almost_json_is_read_without_what_is_wrong(raw: bytes, text: str) -> None:
    data = b'{"before":1}\n' + raw + b'\n{"after":1}' + raw + b"\n"
    readings = whole(data)
    assert texts(readings) == ['{"before": 1}', text, '{"after": 1}', text]
    assert bytes_of(data, readings[1]) == raw


def test_a_record_too_deep_to_decode_is_one_problem_even_when_glued() -> None:
    deep = b'{"a":' * 10_000 + b'"}"' + b"}" * 10_000
    data = b'{"a":1}' + deep + b'{"b":2}\n'
    readings = whole(data)
    assert texts(readings) == ['{"a": 1}', '{"b": 2}']
    assert [bytes_of(data, each) for each in problems(readings)] == [deep]


def test_an_unfinished_last_line_is_reported_and_left() -> None:
    data = b'{"a":1}\n{"b":'
    framing = Framing(Echo())
    readings = list(framing.read(lines(data)))
    assert texts(readings) == ['{"a": 1}']
    assert problems(readings) == [Problem(offset=8, length=5, reason=UNFINISHED, is_passing=True)]
    assert framing.consumed == 8


def test_a_last_line_that_lacks_only_its_newline_is_read_once() -> None:
    data = b'{"a":1}\n{"b":2}'
    framing = Framing(Echo())
    assert texts(framing.read(lines(data))) == ['{"a": 1}', '{"b": 2}']
    assert framing.consumed == len(data)
    assert list(Framing(Echo(), framing.consumed).read([b"\n"])) == []


def test_a_reader_that_refuses_an_object_leaves_a_problem() -> None:
    class Refusing:
        def feed(self, record: Record) -> Iterator[Reading]:
            raise msgspec.ValidationError

    data = b'{"a":1}\n'
    readings = list(Framing(Refusing()).read(lines(data)))
    assert [bytes_of(data, each) for each in problems(readings)] == [b'{"a":1}']


FRAGMENTS = st.sampled_from(
    [
        b'{"a":1}',
        b'{"b":{"c":"{"}}',
        b'{"d":"\\ud800"}',
        b'{"e":"\xff"}',
        b'{"t":"torn',
        b'{"v":',
        b'{"l":[',
        b'{"x":NaN}',
        b"\n",
        b"\n",
        b"\r\n",
        b" ",
        b"\0",
        BOM,
        b'"',
        b"{",
        b"}",
        b"\\",
        b"12",
        b",",
    ]
)
FILES = st.lists(st.one_of(FRAGMENTS, st.binary(max_size=3)), max_size=14).map(b"".join)


@settings(max_examples=examples(300))
@given(FILES, st.data())
def test_any_split_into_appends_equals_the_whole(data: bytes, draw: st.DataObject) -> None:
    stops = draw.draw(st.lists(st.integers(0, len(data)), max_size=6))
    expected = [each for each in whole(data) if not is_tail(each)]
    assert in_appends(data, stops) == expected


@settings(max_examples=examples(100))
@given(FILES)
def test_appends_of_one_byte_equal_the_whole(data: bytes) -> None:
    assert in_appends(data, range(len(data))) == [each for each in whole(data) if not is_tail(each)]


@settings(max_examples=examples(300))
@given(FILES)
def test_every_byte_lies_in_one_record_or_one_problem(data: bytes) -> None:
    at = 0
    for each in whole(data):
        assert isinstance(each, Event | Problem)
        assert data[at : each.offset].strip(b" \t\r\n") in (b"", BOM)
        assert each.length > 0
        at = each.offset + each.length
    assert data[at:].strip(b" \t\r\n") in (b"", BOM)
