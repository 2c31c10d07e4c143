"""The work on hostile lines is counted, not timed: calls of the JSON decoder and characters given to it."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.sources import framing
from afterwit.sources.framing import LinePiece, clean_json, cut

HOSTILE = {
    "opened keys": b'{"',
    "opened values": b'{"a":',
    "opened lists": b'{"a":[',
    "torn and whole": b'{"a{"a":1}',
    "whole and torn": b'{"a":1}{"a',
    "torn before a value": b'{"a":{"b":1}{"c":',
    "whole and text": b'{"a":1}x',
    "whole and commas": b'{"a":1},',
    "nested and torn": b'{"a":[{"b":1},{"b":1}"x',
    "strings that never end": b'{"a":"\\"',
    "blanks": b'{"a"         ',
    "glued": b'{"a":1}',
    "noise": b'x"{,',
}


class CountingDecoder:
    def __init__(self) -> None:
        self.calls = 0
        self.characters = 0
        self._decoder = json.JSONDecoder(strict=False)

    def raw_decode(self, text: str) -> tuple[Any, int]:
        self.calls += 1
        self.characters += len(text)
        return self._decoder.raw_decode(text)


def work(monkeypatch: pytest.MonkeyPatch, body: bytes) -> CountingDecoder:
    decoder = CountingDecoder()
    monkeypatch.setattr(framing, "DECODER", decoder)
    for _ in cut(body, is_ended=True):
        pass
    return decoder


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_line_is_at_most_twice_the_work(monkeypatch: pytest.MonkeyPatch, unit: bytes) -> None:
    once = work(monkeypatch, unit * (200_000 // len(unit)))
    twice = work(monkeypatch, unit * (400_000 // len(unit)))
    assert twice.calls <= 2.3 * once.calls
    assert twice.characters <= 2.3 * once.characters + 200_000


def test_a_long_line_of_opened_keys_is_given_up_after_a_bounded_number_of_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoder = work(monkeypatch, b'{"' * 2_500_000)
    assert decoder.calls <= 1001


def test_a_long_line_needs_a_few_times_its_own_memory() -> None:
    body = b'{"a":"' + b"x" * 4_000_000
    tracemalloc.start()
    list(cut(body, is_ended=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(body)


@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from([*HOSTILE.values(), b"\n", b"}", b'"']), max_size=8).map(b"".join), st.booleans())
def test_pieces_are_in_order_and_leave_out_blanks_only(body: bytes, is_ended: bool) -> None:
    body = body.strip(b" \t\r\n")
    at = 0
    for start, end, is_object in cut(body, is_ended=is_ended):
        assert body[at:start].strip(b" \t\r\n") == b""
        assert start < end
        if is_object:
            assert isinstance(json.loads(body[start:end]), dict)
        at = end
    assert at == len(body)


def test_an_object_longer_than_the_first_window_is_found_whole() -> None:
    big = json.dumps({"text": "é" * 9000, "list": list(range(9000))}, ensure_ascii=False).encode()
    assert list(cut(big + b"!", is_ended=True)) == [
        LinePiece(0, len(big), True),
        LinePiece(len(big), len(big) + 1, False),
    ]


@for_every("size", range(4070, 4110))
def test_the_edge_of_a_window_changes_nothing(size: int) -> None:
    for tail in (b'","b":-12.5e3,"c":true,"d":"\\u00e9"}', b'\\\\","b":{"c":[{}]}}'):
        body = b'{"a":"' + b"x" * (size - 6) + tail
        assert list(cut(body + b'{"z":1}', is_ended=True)) == [
            LinePiece(0, len(body), True),
            LinePiece(len(body), len(body) + 7, True),
        ]


def test_cleaning_keeps_what_is_fine_and_gives_up_on_what_is_no_json() -> None:
    assert clean_json(b'{"a":[1,2.5,"\xc3\xa9"]}') == '{"a": [1, 2.5, "é"]}'.encode()
    assert clean_json(b'{"a":') is None
    assert clean_json(b'{"a":' * 10_000 + b"1" + b"}" * 10_000) is None
