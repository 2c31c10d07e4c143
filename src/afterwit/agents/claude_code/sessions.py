"""Which session a record belongs to, and what the records say about it as a whole.

A transcript's own session is named by its file. Inside it `<file>/agent-<id>` is a subagent with an id, and
`<file>/side-<uuid>` one of the time before ids, named by the record it began with. In a stream-json log sessions are
named by `session_id`, and `<session>/call-<id>` is the subagent that this call started. Facts are told once, and again
when they change: working folder, branch, version, parent, how the agent was started.

Where Claude Code keeps its files, below its home folder.

    projects/<slug>/<session>.jsonl                               a transcript
    projects/<slug>/agent-<id>.jsonl                              a subagent's, in old versions
    projects/<slug>/<session>/subagents/**/agent-<id>.jsonl       a subagent's
    projects/<slug>/<session>/subagents/**/agent-<id>.meta.json   what the subagent is
    projects/<slug>/<session>/tool-results/<id>.txt               output too large for the transcript

Names that come out of a log become part of a path only here, and only if they are plain ids.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.claude_code.messages import ClaudePlace, ClaudeState
from afterwit.agents.claude_code.records import ClaudeLine
from afterwit.agents.protocol import SourceFile
from afterwit.model.kinds import Relation
from afterwit.model.readings import Facts

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
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
        if not self._state.introduces(child):
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
