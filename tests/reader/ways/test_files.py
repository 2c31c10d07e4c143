"""Files in the batch forms of hosted services."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from afterwit.reader.answers import GivenAnswer
from afterwit.reader.requests import LineSpan, ReadingRequest
from afterwit.reader.ways.files import answers_in, request_line

REQUEST = ReadingRequest("a1b2", 1, 1, LineSpan(0, 4), "ff", "Read this.", "Notes:", (), "1 user: Prune the trees.")


def encoded(*records: Any) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def test_a_request_has_the_form_of_a_batch() -> None:
    record = json.loads(request_line(REQUEST, "orchard-1"))
    assert (record["custom_id"], record["method"], record["url"]) == ("a1b2", "POST", "/v1/chat/completions")
    assert record["body"]["model"] == "orchard-1"
    assert [message["role"] for message in record["body"]["messages"]] == ["system", "user"]
    assert record["body"]["response_format"]["json_schema"]["schema"]["required"] == ["notes", "repeats"]
    assert request_line(REQUEST, "orchard-1").count(b"\n") == 1


def test_answers_are_understood_in_the_forms_of_openai_anthropic_and_plain() -> None:
    openai = {"choices": [{"message": {"content": "{}"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    content = [{"type": "text", "text": "{"}, {"type": "text", "text": "}"}]
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}
    anthropic = {"type": "succeeded", "message": {"content": content, "usage": usage}}
    lines = encoded(
        {"custom_id": "a", "response": {"status_code": 200, "body": openai}, "error": None},
        {"custom_id": "b", "result": anthropic},
        {"custom_id": "c", "answer": "{}"},
        {"custom_id": "d", "answer": {"notes": []}, "tokens_in": 1, "tokens_out": 0},
    )
    assert answers_in(lines).answers == [
        GivenAnswer("a", "{}", 7, 2),
        GivenAnswer("b", "{}", 7, 5),
        GivenAnswer("c", "{}"),
        GivenAnswer("d", '{"notes":[]}', 1, 0),
    ]


def test_a_mark_of_the_byte_order_at_the_beginning_costs_no_answer() -> None:
    first, second = encoded({"custom_id": "a", "answer": "{}"}, {"custom_id": "b", "answer": "{}"})
    assert [answer.request for answer in answers_in([b"\xef\xbb\xbf" + first, second]).answers] == ["a", "b"]


def test_what_failed_is_an_answer_with_a_fault() -> None:
    failed = {"custom_id": "a", "response": {"status_code": 500, "body": {"error": {"message": "no"}}}}
    expired = {"custom_id": "b", "result": {"type": "expired"}}
    assert [bool(answer.fault) for answer in answers_in(encoded(failed, expired)).answers] == [True, True]


def test_lines_that_answer_nothing_are_counted() -> None:
    lines = [b"", b"  ", b"not json", b"[1]", b'{"answer": "{}"}', b'{"custom_id": 7}', b"\xff\xfe"]
    assert answers_in(lines) == ([], 5)


@given(st.lists(st.binary(max_size=60)))
def test_no_line_is_lost(lines: list[bytes]) -> None:
    given = answers_in(lines)
    assert len(given.answers) + given.garbage == sum(bool(line.strip()) for line in lines)
