"""Reads OpenCode's sessions: rendered from its database or, before 2026, its tree of small files, and its exports
(`{info, messages: [{info, parts}]}`). Ids are the same in all three, so that a session is counted once.

A message says who speaks, a part what is said. A call and its result are one part, which is rewritten as the tool goes
on; the exit code stands in its metadata while the part says `completed`. What was spent stands in each `step-finish`. A
summary that replaces the conversation is a reply of a message marked `summary`. In a session with a parent nobody
types. Columns that count tokens or date changes are left out: a growing session is to grow at its end only.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReading, Place, Reader, Row, RowsReading, RowsState, column, row_of
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.gathering import Files, Gatherer, Tree, TreeGatherer

SILENT = frozenset(("step-start", "patch", "snapshot", "file", "agent", "compaction"))
SPEAKING = frozenset(("text", "reasoning", "tool", "step-finish", "retry", "subtask"))
_UNTITLED = ("New session - ", "Child session - ")
_REJECTED = "The user rejected permission to use this specific tool call"
_DENIED = (_REJECTED, "The user has specified a rule which prevents you from using", "The user dismissed this question")
_FEEDBACK = f"{_REJECTED} with the following feedback: "
_CANCELLED = ("tool execution aborted", "aborted by user")


class OpencodeSpeaker(msgspec.Struct):
    """What is known of the message whose parts follow."""

    message: str = ""
    role: str = ""
    model: str = ""
    at_ms: int | None = None
    is_summary: bool = False
    is_child: bool = False  # the session was started by another agent


def session_facts(session: str, info: Mapping[str, Any]) -> Facts:
    title = fields.text(info, "title")
    parent = fields.plain_id(info, "parentID", "parent_id")
    return Facts(
        session=session,
        at_ms=ms_from_any(fields.mapping(info, "time").get("created", info.get("time_created"))),
        cwd=fields.text(info, "directory"),
        version=fields.text(info, "version"),
        title="" if title.startswith(_UNTITLED) else title,
        parent=parent,
        relation=Relation.SUBAGENT if parent else None,
    )


def speaker_of(info: Mapping[str, Any], *, is_child: bool) -> OpencodeSpeaker:
    model = fields.mapping(info, "model")
    return OpencodeSpeaker(
        message=fields.plain_id(info, "id"),
        role=fields.plain_id(info, "role"),
        model=fields.plain_id(info, "modelID") or fields.plain_id(model, "modelID"),
        at_ms=ms_from_any(fields.mapping(info, "time").get("created")),
        is_summary=info.get("summary") is True,
        is_child=is_child,
    )


def message_readings(place: Place, info: Mapping[str, Any]) -> Iterator[Reading]:
    """What a message says beside its parts: where it ran, with what, and how it broke off."""
    path = fields.mapping(info, "path")
    provider = fields.text(info, "providerID") or fields.text(fields.mapping(info, "model"), "providerID")
    facts = Facts(session=place.session, at_ms=place.at_ms, cwd=fields.text(path, "cwd"), provider=provider)
    if facts.cwd or facts.provider:
        yield facts
    error = fields.mapping(info, "error")
    name = fields.text(error, "name")
    if name == "MessageAbortedError":
        yield place.said(EventKind.INTERRUPT, "")
    elif name:
        said = fields.text(fields.mapping(error, "data"), "message")
        yield place.said(EventKind.MODEL_ERROR, f"{name}: {said}" if said else name)


def part_readings(place: Place, part: Mapping[str, Any], speaker: OpencodeSpeaker) -> Iterator[Reading]:
    """What a part says."""
    at_ms = ms_from_any(fields.mapping(part, "time").get("start"))
    place = place._replace(at_ms=at_ms or place.at_ms or speaker.at_ms)
    identity = fields.plain_id(part, "id") or f"at-{place.offset}"
    match part.get("type"):
        case "text":
            yield from _text(place, part, speaker, identity)
        case "reasoning":
            yield from place.told(EventKind.THOUGHT, fields.text(part, "text"))
        case "tool":
            yield from _tool(place, part, identity)
        case "step-finish":
            usage = usage_of(fields.mapping(part, "tokens"))
            yield from place.spent(f"step:{identity}", speaker.model, usage, fields.dollars(part, "cost"))
        case "retry":
            error = fields.mapping(part, "error")
            said = fields.text(fields.mapping(error, "data"), "message") or fields.text(error, "message", "name")
            yield place.said(EventKind.MODEL_ERROR, said)
        case "subtask":
            yield from place.told(EventKind.NOTICE, fields.text(part, "prompt"))


def _text(place: Place, part: Mapping[str, Any], speaker: OpencodeSpeaker, identity: str) -> Iterator[Reading]:
    text = fields.without_blobs(fields.text(part, "text"))
    if not text:
        return
    # Only what a model says has a time of its own: tells the speaker of a part that is read alone.
    is_model = speaker.role == "assistant" if speaker.role else "time" in part
    if is_model:
        yield place.said(EventKind.COMPACTION if speaker.is_summary else EventKind.REPLY, text, f"said:{identity}")
    elif speaker.is_child or part.get("synthetic") is True:
        yield place.said(EventKind.NOTICE, text)
    else:
        yield place.said(EventKind.PROMPT, text, f"prompt:{identity}")


def _tool(place: Place, part: Mapping[str, Any], identity: str) -> Iterator[Reading]:
    tool, state = fields.text(part, "tool"), fields.mapping(part, "state")
    if not tool:
        return
    times = fields.mapping(state, "time")
    start, end = ms_from_any(times.get("start")), ms_from_any(times.get("end"))
    place = place._replace(at_ms=start or place.at_ms)
    arguments = fields.arguments(state.get("input"))
    yield place.call(f"call:{identity}", identity, tool, arguments)
    if state.get("status") in ("completed", "error"):
        text, result = _outcome(state)
        duration = end - start if start and end and end >= start else None
        result = msgspec.structs.replace(result, duration_ms=duration)
        place = place._replace(at_ms=end or place.at_ms)
        yield place.result(f"result:{identity}", identity, text, result)


def _outcome(state: Mapping[str, Any]) -> tuple[str, Result]:
    metadata = fields.mapping(state, "metadata")
    code = fields.exit_code(metadata, "exit")
    if state.get("status") == "completed":
        said = _answers(metadata.get("answers"))
        is_error = None if code is not None else False
        return fields.text(state, "output"), Result(is_error=is_error, exit_code=code, said=said, is_worded=bool(said))
    error = fields.text(state, "error") or fields.text(fields.mapping(state, "error"), "message")
    lower = error[:300].lower()
    result = Result(
        is_error=True,
        exit_code=code,
        is_denied=error.startswith(_DENIED),
        said=error.removeprefix(_FEEDBACK) if error.startswith(_FEEDBACK) else "",
        is_worded=error.startswith(_DENIED),
        is_cancelled=metadata.get("interrupted") is True or any(words in lower for words in _CANCELLED),
    )
    return "\n".join(text for text in (fields.text(metadata, "output"), error) if text), result


def _answers(answers: Any) -> str:
    """What a person chose or typed, a list for each question."""
    given = [text for several in answers if isinstance(several, list) for text in several] if answers else []
    return "\n".join(text for text in given if isinstance(text, str) and text.strip())


def usage_of(tokens: Mapping[str, Any]) -> Usage:
    """Input comes without what was cached. Reasoning is part of the output, unless the total says that it is not."""
    cache = fields.mapping(tokens, "cache")
    given, output = fields.tokens(tokens, "input"), fields.tokens(tokens, "output")
    reasoning = fields.tokens(tokens, "reasoning")
    read, write = fields.tokens(cache, "read"), fields.tokens(cache, "write")
    is_apart = reasoning > 0 and fields.tokens(tokens, "total") == given + output + reasoning + read + write
    return Usage(given, read, write, output + reasoning if is_apart else output, reasoning)


_COUNTED = frozenset(
    (
        *("time_updated", "summary_additions", "summary_deletions", "summary_files", "summary_diffs", "cost"),
        *("tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write"),
    )
)
_UPDATED = frozenset(("time_updated",))
_PARTS = DatabaseTable("part", session="message_id", order=("id",), without=_UPDATED)
_DATABASE = Database(
    names=r"opencode(?:-[\w.-]+)?\.db",
    sessions=DatabaseTable("session", session="id", order=("id",), without=_COUNTED),
    tables=(
        DatabaseTable(
            "message",
            session="session_id",
            order=("time_created", "id"),
            changed="time_updated",
            without=_UPDATED,
            inner=(_PARTS,),
        ),
    ),
    updated="time_updated",
    marks=(DatabaseTable("part", session="session_id", changed="time_updated"),),
)
_TREE = Tree(
    "storage",
    (
        Files(
            "session/*/{session}.json",
            (Files("message/{session}/{message}.json", (Files("part/{message}/*.json"),)),),
        ),
    ),
)


class _State(RowsState):
    speaker: OpencodeSpeaker = msgspec.field(default_factory=OpencodeSpeaker)


class RenderedReading(RowsReading[_State]):
    state_type = _State
    times = ("time_created",)

    def take(self, row: Row, place: Place) -> Iterable[Reading] | None:
        info, state = _decode(row), self._state
        match row.table or row.file.partition("/")[0]:
            case "session":
                self.noted("session")
                state.session = fields.plain_id(info, "id") or place.session
                facts = session_facts(state.session, info)
                state.is_child = bool(facts.parent)
                return (facts,)
            case "message":
                self.noted(f"message/{fields.plain_id(info, 'role')}"[:40])
                state.speaker = speaker_of(info, is_child=state.is_child)
                return message_readings(place._replace(at_ms=state.speaker.at_ms or place.at_ms), info)
            case "part":
                kind = fields.plain_id(info, "type")
                self.noted(f"part/{kind}", is_known=kind in SPEAKING or kind in SILENT)
                is_known = fields.plain_id(info, "messageID", "message_id") == state.speaker.message
                return part_readings(
                    place, info, state.speaker if is_known else OpencodeSpeaker(is_child=state.is_child)
                )
        return None


class ExportReading(DocumentReading):
    _is_child = False

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        info = fields.mapping(document, "info")
        self._memory.count("session" if info else "(no info)", is_known=bool(info))
        self._session = fields.plain_id(info, "id") or self._session
        facts = session_facts(self._session, info)
        self._is_child = bool(facts.parent)
        yield facts

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        info = fields.mapping(value, "info")
        self._memory.count("message", is_known=True)
        speaker = speaker_of(info, is_child=self._is_child)
        place = place._replace(at_ms=speaker.at_ms)
        yield from message_readings(place, info)
        for part in fields.mappings(value, "parts"):
            kind = fields.plain_id(part, "type")
            self._memory.count(f"part/{kind}", is_known=kind in SPEAKING or kind in SILENT)
            yield from part_readings(place, part, speaker)


class OpenCodeReader(Reader):
    agent = "opencode"
    evidence = ReaderEvidence.REAL_CLIENT
    paths = ("**/*.db/*.jsonl", "**/storage/*.jsonl", "**/exports/*.json", "**/export/*.json")
    lines = RenderedReading
    document = ExportReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table or row.file:
            return (row.table == "session" and "project_id" in row.values) or row.file.startswith("session/")
        info = fields.mapping(record, "info")
        return "messages" in record and ("projectID" in info or "directory" in info)


def _decode(row: Row) -> dict[str, Any]:
    """The object that a row stands for: its columns, and what its column `data` holds."""
    data = column(row.values, "data")
    return {**row.values, **data, **_ids(row)} if isinstance(data, dict) else dict(row.values)


def _ids(row: Row) -> dict[str, Any]:
    return {name: row.values[name] for name in ("id", "message_id", "session_id") if name in row.values}


def gatherers() -> tuple[Gatherer, ...]:
    return DatabaseGatherer(_DATABASE), TreeGatherer(_TREE)
