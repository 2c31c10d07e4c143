"""Messages of Hermes, wherever they are kept, as readings with keys that are the same everywhere.

A session can be told by the database, by a snapshot of its messages and by the lines of older builds. None of them has
an id of a message that the others have too. So a prompt is known by its session, its text and how often this text came
before; a call by its id. What a message means is what it means in any chat log; failures are inferred from the text of
results. State: hashes and counters.

What Hermes says of a session as a whole: in a row of its database, or at the head of a snapshot. Both a compaction that
splits a session and a delegation name a parent. It is a delegation if the session says so itself, a branch likewise;
else it goes on after a compaction if that is how the parent ended. Older rows say neither: then the parent was still at
work, and has delegated.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.reader import ChatState, ChatTurn
from afterwit.agents.fields import decoded_text
from afterwit.agents.reading import mark
from afterwit.agents.rows import column, native_id
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_COMPACTED = "compression"
_BRANCHED = "branched"
_UNPRICED = ("unknown", "")
_DEAREST_USD = 1e6
_JSON = "\0json:"
_COLUMNS = (
    *("role", "content", "tool_calls", "tool_call_id", "finish_reason", "reasoning", "reasoning_content"),
    *("timestamp", "usage", "model"),
)


class HermesState(ChatState, kw_only=True):
    prompts: dict[str, int] = msgspec.field(default_factory=dict)  # by the hash of the text: how often it came
    rows: dict[str, int] = msgspec.field(default_factory=dict)  # hashes of rows: a compaction may write them again
    session: str = ""
    is_child: bool = False
    started_ms: int = 0
    is_continued: bool = False  # the session goes on where a compaction split it off
    parent_end: str = ""
    has_usage: bool = False


def message_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The message that a row or an element of a snapshot stands for."""
    message = {name: row[name] for name in _COLUMNS if row.get(name) is not None}
    content = message.get("content")
    if isinstance(content, str) and content.startswith(_JSON):
        message["content"] = decoded_text(content.removeprefix(_JSON))
    if row.get("observed") in (1, True) or row.get("mirror") is True:
        message["mirror"] = True  # heard in a group chat, not said to the agent
    return message


def readings_of(record: Record, message: Mapping[str, Any], state: HermesState) -> Iterator[Reading]:
    at_ms = ms_from_any(message.get("timestamp"))
    turn = ChatTurn(state.session, state, record, message, at_ms)
    return rekeyed(turn.read(is_first=False), state)


def rekeyed(readings: Iterable[Reading], state: HermesState) -> Iterator[Reading]:
    """The same with keys that are equal in all places where Hermes keeps a session."""
    for reading in readings:
        if not isinstance(reading, Event):
            yield reading
        elif reading.kind is EventKind.PROMPT:
            yield _prompt(reading, state)
        else:
            yield reading


def is_written_again(message: Mapping[str, Any], state: HermesState) -> bool:
    """Whether this row was there before: a compaction in place writes what it keeps again, with the same time."""
    at_ms = ms_from_any(message.get("timestamp"))
    if state.is_continued and at_ms is not None and at_ms < state.started_ms - 1000:
        return True
    names = ("role", "content", "tool_calls", "tool_call_id")
    sign = mark(repr([at_ms, *(message.get(name) for name in names)]))
    if sign in state.rows:
        return True
    state.rows[sign] = 1
    return False


def _prompt(event: Event, state: HermesState) -> Event:
    if state.is_child:
        return msgspec.structs.replace(event, kind=EventKind.NOTICE, key="")
    sign = mark(event.text)
    state.prompts[sign] = times = state.prompts.get(sign, 0) + 1
    return msgspec.structs.replace(event, key=f"prompt:{event.session}:{sign}:{times}")


def facts_of_row(session: str, row: Mapping[str, Any], parent_end: str) -> Facts:
    parent = native_id(row.get("parent_session_id"))
    return Facts(
        session=session,
        at_ms=ms_from_any(row.get("started_at")),
        cwd=fields.text(row, "cwd", "git_repo_root"),
        branch=fields.text(row, "git_branch"),
        title=fields.text(row, "title"),
        parent=parent,
        relation=relation_of(row, parent_end) if parent else None,
        origin=fields.text(row, "source"),
        provider=fields.text(row, "billing_provider"),
    )


def relation_of(row: Mapping[str, Any], parent_end: str) -> Relation:
    config = column(row, "model_config")
    config = config if isinstance(config, dict) else {}
    if row.get("source") == "subagent" or config.get("_delegate_from"):
        return Relation.SUBAGENT
    if config.get("_branched_from") or parent_end == _BRANCHED:
        return Relation.FORK
    return Relation.RESUME if parent_end == _COMPACTED else Relation.SUBAGENT


def facts_of_snapshot(session: str, head: Mapping[str, Any]) -> Facts:
    """The times are local and without a zone; they are taken as UTC."""
    return Facts(
        session=session,
        at_ms=ms_from_any(head.get("session_start")),
        origin=fields.text(head, "platform"),
    )


def spend_of(session: str, key: str, row: Mapping[str, Any]) -> Spend | None:
    """A running total: of a session, or of one model in it."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    usage = fields.usage(row, *names)
    if usage == Usage():
        return None
    at_ms = ms_from_any(row.get("last_seen")) or ms_from_any(row.get("started_at"))
    model = fields.text(row, "model")
    return Spend(session=session, key=key, model=model, usage=usage, at_ms=at_ms, cost_usd=_cost(row))


def _cost(row: Mapping[str, Any]) -> float | None:
    actual, estimated = fields.number(row, "actual_cost_usd"), fields.number(row, "estimated_cost_usd")
    cost = actual or (None if fields.text(row, "cost_status") in _UNPRICED else estimated)
    return float(cost) if cost is not None and 0 <= cost < _DEAREST_USD else None
