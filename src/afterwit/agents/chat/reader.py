"""Reads logs of plain chat messages: one JSON object with a `role` per line, as older Hermes builds wrote them.

Written from documentation. The session is the file: its native id is the name without ending and without `session_`.
Where the first record has no time, the one in the name is the start (local time in truth, taken as UTC). The first
record may describe the session instead of saying something: role `session_meta`, or no role at all.
Call ids such as `call_0` may come again in each turn: from its second use on, an id gets a number ("call_0#2"), and a
result belongs to the latest call of its id. A result without an id answers the oldest open call of the last turn.
State: counters, the model's name and call ids. Shapes, and the meaning of outputs, are left to `messages`.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeVar

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReading, Place, Reader, RowsState, identity, mark
from afterwit.agents.messages import calls_of, outcome_of, reasoning_of, text_of, usage_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Reading
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_ROLES = frozenset(["user", "assistant", "tool", "function", "system", "developer", "session_meta"])
_META = "session_meta"
_META_FIELDS = ("session_id", "model", "cwd", "platform")
_TIME_IN_NAME = regex(r"(\d{8})_(\d{6})(?!\d)")
_ID = regex(r"[\w.:/@#+-]{1,120}")
_MOST_USES = 5_000
_INJECTED = regex(r"(?i)\s*(?:<[A-Za-z][\w-]*[ >]|\[(?:system|gateway) note\b|\[system\b)")
_COMPACTED = regex(r"\s*\[CONTEXT (?:COMPACTION|SUMMARY)\b")


class ChatState(RowsState, kw_only=True):
    """What goes from one append to the next."""

    uses: dict[str, int] = msgspec.field(default_factory=dict)  # how many calls had an id
    made: dict[str, str] = msgspec.field(default_factory=dict)  # hash of a call with a time → its id
    open_calls: list[str] = msgspec.field(default_factory=list)  # of the last turn, not answered yet


ChatT = TypeVar("ChatT", bound=ChatState)


class ChatReading(LinesReading[ChatT]):
    times = ("timestamp", "created_at", "ts")

    def session_of(self, path: PurePosixPath) -> str:
        return path.stem.removeprefix("session_") or path.stem

    def begin(self, value: dict[str, Any], place: Place) -> Iterator[Reading]:
        match = _TIME_IN_NAME.search(self._session) if place.at_ms is None else None
        at_ms = ms_from_any(f"{match[1]}T{match[2]}") if match else None
        if at_ms is not None:
            yield Facts(session=self._session, at_ms=at_ms)
        if value.get("role") is None and fields.text(value, *_META_FIELDS):
            value["role"] = _META

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        return ChatTurn(self._state, value, place).read()


class PlainChatReading(ChatReading[ChatState]):
    state_type = ChatState


class ChatReader(Reader):
    """The reader of a folder of chat logs."""

    agent = "chat"
    lines = PlainChatReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        role = record.get("role")
        is_message = isinstance(role, str) and role in _ROLES
        return is_message and "message" not in record and "type" not in record


class ChatTurn:
    """One record of a chat log, on its way to readings."""

    def __init__(self, state: ChatState, message: Mapping[str, Any], place: Place) -> None:
        self._state = state
        self._message = message
        self._place = place

    def read(self) -> Iterator[Reading]:
        role = self._message.get("role")
        name = _id(role) or "no role"
        self._state.count(name, is_known=name in _ROLES)
        if name in _ROLES:
            yield from self._read_role(name)

    def _read_role(self, role: str) -> Iterator[Reading]:
        text = text_of(self._message.get("content"))
        if text is None:
            yield self._place.problem(f"the content of a {role} message is neither text nor parts")
            text = ""
        if role == _META:
            yield from self._facts()
        elif role == "assistant":
            yield from self._assistant(text)
        elif role in ("tool", "function"):
            yield self._result(text)
        else:
            yield from self._tell(self._kind_of(role, text), text)

    def _facts(self) -> Iterator[Reading]:
        self._state.model = _id(self._message.get("model"))
        facts = Facts(
            session=self._place.session,
            at_ms=self._place.at_ms,
            cwd=fields.text(self._message, "cwd", "working_dir"),
            branch=fields.text(self._message, "git_branch", "branch"),
            version=fields.text(self._message, "version"),
            title=fields.text(self._message, "title"),
            origin=fields.text(self._message, "platform", "source"),
            provider=fields.text(self._message, "provider"),
        )
        if facts != Facts(session=facts.session):
            yield facts

    def _kind_of(self, role: str, text: str) -> EventKind:
        if _COMPACTED.match(text):
            return EventKind.COMPACTION
        if role != "user" or self._message.get("mirror") is True or _INJECTED.match(text):
            return EventKind.NOTICE
        return EventKind.PROMPT

    def _assistant(self, text: str) -> Iterator[Reading]:
        yield from self._tell(EventKind.THOUGHT, reasoning_of(self._message))
        yield from self._tell(self._kind_of_reply(text), text)
        calls = calls_of(self._message)
        if calls:
            self._state.open_calls = []
        for number, call in enumerate(calls):
            given = _id(call.id)
            call_id = self._used(given, call.arguments) if given else self._place.made_up(number)
            self._state.open_calls.append(call_id)
            yield self._place.call(f"call:{self._place.session}:{call_id}", call_id, call.tool, call.arguments)
        yield from self._spend()

    def _kind_of_reply(self, text: str) -> EventKind:
        if _COMPACTED.match(text):
            return EventKind.COMPACTION
        return EventKind.MODEL_ERROR if self._message.get("finish_reason") == "error" else EventKind.REPLY

    def _result(self, text: str) -> Event:
        call_id = self._result_event(_id(self._message.get("tool_call_id")))
        return self._place.result(f"result:{self._place.session}:{call_id}", call_id, *outcome_of(text))

    def _spend(self) -> Iterator[Reading]:
        usage = usage_of(self._message.get("usage"))
        if usage is not None:
            model = _id(self._message.get("model")) or self._state.model
            own = self._own_id()
            session, offset = self._place[:2]
            yield from self._place.spent(f"{session}:{own}" if own else f"{session}@{offset}", model, usage)

    def _used(self, call_id: str, arguments: Mapping[str, Any]) -> str:
        """The id of a call, told apart from earlier calls that had the same. One with the same time and arguments is
        the same call, written again."""
        at_ms = self._place.at_ms
        sign = mark(repr([at_ms, call_id, arguments])) if at_ms is not None else ""
        if sign in self._state.made:
            return self._state.made[sign]
        self._state.uses[call_id] = times = self._state.uses.get(call_id, 0) + 1
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
            return waiting.pop(0) if waiting else f"at-{self._place.offset}"
        times = self._state.uses.get(call_id, 1)
        latest = call_id if times == 1 else f"{call_id}#{times}"
        if latest in waiting:
            waiting.remove(latest)
        return latest

    def _own_id(self) -> str:
        own = self._message.get("id")
        return str(own) if isinstance(own, int) and not isinstance(own, bool) else _id(own)

    def _tell(self, kind: EventKind, text: str) -> Iterator[Event]:
        own, (session, _, _, at_ms) = self._own_id(), self._place
        return self._place.told(kind, text, f"{kind}:{identity(session, at_ms, own)}" if own else "")


def _id(value: Any) -> str:
    """A name that may go into keys and state; longer or other texts may not."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _bound(kept: dict[str, Any]) -> None:
    if len(kept) > _MOST_USES:
        del kept[next(iter(kept))]
