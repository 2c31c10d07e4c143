"""The reader of Factory Droid: one file of JSON lines per session, with its settings beside it.

Written from documentation. The first line, `session_start`, describes the session; `message` lines hold Anthropic's
blocks. A user's message is a person's unless its fields say otherwise: made for one side only (`visibility`), sent by
an automation, the report of a hook, or the task of a subagent's session. Tokens are known for the whole session alone,
from `<session>.settings.json`, which is rewritten in place.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReading, Place, Reader, ReadingMemory
from afterwit.agents.messages import Answered, Asked, SaidBlock, blocks_of, ended, tell_block, without_tags
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_SETTINGS = ".settings.json"
_MEANT = frozenset(["session_start", "compaction_state", "agent_turn_outcome"])
_SILENT = frozenset(["todo_state", "session_settings"])
_ROLES = frozenset(["user", "assistant", "system"])
_STOPPED = frozenset(["interrupted", "cancelled", "canceled", "aborted"])
_FAILED = frozenset(["error", "failed"])
_EXIT = regex(r"\[Process exited with code (-?\d{1,10})\]\s*$")
_TAIL_CHARS = 200
_TASK = "# Task Tool Invocation"  # how the first message and the title of a subagent's session begin


class _State(ReadingMemory):
    is_delegated: bool = False  # another session's agent started this one
    model: str = ""


class DroidReading(LinesReading[_State]):
    state_type = _State

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        kind = fields.text(value, "type")
        message = fields.mapping(value, "message")
        if kind == "message":
            yield from self._message(fields.plain_id(value, "id"), message, place)
            return
        self._state.count(kind, is_known=kind in _MEANT or kind in _SILENT)
        if kind == "session_start":
            yield self._facts(value)
        elif kind == "compaction_state":
            yield place.said(EventKind.COMPACTION, fields.text(value, "summaryText"))
        elif kind == "agent_turn_outcome":
            yield from self._outcome(fields.text(value, "reason"), place)

    def _facts(self, start: Mapping[str, Any]) -> Facts:
        caller, forked = fields.plain_id(start, "callingSessionId"), fields.plain_id(start, "parent")
        title = fields.text(start, "sessionTitle", "title")
        self._state.is_delegated = bool(caller) or title.startswith(_TASK)
        relation = Relation.SUBAGENT if self._state.is_delegated else Relation.FORK if forked else None
        return Facts(
            session=self._session,
            at_ms=ms_from_any(start.get("timestamp")),
            cwd=fields.text(start, "cwd"),
            title="" if title.startswith(_TASK) else title,
            is_title_manual=fields.flag(start, "isSessionTitleManuallySet") is True,
            parent=caller or forked,
            relation=relation,
            parent_call=fields.plain_id(start, "callingToolUseId"),
        )

    def begin(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:  # noqa: ARG002 - the protocol's
        """What the settings say of the session as a whole."""
        settings = fields.decoded_file(self._file.companion(self._file.path.with_name(f"{self._session}{_SETTINGS}")))
        names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens", "thinkingTokens")
        usage = fields.usage(fields.mapping(settings, "tokenUsage"), *names)
        place = Place(self._session, 0, 0, ms_from_any(settings.get("providerLockTimestamp")))
        return place.spent(f"{self._session}:all", fields.plain_id(settings, "model"), usage)

    def _outcome(self, reason: str, place: Place) -> Iterator[Event]:
        if reason in _STOPPED:
            yield place.said(EventKind.INTERRUPT)
        elif reason in _FAILED:
            yield place.said(EventKind.MODEL_ERROR, reason)

    def _message(self, own: str, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role = fields.text(message, "role")
        self._state.count(f"message/{role}", is_known=role in _ROLES)
        if role not in _ROLES:
            return
        said: list[str] = []
        for number, block in enumerate(blocks_of(message.get("content"))):
            if isinstance(block, SaidBlock):
                said.append(block.text)
                continue
            if isinstance(block, Asked):
                yield from self._text_events(role, own, message, said, place)
            yield from tell_block(block, place, number, _end)
        yield from self._text_events(role, own, message, said, place)

    def _text_events(
        self, role: str, own: str, message: Mapping[str, Any], said: list[str], place: Place
    ) -> Iterator[Event]:
        """One event of the texts so far, which are told then."""
        text, injected = without_tags("\n".join(said), "system-reminder")
        said.clear()
        yield from place.told(EventKind.NOTICE, injected)
        kind = EventKind.REPLY if role == "assistant" else EventKind.NOTICE
        if role == "user" and self._is_human(message, text):
            kind = EventKind.PROMPT
        yield from place.told(kind, text, f"{kind}:{place.identity(own)}" if own else "")

    def _is_human(self, message: Mapping[str, Any], text: str) -> bool:
        source = fields.text(message, "userMessageSource")
        is_made = bool(fields.text(message, "visibility", "hookEventName")) or source == "automation"
        return not (is_made or self._state.is_delegated or text.startswith(_TASK))


def _end(answer: Answered) -> tuple[str, Result]:
    """How a call ended; results without a flag are good ones. Commands say their exit code in their last line."""
    code = fields.stated_code(_EXIT.search(answer.text[-_TAIL_CHARS:]))
    return answer.text, msgspec.structs.replace(ended(answer.text, answer.is_error or False), exit_code=code)


class DroidReader(Reader):
    agent = "droid"
    lines = DroidReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return super().primary(
            path.with_name(f"{path.name.removesuffix(_SETTINGS)}.jsonl") if path.name.endswith(_SETTINGS) else path
        )

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return record.get("type") == "session_start" and isinstance(record.get("id"), str) and "owner" in record
