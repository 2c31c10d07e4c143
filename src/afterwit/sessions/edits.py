"""What sessions wrote into a file: its edits by path, from the database, with what they wrote, from the archive.

Paths of logs are those of another time, folder or machine, so a file is told by its path below the repository: in a
work tree, in another checkout, from a session that ran in a folder inside or above. A command line counts for what
it says itself, such as a text that it writes; what a program that it calls did to the file is not known, only that it
may have. Texts are as the agent wrote them: whoever shows one redacts it.
"""

import posixpath
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from typing import NamedTuple

import msgspec

from afterwit.actions.changes import SpanChange, changes_of
from afterwit.capture.assembly.texts import safe_text
from afterwit.model.kinds import ActionKind, EventKind
from afterwit.model.readings import Event
from afterwit.model.text import regex
from afterwit.repos.folders import outside_worktree, root_of
from afterwit.repos.remotes import last_part
from afterwit.sessions.attribution import Writing
from afterwit.sessions.originals import EventPlace, EventTexts, TranscriptSource
from afterwit.store.rows.changes import (
    CallPlace,
    ChangeRow,
    call_places,
    changes_in_session,
    changes_naming,
)
from afterwit.store.rows.files import file_by_id
from afterwit.store.rows.session_list import SessionRow, session_row

_WRITES = regex(
    r"\bsed\s+(?:-[a-zA-Z]*\s+)*-i|\bsed\s+[^|;&]*--in-place|\bperl\s+-[a-z]*[pi]|>{1,2}|\btee\b|\b(?:mv|cp|patch|git"
    r"\s+(?:mv|apply|checkout|restore|revert))\b|write_text|\.write\(|writeFile|-w\b|--(?:write|fix)\b|\bfmt\b|format\b"
)
_QUIET = regex(r"[0-9&]?>{1,2}\s*(?:/dev/null|&[0-9-])")
_WORD = regex(r"[\w./@+~\\-]+")


class FileEdit(NamedTuple):
    """One call that changed the file, or may have."""

    session: SessionRow
    part_id: int
    call: CallPlace
    at_ms: int
    spans: tuple[SpanChange, ...]
    command: str = ""  # of a call that is a command line
    is_gone: bool = False  # its original was given up, so what it wrote is not known

    @property
    def writing(self) -> Writing:
        return Writing(self.session.id, self.at_ms, self.spans)


class FileNames(NamedTuple):
    """A file by the names that it had below its repository; without a repository by whole ones."""

    repo: str
    paths: frozenset[str]

    def has(self, name: str, session: SessionRow) -> bool:
        """Whether a path in a session's log is this file."""
        whole = whole_path(name, session)
        return whole in self.paths or any(
            whole.endswith(f"/{path}") and self._is_root(whole[: -len(path) - 1], session) for path in self.paths
        )

    def _is_root(self, folder: str, session: SessionRow) -> bool:
        """Whether a folder is a checkout of the repository. A session of another one may work there as well."""
        name = last_part(root_of(folder))
        if session.repo != self.repo:
            return name == last_part(self.repo) != ""
        root = root_of(session.root or session.cwd)
        is_above = f"{outside_worktree(session.cwd)}/".startswith(f"{folder}/")
        return root_of(folder) == root or is_above or name in (last_part(root), last_part(self.repo))


def edits_of(source: TranscriptSource, repo: str, paths: Collection[str]) -> list[FileEdit]:
    """All edits of a file of a repository, oldest first. `paths` are its names below the repository; below none, whole
    ones."""
    names = {posixpath.basename(path) for path in paths}
    return _read(source, changes_naming(source.store.db, names), FileNames(repo, frozenset(paths)))


