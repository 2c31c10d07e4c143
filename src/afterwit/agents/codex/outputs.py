"""What the output of a tool call says: its text without the frame around it, and how the call ended.

Codex has written outputs in several layouts: `Chunk ID / Wall time / Process exited with code` before the text of a
unified exec, `Exit code / Wall time` before that of a shell command, a JSON string `{"output", "metadata"}`, a list of
content parts, or bare text. The frame is removed where it is complete from the first character on; otherwise the text
stays as it is. Words such as "rejected by user" count only where there is no frame: a command may print anything.
"""

import re
from typing import Annotated, Any, NamedTuple

import msgspec

from afterwit.agents.codex.records import Content, ExitCode, OutputBody, Part
from afterwit.model.readings import Result

_FRAME = re.compile(
    r"(?:Chunk ID: \w*\n)?"
    r"(?:Exit code: (?P<exit>-?\d{1,10})\n)?"
    r"Wall time: (?P<seconds>\d{1,9}(?:\.\d{1,9})?) seconds\n"
    r"(?:Process exited with code (?P<exited>-?\d{1,10})\n)?"
    r"(?:Process running with session ID (?P<running>\d{1,20})\n)?"
    r"(?:Original token count: \d+\n)?"
    r"(?:Total output lines: \d+\n)?"
    r"Output:(?:\n|\Z)"
)
_ABORTED = re.compile(
    r"(?:Wall time: (?P<wall>\d{1,9}(?:\.\d{1,9})?) seconds\n)?aborted(?: by user)?"
    r"(?: after (?P<after>\d{1,9}(?:\.\d{1,9})?)s)?\s*\Z"
)
_DENIED = re.compile(
    r"rejected by user|rejected: |denied by policy|blocked by policy|SandboxDenied|Sandbox\(Denied|"
    r"(?:user|approval) (?:rejected|denied)|Rejected\("
)
_FAILED = re.compile(
    r"(?:[\w/-]+ ){1,2}(?:verification )?failed(?: for |: )|failed to |error: |unsupported (?:custom tool )?call",
    re.IGNORECASE,
)
_HEAD_CHARS = 200
_MESSAGE_CHARS = 4_000  # a failure message of Codex itself quotes the command before it says why


class _Metadata(msgspec.Struct, frozen=True):
    exit_code: ExitCode | None = None
    duration_seconds: Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None = None


class Output(NamedTuple):
    text: str
    result: Result


def text_of(content: Content) -> str:
    """The text of a message or an output; an image leaves a mark and nothing of its data."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(_part_text(part) for part in content)


def read_output(output: str | list[Part] | OutputBody | None) -> Output:
    if isinstance(output, OutputBody):
        inner = read_output(output.content)
        return inner if output.success is not False else Output(inner.text, _failed(inner.result))
    if not isinstance(output, str):
        output = text_of(output)
    if output.startswith("{"):
        return _unwrapped(output)
    return _unframed(output)


def _part_text(part: Part) -> str:
    if part.text is not None:
        return part.text
    return "[image]" if part.type and "image" in part.type else ""


def _unwrapped(output: str) -> Output:
    """The layout `{"output": text, "metadata": {"exit_code", "duration_seconds"}}`; any other object is plain text."""
    try:
        value: Any = msgspec.json.decode(output)
    except (msgspec.DecodeError, RecursionError):
        return Output(output, Result())
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if metadata is None or not isinstance(value.get("output"), str) or not isinstance(metadata, dict):
        return Output(output, Result())
    try:
        said = msgspec.convert(metadata, _Metadata)
    except msgspec.ValidationError:
        return Output(value["output"], Result())
    seconds = said.duration_seconds
    return Output(
        value["output"],
        Result(exit_code=said.exit_code, duration_ms=None if seconds is None else round(seconds * 1000)),
    )


def _unframed(output: str) -> Output:
    start = output.find("\nChunk ID: ") + 1 if output.startswith("Command: ") else 0
    frame = _FRAME.match(output, start)
    if frame is None:
        return Output(output, _bare_result(output))
    code = frame["exited"] or frame["exit"]
    result = Result(
        exit_code=int(code) if code else None,
        is_running=frame["running"] is not None,
        running_as=frame["running"] or "",
        duration_ms=_ms(frame["seconds"]),
    )
    return Output(output[frame.end() :], result)


def _bare_result(output: str) -> Result:
    aborted = _ABORTED.match(output)
    if aborted:
        return Result(is_cancelled=True, duration_ms=_ms(aborted["after"] or aborted["wall"]))
    is_failed = _FAILED.match(output) is not None
    is_denied = _DENIED.search(output, 0, _MESSAGE_CHARS if is_failed else _HEAD_CHARS) is not None
    return Result(is_error=True if is_failed or is_denied else None, is_denied=is_denied)


def _failed(result: Result) -> Result:
    return msgspec.structs.replace(result, is_error=True)


def _ms(seconds: str | None) -> int | None:
    return round(float(seconds) * 1000) if seconds else None
