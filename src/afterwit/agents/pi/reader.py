"""Reads the sessions of pi, and of its relatives omp and OpenClaw: a header, then the entries of a tree, one a line.

All generations: linear ones without ids (version 1), the tree (2), and today's (3). Going back to an earlier entry
starts another branch; the one that is left stays in the file and happened, so that all entries are read, in the order
of writing. A fork is a new file that copies the entries it keeps and names its parent's file.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.memory import ReadingMemory
from afterwit.agents.pi.messages import ROLES, message_readings, said, text_of
from afterwit.agents.places import Place
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader, LinesReading, resumed
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

SESSIONS = re.compile(r"sessions/[^/]+/[^/]+\.jsonl")
_OPENCLAW_SESSIONS = re.compile(r"agents/[^/]+/sessions/[^/.]+\.jsonl")
_OPENCLAW_CHECKPOINT = re.compile(r"(agents/[^/]+/sessions/[^/.]+)\.[^/]+\.jsonl")
_NAME = re.compile(r"[^/\\]*?([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\.jsonl")
_SPOKEN = {
    "compaction": EventKind.COMPACTION,
    "branch_summary": EventKind.NOTICE,
    "custom_message": EventKind.NOTICE,
}
_SILENT_TYPES = """
    custom label model_change thinking_level_change mode_change mcp_tool_selection service_tier_change session_init
    ttsr_injection
    """
_SILENT = frozenset(_SILENT_TYPES.split())


class PiState(ReadingMemory):
    session: str = ""


class PiReader(LinesReader):
    """The reader of pi's logs, or of those of a relative at other paths."""

    def __init__(
        self,
        agent: str = "pi",
        evidence: ReaderEvidence = ReaderEvidence.REAL_CLIENT,
        paths: re.Pattern[str] = SESSIONS,
    ) -> None:
        self.agent = agent
        self.evidence = evidence
        self._paths = paths

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if self._paths.fullmatch(str(path)) else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return record.get("type") == "session" and "cwd" in record and "id" in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> "PiReading":
        return PiReading(file.path, resumed(PiState, saved))


def omp() -> PiReader:
    """The reader of oh-my-pi, which keeps pi's layout in a home of its own."""
    return PiReader("omp", ReaderEvidence.DOCUMENTATION)


class OpenClawReader(PiReader):
    """OpenClaw writes pi's entries elsewhere. Checkpoints beside a session hold what the session holds: they belong to
    it as companions and are not read for themselves."""

    def __init__(self) -> None:
        super().__init__("openclaw", ReaderEvidence.DOCUMENTATION, _OPENCLAW_SESSIONS)

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        checkpoint = _OPENCLAW_CHECKPOINT.fullmatch(str(path))
        return PurePosixPath(f"{checkpoint[1]}.jsonl") if checkpoint else super().primary(path)


class PiReading(LinesReading[PiState]):
    """The reading of one session."""

    def __init__(self, path: PurePosixPath, state: PiState) -> None:
        self._path = path
        super().__init__(state)

    def feed(self, record: Record) -> list[Reading]:
        entry = msgspec.json.decode(record.raw, type=dict[str, Any])
        return list(self._entry(entry, record))

    def _entry(self, entry: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        kind, message = fields.plain_id(entry, "type"), fields.mapping(entry, "message")
        role = fields.plain_id(message, "role")
        name = f"message/{role}" if kind == "message" else kind
        is_known = role in ROLES if kind == "message" else kind in ("session", "session_info", *_SPOKEN, *_SILENT)
        self._state.count(name, is_known=is_known)
        if not is_known:
            return
        if kind == "session":
            self._state.session = fields.plain_id(entry, "id")
        at_ms = ms_from_any(entry.get("timestamp")) or ms_from_any(message.get("timestamp"))
        place = Place.of(self._session, record, at_ms)
        stamp = "" if at_ms is None else str(at_ms)
        if kind == "session":
            yield self._header(entry, place)
        elif kind == "session_info":
            yield from self._named(entry, place)
        elif kind == "message":
            yield from message_readings(message, stamp, place)
        elif kind in _SPOKEN:
            text = fields.text(entry, "summary") or text_of(entry.get("content"))
            yield from said(_SPOKEN[kind], text, stamp, place)

    def _header(self, header: Mapping[str, Any], place: Place) -> Facts:
        parent = _NAME.search(fields.text(header, "parentSession", "branchedFrom"))
        return Facts(
            session=place.session,
            at_ms=place.at_ms,
            cwd=fields.text(header, "cwd"),
            title=fields.text(header, "title"),
            provider=fields.text(header, "provider"),
            parent=parent[1] if parent else "",
            relation=Relation.FORK if parent else None,
        )

    def _named(self, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        title = fields.text(entry, "name")
        if title:
            yield Facts(session=place.session, at_ms=place.at_ms, title=title, is_title_manual=True)

    @property
    def _session(self) -> str:
        """The id in the header; before it is read, the one in the file's name."""
        named = _NAME.fullmatch(self._path.name)
        return self._state.session or (named[1] if named else self._path.stem)
