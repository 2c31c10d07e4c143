"""The parts of a chat message, read from whatever shape they have. Takes decoded JSON and never raises.

Knows the dialects of OpenAI (chat completions, responses, `function_call`) and Anthropic (text, thinking, tool_use and
tool_result blocks). Pictures and base64 data become "[image]". Roles, sessions and order are left to the readers.

Chat logs have no error flag. An output that is the text of a JSON object may say how its call ended (`error`,
`success`, `status`, an exit code), or hold what came of it; an object that is a mere frame is taken off, and of one
that reports an error that is kept. Where nothing is said `is_error` is None: a number other than 0 is an answer for
some programs. That a person refused is taken from such an object alone,
and only of tools that do not write it themselves (`own_tools`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Result, Usage
from afterwit.model.text import regex

_FRAME = frozenset(
    [
        *("output", "stdout", "stderr", "error", "success", "status"),
        *("exit_code", "returncode", "return_code", "duration_ms", "duration_seconds", "tool_calls_made"),
    ]
)
_HELD = ("content", "bytes_written", "matches", "files", "total_count", "results")  # what came of a call
_HINTS = ("message", "hint", "_hint", "suggestion")
_FAILED = frozenset(["error", "failed", "failure", "timeout"])
_FINE = frozenset(["success", "succeeded", "ok"])
_DENIED = frozenset(["denied", "rejected", "blocked", "not_approved"])
_CANCELLED = frozenset(["cancelled", "canceled", "interrupted", "aborted"])
_RUNNING = frozenset(["running", "background", "in_progress"])
_HEAD = 300
_CANCELLED_WORDS = regex(
    r"(?i)\b(?:cancell?ed|interrupted|aborted) by (?:the )?user\b|\buser (?:cancell?ed|interrupted|aborted)\b"
    r"|\[command interrupted\]|\btool (?:call|execution) (?:was )?(?:cancell?ed|skipped)\b",
)
_PLACEHOLDERS = {"image": "[image]", "audio": "[audio]", "file": "[file]", "video": "[video]"}


class SaidBlock(NamedTuple):
    text: str


class Thought(NamedTuple):
    text: str


class Asked(NamedTuple):
    """A tool call; `id` is "" where the log has none."""

    id: str
    tool: str
    arguments: dict[str, Any]


class Answered(NamedTuple):
    """The result of a call."""

    id: str
    text: str
    is_error: bool | None
    block: Mapping[str, Any]


class Other(NamedTuple):
    """A block of a type that is not known here."""

    type: str


Block = SaidBlock | Thought | Asked | Answered | Other


class ToolOutcome(NamedTuple):
    """The output without its frame, and what it says."""

    text: str
    result: Result


def outcome_of(text: str) -> ToolOutcome:
    """Reads the output of one call."""
    said = _object(text)
    if said is None:
        return ToolOutcome(text, Result(is_cancelled=_is_cancelled(text)))
    status = said.get("status")
    status = status.lower() if isinstance(status, str) else ""
    error = _error_text(said.get("error")) or _error_of_all(said.get("results"))
    result = Result(
        is_error=_is_error(said, status, error),
        exit_code=fields.exit_code(said, "exit_code", "returncode", "return_code"),
        is_denied=status in _DENIED,
        is_worded=status in _DENIED,
        is_cancelled=status in _CANCELLED or _is_cancelled(error),
        is_running=status in _RUNNING,
        duration_ms=_duration_ms(said),
    )
    return ToolOutcome(_strip_frame(said, error) or text, result)


def _object(text: str) -> Mapping[str, Any] | None:
    value = fields.decoded_text(text) if text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else None


def _is_error(said: Mapping[str, Any], status: str, error: str) -> bool | None:
    if error or said.get("success") is False or status in _FAILED:
        return True
    if said.get("success") is True or status in _FINE:
        return False
    is_stated = bool(status) or any(name in said for name in ("exit_code", "returncode", "return_code"))
    return False if not is_stated and any(name in said for name in _HELD) else None


def _error_of_all(results: Any) -> str:
    """What went wrong where a call for several things got none of them."""
    held = [result for result in results if isinstance(result, dict)] if isinstance(results, list) else []
    errors = [_error_text(result.get("error")) for result in held]
    return "\n".join(dict.fromkeys(errors)) if errors and all(errors) else ""


def _error_text(error: Any) -> str:
    if isinstance(error, str):
        return error.strip()
    if isinstance(error, Mapping) and isinstance(error.get("message"), str):
        return str(error["message"])
    return "error" if error else ""


def _strip_frame(said: Mapping[str, Any], error: str) -> str:
    """The output alone, if the object holds nothing else worth keeping, or reports an error."""
    is_worded = error not in ("", "error")
    if not (_FRAME.issuperset(said) or is_worded):
        return ""
    parts = [said.get(name) for name in ("output", "stdout", "stderr")]
    texts = [part for part in parts if isinstance(part, str) and part]
    hints = [said[name] for name in _HINTS if isinstance(said.get(name), str)]
    return "\n".join([*texts, error, *hints] if is_worded else texts)


def _duration_ms(said: Mapping[str, Any]) -> int | None:
    seconds = fields.number(said, "duration_seconds")
    in_seconds = None if seconds is None else fields.duration_ms({"ms": seconds * 1000}, "ms")
    return in_seconds if said.get("duration_ms") is None else fields.duration_ms(said, "duration_ms")


def _is_cancelled(text: str) -> bool:
    return _CANCELLED_WORDS.search(text[:_HEAD]) is not None


def text_of(content: Any) -> str | None:
    """The text of a message's content, or None where it has no usable shape."""
    if isinstance(content, str):
        return fields.without_blobs(content)
    if isinstance(content, Mapping):
        return _part_text(content)
    if isinstance(content, list):
        return fields.joined(text for part in content if (text := _part_text(part)))
    return "" if content is None else None


