"""Reads Claude Code's transcripts, the stream-json logs of its SDK, and its history of prompts.

    projects/<slug>/<session>.jsonl                               a transcript
    projects/<slug>/agent-<id>.jsonl                              a subagent's, in old versions
    projects/<slug>/<session>/subagents/**/agent-<id>.jsonl       a subagent's
    projects/<slug>/<session>/subagents/**/agent-<id>.meta.json   what the subagent is
    projects/<slug>/<session>/tool-results/<id>.txt               output too large for the transcript
    history.jsonl                                                 every prompt that was typed; never deleted

One file can hold several sessions: its own, named by the file, and subagents: `<file>/agent-<id>`, or
`<file>/side-<uuid>` of the time before ids, named by the record it began with; in a stream `<session>/call-<id>`. Facts
are told once, and again when they change. What people typed while the agent worked stands in the queue's records;
versions before 2.1.90 wrote most of it nowhere else, so there it is read from the queue and skipped if it comes again
as a message. Names that come out of a log become part of a path only here, and only if they are plain ids.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.claude_code.content import (
    attachment_text,
    error_text,
    kind_of_queued,
    loaded_file,
    shortened,
    system_text,
    text_of_anything,
)
from afterwit.agents.claude_code.messages import ClaudePlace, ClaudeState, assistant_readings, user_readings
from afterwit.agents.claude_code.records import KNOWN, SILENT, Attachment, ClaudeLine, decode, name_of
from afterwit.agents.log_reader import LinesReading, SourceFile, mark
from afterwit.agents.prompt_history import HISTORY, Fields, HistoryBesideReader
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_PLAIN = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_META = ".meta.json"


class _Meta(msgspec.Struct, frozen=True, rename="camel"):
    agent_type: str = ""
    tool_use_id: str = ""


class Sessions:
    """The sessions of one file."""

    def __init__(self, file: SourceFile, state: ClaudeState) -> None:
        self._file = file
        self._state = state
        self._own = file.path.stem
        self._is_subagent = is_subagent(file.path)
        self._last: tuple[Any, ...] = ()

    def of(self, line: ClaudeLine) -> tuple[str, bool]:
        """The session of this record, and whether it is a subagent's."""
        if line.session_id is None and line.stream_session:
            session = line.stream_session
            return (f"{session}/call-{line.stream_call}", True) if line.stream_call else (session, False)
        if self._is_subagent or not line.is_sidechain:
            return self._own, self._is_subagent
        if line.agent_id:
            return self.child(line.agent_id), True
        root = self._state.root_of(line.uuid or "", line.parent_uuid or "")
        return f"{self._own}/side-{root}", True

    def child(self, agent_id: str) -> str:
        return f"{self._own}/agent-{agent_id}"

    def facts(self, line: ClaudeLine, place: ClaudePlace) -> Iterable[Facts]:
        """What this record says anew about its session."""
        if line.version or line.stream_version:
            self._state.version = line.version or line.stream_version or ""
        if place.is_child and not self._is_subagent:
            return self.introduction(place.session, line, place, line.stream_call or "")
        if line.uuid is None and line.stream_session is None:
            return ()
        said = (place.session, line.cwd, line.git_branch, line.version, line.entrypoint, line.session_id)
        if said == self._last and line.forked_from is None:
            return ()
        self._last = said
        told = {name: value for name, value in self._surroundings(line).items() if self._is_new(place, name, value)}
        told |= self._ancestry(line, place)
        return (Facts(session=place.session, at_ms=place.at_ms, **told),) if told else ()

    def introduction(self, child: str, line: ClaudeLine, place: ClaudePlace, call: str) -> Iterator[Facts]:
        """The facts of a subagent inside this file, at its first record."""
        if not self._state.is_new("child", child):
            return
        told = self._surroundings(line)
        told["origin"] = self._state.agent_types.pop(call, "")
        yield Facts(
            session=child,
            at_ms=place.at_ms,
            parent=child.rpartition("/")[0],
            relation=Relation.SUBAGENT,
            parent_call=call,
            **told,
        )

    def _surroundings(self, line: ClaudeLine) -> dict[str, Any]:
        origin = line.entrypoint
        if line.stream_session and line.session_id is None:
            origin = "sdk"
        told = {
            "cwd": line.cwd,
            "branch": line.git_branch,
            "version": line.version or line.stream_version,
            "origin": "" if self._is_subagent else origin,
        }
        return {name: value for name, value in told.items() if value}

    def _ancestry(self, line: ClaudeLine, place: ClaudePlace) -> dict[str, Any]:
        """Parent and relation, if this record names another parent than the ones before."""
        if line.session_id is None:
            return {}
        forked = line.forked_from.get("sessionId") if isinstance(line.forked_from, dict) else None
        if self._is_subagent:
            parent, relation = line.session_id, Relation.SUBAGENT
        elif isinstance(forked, str) and forked not in ("", self._own):
            parent, relation = forked, Relation.FORK
        elif line.session_id != self._own and line.uuid:
            parent, relation = line.session_id, Relation.RESUME
        else:
            return {}
        if not self._is_new(place, "parent", f"{relation}:{parent}"):
            return {}
        told: dict[str, Any] = {"parent": parent, "relation": relation}
        if self._is_subagent:
            meta = self._meta()
            told |= {"parent_call": meta.tool_use_id, "origin": meta.agent_type}
        return told

    def _is_new(self, place: ClaudePlace, name: str, value: str) -> bool:
        return self._state.tells_new(name, f"{place.session} {value}")

    def _meta(self) -> _Meta:
        raw = self._file.companion(meta_of(self._file.path))
        try:
            return msgspec.json.decode(raw, type=_Meta) if raw else _Meta()
        except (msgspec.DecodeError, RecursionError):
            return _Meta()