def edits_in(source: TranscriptSource, session: SessionRow) -> dict[str, list[FileEdit]]:
    """What a session wrote by naming the file, by the path below the repository as far as that can be told."""
    edits: dict[str, list[FileEdit]] = {}
    for edit in _read(source, changes_in_session(source.store.db, session.id), None):
        for path in dict.fromkeys(span.path for span in edit.spans):
            spans = tuple(span for span in edit.spans if span.path == path)
            edits.setdefault(path, []).append(edit._replace(spans=spans))
    return edits


def whole_path(name: str, session: SessionRow) -> str:
    """A path of a log from the root on, in the main work tree."""
    folder, name = outside_worktree(session.cwd), outside_worktree(name.strip("'\""))
    is_whole = name.startswith(("/", "~")) or name[1:3] == ":/"
    return posixpath.normpath(name if is_whole else f"{folder.rstrip('/')}/{name}")


def _read(source: TranscriptSource, rows: Iterable[ChangeRow], names: FileNames | None) -> list[FileEdit]:
    """The calls that are meant, with what they wrote; without names, into any file."""
    sessions: dict[int, SessionRow] = {}
    meant: list[ChangeRow] = []
    for row in rows:
        if row.session_id not in sessions:
            session = session_row(source.store.db, row.session_id)
            assert session is not None
            sessions[row.session_id] = session
        if names is None or any(names.has(name, sessions[row.session_id]) for name in _names(row)):
            meant.append(row)
    meant.sort(key=lambda row: (row.file_id, row.part_id))
    edits: list[FileEdit] = []
    with closing(EventTexts(source.store.db, source.store.archive, source.declared)) as texts:
        for (file_id, part_id), group in groupby(meant, key=lambda row: (row.file_id, row.part_id)):
            some = sorted(group, key=lambda row: row.offset)
            reader = _PartReader(source, texts, file_id, part_id)
            edits += (edit for row in some for edit in reader.edits(row, sessions[row.session_id], names))
    return sorted(edits, key=lambda edit: (edit.at_ms, edit.part_id, edit.call.ordinal))


def _names(row: ChangeRow) -> Sequence[str]:
    if row.kind == ActionKind.SHELL:
        return _WORD.findall(row.target)
    return msgspec.json.decode(row.files, type=list[str]) if row.files else [row.target]


class _PartReader:
    """Reads calls of one part."""

    def __init__(self, source: TranscriptSource, texts: EventTexts, file_id: int, part_id: int) -> None:
        self._source = source
        self._texts = texts
        self._file = file_by_id(source.store.db, file_id)
        self._part_id = part_id
        self._places = call_places(source.store.db, part_id)

    def edits(self, row: ChangeRow, session: SessionRow, names: FileNames | None) -> Iterator[FileEdit]:
        """What the call wrote into the file; nothing where its record says that it wrote into others."""
        calls = self._places.get(row.offset) or [CallPlace(0, 0)]
        edit = FileEdit(session, self._part_id, calls[0], row.at_ms or session.started_ms or 0, ())
        if row.kind == ActionKind.SHELL:
            if _WRITES.search(_QUIET.sub("", row.target)):
                said = SpanChange("", (), tuple(row.target.splitlines()[1:]))
                yield edit._replace(spans=(said,), command=row.target)
            return
        if self._file.is_dropped:
            yield edit._replace(is_gone=True)
            return
        changes = [
            change._replace(path=safe_text(change.path, self._source.redactor) or row.target)
            for event in self._events(row, calls[0].length)
            for change in changes_of(event.arguments)
        ]
        written = tuple(change for change in changes if names is None or names.has(change.path, session))
        if written:
            yield edit._replace(spans=written)

    def _events(self, row: ChangeRow, length: int) -> list[Event]:
        """The event of a call; of a record with several that none tells apart, all."""
        place = EventPlace(row.offset, EventKind.CALL)
        events = self._texts.events(self._file, place, length)
        if events == []:
            events = self._texts.events_in_context(self._file, (place,)).get(place)
        same = [event for event in events or () if safe_text(event.call_id, self._source.redactor) == row.call_id]
        return same or events or []
