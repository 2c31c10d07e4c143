"""How a tool call of Kimi ended, in the three forms that its logs have.

Contexts tell it in words only, in `<system>` parts before the output; early ones put no mark before an error, so that
the words decide. Wires have a flag and a message. Kimi Code has a flag, and the message at the end of the output.

Prompts and calls of Kimi, with keys that are equal in a session's wire and in all of its contexts. The files tell one
story in two forms, and contexts are copied when they are rotated. None of their records has an id that they share, and
call ids such as `Bash:2` are short. So the key of a prompt is its text, the key of a call its id and arguments, each
with how often it came.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.agents.places import Place
from afterwit.agents.reading import ReadingMemory, mark
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading, Result

_INJECTED = re.compile(r"\s*<(?:system|system-reminder|notification|hook_result)\b")
_COMPACTED = re.compile(r"\s*<system>Previous context has been compacted")
_SYSTEM = re.compile(r"\s*<system>(.*)</system>\s*", re.DOTALL)
_EXITED = re.compile(r"Command failed with exit code: (-?\d{1,10})\b")
_FINE = re.compile(r"\bsuccessfully\b|\blines? read\b|^Found \d|^Thought logged|^Tool output is empty")
_FAULT = re.compile(r"\bis not (?:a|an|allowed)\b|\bdoes not exist\b|\bnot found\b|^Failed\b|^Invalid\b", re.MULTILINE)
_DENIED = re.compile(
    r"\b(?:is|was) rejected by the user\b|\buser rejected\b|\bapproval request was cancelled\b", re.IGNORECASE
)
_HEAD_CHARS = 1_000


class KimiOutcome(NamedTuple):
    text: str
    result: Result


def outcome_of_context(content: Any) -> KimiOutcome:
    """The outcome in a tool message of a context."""
    told, printed = list[str](), list[str]()
    for text in texts_of(content):
        system = _SYSTEM.fullmatch(text)
        (told if system else printed).append(system[1] if system else text)
    said = "\n".join(told)
    text = "\n".join(part for part in (*told, *printed) if part)
    return KimiOutcome(text, _result(said, _is_error(said)))


def outcome_of_wire(value: Mapping[str, Any]) -> KimiOutcome:
    """The outcome in a `return_value`: flag, message and output."""
    said = fields.text(value, "message")
    text = "\n".join(part for part in (said, *texts_of(value.get("output"))) if part)
    return KimiOutcome(text, _result(said, fields.flag(value, "is_error", "isError")))


def outcome_of_code(value: Mapping[str, Any], *, was_denied: bool = False) -> KimiOutcome:
    """The outcome in a `tool.result` of kimi-code: the message stands at the end of the output."""
    text = "\n".join(texts_of(value.get("output")))
    is_error = fields.flag(value, "isError") or False
    said = text[-_HEAD_CHARS:] if is_error else ""
    result = _result(said, is_error)
    return KimiOutcome(
        text,
        Result(
            is_error=result.is_error,
            exit_code=result.exit_code,
            is_denied=result.is_denied or (was_denied and is_error),
            duration_ms=fields.duration_ms(value, "durationMs"),
        ),
    )


def _is_error(said: str) -> bool | None:
    """What the client's own words say; early versions put no mark before an error."""
    if said.startswith("ERROR"):
        return True
    return False if _FINE.search(said) else True if _FAULT.search(said) else None


def texts_of(content: Any) -> list[str]:
    """The texts of a content: a text, or parts; others than texts become placeholders."""
    if isinstance(content, str):
        return [fields.without_blobs(content)] if content.strip() else []
    parts = content if isinstance(content, list) else []
    texts = (_part_text(part) for part in parts if isinstance(part, dict))
    return [text for text in texts if text]


def _part_text(part: Mapping[str, Any]) -> str:
    kind = fields.text(part, "type")
    for name in ("image", "audio", "video"):
        if kind.startswith(name):
            return f"[{name}]"
    return fields.without_blobs(fields.text(part, "text"))


def _result(said: str, is_error: bool | None) -> Result:
    exited = _EXITED.search(said[-_HEAD_CHARS:]) if is_error is not False else None
    code = fields.exit_code({"code": int(exited[1])}, "code") if exited else None
    is_denied = _DENIED.search(said[:_HEAD_CHARS]) is not None
    return Result(is_error=True if exited or is_denied else is_error, exit_code=code, is_denied=is_denied)


def prompted(content: Any, place: Place, memory: ReadingMemory, *, is_child: bool) -> Iterator[Reading]:
    """What stands in the role of the user: typed by a person, or put there by the client."""
    texts = texts_of(content)
    text = "\n".join(texts)
    if not text.strip():
        return
    if _COMPACTED.match(text):
        yield place.said(EventKind.COMPACTION, "\n".join(texts[1:]) or text, f"{place.session}:compaction:{mark(text)}")
        return
    kind = EventKind.NOTICE if is_child or _INJECTED.match(text) else EventKind.PROMPT
    name = mark(text)
    yield place.said(kind, text, f"{place.session}:{kind}:{name}:{memory.nth(place.session, kind, name)}")


def called(call: Mapping[str, Any], place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    """A tool call, as both forms write it: `{id, function: {name, arguments}}`."""
    function, call_id = fields.mapping(call, "function"), fields.plain_id(call, "id")
    if not call_id:
        yield place.problem("a call without an id")
        return
    arguments = fields.arguments(function.get("arguments"))
    name = f"{call_id}:{mark(repr(arguments))}"
    key = f"{place.session}:call:{name}:{memory.nth(place.session, 'call', name)}"
    yield place.call(key, call_id, fields.text(function, "name"), arguments)


def replied(part: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    """A part of what the model said."""
    thought = fields.text(part, "think")
    if thought:
        yield place.said(EventKind.THOUGHT, thought)
    elif texts := texts_of([part]):
        yield place.said(EventKind.REPLY, "\n".join(texts))