def primary(path: PurePosixPath) -> PurePosixPath | None:
    """The transcript that this file is or belongs to."""
    match path.parts:
        case ("projects", _, _):
            return _transcript(path)
        case ("projects", slug, session, "tool-results", _):
            return PurePosixPath("projects", slug, f"{session}.jsonl")
        case ("projects", _, _, "subagents", *_, name) if name.startswith("agent-"):
            return _transcript(path)
    return None


def is_subagent(path: PurePosixPath) -> bool:
    return path.stem.startswith("agent-")


def meta_of(path: PurePosixPath) -> PurePosixPath:
    """The companion that says what kind of subagent wrote this transcript."""
    return path.with_name(f"{path.stem}{_META}")


def spilled(path: PurePosixPath, session: str, stated: str, call: str) -> list[PurePosixPath]:
    """Where the whole output of a call can lie: under the file name that the log states, or under the call's id.

    Only the last part of the stated path is used, and only if it is a plain id with the suffix .txt.
    """
    folder = _session_folder(path, session)
    if folder is None:
        return []
    name = re.split(r"[/\\]", stated)[-1].removesuffix(".txt")
    ids = [text for text in (name, call) if _PLAIN.fullmatch(text)]
    return [folder / "tool-results" / f"{plain}.txt" for plain in dict.fromkeys(ids)]


def _session_folder(path: PurePosixPath, session: str) -> PurePosixPath | None:
    match path.parts:
        case ("projects", slug, folder, "subagents", *_):
            return PurePosixPath("projects", slug, folder)
        case ("projects", slug, _):
            owner = session if is_subagent(path) else path.stem
            return PurePosixPath("projects", slug, owner) if _PLAIN.fullmatch(owner) else None
    return None


def _transcript(path: PurePosixPath) -> PurePosixPath | None:
    if is_subagent(path) and path.name.endswith(_META):
        return path.with_name(f"{path.name.removesuffix(_META)}.jsonl")
    return path if path.suffix == ".jsonl" else None


