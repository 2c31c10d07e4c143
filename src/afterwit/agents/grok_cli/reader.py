"""Reads sessions of the community's Grok CLI (superagent-ai), rendered from its database `grok.db`.

Written from its source. A row holds one message in the form of the AI SDK: texts, `tool-call` and `tool-result` parts;
the outputs of tools say `success` and `error`. Each response of a model has a row with its tokens and what the CLI
thinks it cost. The CLI of xAI has the same home and other files; another reader reads those.

Where the community's Grok CLI keeps its sessions: one database for all of them. Messages, what they used and
compactions lie in tables of their own and are put into one order by their times, so that a growing session grows at its
end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import Place, Reader, Row, RowsReading, RowsState, column, native_id, row_of
from afterwit.agents.messages import outcome_of, text_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Reading, Result
from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_CHANGING = frozenset(
    ("updated_at", "cwd_last", "status", "recap_text", "recap_model", "recap_updated_at", "last_seen_at")
)
_DATABASE = Database(
    names=r"grok\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=_CHANGING),
    tables=(
        DatabaseTable("messages", session="session_id", order=("seq",)),
        DatabaseTable("usage_events", session="session_id", order=("id",)),
        DatabaseTable("compactions", session="session_id", order=("id",)),
    ),
    updated="updated_at",
    merged="created_at",
)
_MICRO = 1_000_000
_MOST_MICROS = 10**12
_SILENT = frozenset(("image", "file", "source"))
_SPOKEN = frozenset(("text", "reasoning", "tool-call", "tool-result"))


class GrokCliReading(RowsReading[RowsState]):
    state_type = RowsState
    times = ("created_at",)

    def take(self, row: Row, place: Place) -> Iterator[Reading] | None:
        match row.table:
            case "sessions":
                return self._read_session(row.values, place)
            case "messages":
                return self._message(row.values, place)
            case "usage_events":
                return self._usage(row.values, place)
            case "compactions":
                self.noted("compaction")
                return iter([place.said(EventKind.COMPACTION, fields.text(row.values, "summary"))])
        return None

    def _read_session(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted("session")
        self._state.session = native_id(row.get("id")) or place.session
        cwd, title = fields.text(row, "cwd_at_start"), fields.text(row, "title")
        yield Facts(session=self._state.session, at_ms=place.at_ms, cwd=cwd, title=title)

    def _usage(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted("usage")
        micros = fields.number(row, "cost_micros")
        cost = micros / _MICRO if micros is not None and 0 < micros < _MOST_MICROS else None
        used = fields.usage(row, "input_tokens", "output_tokens")
        key = f"{place.session}:usage:{row.get('id')}"[:400]
        yield from place.spent(key, fields.text(row, "model"), used, cost)

    def _message(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        message = column(row, "message_json")
        message = message if isinstance(message, dict) else {}
        role = fields.plain_id(message, "role") or fields.plain_id(row, "role")
        self.noted(f"message/{role[:20]}")
        key = f"{place.session}:{row.get('seq')}"[:400]
        content = message.get("content")
        if not isinstance(content, list):
            yield from _text_events(place, role, text_of(content) or "", key)
            return
        texts = [text_of(part) or "" for part in content if isinstance(part, dict) and _is_text(part)]
        yield from _text_events(place, role, "\n".join(text for text in texts if text), key)
        for part in fields.mappings(message, "content"):
            kind = fields.plain_id(part, "type")
            self.noted(f"part/{kind}", is_known=kind in _SPOKEN or kind in _SILENT)
            yield from self._part(place, kind, part)

    def _part(self, place: Place, kind: str, part: Mapping[str, Any]) -> Iterator[Reading]:
        call_id = fields.plain_id(part, "toolCallId")
        if kind == "reasoning":
            yield from place.told(EventKind.THOUGHT, fields.text(part, "text"))
        elif kind == "tool-call" and call_id:
            arguments = fields.arguments(part.get("input", part.get("args")))
            yield place.asked(call_id, fields.text(part, "toolName"), arguments)
        elif kind == "tool-result" and call_id:
            yield place.answered(call_id, *_outcome(part.get("output", part.get("result"))))


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") in ("text", "image", "file")


def _text_events(place: Place, role: str, text: str, key: str) -> Iterator[Reading]:
    kinds = {"user": (EventKind.PROMPT, f"prompt:{key}"), "assistant": (EventKind.REPLY, f"said:{key}")}
    kind, own = kinds.get(role, (EventKind.NOTICE, ""))
    return place.told(kind, text, own)


def _outcome(output: Any) -> tuple[str, Result]:
    """An output is a text, a JSON value, or an error of either."""
    about = output if isinstance(output, dict) else {"type": "text", "value": output}
    kind, value = about.get("type"), about.get("value", about)
    if isinstance(value, str):
        text, result = outcome_of(fields.without_blobs(value))
        is_error = True if kind == "error-text" else result.is_error
        return text, Result(is_error=is_error, is_cancelled=result.is_cancelled)
    said = value if isinstance(value, dict) else {}
    text = "\n".join(part for part in (fields.text(said, "output"), fields.text(said, "error")) if part)
    success = fields.flag(said, "success")
    is_error = True if kind == "error-json" else None if success is None else not success
    return fields.without_blobs(text), Result(is_error=is_error)


class GrokCliReader(Reader):
    agent = "grok-cli"
    paths = ("**/grok.db/*.jsonl",)
    lines = GrokCliReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        return row.table == "sessions" and {"workspace_id", "cwd_at_start"} <= row.values.keys()


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
