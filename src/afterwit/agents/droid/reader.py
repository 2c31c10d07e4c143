"""The reader of Factory Droid: one file of JSON lines per session, with its settings beside it.

Written from documentation. The first line, `session_start`, describes the session; `message` lines hold Anthropic's
blocks. A user's message is a person's unless its fields say otherwise: made for one side only (`visibility`), sent by
an automation, the report of a hook, or the task of a subagent's session. Tokens are known for the whole session alone,
from `<session>.settings.json`, which is rewritten in place.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReader, LinesReading, Place, ReadingMemory, SourceFile, resumed
from afterwit.agents.messages import Answered, Asked, Other, SaidBlock, Thought, blocks_of, ended, without_tags
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_SETTINGS = ".settings.json"
_SILENT = frozenset(["todo_state", "session_settings"])
_ROLES = frozenset(["user", "assistant", "system"])
_STOPPED = frozenset(["interrupted", "cancelled", "canceled", "aborted"])
_FAILED = frozenset(["error", "failed"])
_EXIT = re.compile(r"\[Process exited with code (-?\d{1,10})\]\s*$")
_TAIL_CHARS = 200
_TASK = "# Task Tool Invocation"  # how the first message and the title of a subagent's session begin


class _State(ReadingMemory):
    is_delegated: bool = False  # another session's agent started this one
    model: str = ""


class DroidReader(LinesReader):
    agent = "droid"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        if path.parts[:1] != ("sessions",) or len(path.parts) not in (2, 3):
            return None
        if path.name.endswith(_SETTINGS):
            return path.with_name(f"{path.name.removesuffix(_SETTINGS)}.jsonl")
        return path if path.suffix == ".jsonl" else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return record.get("type") == "session_start" and isinstance(record.get("id"), str) and "owner" in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> "DroidReading":
        return DroidReading(file, resumed(_State, saved))


class DroidReading(LinesReading[_State]):
    def __init__(self, file: SourceFile, state: _State) -> None:
        self._session = file.path.stem
        self._settings = partial(file.companion, file.path.with_name(f"{file.path.stem}{_SETTINGS}"))
        super().__init__(state)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = self._is_at_start
        readings = list(self._totals()) if is_first else []
        place = Place.of(self._session, record, ms_from_any(value.get("timestamp")))
        return readings + list(self._read(value, place))

    def _read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        kind = fields.text(value, "type")
        message = fields.mapping(value, "message")
        if kind == "session_start":
            self._state.count(kind, is_known=True)
            yield self._facts(value)
        elif kind == "message":
            yield from self._message(fields.plain_id(value, "id"), message, place)
        elif kind == "compaction_state":
            self._state.count(kind, is_known=True)
            yield place.said(EventKind.COMPACTION, fields.text(value, "summaryText"))
        elif kind == "agent_turn_outcome":
            self._state.count(kind, is_known=True)
            yield from self._outcome(fields.text(value, "reason"), place)
        else:
            self._state.count(kind, is_known=kind in _SILENT)

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

    def _totals(self) -> Iterator[Reading]:
        """What the settings say of the session as a whole."""
        settings = fields.decoded_file(self._settings())
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
        if role not in _ROLES:
            self._state.count(f"message/{role}", is_known=False)
            return
        self._state.count(f"message/{role}", is_known=True)
        said: list[str] = []
        for number, block in enumerate(blocks_of(message.get("content"))):
            if isinstance(block, SaidBlock):
                said.append(block.text)
            elif isinstance(block, Thought):
                yield place.said(EventKind.THOUGHT, block.text)
            elif isinstance(block, Asked):
                yield from self._text_events(role, own, message, said, place)
                yield place.asked(block.id or place.made_up(number), block.tool, block.arguments)
            elif isinstance(block, Answered):
                yield place.answered(block.id or place.made_up(number), block.text, _end(block))
            elif isinstance(block, Other):
                yield place.problem(f"a block of the unknown type {block.type!r}")
        yield from self._text_events(role, own, message, said, place)

    def _text_events(
        self, role: str, own: str, message: Mapping[str, Any], said: list[str], place: Place
    ) -> Iterator[Event]:
        """One event of the texts so far, which are told then."""
        text, injected = without_tags("\n".join(said), "system-reminder")
        said.clear()
        if injected:
            yield place.said(EventKind.NOTICE, injected)
        if not text.strip():
            return
        kind = EventKind.REPLY if role == "assistant" else EventKind.NOTICE
        if role == "user" and self._is_human(message, text):
            kind = EventKind.PROMPT
        yield place.said(kind, text, f"{kind}:{place.identity(own)}" if own else "")

    def _is_human(self, message: Mapping[str, Any], text: str) -> bool:
        source = fields.text(message, "userMessageSource")
        is_made = bool(fields.text(message, "visibility", "hookEventName")) or source == "automation"
        return not (is_made or self._state.is_delegated or text.startswith(_TASK))


def _end(answer: Answered) -> Result:
    """How a call ended; results without a flag are good ones. Commands say their exit code in their last line."""
    stated = _EXIT.search(answer.text[-_TAIL_CHARS:])
    code = fields.exit_code({"code": int(stated[1])}, "code") if stated else None
    return msgspec.structs.replace(ended(answer.text, answer.is_error or False), exit_code=code)
