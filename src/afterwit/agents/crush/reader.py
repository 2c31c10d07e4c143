"""Reads Crush's sessions, rendered from its database: a row per message, with its parts as JSON.

Written from Crush's source and real schemas. Of tokens a session's row has those of its last response only, but all
that it cost; both go into one spend. A failed command says its exit code at the end of its output; one that says none
and was not moved to the background has ended well. A session that a tool call started is named after the call. The
folder that holds `.crush` is where the sessions ran.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import Place, Reader, Row, RowsReading, RowsState, column, native_id, row_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import PLACE, Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Gatherer

_DATABASE = Database(
    names=r"crush\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=frozenset(("message_count", "updated_at"))),
    tables=(
        DatabaseTable(
            "messages",
            session="session_id",
            order=("created_at", "rowid"),
            changed="updated_at",
            without=frozenset(("updated_at",)),
        ),
    ),
    updated="updated_at",
    has_place=True,
)
_SILENT = frozenset(("image_url", "binary"))
_EXIT = regex(r"(?:^|\n)Exit code (\d{1,9})\s*(?:<cwd>[^<\n]*</cwd>)?\s*\Z")
_CWD = regex(r"(?<!\s)\s*<cwd>[^<\n]*</cwd>\s*\Z")
_CALL_SESSION = regex(r"(?:.*\$\$)?((?:call_|toolu_|tooluse_|functions\.)[\w.:-]+)")
_DENIED = ("user denied permission", "permission denied by user")
_ABORTED = "Command was aborted before completion"


class CrushReading(RowsReading[RowsState]):
    state_type = RowsState
    times = ("created_at",)

    def take(self, row: Row, place: Place) -> Iterator[Reading] | None:
        match row.table:
            case "(database)":
                return self._place(row.values)
            case "sessions":
                return self._read_session(row.values, place)
            case "messages":
                return self._message(row.values, place)
        return None

    def _place(self, row: Mapping[str, Any]) -> Iterator[Reading]:
        self.noted(PLACE)
        folder = PurePosixPath(fields.text(row, "folder").replace("\\", "/"))
        if folder.name == ".crush":
            yield Facts(session=self._session, cwd=str(folder.parent))

    def _read_session(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted("session")
        state = self._state
        state.session = native_id(row.get("id")) or place.session
        parent = native_id(row.get("parent_session_id"))
        state.is_child = bool(parent)
        call = _CALL_SESSION.fullmatch(state.session)
        yield Facts(
            session=state.session,
            at_ms=place.at_ms,
            title=fields.text(row, "title"),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            parent_call=call[1] if call and parent else "",
        )
        usage = fields.usage(row, "prompt_tokens", "completion_tokens")
        cost = fields.dollars(row, "cost")
        yield from place._replace(session=state.session).spent(f"total:{state.session}", "", usage, cost)

    def _message(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted(f"message/{fields.plain_id(row, 'role')[:20]}")
        provider = fields.text(row, "provider")
        if provider:
            yield Facts(session=place.session, at_ms=place.at_ms, provider=provider)
        for number, part in enumerate(fields.mappings({"parts": column(row, "parts")}, "parts")):
            kind = fields.plain_id(part, "type")
            key = f"{place.identity(fields.plain_id(row, 'id') or f'at-{place.offset}')}:{number}"
            readings = self._part(place, kind, fields.mapping(part, "data"), row, key)
            self.noted(f"part/{kind}", is_known=readings is not None or kind in _SILENT)
            yield from readings or ()

    def _part(
        self, place: Place, kind: str, data: Mapping[str, Any], row: Mapping[str, Any], key: str
    ) -> Iterator[Reading] | None:
        match kind:
            case "text":
                return self._text(place, data, row, key)
            case "reasoning":
                return place.told(EventKind.THOUGHT, fields.text(data, "thinking"))
            case "tool_call":
                return self._call(place, data)
            case "tool_result":
                return self._result(place, data)
            case "finish":
                return _finish(place, data)
            case "shell_command":
                said = f"$ {fields.text(data, 'command')}\n{fields.text(data, 'output')}"
                return place.told(EventKind.NOTICE, said)
        return None

    def _text(self, place: Place, data: Mapping[str, Any], row: Mapping[str, Any], key: str) -> Iterator[Reading]:
        text = fields.without_blobs(fields.text(data, "text"))
        if not text:
            return
        if row.get("is_summary_message") in (1, True):
            yield place.said(EventKind.COMPACTION, text, f"summary:{key}")
        elif row.get("role") == "assistant":
            yield place.said(EventKind.REPLY, text, f"said:{key}")
        elif row.get("role") == "user" and not self._state.is_child and data.get("hidden") is not True:
            yield place.said(EventKind.PROMPT, text, f"prompt:{key}")
        else:
            yield place.said(EventKind.NOTICE, text)

    def _call(self, place: Place, data: Mapping[str, Any]) -> Iterator[Reading]:
        tool, call_id = fields.text(data, "name"), fields.plain_id(data, "id")
        if tool and call_id:
            yield place.asked(call_id, tool, fields.arguments(data.get("input")))

    def _result(self, place: Place, data: Mapping[str, Any]) -> Iterator[Reading]:
        call_id = fields.plain_id(data, "tool_call_id")
        if call_id:
            yield place.answered(call_id, *_outcome(fields.without_blobs(fields.text(data, "content")), data))


def _finish(place: Place, data: Mapping[str, Any]) -> Iterator[Reading]:
    reason = data.get("reason")
    if reason == "canceled":
        yield place.said(EventKind.INTERRUPT, "")
    elif reason in ("error", "content_filter"):
        said = [fields.text(data, "message"), fields.text(data, "details")]
        yield place.said(EventKind.MODEL_ERROR, ": ".join(text for text in said if text))


def _outcome(content: str, data: Mapping[str, Any]) -> tuple[str, Result]:
    metadata = column(data, "metadata")
    about = metadata if isinstance(metadata, dict) else {}
    exit_code = _EXIT.search(content)
    start, end = ms_from_any(about.get("start_time")), ms_from_any(about.get("end_time"))
    is_running = about.get("background") is True and bool(about.get("shell_id"))
    is_cancelled = _ABORTED in content[-200:] or "context canceled" in content[:200]
    is_bash = data.get("name") == "bash" and data.get("is_error") is not True and not is_running and not is_cancelled
    is_denied = data.get("is_error") is True and content.lower().startswith(_DENIED)
    result = Result(
        is_error=fields.flag(data, "is_error"),
        exit_code=int(exit_code[1]) if exit_code else 0 if is_bash else None,
        is_denied=is_denied,
        is_worded=is_denied,
        is_cancelled=is_cancelled,
        is_running=is_running,
        duration_ms=end - start if start and end and end >= start else None,
    )
    return _CWD.sub("", content), result


class CrushReader(Reader):
    agent = "crush"
    lines = CrushReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        return row.table == "sessions" and {"parent_session_id", "prompt_tokens"} <= row.values.keys()


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
