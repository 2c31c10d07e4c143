"""The reader of SWE-agent: one document per run, with the steps of the trajectory and the history shown to the model.

The steps hold what was thought, done and observed; of the history only the task is read, if there are steps. A history
without steps (a demonstration) is read itself, with its tool calls and their results; results in the name of the user
are left out there, because alone they cannot be told from a task. Nothing has a time, and no result says whether it is
a failure. Parts of a demonstration inside of a run (`is_demo`) did not happen in it. A run has no id of its own; its
path stands for it. Tokens are known for the whole run alone.

What an action of SWE-agent is: one of the commands of its own interface, or a line for the shell. Its own commands come
as text too (`open src/main.c 12`, `edit 4:4` with the lines below). They become calls of that name with the arguments
that their readers need; the file that is edited is the one that stands open.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReading, Place, Reader
from afterwit.agents.messages import calls_of, text_of
from afterwit.model.kinds import EventKind, ReaderEvidence, RecordedEnd
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_OPEN_FILE = frozenset(["edit", "goto", "scroll_up", "scroll_down", "set_cursors", "insert"])
_NAMED_FILE = frozenset(["open", "create", "view"])
_SEARCHES = {
    "search_dir": ("query", "path"),
    "search_file": ("query", "path"),
    "find_file": ("file_name", "path"),
}
_BARE = frozenset(["submit", "exit_cost", "exit_context", "exit_format", "exit_forfeit", "skip"])
_LIMITS = regex(r"cost|context|time")
_EDITOR = "str_replace_editor"
_ROLES = frozenset(["system", "user", "assistant", "tool"])


class SweAgentCall(NamedTuple):
    tool: str
    arguments: dict[str, Any]


def call_of(action: str, open_file: str) -> SweAgentCall:
    line, _, below = action.strip().partition("\n")
    words = _words(line)
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in _BARE:
        return SweAgentCall(name, {"command": action.strip()})
    if name in _NAMED_FILE and rest:
        return SweAgentCall(name, {"path": rest[0], "raw": line})
    if name in _SEARCHES and rest:
        return SweAgentCall(name, dict(zip(_SEARCHES[name], rest, strict=False)))
    if name in _OPEN_FILE:
        return SweAgentCall(name, {"path": open_file, "raw": line, "text": below})
    if name == _EDITOR and len(rest) > 1:
        return SweAgentCall(name, {"command": rest[0], "path": rest[1]})
    return SweAgentCall("bash", {"command": action.strip()})


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


class SweAgentReading(DocumentReading):
    _number = 0
    _last_call = ""

    def session_of(self, path: PurePosixPath) -> str:
        return str(path).removesuffix(".traj")

    def feed(self, record: Record) -> Iterator[Reading]:
        document = msgspec.json.decode(record.raw, type=dict[str, Any])
        steps = fields.mappings(document, "trajectory")
        yield from self._about(document, steps)
        for item in items(record, "history"):
            if self._is_read(item, is_alone=not steps):
                yield from self.piece(item)
        for step in items(record, "trajectory"):
            yield from self.piece(step)
        end = recorded_end(fields.mapping(document, "info"))
        if end:
            yield Facts(session=self._session, end=end)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        if "role" in value:
            yield from self._item(value, place)
            return
        is_step = "action" in value or "observation" in value
        self._memory.count("step" if is_step else "(no step)", is_known=is_step)
        if is_step:
            yield from self._step(value, place)

    def _about(self, document: Mapping[str, Any], steps: list[dict[str, Any]]) -> Iterator[Reading]:
        info = fields.mapping(document, "info")
        spent = fields.mapping(info, "model_stats")
        cwd = fields.text(_state_of(steps[0]), "working_dir") if steps else ""
        yield Facts(session=self._session, cwd=cwd, version=fields.text(info, "swe_agent_version"))
        usage = fields.usage(spent, "tokens_sent", "tokens_received")
        cost = fields.dollars(spent, "instance_cost") or None
        yield from Place(self._session, 0, 0).spent(f"{self._session}:all", _model_of(document), usage, cost)

    def _is_read(self, record: Record, *, is_alone: bool) -> bool:
        """Whether this item of the history says something that the steps do not say: the task, and all but the other
        messages of the user where there are no steps."""
        item = msgspec.json.decode(record.raw)
        if isinstance(item, dict) and item.get("role") == "user":
            return not item.get("is_demo") and "user" not in self.known
        return is_alone

    def _item(self, item: Mapping[str, Any], place: Place) -> Iterator[Event]:
        role = fields.text(item, "role")
        self._memory.count(role, is_known=role in _ROLES)
        text = text_of(item.get("content")) or ""
        if item.get("is_demo") or role not in _ROLES:
            return
        if role == "assistant":
            yield from self._answer(item, text, place)
        elif role == "tool":
            yield place.answered(self._result_event(item) or place.made_up(), text, Result())
        else:
            yield from place.told(EventKind.PROMPT if role == "user" else EventKind.NOTICE, text)

    def _answer(self, item: Mapping[str, Any], text: str, place: Place) -> Iterator[Event]:
        yield from place.told(EventKind.REPLY, fields.text(item, "thought") or text)
        calls = calls_of(item)
        for call in calls:
            self._last_call = fields.plain_id({"id": call.id}, "id") or self._next()
            yield place.asked(self._last_call, call.tool, call.arguments)
        action = fields.text(item, "action")
        if action and not calls:
            self._last_call = self._next()
            yield place.asked(self._last_call, *call_of(action, ""))

    def _result_event(self, item: Mapping[str, Any]) -> str:
        ids = item.get("tool_call_ids")
        return fields.plain_id({"id": ids[0]}, "id") if isinstance(ids, list) and ids else self._last_call

    def _step(self, step: Mapping[str, Any], place: Place) -> Iterator[Event]:
        yield from place.told(EventKind.REPLY, fields.text(step, "thought", "response"))
        observation = text_of(step.get("observation")) or ""
        action = fields.text(step, "action")
        if action:
            number = self._next()
            yield place.asked(number, *call_of(action, fields.text(_state_of(step), "open_file")))
            seconds = fields.number(step, "execution_time")
            duration = fields.duration_ms({"ms": seconds * 1000}, "ms") if seconds is not None else None
            yield place.answered(number, observation, Result(duration_ms=duration))
        else:
            yield from place.told(EventKind.NOTICE, observation)

    def _next(self) -> str:
        self._number += 1
        return f"step-{self._number}"


class SweAgentReader(Reader):
    agent = "swe-agent"
    evidence = ReaderEvidence.REAL_DATA
    document = SweAgentReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        history = fields.mappings(record, "history")
        is_own = bool(history) and all("agent" in item and "role" in item for item in history[:3])
        return is_own or ("trajectory" in record and "environment" in record and "info" in record)


def recorded_end(info: Mapping[str, Any]) -> RecordedEnd | None:
    """What the exit status means: `submitted`, `exit_cost`, or `submitted (exit_cost)` where the run was out of money
    and what lay there was taken. Nothing handed in solves nothing."""
    status = fields.text(info, "exit_status").lower()
    has_result = bool(fields.text(info, "submission").strip())
    if not status:
        return None
    if status.startswith("submitted"):
        kind = RecordedEnd.DONE if status == "submitted" else RecordedEnd.FORCED
        return kind if has_result else RecordedEnd.UNSOLVED
    if _LIMITS.search(status):
        return RecordedEnd.LIMIT
    return RecordedEnd.UNSOLVED if "forfeit" in status else RecordedEnd.ERROR


def _state_of(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stood open and where, which is JSON text inside of a step."""
    state = step.get("state")
    value = fields.decoded_text(state) if isinstance(state, str) else state
    return value if isinstance(value, dict) else {}


def _model_of(document: Mapping[str, Any]) -> str:
    config = document.get("replay_config")
    value = fields.decoded_text(config) if isinstance(config, str) else config
    model = fields.mapping(fields.mapping(value if isinstance(value, dict) else {}, "agent"), "model")
    return fields.plain_id(model, "name")
