"""Lines become requests or errors with a reason, whatever is in them."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.mcp.server import Code, Request, RpcError, answer, decode, encode, request_in

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def fault(line: bytes) -> RpcError:
    with pytest.raises(RpcError) as raised:
        request_in(decode(line))
    return raised.value


def test_a_request_has_an_id_and_a_notification_has_none() -> None:
    asked = request_in({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {"x": 1}})
    assert asked == Request("a", "ping", {"x": 1})
    told = request_in({"jsonrpc": "2.0", "method": "notifications/initialized", "params": None})
    assert told is not None
    assert told.is_notification


@for_every(
    "line, code",
    [
        (b"", Code.PARSE),
        (b"{", Code.PARSE),
        (b"\xff\xfe", Code.PARSE),
        (b'{"id": NaN}', Code.PARSE),
        (b'{"id": ' + b"9" * 5_000 + b"}", Code.PARSE),
        (b"[" * 100_000, Code.PARSE),
        (b"[" * 100 + b"]" * 100, Code.PARSE),
        (b'"text"', Code.INVALID_REQUEST),
        (b"{}", Code.INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', Code.INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', Code.INVALID_PARAMS),
    ],
)
def test_what_is_no_request_is_an_error_with_a_code(line: bytes, code: Code) -> None:
    assert fault(line).code is code


def test_an_error_names_the_request_where_it_can() -> None:
    assert fault(b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": 3}').about == 7


def test_an_answer_of_the_client_is_nothing_to_us() -> None:
    assert request_in({"jsonrpc": "2.0", "id": 1, "result": {}}) is None


def test_a_lone_surrogate_becomes_a_character_that_can_be_stored() -> None:
    assert decode(b'{"\\ud800": ["\\udfff", "\\ud83c\\udf4e"]}') == {"\ufffd": ["\ufffd", "\U0001f34e"]}


@settings(max_examples=examples(60))
@given(PLAIN)
def test_a_message_is_one_ascii_line_and_comes_back_whole(value: Any) -> None:
    line = encode(answer(1, {"value": value}))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert decode(line)["result"] == {"value": json.loads(json.dumps(value))}


@settings(max_examples=examples(60))
@given(st.binary(max_size=60) | PLAIN.map(lambda value: json.dumps(value).encode()))
def test_no_line_raises_anything_else(line: bytes) -> None:
    with suppress(RpcError):
        request_in(decode(line))
