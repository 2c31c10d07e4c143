"""Reads OpenCode's sessions: rendered from its database or its tree of files, and its exports.

Rendered sessions come line by line: the session, then each message with its parts behind it. An export is one document
`{info, messages: [{info, parts}]}`; its pieces are the messages. Ids are the same in all three, so that a session that
was moved from the tree to the database, or exported too, is counted once. State: the ids, role and model of the
message whose parts follow.

Where OpenCode keeps its sessions: a database, and before 2026 a tree of small files. The row of a session counts its
tokens and dates its last change; these columns are left out, because the messages say the same, and a growing session
is to grow at its end only.

What OpenCode's sessions, messages and parts mean, wherever they were stored.

A message says who speaks, a part what is said. A call and its result are one part, which is rewritten as the tool goes
on; the exit code of a command stands in its metadata while the part says `completed`. What was spent stands in each
`step-finish`; messages repeat it and are not counted. A summary that replaces the conversation is a reply of a message
marked `summary`. In a session with a parent nobody types: there the prompts come from the agent that started it.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import (
    FileReading,
    LinesReading,
    Place,
    ReadingMemory,
    Row,
    Shape,
    SourceFile,
    column,
    native_id,
    resumed,
    row_in,
    row_of,
)
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.documents import items
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Files, Gatherer, Tree, TreeGatherer, session_in

SILENT = frozenset(("step-start", "patch", "snapshot", "file", "agent", "compaction"))
SPEAKING = frozenset(("text", "reasoning", "tool", "step-finish", "retry", "subtask"))
_UNTITLED = ("New session - ", "Child session - ")
_DEAREST_USD = 1e6
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
            if text := fields.text(part, "text"):
                yield place.said(EventKind.THOUGHT, text)
        case "tool":
            yield from _tool(place, part, identity)
        case "step-finish":
            yield from _spend(place, part, speaker, identity)
        case "retry":
            error = fields.mapping(part, "error")
            said = fields.text(fields.mapping(error, "data"), "message") or fields.text(error, "message", "name")
            yield place.said(EventKind.MODEL_ERROR, said)
        case "subtask":
            if text := fields.text(part, "prompt"):
                yield place.said(EventKind.NOTICE, text)


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


def _spend(place: Place, part: Mapping[str, Any], speaker: OpencodeSpeaker, identity: str) -> Iterator[Reading]:
    usage = usage_of(fields.mapping(part, "tokens"))
    cost = fields.number(part, "cost")
    if usage != Usage() or cost:
        yield Spend(
            session=place.session,
            key=f"step:{identity}",
            model=speaker.model,
            usage=usage,
            at_ms=place.at_ms,
            cost_usd=float(cost) if cost is not None and 0 <= cost < _DEAREST_USD else None,
        )


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
_EXPORTS = ("exports", "export")


class _State(ReadingMemory):
    session: str = ""
    is_child: bool = False
    speaker: OpencodeSpeaker = msgspec.field(default_factory=OpencodeSpeaker)


class OpenCodeReader:
    agent = "opencode"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_rendered = path.suffix == ".jsonl" and (path.parent.suffix == ".db" or path.parent.name == "storage")
        is_export = path.suffix == ".json" and path.parent.name in _EXPORTS
        return path if is_rendered or is_export else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table or row.file:
            return (row.table == "session" and "project_id" in row.values) or row.file.startswith("session/")
        info = fields.mapping(record, "info")
        return "messages" in record and ("projectID" in info or "directory" in info)

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        name = native_id(session_in(file.path)) or "unnamed"
        if self.shape(file.path) is Shape.DOCUMENT:
            return ExportReading(name.removesuffix(".json"))
        return RenderedReading(name, resumed(_State, saved))


class RenderedReading(LinesReading[_State]):
    def __init__(self, name: str, state: _State) -> None:
        super().__init__(state)
        self._state.session = state.session or name

    def feed(self, record: Record) -> list[Reading]:
        row = row_in(record.raw)
        kind = row.table or row.file.partition("/")[0]
        if kind == "session":
            return self._session(_decode(row))
        if kind == "message":
            return self._message(record, row)
        if kind == "part":
            return self._part(record, row)
        self._state.count(kind, is_known=False)
        return []

    def _session(self, info: Mapping[str, Any]) -> list[Reading]:
        state = self._state
        state.count("session", is_known=True)
        state.session = fields.plain_id(info, "id") or state.session
        facts = session_facts(state.session, info)
        state.is_child = bool(facts.parent)
        return [facts]

    def _message(self, record: Record, row: Row) -> list[Reading]:
        info = _decode(row)
        self._state.count(f"message/{fields.plain_id(info, 'role')}"[:40], is_known=True)
        self._state.speaker = speaker_of(info, is_child=self._state.is_child)
        at_ms = self._state.speaker.at_ms or ms_from_any(row.values.get("time_created"))
        return list(message_readings(Place.of(self._state.session, record, at_ms), info))

    def _part(self, record: Record, row: Row) -> list[Reading]:
        part = _decode(row)
        kind = fields.plain_id(part, "type")
        is_known = kind in SPEAKING or kind in SILENT
        self._state.count(f"part/{kind}", is_known=is_known)
        speaker = self._state.speaker
        if fields.plain_id(part, "messageID", "message_id") != speaker.message:
            speaker = OpencodeSpeaker(is_child=self._state.is_child)
        place = Place.of(self._state.session, record, ms_from_any(row.values.get("time_created")))
        return list(part_readings(place, part, speaker))


class ExportReading:
    def __init__(self, name: str) -> None:
        self._session = name
        self._is_child = False
        self._counts = ReadingMemory()
        self.known: Mapping[str, int] = self._counts.known
        self.unknown: Mapping[str, int] = self._counts.unknown

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        info = fields.mapping(msgspec.json.decode(record.raw, type=dict[str, Any]), "info")
        self._counts.count("session" if info else "(no info)", is_known=bool(info))
        self._session = fields.plain_id(info, "id") or self._session
        facts = session_facts(self._session, info)
        self._is_child = bool(facts.parent)
        yield facts
        for message in items(record, "messages"):
            yield from self.piece(message)

    def piece(self, record: Record) -> Iterator[Reading]:
        message = msgspec.json.decode(record.raw)
        if not isinstance(message, dict):
            self._counts.count("(no message)", is_known=False)
            return
        info = fields.mapping(message, "info")
        self._counts.count("message", is_known=True)
        speaker = speaker_of(info, is_child=self._is_child)
        place = Place.of(self._session, record, speaker.at_ms)
        yield from message_readings(place, info)
        for part in fields.mappings(message, "parts"):
            kind = fields.plain_id(part, "type")
            self._counts.count(f"part/{kind}", is_known=kind in SPEAKING or kind in SILENT)
            yield from part_readings(place, part, speaker)


def _decode(row: Row) -> dict[str, Any]:
    """The object that a row stands for: its columns, and what its column `data` holds."""
    data = column(row.values, "data")
    return {**row.values, **data, **_ids(row)} if isinstance(data, dict) else dict(row.values)


def _ids(row: Row) -> dict[str, Any]:
    return {name: row.values[name] for name in ("id", "message_id", "session_id") if name in row.values}


def gatherers() -> tuple[Gatherer, ...]:
    return DatabaseGatherer(_DATABASE), TreeGatherer(_TREE)
