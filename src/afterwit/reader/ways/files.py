"""Requests and answers as files, one JSON object a line: the batch form of hosted services.

Requests have the form of OpenAI's batches, which others take as well. Answers are understood in the forms of OpenAI and
Anthropic, and as plain `{"custom_id": …, "answer": …}`. Lines may come in any order; one that is no answer to anything
is counted, never lost in silence. Pure: text in, text out.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.reader.answers import GivenAnswer
from afterwit.reader.compiling import form_of
from afterwit.reader.requests import ReadingRequest

_URL = "/v1/chat/completions"
_NO_ANSWER = "no answer in it"


class AnswerLines(NamedTuple):
    """What a file holds."""

    answers: list[GivenAnswer]
    garbage: int  # lines that are no answer to anything


def request_line(request: ReadingRequest, model: str) -> bytes:
    """A request as one line of a batch."""
    form = form_of(request)
    body = {
        "model": model,
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.text}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": form.name, "strict": True, "schema": form.schema},
        },
        "max_completion_tokens": request.answer_tokens,
    }
    return msgspec.json.encode({"custom_id": request.id, "method": "POST", "url": _URL, "body": body}) + b"\n"


def answers_in(lines: Iterable[bytes]) -> AnswerLines:
    """The answers of a file."""
    answers: list[GivenAnswer] = []
    garbage = 0
    for line in lines:
        if line.strip():
            record = _decode(line)
            name = record.get("custom_id")
            if isinstance(name, str) and name:
                answers.append(_answer(name, record))
            else:
                garbage += 1
    return AnswerLines(answers, garbage)


def _decode(line: bytes) -> Mapping[str, Any]:
    try:
        value = msgspec.json.decode(line.removeprefix(BOM_UTF8))  # as some editors begin a file
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _answer(name: str, record: Mapping[str, Any]) -> GivenAnswer:
    if "answer" in record:
        given = record["answer"]
        text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
        return GivenAnswer(name, text, _count(record, "tokens_in"), _count(record, "tokens_out"))
    if (result := _table(record, "result")) or "result" in record:
        return _of_anthropic(name, result)
    return _of_openai(name, _table(record, "response"))


def _of_openai(name: str, response: Mapping[str, Any]) -> GivenAnswer:
    body = _table(response, "body")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    text, usage = _text(_table(choice, "message").get("content")), _table(body, "usage")
    fault = "" if text else _NO_ANSWER
    return GivenAnswer(name, text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), fault)


def _of_anthropic(name: str, result: Mapping[str, Any]) -> GivenAnswer:
    message = _table(result, "message")
    text, usage = _text(message.get("content")), _table(message, "usage")
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [count for name in names if (count := _count(usage, name)) is not None]
    fault = "" if text else _NO_ANSWER
    return GivenAnswer(name, text, sum(counts) if counts else None, _count(usage, "output_tokens"), fault)


def _text(content: Any) -> str:
    """The text of a message, in one piece or in several."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _table(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _count(value: Mapping[str, Any], name: str) -> int | None:
    count = value.get(name)
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 50 else None
