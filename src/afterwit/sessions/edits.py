"""What sessions wrote into a file: its edits by path, from the database, with what they wrote, from the archive.

Paths of logs are those of another time, folder or machine, so a file is told by its path below the repository: in a
work tree, in another checkout, from a session that ran in a folder inside or above. A command line counts for what
it says itself, such as a text that it writes; what a program that it calls did to the file is not known, only that it
may have. Texts are as the agent wrote them: whoever shows one redacts it.
"""

import posixpath
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache, partial
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
from afterwit.store.rows.changes import ChangeRow, changes_in_session, changes_naming
from afterwit.store.rows.files import file_by_id
from afterwit.store.rows.parts import EventOutline, part_outline
from afterwit.store.rows.session_list import SessionRow, session_row

_WRITES = regex(
    r"\bsed\s+(?:-[a-zA-Z]*\s+)*(?:-i|--in-place)|\bperl\s+-[a-z]*[pi]|(?<![=<-])>{1,2}[ \t]*[\"'\w./~$]|\btee\b"
    r"|\b(?:mv|cp|patch|black|rustfmt|ruff format|(?:cargo|deno) fmt|git (?:mv|apply|checkout|restore|revert))\b"
    r"|\b(?:gofmt|goimports)\b[^|;&]* -w\b|write_text|\.write\(|writeFile|--(?:write|fix)\b"
)
_QUIET = regex(r"[0-9&]?>{1,2}\s*(?:/dev/null|&[0-9-])")
_WORD = regex(r"[\w./@+~\\-]+")


class FileEdit(NamedTuple):
    """One call that changed the file, or may have."""

    session: SessionRow
    part_id: int
    ordinal: int  # of the event
    at_ms: int
    spans: tuple[SpanChange, ...]
    command: str = ""  # of a call that is a command line
    is_gone: bool = False  # its original was given up, so what it wrote is not known

    @property
    def writing(self) -> Writing:
        return Writing(self.at_ms, self.spans)


class FileNames(NamedTuple):
    """A file by the names that it had below its repository; without a repository by whole ones."""

    repo: str
    paths: frozenset[str]

    def has(self, name: str, session: SessionRow) -> bool:
        """Whether a path in a session's log is this file."""
        whole = _whole_path(name, session)
        return whole in self.paths or any(
            whole.endswith(f"/{path}") and self._is_root(whole[: -len(path) - 1], session) for path in self.paths
        )

    def _is_root(self, folder: str, session: SessionRow) -> bool:
        """Whether a folder is a checkout of the repository. A session of another one may work there as well."""
        here = root_of(folder)
        name = last_part(here)
        if session.repo != self.repo:
            return name == last_part(self.repo) != ""
        root = root_of(session.root or session.cwd)
        is_above = f"{outside_worktree(session.cwd)}/".startswith(f"{folder}/")
        return here == root or is_above or name in (last_part(root), last_part(self.repo))


def _whole_path(name: str, session: SessionRow) -> str:
    """A path of a log from the root on, in the main work tree."""
    name = outside_worktree(name)
    is_whole = name.startswith(("/", "~")) or name[1:3] == ":/"
    return posixpath.normpath(name if is_whole else f"{outside_worktree(session.cwd).rstrip('/')}/{name}")


def edits_of(source: TranscriptSource, names: FileNames) -> list[FileEdit]:
    """All edits of a file, oldest first."""
    return _read(source, changes_naming(source.store.db, map(posixpath.basename, names.paths)), names)


def edits_in(source: TranscriptSource, session: SessionRow) -> list[FileEdit]:
    """What a session wrote by naming the files, oldest first."""
    return _read(source, changes_in_session(source.store.db, session.id), None)


def _read(source: TranscriptSource, rows: Iterable[ChangeRow], names: FileNames | None) -> list[FileEdit]:
    """The calls that are meant, with what they wrote; without names, into any file."""
    session = cache(partial(session_row, source.store.db))
    meant = [
        (row, owner)
        for row in rows
        if (owner := session(row.session_id)) and (names is None or any(names.has(name, owner) for name in _names(row)))
    ]
    meant.sort(key=lambda pair: (pair[0].file_id, pair[0].part_id, pair[0].offset))
    edits: list[FileEdit] = []
    with closing(EventTexts(source.store.db, source.store.archive, source.declared)) as texts:
        for (file_id, part_id), group in groupby(meant, key=lambda pair: (pair[0].file_id, pair[0].part_id)):
            reader = _PartReader(source, texts, file_id, part_id)
            edits += (edit for row, owner in group if (edit := reader.edit(row, owner, names)))
    return sorted(edits, key=lambda edit: (edit.at_ms, edit.part_id, edit.ordinal))


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
        outline = map(EventOutline._make, part_outline(source.store.db, part_id))
        self._calls = {event.offset: event for event in outline if event.kind == EventKind.CALL}

    def edit(self, row: ChangeRow, session: SessionRow, names: FileNames | None) -> FileEdit | None:
        """What the call wrote into the file; None where it wrote into others, or is a command that writes nothing."""
        call = self._calls.get(row.offset)
        at_ms = row.at_ms or session.started_ms or 0
        edit = FileEdit(session, row.part_id, call.ordinal if call else 0, at_ms, ())
        if row.kind == ActionKind.SHELL:
            said = SpanChange("", (), tuple(row.target.splitlines()[1:]))
            is_writing = _WRITES.search(_QUIET.sub("", row.target))
            return edit._replace(spans=(said,), command=row.target) if is_writing else None
        if self._file.is_dropped or call is None:
            return edit._replace(is_gone=True)
        written = [
            change._replace(path=safe_text(change.path, self._source.redactor) or row.target)
            for event in self._events(row, call.length)
            for change in changes_of(event.arguments)
        ]
        spans = tuple(change for change in written if names is None or names.has(change.path, session))
        return edit._replace(spans=spans) if spans else None

    def _events(self, row: ChangeRow, length: int) -> list[Event]:
        """The event of a call; of a record with several that none tells apart, all."""
        place = EventPlace(row.offset, EventKind.CALL)
        events = self._texts.events(self._file, place, length)
        if events == []:
            events = self._texts.events_in_context(self._file, (place,)).get(place)
        same = [event for event in events or () if safe_text(event.call_id, self._source.redactor) == row.call_id]
        return same or events or []
