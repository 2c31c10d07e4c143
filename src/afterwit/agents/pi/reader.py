"""Reads the sessions of pi, and of its relatives omp and OpenClaw: a header, then the entries of a tree, one a line.

All generations: linear ones without ids (version 1), the tree (2), and today's (3). Going back to an earlier entry
starts another branch; the one that is left stays in the file and happened, so that all entries are read, in the order
of writing. A fork is a new file that copies the entries it keeps and names its parent's file.

Keys of messages are made of the entry's time and content, not of its id: ids have eight digits, and the client adds
them to old sessions when it opens them. A fork copies entries with their times, so that copies have equal keys.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReading, Place, Reader, ReadingMemory, mark
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_OPENCLAW_CHECKPOINT = regex(r"(agents/[^/]+/sessions/[^/.]+)\.[^/]+\.jsonl")
_NAME = regex(r"[^/\\]*?([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\.jsonl")
_SPOKEN = {
    "compaction": EventKind.COMPACTION,
    "branch_summary": EventKind.NOTICE,
    "custom_message": EventKind.NOTICE,
}
_SILENT_TYPES = """
    custom label model_change thinking_level_change mode_change mcp_tool_selection service_tier_change session_init
    ttsr_injection
    """
_SILENT = frozenset(_SILENT_TYPES.split())


class PiState(ReadingMemory):
    session: str = ""


class PiReading(LinesReading[PiState]):
    state_type = PiState

    def session_of(self, path: PurePosixPath) -> str:
        """The id in the header; before it is read, the one in the file's name."""
        named = _NAME.fullmatch(path.name)
        return self._state.session or (named[1] if named else path.stem)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        entry = value
        kind, message = fields.plain_id(entry, "type"), fields.mapping(entry, "message")
        role = fields.plain_id(message, "role")
        name = f"message/{role}" if kind == "message" else kind
        is_known = role in ROLES if kind == "message" else kind in ("session", "session_info", *_SPOKEN, *_SILENT)
        self._state.count(name, is_known=is_known)
        if not is_known:
            return
        if kind == "session":
            self._state.session = fields.plain_id(entry, "id")
            self._session = self.session_of(self._file.path)
        at_ms = place.at_ms or ms_from_any(message.get("timestamp"))
        place = place._replace(session=self._session, at_ms=at_ms)
        stamp = "" if at_ms is None else str(at_ms)
        if kind == "session":
            yield self._header(entry, place)
        elif kind == "session_info":
            yield from self._title(entry, place)
        elif kind == "message":
            yield from message_readings(message, stamp, place)
        elif kind in _SPOKEN:
            text = fields.text(entry, "summary") or text_of(entry.get("content"))
            yield from said(_SPOKEN[kind], text, stamp, place)

    def _header(self, header: Mapping[str, Any], place: Place) -> Facts:
        parent = _NAME.search(fields.text(header, "parentSession", "branchedFrom"))
        return Facts(
            session=place.session,
            at_ms=place.at_ms,
            cwd=fields.text(header, "cwd"),
            title=fields.text(header, "title"),
            provider=fields.text(header, "provider"),
            parent=parent[1] if parent else "",
            relation=Relation.FORK if parent else None,
        )

    def _title(self, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        title = fields.text(entry, "name")
        if title:
            yield Facts(session=place.session, at_ms=place.at_ms, title=title, is_title_manual=True)


class PiReader(Reader):
    """The reader of pi's logs, or of those of a relative at other paths."""

    agent = "pi"
    evidence = ReaderEvidence.REAL_CLIENT
    lines = PiReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return record.get("type") == "session" and "cwd" in record and "id" in record


class OmpReader(PiReader):
    """The reader of oh-my-pi, which keeps pi's layout in a home of its own."""

    agent = "omp"
    evidence = ReaderEvidence.DOCUMENTATION


class OpenClawReader(PiReader):
    """OpenClaw writes pi's entries elsewhere. Checkpoints beside a session hold what the session holds: they belong to
    it as companions and are not read for themselves."""

    agent = "openclaw"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        checkpoint = _OPENCLAW_CHECKPOINT.fullmatch(str(path))
        return PurePosixPath(f"{checkpoint[1]}.jsonl") if checkpoint else super().primary(path)


_EXITED = regex(r"(?:Command|Process) exited with code (-?\d{1,10})\.?\s*\Z")
_ABORTED = regex(r"(?:Command|Operation) aborted\.?\s*\Z")
_TAIL_CHARS = 100
_MIRRORS = frozenset({"delivery-mirror", "gateway-injected"})  # OpenClaw's copies of what a person was shown
_MESSAGE_KINDS = {
    "custom": EventKind.NOTICE,
    "hookMessage": EventKind.NOTICE,
    "developer": EventKind.NOTICE,
    "fileMention": EventKind.NOTICE,
    "branchSummary": EventKind.NOTICE,
    "compactionSummary": EventKind.COMPACTION,
}
_RUN_BY_PEOPLE = {"bashExecution": "command", "pythonExecution": "code"}
ROLES = frozenset({"user", "assistant", "toolResult", *_MESSAGE_KINDS, *_RUN_BY_PEOPLE})


def message_readings(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    """The readings of a message of a known role; `stamp` is the time as the log writes it."""
    role = str(message.get("role"))
    if role == "assistant":
        yield from _assistant(message, stamp, place)
    elif role == "toolResult":
        yield from _tool_result(message, stamp, place)
    elif role in _RUN_BY_PEOPLE:
        yield from _execution(message, role, stamp, place)
    else:
        kind = _MESSAGE_KINDS.get(role) or _speaker(message)
        text = text_of(message.get("content")) or fields.text(message, "summary")
        yield from said(kind, text, stamp, place)


def said(kind: EventKind, text: str, stamp: str, place: Place) -> Iterator[Reading]:
    return place.told(kind, text, f"{kind}:{stamp}:{mark(text)}" if stamp else "")


def text_of(content: Any) -> str:
    """The texts of a content, with placeholders for pictures."""
    if isinstance(content, str):
        return fields.without_blobs(content)
    blocks = content if isinstance(content, list) else []
    texts = (_block_text(block) for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if text)


def _block_text(block: Mapping[str, Any]) -> str:
    return "[image]" if block.get("type") == "image" else fields.without_blobs(fields.text(block, "text"))


def _speaker(message: Mapping[str, Any]) -> EventKind:
    """Who wrote a user message. OpenClaw also puts other sessions and itself into this role, and says so."""
    source = fields.text(fields.mapping(message, "provenance"), "kind")
    return EventKind.PROMPT if source in ("", "external_user") else EventKind.NOTICE


def _assistant(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    is_mirror = fields.text(message, "model") in _MIRRORS
    content = message.get("content")
    blocks = fields.mappings(message, "content") or [{"type": "text", "text": content}]
    for block in blocks:
        kind = block.get("type")
        if kind == "toolCall":
            yield from _call(block, stamp, place)
        elif kind == "thinking":
            yield from said(EventKind.THOUGHT, fields.text(block, "thinking"), stamp, place)
        else:
            yield from said(EventKind.NOTICE if is_mirror else EventKind.REPLY, _block_text(block), stamp, place)
    match message.get("stopReason"):
        case "error":
            error = fields.text(message, "errorMessage") or "error"
            yield place.said(EventKind.MODEL_ERROR, error, f"error:{stamp}" if stamp else "")
        case "aborted":
            reason = fields.text(message, "errorMessage")
            yield place.said(EventKind.INTERRUPT, reason, f"aborted:{stamp}" if stamp else "")
    yield from _spend(message, stamp, place)


def _call(block: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    call = fields.plain_id(block, "id")
    if call:
        arguments = fields.arguments(block.get("arguments"))
        key = f"call:{stamp or place.session}:{call}:{mark(repr(arguments))}"
        yield place.call(key, call, fields.text(block, "name"), arguments)
    else:
        yield place.problem("a call without an id")


def _spend(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    """pi counts what was cached apart from the input, and states what it all cost."""
    stated, model = fields.mapping(message, "usage"), fields.text(message, "model")
    usage = Usage(
        input=fields.tokens(stated, "input"),
        cache_read=fields.tokens(stated, "cacheRead"),
        cache_write=fields.tokens(stated, "cacheWrite"),
        output=fields.tokens(stated, "output"),
        reasoning=fields.tokens(stated, "reasoning", "reasoningTokens"),
    )
    if usage != Usage():
        key = f"{stamp or f'{place.session}@{place.offset}'}:{model}:{fields.plain_id(message, 'responseId')}"
        yield from place.spent(key, model, usage, fields.dollars(fields.mapping(stated, "cost"), "total") or None)


def _tool_result(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    call = fields.plain_id(message, "toolCallId")
    if not call:
        yield place.problem("a result that names no call")
        return
    text, details = text_of(message.get("content")), fields.mapping(message, "details")
    tail = text[-_TAIL_CHARS:]
    is_error = fields.flag(message, "isError")
    exited = _EXITED.search(tail) if is_error is not False else None
    stated = fields.exit_code(details, "exitCode")
    result = Result(
        is_error=is_error,
        exit_code=fields.stated_code(exited) if stated is None else stated,
        is_cancelled=is_error is True and _ABORTED.search(tail) is not None,
        is_running=fields.text(details, "status") == "running",
        running_as=fields.plain_id(details, "sessionId") if details.get("status") == "running" else "",
        duration_ms=fields.duration_ms(details, "durationMs"),
    )
    yield place.result(f"result:{stamp or place.session}:{call}", call, text, result)


def _execution(message: Mapping[str, Any], role: str, stamp: str, place: Place) -> Iterator[Reading]:
    """A command that the person ran with `!`: the call and its result in one."""
    name = _RUN_BY_PEOPLE[role]
    call = f"{role}:{stamp or place.offset}"
    yield place.call(f"call:{call}", call, role, {name: fields.text(message, name)})
    exit_code = fields.exit_code(message, "exitCode")
    is_cancelled = message.get("cancelled") is True
    result = Result(
        is_error=None if exit_code is None else exit_code != 0, exit_code=exit_code, is_cancelled=is_cancelled
    )
    yield place.result(f"result:{call}", call, fields.without_blobs(fields.text(message, "output")), result)
