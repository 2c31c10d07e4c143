"""Writes what was derived from live files: archive first, then the rows, cursor and claims in one transaction.

Killed anywhere, the store stands where the last commit left it, and the next run does the rest. Which generation of a
file it is, and whether it is kept at all, is decided here; the rows of a reading, and whose they are, in `part_rows`.
`resolve_repos` brings the repositories of sessions up to date: the answer follows from the set of all that was seen, so
the order in which things were learned does not matter. How it is found is in `repos.identity`.
"""

import os
from collections.abc import Set
from contextlib import suppress
from pathlib import PurePosixPath

from afterwit.capture.derived import (
    COMPANION,
    SESSIONS,
    SOURCE,
    TRANSCRIPT,
    Copy,
    Derived,
    Origin,
    ReadingMode,
    captured_in,
    keys_held,
    origin_in,
)
from afterwit.capture.left_out import LeftOutParts
from afterwit.capture.part_rows import PartRows
from afterwit.capture.plan import may_lie_anywhere
from afterwit.model.errors import DamagedError
from afterwit.model.settings import Settings
from afterwit.repos.identity import resolve
from afterwit.sources.places import LogFile
from afterwit.store.archive import archive_name, generation_of
from afterwit.store.database import UNREADABLE, transaction
from afterwit.store.rows import files, parts, repos, sessions
from afterwit.store.rows.erased import (
    ERASED,
    EXCLUDED,
    LEFT_OUT,
    OWN,
    forget_hook_rows,
    note_sifted,
    put_left_out,
    session_key,
)
from afterwit.store.rows.files import FileRow
from afterwit.store.rows.repos import RepoRow
from afterwit.store.store import Store


