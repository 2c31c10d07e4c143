"""The shape of a rollout's lines, as far as the reader needs it.

One wide `Payload` serves every record type: fields that no handler reads (instructions, encrypted reasoning, images,
diffs) are skipped without being built. All fields are optional. Where a value has another type than it should,
`coerce_line` keeps every usable field and names the others, so that one odd field never costs the record. Bytes that
are no JSON object raise `msgspec.DecodeError`. What a record means is left to the reader.
"""

import functools
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec


class CodexPart(msgspec.Struct, frozen=True, gc=False):
    """One piece of a message's content; the data of images is not decoded."""

    type: str | None = None
    text: str | None = None


Content = str | list[CodexPart] | None
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
ExitCode = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**32)]


class CodexMessage(msgspec.Struct, frozen=True):
    """A message inside another record: of a compacted history, or of a completed item."""

    type: str | None = None
    id: str | None = None
    content: Content = None
    text: str | None = None


class OutputBody(msgspec.Struct, frozen=True):
    """The output of a call where it is an object."""

    content: Content = None
    success: bool | None = None


class Tokens(msgspec.Struct, frozen=True, gc=False):
    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    cache_write_input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_output_tokens: Count = 0
    total_tokens: Count = 0


class TokenInfo(msgspec.Struct, frozen=True):
    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Git(msgspec.Struct, frozen=True, gc=False):
    branch: str | None = None
    repository_url: str | None = None


class HistoryBase(msgspec.Struct, frozen=True, gc=False):
    thread_id: str | None = None


class Duration(msgspec.Struct, frozen=True, gc=False):
    secs: Count = 0
    nanos: Count = 0


class McpContent(msgspec.Struct, frozen=True, gc=False):
    is_error: bool | None = msgspec.field(default=None, name="isError")


class McpResult(msgspec.Struct, frozen=True):
    ok: McpContent | None = msgspec.field(default=None, name="Ok")
    err: Any = msgspec.field(default=None, name="Err")


class NamedTool(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None


class Payload(msgspec.Struct, frozen=True):
    """The fields of all record types that some handler reads."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    turn_id: str | None = None
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    content: Content = None
    summary: Content = None
    arguments: str | dict[str, Any] | None = None
    input: str | dict[str, Any] | None = None
    output: str | list[CodexPart] | OutputBody | None = None
    action: dict[str, Any] | None = None
    query: str | None = None
    revised_prompt: str | None = None
    status: Any = None
    tools: list[NamedTool] | None = None
    message: str | None = None
    kind: str | None = None
    info: TokenInfo | None = None
    reason: str | None = None
    exit_code: ExitCode | None = None
    aggregated_output: str | None = None
    success: bool | None = None
    duration: Duration | None = None
    result: str | McpResult | None = None
    item: CodexMessage | None = None
    thread_id: str | None = None
    thread_name: str | None = None
    replacement_history: list[CodexMessage] | None = None
    model: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    model_provider: str | None = None
    source: str | dict[str, Any] | None = None
    thread_source: str | None = None
    agent_role: str | None = None
    agent_nickname: str | None = None
    git: Git | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    history_base: HistoryBase | None = None
    subagent_history_start_ordinal: Count | None = None


class CodexLine(msgspec.Struct, frozen=True):
    """One line since autumn 2025. Older lines are bare payloads: `payload` is missing then."""

    type: str | None = None
    timestamp: str | int | float | None = None
    ordinal: Count | None = None
    payload: Payload | None = None


class Coerced(NamedTuple):
    line: CodexLine
    unusable: tuple[str, ...]  # names of fields whose values have the wrong type


decode_line = msgspec.json.Decoder(CodexLine).decode
_Shape = TypeVar("_Shape", bound=msgspec.Struct)


def coerce_line(raw: bytes) -> Coerced:
    """The line of bytes that `decode_line` refused; raises `msgspec.DecodeError` if they are no JSON object."""
    line, unusable = coerced(CodexLine, decode_object(raw))
    return Coerced(line, tuple(unusable))


def decode_object(raw: bytes) -> dict[str, Any]:
    """The plain object of these bytes, with everything in it."""
    return msgspec.json.decode(raw, type=dict[str, Any])


_fields = functools.cache(msgspec.structs.fields)


def coerced(shape: type[_Shape], value: dict[str, Any]) -> tuple[_Shape, list[str]]:
    """A struct of what is usable in a plain object, and the names of the fields that are not."""
    fields: dict[str, Any] = {}
    unusable: list[str] = []
    for field in _fields(shape):
        given = value.get(field.encode_name)
        if given is None:
            continue
        if field.name == "payload" and isinstance(given, dict):
            fields["payload"], inner = coerced(Payload, given)
            unusable += inner
            continue
        try:
            fields[field.name] = msgspec.convert(_mended(given), field.type, strict=False)
        except (msgspec.ValidationError, ValueError, OverflowError):
            unusable.append(field.encode_name)
    return shape(**fields), unusable


def _mended(value: Any) -> Any:
    """Content lists with bare strings or nulls among their parts."""
    if not isinstance(value, list):
        return value
    return [{"text": part} if isinstance(part, str) else part for part in value if isinstance(part, str | dict)]
