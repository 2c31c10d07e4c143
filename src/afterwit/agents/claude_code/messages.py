"""Messages into readings: what a person, the client, the model and its tools said in one user or assistant record.

Keys: a text of a user record has the record's uuid, a reply or a thought the uuid and the block's number, calls and
results the call's id, a call its time and content too, a response's tokens the message id.
Copies of a record in other files therefore have equal keys.
One compaction is one event: the summary. The boundary record before it is a notice.

What the reading of one file has to remember between two appends are ids, counts and digests only: the state goes into
the store, and the text of a log may hold secrets. Everything that
grows with the file is bounded, and forgets its oldest entries first.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.claude_code.content import (
    edited_file,
    kind_of,
    placeholder,
    result_of,
    stated_spill,
    text_of_result,
    without_reminders,
)
from afterwit.agents.claude_code.records import Block, CacheCreation, ClaudeLine, ClaudeMessage, TokenCounts
from afterwit.agents.log_reader import ReadingMemory, identity, mark
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Reading, Spend, Usage

_RECENT = 32
_LINKS = 500
_QUEUED = 64
_CALLS = 50


class ClaudeState(ReadingMemory):
    version: str = ""  # of the client, as of the last record that names it
    told: dict[str, str] = msgspec.field(default_factory=dict)  # digests of the facts given last
    roots: dict[str, str] = msgspec.field(default_factory=dict)  # record of an old sidechain → the record it began with
    agent_types: dict[str, str] = msgspec.field(default_factory=dict)  # call that starts a subagent → its type
    queued: list[str] = msgspec.field(default_factory=list)  # digests of prompts that may come again as a message
    recent: list[str] = msgspec.field(default_factory=list)  # the last messages' uuids

    def tells_new(self, field: str, value: str) -> bool:
        """Whether this fact differs from the one told before; it counts as told from now on."""
        digest = mark(value)
        if self.told.get(field) == digest:
            return False
        self.told[field] = digest
        return True

    def root_of(self, uuid: str, parent: str) -> str:
        """The record that began the sidechain which this record belongs to."""
        self.roots[uuid] = root = self.roots.get(parent, uuid)
        _bound(self.roots, _LINKS)
        return root

    def remember_call(self, call: str, agent_type: str) -> None:
        self.agent_types[call] = agent_type
        _bound(self.agent_types, _CALLS)

    def remember_queued(self, text: str) -> None:
        self.queued.append(mark(text.strip()))
        del self.queued[:-_QUEUED]

    def was_queued(self, text: str) -> bool:
        """Whether this text was read from the queue; true once for each time that it was put there."""
        digest = mark(text.strip()) if self.queued else ""
        if digest not in self.queued:
            return False
        self.queued.remove(digest)
        return True

    def remember_message(self, uuid: str) -> None:
        self.recent.append(uuid)
        del self.recent[:-_RECENT]


def _bound(kept: dict[str, str], most: int) -> None:
    if len(kept) > most:
        del kept[next(iter(kept))]


Spill = Callable[[str, str], str | None]  # (path that the log states, call id) → the whole output

_SYNTHETIC = "<synthetic>"
_NAMELESS = "unnamed"
_MOST_TOKENS = 10**12  # no response has more; a damaged number might
_SILENT_BLOCKS = frozenset({"redacted_thinking", "container_upload", "compaction", "connector_text", "fallback"})


class ClaudePlace(NamedTuple):
    """Whose record this is, and where and when it was written."""

    session: str
    offset: int
    length: int
    at_ms: int | None
    uuid: str
    is_child: bool
    is_nested: bool = False  # a copy inside a record of the parent

    def event(self, kind: EventKind, key: str, text: str = "", **more: Any) -> Event:
        session, offset, length, at_ms = self[:4]
        return Event(session=session, kind=kind, offset=offset, length=length, at_ms=at_ms, key=key, text=text, **more)

    def problem(self, reason: str) -> Problem:
        return Problem(offset=self.offset, length=self.length, reason=reason)


def user_readings(
    line: ClaudeLine, message: ClaudeMessage, place: ClaudePlace, state: ClaudeState, spill: Spill
) -> Iterator[Reading]:
    texts: list[str] = []
    pictures: list[str] = []
    for block in _blocks(message):
        kind = block.type or ""
        if kind == "text":
            texts.append(block.text or "")
        elif kind.endswith("tool_result"):
            yield _result(block, line, place, spill)
        elif stand_in := placeholder(block):
            pictures.append(stand_in)
        elif kind not in _SILENT_BLOCKS:
            yield place.problem(f"unknown content block {kind[:40]!r}")
    if texts or pictures:
        yield from _text_events(line, place, state, texts, pictures)


def assistant_readings(
    line: ClaudeLine, message: ClaudeMessage, place: ClaudePlace, state: ClaudeState, spill: Spill
) -> Iterator[Reading]:
    is_clients = message.model == _SYNTHETIC
    if line.is_api_error_message:
        text = "\n".join(block.text or "" for block in _blocks(message))
        yield place.event(EventKind.MODEL_ERROR, place.uuid, text)
        return
    for index, block in enumerate(_blocks(message)):
        kind = block.type or ""
        if kind == "text" and block.text:
            spoken = EventKind.NOTICE if is_clients else EventKind.REPLY
            yield place.event(spoken, _key(place.uuid, index), block.text)
        elif kind == "thinking" and block.thinking:
            yield place.event(EventKind.THOUGHT, _key(place.uuid, index), block.thinking)
        elif kind.endswith("tool_use"):
            yield _call(block, index, place, state)
        elif kind.endswith("tool_result"):
            yield _result(block, line, place, spill)
        elif kind not in _SILENT_BLOCKS and kind not in ("text", "thinking") and not placeholder(block):
            yield place.problem(f"unknown content block {kind[:40]!r}")
    if message.usage is not None and not is_clients:
        yield _spend(line, message, message.usage, place)


def _blocks(message: ClaudeMessage) -> list[Block]:
    content = message.content
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return [block if isinstance(block, Block) else Block(type="text", text=block) for block in content or []]


def _text_events(
    line: ClaudeLine, place: ClaudePlace, state: ClaudeState, texts: list[str], pictures: list[str]
) -> Iterator[Event]:
    """The texts of a user record, one event for each kind of speaker."""
    if state.was_queued("\n".join(texts)):
        return
    said: dict[EventKind, list[str]] = {}
    for text in texts:
        clean = without_reminders(text)
        if clean.strip():
            said.setdefault(kind_of(line, clean, is_child=place.is_child), []).append(clean)
        elif text.strip():
            said.setdefault(EventKind.NOTICE, []).append(text)
    if pictures:
        said.setdefault(kind_of(line, "", is_child=place.is_child), []).extend(pictures)
    for index, (kind, parts) in enumerate(said.items()):
        yield place.event(kind, _key(place.uuid, kind) if index else place.uuid, fields.joined(parts))


def _call(block: Block, index: int, place: ClaudePlace, state: ClaudeState) -> Event:
    call = block.id or f"{place.uuid or place.offset}:{index}"
    arguments = fields.arguments(block.input)
    agent_type = arguments.get("subagent_type")
    if isinstance(agent_type, str):
        state.remember_call(call, agent_type)
    # Copies keep the time of a call: that tells calls apart where ids are counted.
    key = f"call:{identity(place.session, place.at_ms, call)}:{mark(repr(arguments))}"
    return place.event(EventKind.CALL, key, call_id=call, tool=block.name or _NAMELESS, arguments=arguments)


def _result(block: Block, line: ClaudeLine, place: ClaudePlace, spill: Spill) -> Event | Problem:
    call = block.tool_use_id
    if not call:
        return place.problem("a tool result that names no call")
    outcome = line.tool_use_result if line.tool_use_result is not None else line.stream_outcome
    text = text_of_result(block.content)
    result = result_of(text, block.is_error, outcome)
    stated = stated_spill(text, outcome)
    if stated is not None:
        text = spill(stated, call) or text
    file = edited_file(outcome)
    return place.event(EventKind.RESULT, f"result:{call}", text, call_id=call, result=result, file=file)


def _spend(line: ClaudeLine, message: ClaudeMessage, counts: TokenCounts, place: ClaudePlace) -> Spend:
    kept = counts.cache_creation or CacheCreation()
    kept_1h, kept_5m = _tokens(kept.ephemeral_1h_input_tokens), _tokens(kept.ephemeral_5m_input_tokens)
    written = counts.cache_creation_input_tokens
    return Spend(
        session=place.session,
        key=_response_key(message.id or "", line.request_id or "", place.uuid),
        model=_model_with_speed(message.model or "", counts.speed),
        usage=Usage(
            input=_tokens(counts.input_tokens),
            cache_read=_tokens(counts.cache_read_input_tokens),
            cache_write=kept_1h + kept_5m if written is None else _tokens(written),
            output=_tokens(counts.output_tokens),
            cache_write_1h=kept_1h,
        ),
        at_ms=place.at_ms,
        cost_usd=line.cost_usd if isinstance(line.cost_usd, float) else None,
        is_nested=place.is_nested,
    )


def _model_with_speed(model: str, speed: str | None) -> str:
    """Fast mode has prices of its own. Gateways sell it under this name."""
    return f"{model}-fast" if model and speed == "fast" else model


def _tokens(count: int | None) -> int:
    return min(count, _MOST_TOKENS) if count and count > 0 else 0


def _response_key(message: str, request: str, uuid: str) -> str:
    """Anthropic's message ids are unique by themselves, and copies inside a parent's file can lack the request's id.
    Other endpoints repeat theirs."""
    if not message:
        return uuid
    return f"{message}:{request}" if request and not message.startswith("msg_") else message


def _key(uuid: str, suffix: object) -> str:
    return f"{uuid}:{suffix}" if uuid else ""
