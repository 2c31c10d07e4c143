"""Reads logs of plain chat messages: one JSON object with a `role` per line, as older Hermes builds wrote them.

Written from documentation. The session is the file: its native id is the name without ending and without `session_`.
Where the first record has no time, the one in the name is the start (local time in truth, taken as UTC). The first
record may describe the session instead of saying something: role `session_meta`, or no role at all.
Call ids such as `call_0` may come again in each turn: from its second use on, an id gets a number ("call_0#2"), and a
result belongs to the latest call of its id. A result without an id answers the oldest open call of the last turn.
State: counters, the model's name and call ids. Shapes, and the meaning of outputs, are left to `messages`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReader, LinesReading, Place, SourceFile, identity, mark, resumed
from afterwit.agents.messages import calls_of, outcome_of, reasoning_of, text_of, usage_of
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

HERMES_PATHS = re.compile(r"(?:profiles/[^/]+/)?sessions/[^/]*\d{8}_\d{6}[^/]*\.jsonl")
ANY_PATHS = re.compile(r"(?:[^/]+/)*[^/]+\.jsonl")
_ROLES = frozenset(["user", "assistant", "tool", "function", "system", "developer", "session_meta"])
_META_FIELDS = ("session_id", "model", "cwd", "platform")
_TIME_IN_NAME = re.compile(r"(\d{8})_(\d{6})(?!\d)")
_ID = re.compile(r"[\w.:/@#+-]{1,120}")
_MOST_UNKNOWN = 50
_MOST_USES = 5_000
_INJECTED = re.compile(r"\s*(?:<[A-Za-z][\w-]*[ >]|\[(?:system|gateway) note\b|\[system\b)", re.IGNORECASE)
_COMPACTED = re.compile(r"\s*\[CONTEXT (?:COMPACTION|SUMMARY)\b")


class ChatState(msgspec.Struct, kw_only=True):
    """What goes from one append to the next."""

    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    model: str = ""
    uses: dict[str, int] = {}  # how many calls had an id
    made: dict[str, str] = {}  # the id by which a call with a time is known, by the hash of all that it is
    open_calls: list[str] = []  # of the last turn, not answered yet


class ChatReader(LinesReader):
    """The reader of one kind of chat logs; `paths` tells its transcripts below the home."""

    evidence = ReaderEvidence.DOCUMENTATION

    def __init__(self, agent: str = "hermes", paths: re.Pattern[str] = HERMES_PATHS) -> None:
        self.agent = agent
        self._paths = paths

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if self._paths.fullmatch(str(path)) else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        role = record.get("role")
        is_message = isinstance(role, str) and role in _ROLES
        return is_message and "message" not in record and "type" not in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> "ChatReading":
        return ChatReading(file.path, saved)


def any_folder() -> ChatReader:
    """The reader for a folder of chat logs given by hand."""
    return ChatReader("chat", ANY_PATHS)


class ChatReading(LinesReading[ChatState]):
    state_type: type[ChatState] = ChatState

    def __init__(self, path: PurePosixPath, saved: bytes | None) -> None:
        self._session = path.stem.removeprefix("session_") or path.stem
        super().__init__(resumed(self.state_type, saved))

    def feed(self, record: Record) -> list[Reading]:
        message = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = self._is_at_start
        at_ms = _time_of(message)
        readings: list[Reading] = []
        if is_first and at_ms is None:
            readings += self._start_by_name()
        turn = ChatTurn(self._session, self._state, record, message, at_ms)
        return readings + list(turn.read(is_first=is_first))

    def _start_by_name(self) -> list[Reading]:
        match = _TIME_IN_NAME.search(self._session)
        at_ms = ms_from_any(f"{match[1]}T{match[2]}") if match else None
        return [] if at_ms is None else [Facts(session=self._session, at_ms=at_ms)]


class ChatTurn:
    """One record of a chat log, on its way to readings."""

    def __init__(
        self, session: str, state: ChatState, record: Record, message: Mapping[str, Any], at_ms: int | None
    ) -> None:
        self._session = session
        self._state = state
        self._record = record
        self._message = message
        self._at_ms = at_ms

    def read(self, *, is_first: bool) -> Iterator[Reading]:
        role = self._message.get("role")
        if isinstance(role, str) and role in _ROLES:
            _count(self._state.known, role)
            yield from self._read_role(role)
        elif is_first and role is None and fields.text(self._message, *_META_FIELDS):
            _count(self._state.known, "session_meta")
            yield from self._facts()
        else:
            _count(self._state.unknown, self._unknown_name(_id(role)))

    def _unknown_name(self, role: str) -> str:
        if role in self._state.unknown or len(self._state.unknown) < _MOST_UNKNOWN:
            return role or "no role"
        return "other"

    def _read_role(self, role: str) -> Iterator[Reading]:
        text = text_of(self._message.get("content"))
        if text is None:
            reason = f"the content of a {role} message is neither text nor parts"
            yield Problem(offset=self._record.offset, length=self._record.length, reason=reason)
            text = ""
        if role == "session_meta":
            yield from self._facts()
        elif role == "assistant":
            yield from self._assistant(text)
        elif role in ("tool", "function"):
            yield self._result(text)
        elif text.strip():
            yield self._event(self._kind_of(role, text), text=text)

    def _facts(self) -> Iterator[Reading]:
        self._state.model = _id(self._message.get("model"))
        facts = Facts(
            session=self._session,
            at_ms=self._at_ms,
            cwd=fields.text(self._message, "cwd", "working_dir"),
            branch=fields.text(self._message, "git_branch", "branch"),
            version=fields.text(self._message, "version"),
            title=fields.text(self._message, "title"),
            origin=fields.text(self._message, "platform", "source"),
            provider=fields.text(self._message, "provider"),
        )
        if facts != Facts(session=self._session):
            yield facts

    def _kind_of(self, role: str, text: str) -> EventKind:
        if _COMPACTED.match(text):
            return EventKind.COMPACTION
        if role != "user" or self._message.get("mirror") is True or _INJECTED.match(text):
            return EventKind.NOTICE
        return EventKind.PROMPT

    def _assistant(self, text: str) -> Iterator[Reading]:
        thought = reasoning_of(self._message)
        if thought:
            yield self._event(EventKind.THOUGHT, text=thought)
        if text.strip():
            yield self._event(self._kind_of_reply(text), text=text)
        calls = calls_of(self._message)
        if calls:
            self._state.open_calls = []
        for number, call in enumerate(calls):
            given = _id(call.id)
            call_id = self._used(given, call.arguments) if given else f"at-{self._record.offset}-{number}"
            self._state.open_calls.append(call_id)
            key = f"call:{self._session}:{call_id}"
            yield self._event(EventKind.CALL, key=key, call_id=call_id, tool=call.tool, arguments=call.arguments)
        yield from self._spend()

    def _kind_of_reply(self, text: str) -> EventKind:
        if _COMPACTED.match(text):
            return EventKind.COMPACTION
        return EventKind.MODEL_ERROR if self._message.get("finish_reason") == "error" else EventKind.REPLY

    def _result(self, text: str) -> Event:
        call_id = self._result_event(_id(self._message.get("tool_call_id")))
        key = f"result:{self._session}:{call_id}"
        text, result = outcome_of(text)
        return self._event(EventKind.RESULT, key=key, call_id=call_id, text=text, result=result)

    def _spend(self) -> Iterator[Reading]:
        usage = usage_of(self._message.get("usage"))
        if usage is not None:
            model = _id(self._message.get("model")) or self._state.model
            own = self._own_id()
            key = f"{self._session}:{own}" if own else f"{self._session}@{self._record.offset}"
            yield Spend(session=self._session, key=key, model=model, usage=usage, at_ms=self._at_ms)

    def _used(self, call_id: str, arguments: Mapping[str, Any]) -> str:
        """The id of a call, told apart from earlier calls that had the same. One with the same time and arguments is
        the same call, written again."""
        sign = mark(repr([self._at_ms, call_id, arguments])) if self._at_ms is not None else ""
        if sign in self._state.made:
            return self._state.made[sign]
        times = _count(self._state.uses, call_id)
        used = call_id if times == 1 else f"{call_id}#{times}"
        if sign:
            self._state.made[sign] = used
        _bound(self._state.uses)
        _bound(self._state.made)
        return used

    def _result_event(self, call_id: str) -> str:
        """The id of the call that a result belongs to, which is open no longer."""
        waiting = self._state.open_calls
        if not call_id:
            return waiting.pop(0) if waiting else f"at-{self._record.offset}"
        times = self._state.uses.get(call_id, 1)
        latest = call_id if times == 1 else f"{call_id}#{times}"
        if latest in waiting:
            waiting.remove(latest)
        return latest

    def _own_id(self) -> str:
        own = self._message.get("id")
        return str(own) if isinstance(own, int) and not isinstance(own, bool) else _id(own)

    def _event(self, kind: EventKind, *, key: str | None = None, **more: Any) -> Event:
        if key is None:
            own = self._own_id()
            key = f"{kind}:{identity(self._session, self._at_ms, own)}" if own else ""
        return Place.of(self._session, self._record, self._at_ms).event(kind, key, **more)


def _time_of(message: Mapping[str, Any]) -> int | None:
    for name in ("timestamp", "created_at", "ts"):
        at_ms = ms_from_any(message.get(name))
        if at_ms is not None:
            return at_ms
    return None


def _id(value: Any) -> str:
    """A name that may go into keys and state; longer or other texts may not."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _count(counts: dict[str, int], name: str) -> int:
    counts[name] = counts.get(name, 0) + 1
    return counts[name]


def _bound(kept: dict[str, Any]) -> None:
    if len(kept) > _MOST_USES:
        del kept[next(iter(kept))]