class Committer(PartRows):
    """Puts derived files into an open transaction; `settle` makes them consistent before it is committed."""

    def put(self, origin: Origin, derived: Derived, companions_mark: str = "", *, is_again: bool = False) -> bool:
        """Writes one transcript. False if there was no session in it and it was not kept. One that was given up and is
        as it was then is written only if it `is_again` wanted."""
        row = self._row(origin)
        is_same = row is not None and derived.sha256 == row.sha256 and not is_again
        if row and row.is_dropped and (derived.mode is ReadingMode.FAILED or is_same):
            self._note_unchanged(row, derived, companions_mark)
            return True
        generation = 0
        if row and _is_placeholder(row) and derived.mode is ReadingMode.WHOLE:
            files.delete_file(self._db, row.id)
            generation, row = row.generation, None
        rewritten = row if row and _is_superseded(row, derived) else None
        if rewritten:
            files.retire_file(self._db, rewritten.id)
            generation, row = rewritten.generation + 1, None
        file_id = row.id if row else self.add_file(origin, TRANSCRIPT, generation)
        if derived.mode is ReadingMode.FAILED:
            files.note_state(self._db, file_id, "failed", derived.error)
            return True
        stat = (derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)
        files.note_stat(self._db, file_id, *stat)
        for held in (files.file_by_id(self._db, file_id), *files.earlier_generations(self._db, origin.key)):
            self._note_tracked(held, origin)
        if derived.mode is ReadingMode.UNCHANGED:
            return True
        if not (row and row.held_bytes) and not _is_worth_keeping(derived):
            files.note_state(self._db, file_id, "empty")
            return False
        start = row.cursor if row and derived.mode is ReadingMode.APPEND else 0
        try:
            with transaction(self._db):
                self._put_read(file_id, origin, derived, start)
        except DamagedError as error:
            self.note_damaged(file_id, error)
            derived.mode, derived.captured, derived.error = ReadingMode.FAILED, None, f"{error} {files.REMEDY}"
        return True

    def put_rest(self, origin: Origin, derived: Derived, companions_mark: str = "") -> bool:
        """Writes what is kept of a transcript of which some sessions are left out. As long as these are, it cannot be
        read on from where it was: so each time it is a new generation, unless nothing of the rest is new."""
        row = self._row(origin)
        if row is not None and row.held_bytes and row.sha256 == derived.sha256:
            derived.mode, derived.captured = ReadingMode.UNCHANGED, None
        elif row is not None and row.held_bytes:
            derived.mode = ReadingMode.REWRITTEN
        is_kept = self.put(origin, derived, companions_mark)
        note_sifted(self._db, origin.key)
        return is_kept

    def leave_out(self, origin: Origin, derived: Derived, parts: LeftOutParts, companions_mark: str = "") -> None:
        """Notes that nothing of a transcript is kept, so that it is not read again before it changes. What was kept of
        it before stays."""
        row = self._row(origin)
        file_id = row.id if row else files.add_file(self._db, origin.agent, origin.key, 0, "", TRANSCRIPT)
        stat = (derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)
        files.note_stat(self._db, file_id, *stat)
        if row is None or not (row.held_bytes or row.is_dropped):
            counts = {EXCLUDED: len(parts.excluded), ERASED: len(parts.erased), OWN: len(parts.own)}
            keys = [session_key(origin.agent, native_id) for native_id in parts.all]
            put_left_out(self._db, file_id, counts, keys)
        forget_hook_rows(self._db, [(origin.agent, native_id) for native_id in parts.all])

    def doubt(self, older: Set[int]) -> None:
        """Of these whose logs git may track, and of all sources, which may hold them, the next look asks git again."""
        for row in files.all_files(self._db) if older else ():
            with suppress(DamagedError, *UNREADABLE):  # which is told where it is derived
                header = self._store.archive.header(row.archived_as) if row.id in older else None
                if row.role == SOURCE or (header and may_lie_anywhere(origin_in(header))):
                    files.note_stat(self._db, row.id, 0, 0, 0, row.companions)

    def _row(self, origin: Origin) -> FileRow | None:
        """The present row of a file. That of one that was left out says nothing."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.state == LEFT_OUT:
            files.delete_file(self._db, row.id)
            return None
        return row

    def note_source(self, origin: Origin, file: LogFile, sessions: int, error: str = "") -> None:
        """What was found of a database or folder whose sessions are transcripts of their own."""
        row = files.live_file(self._db, origin.key)
        file_id = row.id if row else self.add_file(origin, SOURCE, 0)
        files.note_stat(self._db, file_id, file.size_bytes, file.mtime_ns, file.inode, "")
        files.note_state(self._db, file_id, "failed" if error else "read", error)
        files.note_reading(self._db, file_id, 0, b"", {SESSIONS: sessions}, {})

    def _note_unchanged(self, row: FileRow, derived: Derived, companions_mark: str) -> None:
        """A file whose original was given up, as it was then: it stays given up."""
        if derived.mode is not ReadingMode.FAILED:
            derived.mode, derived.captured = ReadingMode.UNCHANGED, None
            files.note_stat(self._db, row.id, derived.size_bytes, derived.mtime_ns, derived.inode, companions_mark)

    def _put_read(self, file_id: int, origin: Origin, derived: Derived, start: int) -> None:
        """What was read of a file that is kept: its bytes, its companions, its rows."""
        row = files.file_by_id(self._db, file_id)
        self._archived(file_id, origin, row.role, row.held_bytes, derived.frames)
        for copy in derived.copies:
            self._put_copy(origin._replace(path=PurePosixPath(os.fsdecode(copy.path))), copy)
        self.put_reading(file_id, origin.agent, derived, start)
        for earlier in files.earlier_generations(self._db, origin.key):
            self.drop_if_contained(earlier, keys_held(derived.resume))

    def _note_tracked(self, row: FileRow, origin: Origin) -> None:
        """Whether git tracks the log now is what all its rows go by, and what a rebuild finds in the archive."""
        with suppress(DamagedError):  # which is told where it is read
            if row.held_bytes and origin_in(self._store.archive.header(row.archived_as)) != origin:
                header = origin.header(row.role, row.generation)
                self._store.archive.compact(row.archived_as, row.held_bytes, header)
        if any(part.facts.is_tracked != origin.is_tracked for part in parts.parts_of_file(self._db, row.id)):
            self.derive_again([row.id])

    def _put_copy(self, origin: Origin, copy: Copy) -> None:
        row = files.live_file(self._db, origin.key)
        if row and (row.is_dropped or row.state == files.DAMAGED):
            if row.sha256 == copy.sha256:  # nothing of the damaged one is needed any more
                files.note_removable(self._db, row.archived_as)
            files.delete_file(self._db, row.id)
            generation, row = row.generation + 1, None
        else:
            generation = row.generation + 1 if row else 0
        if row and row.sha256 != copy.sha256:
            files.retire_file(self._db, row.id)
        if row is None or row.sha256 != copy.sha256:
            file_id = self.add_file(origin, COMPANION, generation)
            self._archived(file_id, origin, COMPANION, 0, copy.frames)
        else:
            file_id = row.id
        files.note_stat(self._db, file_id, copy.size_bytes, copy.mtime_ns, copy.inode, "")
        files.note_state(self._db, file_id, "read")
        files.note_held(self._db, file_id, copy.held_bytes, copy.sha256)

    def _archived(self, file_id: int, origin: Origin, role: str, held_bytes: int, packed: list[bytes]) -> None:
        """Appends to the archive. Where that holds more of the file than the row knows, the row moves on to the
        generation that the bytes went to."""
        generation = files.generation_by_id(self._db, file_id).generation
        name = archive_name(origin.key, generation)
        written = self._store.archive.append(name, origin.header(role, generation), held_bytes, packed)
        if written != name:
            files.note_generation(self._db, file_id, generation_of(written))


def _is_placeholder(row: FileRow) -> bool:
    """Whether it only says that the archive holds an object of this file that cannot be read."""
    return row.state == files.DAMAGED and not row.held_bytes and not row.is_dropped


def _is_superseded(row: FileRow, derived: Derived) -> bool:
    """Whether what was read is a new generation of the file."""
    is_whole = derived.mode is ReadingMode.REWRITTEN or (
        derived.mode is ReadingMode.WHOLE and row.state == files.DAMAGED
    )
    return row.is_dropped or bool(row.held_bytes and is_whole)


def _is_worth_keeping(derived: Derived) -> bool:
    """A session, or records that a better reader may understand one day. Known noise alone is neither."""
    captured = captured_in(derived)
    has_session = any(not facts.is_empty for facts in captured.parts)
    has_damage = any(not problem.is_passing for problem in captured.problems)
    return has_session or has_damage or bool(derived.unknown)


def resolve_repos(store: Store, settings: Settings) -> None:
    """Gives every session its repository, by the set of all that was seen."""
    db = store.db
    resolutions = resolve(
        sessions.sightings(db), settings.aliases.repos, repos.checkouts(db), merges=repos.aliases(db, "repo")
    )
    rows = sorted(
        RepoRow(spot.root, spot.remote, answer.repo, answer.how.value) for spot, answer in resolutions.items()
    )
    if rows != sorted(repos.repo_rows(db)) or repos.unresolved(db):
        with transaction(db):
            repos.put_repos(db, rows)