_OUTPUT_BYTES = 1_000_000
_QUEUE_REPEATED_FROM = (2, 1, 90)
_STREAM_MARKS = frozenset({"claude_code_version", "tools", "parent_tool_use_id"})  # other agents' streams lack them
_VERSION = regex(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_REPOSITORY = regex(r"(https?://[^/\s]+/[^/\s]+/[^/\s]+?)/(?:-/)?(?:pulls?|merge_requests)/\d")


class ClaudeCodeReading(LinesReading[ClaudeState]):
    """The reading of one file. `known` and `unknown` count every record once."""

    state_type = ClaudeState

    def __init__(self, file: SourceFile, saved: bytes | None = None) -> None:
        super().__init__(file, saved)
        self._sessions = Sessions(file, self._state)

    def feed(self, record: Record) -> list[Reading]:
        line, flaws = decode(record.raw)
        name = name_of(line)
        is_known = name in KNOWN
        self._state.count(name, is_known=is_known)
        if not is_known:
            return []
        readings: list[Reading] = []
        if flaws:
            reason = f"{name}: cannot use {', '.join(flaws)}"
            readings.append(Problem(offset=record.offset, length=record.length, reason=reason))
        if name not in SILENT or line.is_sidechain:
            session, is_child = self._sessions.of(line)
            at_ms = ms_from_any(line.timestamp)
            place = ClaudePlace(session, record.offset, record.length, at_ms, line.uuid or "", is_child)
            readings.extend(self._sessions.facts(line, place))
            if name not in SILENT:
                readings.extend(self._handler(line)(line, place))
        return readings

    def _handler(self, line: ClaudeLine) -> Callable[[ClaudeLine, ClaudePlace], Iterable[Reading]]:
        match line.type:
            case "user" | "assistant":
                return self._message
            case "progress":
                return self._nested
            case "attachment":
                return self._attachment
            case "system":
                return _system
            case "queue-operation":
                return self._queue
            case "result":
                return _stream_result
        return self._facts

    def _message(self, line: ClaudeLine, place: ClaudePlace) -> Iterable[Reading]:
        message = line.message
        if message is None or message.content is None:
            return (place.problem(f"{line.type}: no usable message"),)
        if place.uuid:
            self._state.remember_message(place.uuid)

        def spill(stated: str, call: str) -> str | None:
            return self._read_spill(line.session_id or "", stated, call)

        read = user_readings if line.type == "user" else assistant_readings
        return read(line, message, place, self._state, spill)

    def _nested(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Reading]:
        """A subagent's message inside a progress record of its parent."""
        nested, agent_id = (line.data.message, line.data.agent_id) if line.data else (None, None)
        if nested is None or nested.type not in ("user", "assistant") or not agent_id:
            yield place.problem("progress/agent_progress: no usable message")
            return
        child = self._sessions.child(agent_id)
        at_ms = ms_from_any(nested.timestamp) or place.at_ms
        inner = ClaudePlace(child, place.offset, place.length, at_ms, nested.uuid or "", is_child=True, is_nested=True)
        yield from self._sessions.introduction(child, line, place, line.parent_call or "")
        yield from self._message(nested, inner)

    def _attachment(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
        attachment = line.attachment or Attachment()
        if attachment.type == "queued_command":
            yield from self._deliver(attachment, place)
        elif text := attachment_text(attachment):
            notice = place.event(EventKind.NOTICE, place.uuid, text)
            yield msgspec.structs.replace(notice, file=loaded_file(attachment))

    def _deliver(self, attachment: Attachment, place: ClaudePlace) -> Iterator[Event]:
        """A text from the queue that reached the model while it worked."""
        text = text_of_anything(attachment.prompt)
        if not text.strip() or self._state.was_queued(text):
            return
        kind = EventKind.NOTICE
        if attachment.command_mode in (None, "prompt"):
            kind = kind_of_queued(text, attachment.origin, is_child=place.is_child)
        yield place.event(kind, place.uuid, text if kind is EventKind.PROMPT else shortened(text))

    def _queue(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
        text = line.content if isinstance(line.content, str) else ""
        if line.operation != "enqueue" or not text.strip() or not _leaves_queue_unrepeated(self._state.version):
            return
        self._state.remember_queued(text)
        kind = kind_of_queued(text, None, is_child=place.is_child)
        key = f"queued:{mark(text)}:{line.timestamp}"
        yield place.event(kind, key, text if kind is EventKind.PROMPT else shortened(text))

    def _facts(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Facts]:
        """Titles and pull requests. They are written again and again; each is told when it changes."""
        session, at_ms = place.session, place.at_ms
        if line.type == "pr-link":
            repository = _REPOSITORY.match(line.pr_url or "")
            if repository and self._state.tells_new("remote", repository.group(1)):
                yield Facts(session=session, at_ms=at_ms, remote=repository.group(1), is_remote_linked=True)
            return
        is_manual = line.type in ("custom-title", "agent-name")
        title = line.custom_title or line.agent_name if is_manual else line.ai_title
        if line.type == "summary" and line.leaf_uuid in self._state.recent:
            title = line.summary
        if title and self._state.tells_new("manual-title" if is_manual else "title", title):
            yield Facts(session=session, at_ms=at_ms, title=title, is_title_manual=is_manual)

    def _read_spill(self, session: str, stated: str, call: str) -> str | None:
        for path in spilled(self._file.path, session, stated, call):
            whole = self._file.companion(path)
            if whole:
                return whole[:_OUTPUT_BYTES].decode("utf-8", "replace")
        return None


def _system(line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
    if line.subtype in ("api_error", "api_retry"):
        yield place.event(EventKind.MODEL_ERROR, place.uuid, error_text(line.error) or system_text(line))
    elif line.subtype == "compact_boundary" and line.stream_session and not line.session_id:
        yield place.event(EventKind.COMPACTION, place.uuid, "")  # a stream has the boundary only, never the summary
    elif text := system_text(line):
        yield place.event(EventKind.NOTICE, place.uuid, text)


def _stream_result(line: ClaudeLine, place: ClaudePlace) -> Iterator[Reading]:
    """The end of a run in a stream-json log. Its tokens were told message by message; its cost stands only here."""
    if line.is_error:
        text = text_of_anything(line.errors) or text_of_anything(line.result) or line.subtype or ""
        yield place.event(EventKind.MODEL_ERROR, place.uuid, shortened(text))
    for model, cost in _costs(line).items():
        key = f"result:{place.session}:{model}"
        yield Spend(session=place.session, key=key, model=model, usage=Usage(), at_ms=place.at_ms, cost_usd=cost)


def _costs(line: ClaudeLine) -> dict[str, float]:
    """Cost by model where the log has it, else the total under no model."""
    models = line.model_usage if isinstance(line.model_usage, dict) else {}
    stated = {str(name): fields.dollars(use, "costUSD") for name, use in models.items() if isinstance(use, dict)}
    if not any(stated.values()):
        stated = {"": fields.dollars({"cost": line.total_cost_usd}, "cost")}
    return {name: cost for name, cost in stated.items() if cost is not None}


def _leaves_queue_unrepeated(version: str) -> bool:
    stated = _VERSION.match(version)
    return stated is not None and tuple(map(int, stated.groups())) < _QUEUE_REPEATED_FROM


class ClaudeCodeReader(HistoryBesideReader):
    agent = "claude-code"
    evidence = ReaderEvidence.REAL_DATA
    history = Fields(text="display", session="sessionId", time="timestamp", folder="project", pasted="pastedContents")
    lines = ClaudeCodeReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if path == HISTORY else primary(path)

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        kind = record.get("type")
        if not isinstance(kind, str):
            return self.is_history(record)
        if kind in ("summary", "file-history-snapshot"):
            return "leafUuid" in record or "snapshot" in record
        if kind in ("user", "assistant"):
            message = record.get("message")
            if not isinstance(message, Mapping) or "content" not in message:
                return False
        if not record.get("sessionId"):
            return bool(record.get("session_id")) and not _STREAM_MARKS.isdisjoint(record)
        if kind == "system":
            return f"system/{record.get('subtype')}" in KNOWN
        return kind in KNOWN or kind in ("progress", "attachment")
