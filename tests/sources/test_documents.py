"""Documents: read whole or not at all, with every piece at its place."""

import json
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.model.readings import Problem, Reading
from afterwit.sources.documents import (
    DAMAGED_DOCUMENT,
    UNFINISHED_DOCUMENT,
    items,
    mend,
    read_document,
    read_piece,
    read_text,
)
from afterwit.sources.framing import Record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e9, 1e9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


class Recorder:
    """A reading that decodes what it gets and remembers it."""

    def __init__(self) -> None:
        self.taken: list[Any] = []

    def feed(self, record: Record) -> Iterable[Reading]:
        self.taken.append(msgspec.json.decode(record.raw))
        return []

    def piece(self, record: Record) -> Iterable[Reading]:
        return self.feed(record)


def problems(data: bytes) -> list[tuple[str, bool]]:
    found = read_document(Recorder(), data)
    return [(each.reason, each.is_passing) for each in found if isinstance(each, Problem)]


@settings(max_examples=examples(60), deadline=None)
@given(
    value=st.lists(JSON, max_size=4) | st.dictionaries(st.text(max_size=5), JSON, max_size=4),
    indent=st.none() | st.just(2),
)
def test_every_element_is_found_at_its_place(value: Any, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace")
    document = Record(100, len(raw), raw)
    found = list(items(document))
    expected = json.loads(raw)
    assert [json.loads(each.raw) for each in found] == list(
        expected.values() if isinstance(expected, dict) else expected
    )
    assert all(raw[each.offset - 100 :][: each.length] == each.raw for each in found)


def test_a_path_leads_through_objects_and_lists() -> None:
    raw = b'{"a": {"b": [{"c": [1, 2]}, {"c": [3]}]}}'
    document = Record(0, len(raw), raw)
    assert [each.raw for each in items(document, "a", "b", 1, "c")] == [b"3"]
    assert [each.raw for each in items(document, "a")] == [b'[{"c": [1, 2]}, {"c": [3]}]']
    assert not list(items(document, "a", "x"))
    assert not list(items(document, "a", "b", 9))


@pytest.mark.parametrize("raw", [b"[1,", b"[1 2]", b'{"a" 1}', b"{1: 2}", b'{"a": }', b""])
def test_looking_into_what_is_no_json_is_a_decoding_error(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        list(items(Record(0, len(raw), raw)))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": "\xff\xfe"}',
        b'{"a": "\\ud800 \\udc00\\ud800"}',
        b'{"a": "\x00\x1b\n"}',
        b'{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN"}',
    ],
)
def test_what_json_does_not_allow_is_replaced_byte_for_byte(raw: bytes) -> None:
    assert len(mend(raw)) == len(raw)
    reading = Recorder()
    assert read_document(reading, raw) == []
    assert len(reading.taken) == 1


def test_pairs_of_surrogates_and_strings_stay_as_they_are() -> None:
    raw = rb'{"a": "\ud83d\ude00 \\ud800 NaN"}'
    assert mend(raw) == raw


def test_a_half_written_document_may_pass() -> None:
    raw = '\ufeff {"a": [1.5e3, true, null, "é\\n"], "b": {"c": -1}}'.encode()
    for stop in range(len(raw)):
        assert problems(raw[:stop]) in ([], [(UNFINISHED_DOCUMENT, True)])
    assert problems(raw) == []


@pytest.mark.parametrize("raw", [b'{"a": 1}}', b'{"a": 1} x', b"{a: 1}", b'{"a": tru}', b"\0" * 9, b"[" * 99_999])
def test_a_damaged_document_does_not_pass(raw: bytes) -> None:
    assert problems(raw) == [(DAMAGED_DOCUMENT, False)]


@pytest.mark.parametrize("raw", [b"", b" \n\t", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef\xbb\xbf\n"])
def test_nothing_is_no_document_and_no_problem(raw: bytes) -> None:
    assert read_document(Recorder(), raw) == []


def test_pieces_are_mended_too_and_damage_says_nothing() -> None:
    reading = Recorder()
    assert read_piece(reading, Record(0, 9, b'{"a":"\xff"}')) == []
    assert reading.taken == [{"a": "?"}]
    assert read_piece(reading, Record(0, 3, b'{"a')) == []


def test_a_text_is_read_as_it_is() -> None:
    seen: list[Record] = []

    class Whole:
        def feed(self, record: Record) -> Iterable[Reading]:
            seen.append(record)
            return []

    read_text(Whole(), b"\xff# words")
    read_text(Whole(), b"")
    assert seen == [Record(0, 8, b"\xff# words")]