def calls_of(message: Mapping[str, Any]) -> list[Asked]:
    """The tool calls that an assistant's message asks for."""
    calls = [_call(stated, stated) for stated in _list(message.get("tool_calls")) if isinstance(stated, Mapping)]
    old = message.get("function_call")
    if isinstance(old, Mapping):
        calls.append(_call({}, old))
    return [call for call in calls if call.tool]


def reasoning_of(message: Mapping[str, Any]) -> str:
    """What the model thought, where the log has it in the clear."""
    for name in ("reasoning", "reasoning_content"):
        text = text_of(message.get(name))
        if text and text.strip():
            return text
    return ""


def usage_of(usage: Any) -> Usage | None:
    """The tokens of one response. OpenAI counts cached tokens as part of the input, Anthropic does not."""
    if not isinstance(usage, Mapping):
        return None
    is_openai = "prompt_tokens" in usage or "input_tokens_details" in usage
    given = _tokens(usage, "prompt_tokens", "input_tokens")
    cached = _tokens(_detail(usage, "prompt_tokens_details", "input_tokens_details"), "cached_tokens")
    cached = cached or _tokens(usage, "cache_read_input_tokens", "cache_read_tokens")
    counted = Usage(
        input=max(given - cached, 0) if is_openai else given,
        cache_read=cached,
        cache_write=_tokens(usage, "cache_creation_input_tokens", "cache_write_tokens"),
        output=_tokens(usage, "completion_tokens", "output_tokens"),
        reasoning=_tokens(_detail(usage, "completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
    )
    return None if counted == Usage() else counted


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return text_of(part) or ""
    if not isinstance(part, Mapping):
        return ""
    kind = part.get("type")
    if isinstance(kind, str):
        for name, placeholder in _PLACEHOLDERS.items():
            if name in kind:
                return placeholder
    text = part.get("text", part.get("refusal"))
    return (text_of(text) or "") if isinstance(text, str) else ""


def _call(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> Asked:
    function = inner.get("function")
    if not isinstance(function, Mapping):
        function = inner
    name = fields.text(function, "name")
    return Asked(fields.text(outer, "id", "call_id"), name, fields.arguments(function.get("arguments")))


def _list(value: Any) -> list[Any]:
    """A list, which a database export may hold as JSON text."""
    if isinstance(value, str):
        value = fields.decoded_text(value)
    return value if isinstance(value, list) else []


def _detail(usage: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        detail = usage.get(name)
        if isinstance(detail, Mapping):
            return detail
    return {}


def _tokens(counts: Mapping[str, Any], *names: str) -> int:
    """A count, which some logs hold as text."""
    texts = {name: counts[name] for name in names if isinstance(counts.get(name), str)}
    whole = {name: int(text) for name, text in texts.items() if text.isdecimal() and len(text) < 16}
    return next(filter(None, (fields.tokens({**counts, **whole}, name) for name in names)), 0)


_ATTACHMENTS = {"image": "[image]", "document": "[document]", "file": "[file]", "audio": "[audio]"}
_THOUGHTS = frozenset(["thinking", "redacted_thinking", "reasoning"])


def blocks_of(content: Any) -> list[Block]:
    """The blocks of a message, in order, without those that say nothing."""
    if isinstance(content, str):
        return [SaidBlock(text_of(content) or "")] if content.strip() else []
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return []
    return [block for piece in content if (block := _block(piece)) is not None]


def tell_block(
    block: Block, place: Place, number: int, end: Callable[[Answered], tuple[str, Result]] | None = None
) -> Iterator[Event | Problem]:
    """What a block says that is no text; `end` says how a call ended, if its flag alone does not."""
    match block:
        case Thought(text):
            yield place.said(EventKind.THOUGHT, text)
        case Asked(call_id, tool, arguments):
            yield place.asked(call_id or place.made_up(number), tool, arguments)
        case Answered(call_id, text, is_error):
            outcome = end(block) if end else (text, ended(text, is_error))
            yield place.answered(call_id or place.made_up(number), *outcome)
        case Other(kind):
            yield place.problem(f"a block of the unknown type {kind!r}")


def ended(text: str, is_error: bool | None) -> Result:
    """How a call ended by its flag; the words of an error tell whether it was stopped."""
    if not is_error or text.lstrip().startswith("{"):
        return Result(is_error=is_error)
    return msgspec.structs.replace(outcome_of(text).result, is_error=True)


def without_tags(text: str, *names: str, to_last: bool = False) -> tuple[str, str]:
    """The text without what stands between these tags, and what stood there. A tag that is not closed goes on to the
    end; one around foreign text, which may close it, `to_last` of its closing tags."""
    removed: list[str] = []
    for name in names:
        pieces = _cut(text, name, to_last=to_last)
        text = "".join(pieces[::2])
        removed += pieces[1::2]
    return text.strip() if removed else text, "\n".join(removed)


def inside_tags(text: str, *names: str) -> str:
    """What stands between these tags, without them."""
    tagged = [piece for name in names for piece in _cut(text, name)[1::2]]
    inner = [piece.partition(">")[2].rpartition("</")[0] or piece.partition(">")[2] for piece in tagged]
    return "\n".join(piece.strip() for piece in inner if piece.strip())


def _cut(text: str, name: str, *, to_last: bool = False) -> list[str]:
    """The text in pieces, every second of which stands between tags of this name."""
    closing = f"</{name}>"
    pieces, at = list[str](), 0
    opening = _first_tag(name)
    while match := opening.search(text, at):
        end = text.rfind(closing, match.end()) if to_last else text.find(closing, match.end())
        end = len(text) if end < 0 else end + len(closing)
        pieces += [text[at : match.start()], text[match.start() : end]]
        at = end
    return [*pieces, text[at:]]


@cache
def _first_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(name)}(?: [^<>\n]{{0,500}})?>")


def _block(block: Any) -> Block | None:
    if isinstance(block, str):
        return SaidBlock(text_of(block) or "") if block.strip() else None
    if not isinstance(block, Mapping):
        return None
    kind = block.get("type")
    if kind == "text" or (kind is None and isinstance(block.get("text"), str)):
        text = text_of(block.get("text")) or ""
        return SaidBlock(text) if text.strip() else None
    if kind == "tool_use":
        return _call_block(block)
    if kind == "tool_result":
        return _result_block(block)
    if isinstance(kind, str) and kind in _THOUGHTS:
        thought = text_of(block.get("thinking") or block.get("text")) or ""
        return Thought(thought) if thought.strip() else None
    if isinstance(kind, str) and kind in _ATTACHMENTS:
        return SaidBlock(_ATTACHMENTS[kind])
    return Other(kind if isinstance(kind, str) else "")


def _call_block(block: Mapping[str, Any]) -> Block:
    tool = fields.text(block, "name")
    if not tool:
        return Other("tool_use")
    return Asked(fields.plain_id(block, "id"), tool, fields.arguments(block.get("input")))


def _result_block(block: Mapping[str, Any]) -> Answered:
    call_id = fields.plain_id(block, "tool_use_id", "toolUseID")
    return Answered(call_id, text_of(block.get("content")) or "", fields.flag(block, "is_error"), block)
