"""Gives rows to what the archive holds and the database does not know: the writer of a rebuild.

Transcripts, companions and remains come one by one, in any order but this: remains before all transcripts, because what
their parts own cannot go to others. Afterwards the rows are those that `learn` would have left. The archive stays as it
is, except that generations of which `learn` would have kept nothing are marked for removal.

What could not be read, or lost its end, gets a row too, in state damaged, with the remedy: `problems`, `verify` and
`doctor` say it until the file is read again, or its object is restored or removed.
"""

import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import apsw
from msgspec.structs import replace

from afterwit.capture.commit import PartRows
from afterwit.capture.derived import COMPANION, TRANSCRIPT, Derived, Origin, keys_of
from afterwit.model.captured import LeftCompanion, Remains, pack_keys, searchable
from afterwit.store.archive import ArchiveName, generation_of
from afterwit.store.checksums import seal
from afterwit.store.rows import files, parts
from afterwit.store.rows.files import Drop, FileRow

_UNKNOWN_AGENT = "unknown"


class Damage(NamedTuple):
    where: str  # the object, and its path if that is known
    what: str
    held_bytes: int  # that could be read
    is_used: bool  # these have rows

    @property
    def line(self) -> str:
        return f"{self.where}: {self.what}"

    def is_less_than(self, row: FileRow) -> bool:
        """Whether the row knew more of the file than the object has now. One that is known to be damaged, and has as
        much as before, is no new loss."""
        return self.held_bytes < row.held_bytes or row.is_dropped or row.state != files.DAMAGED


class ArchiveObject(NamedTuple):
    """An object of the archive, as its own header describes it."""

    name: ArchiveName
    header: dict[str, Any]
    origin: Origin
    generation: int
    is_live: bool = True  # there is no later generation of the file

    @property
    def role(self) -> str:
        return str(self.header["role"])


class Adopter(PartRows):
    """Puts archived files into an open transaction; `settle` makes them consistent before it is committed."""

    def adopt(self, stored: ArchiveObject, derived: Derived) -> None:
        """Writes the rows of a transcript that the archive holds and the database does not know."""
        self.put_reading(self._add(stored), stored.origin.agent, derived, 0)

    def adopt_companion(self, stored: ArchiveObject, held_bytes: int, sha256: str) -> None:
        """The same for a companion."""
        file_id = self._add(stored)
        files.note_held(self._db, file_id, held_bytes, sha256)
        files.note_state(self._db, file_id, "read")

    def adopt_remains(self, stored: ArchiveObject, drop: Drop, remains: Remains) -> None:
        """The same for a transcript of which the archive holds the remains. Before all transcripts: what its parts
        own cannot go to others."""
        file_id, captured = self._add(stored), remains.captured
        part_ids = self.put_owners(file_id, stored.origin.agent, captured)
        parts.put_problems(self._db, file_id, 0, captured.problems)
        files.note_reading(self._db, file_id, remains.cursor, b"", remains.known, remains.unknown)
        put_remains(self._db, file_id, drop, remains, part_ids)
        self.index_later(file_id, replace(captured, texts=searchable(captured)), part_ids)
        by_generation = sorted(remains.companions, key=lambda companion: companion.generation)
        for companion in {companion.path: companion for companion in by_generation}.values():
            self._adopt_left(stored.origin._replace(path=PurePosixPath(os.fsdecode(companion.path))), companion, drop)

    def drop_contained_generations(self) -> None:
        """Forgets earlier generations of which `learn` would have kept nothing."""
        rows = files.all_files(self._db)
        live = {row.key: row for row in rows if row.is_live and row.role == TRANSCRIPT}
        for row in rows:
            now = live.get(row.key)
            if not row.is_live and row.role == TRANSCRIPT and now is not None and now.resume:
                self.drop_if_contained(row, keys_of(now))
                self.derive_again([now.id])

    def _add(self, stored: ArchiveObject) -> int:
        role = COMPANION if stored.role == COMPANION else TRANSCRIPT
        file_id = self.add_file(stored.origin, role, stored.generation)
        if not stored.is_live:
            files.retire_file(self._db, file_id)
        return file_id

    def _adopt_left(self, origin: Origin, companion: LeftCompanion, drop: Drop) -> None:
        """A companion that went with its transcript, or should have, had the run not been killed."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.generation != companion.generation:
            return
        if row is not None:
            files.note_removable(self._db, row.object_name)
        file_id = row.id if row else self.add_file(origin, COMPANION, companion.generation)
        dropped = drop._replace(dropped_bytes=companion.dropped_bytes, sha256=companion.sha256)
        files.note_dropped(self._db, file_id, dropped, None)


def put_remains(db: apsw.Connection, file_id: int, drop: Drop, remains: Remains, part_ids: Mapping[int, int]) -> None:
    """The rows of a transcript as its remains have them. Its claims, and what can be searched, stay as they are."""
    parts.put_rows(db, remains.captured, dict(part_ids))
    parts.note_copies(db, file_id, set())
    files.note_dropped(db, file_id, drop, pack_keys(remains.keys))


def keep_damage(
    db: apsw.Connection, damage: Mapping[ArchiveName, Damage], before: Mapping[ArchiveName, FileRow]
) -> None:
    """Notes it in the rows that there are by now, and makes those that are not. `before` has the rows of the database
    that is replaced, as far as it could be read."""
    rows = {row.object_name: row for row in files.all_files(db)}
    for name, object_damage in damage.items():
        earlier = before.get(name)
        row = rows.get(name)
        if row is not None and object_damage.is_used:
            # With another checksum than that of the bytes, so that the next rebuild sees that something was lost.
            files.note_held(db, row.id, object_damage.held_bytes, earlier.sha256 if earlier else "")
            if row.role == TRANSCRIPT:
                seal(db, [row.id])
        file_id = row.id if row is not None else _added(db, name, earlier)
        if file_id is not None:
            remedy = f"{files.REMEDY} To go on without it, delete {name}.zst in the archive."
            files.note_state(db, file_id, files.DAMAGED, f"{object_damage.what}. {remedy}")


def _added(db: apsw.Connection, name: ArchiveName, earlier: FileRow | None) -> int | None:
    """A row for an object of which nothing was read; None, if its name is none of ours."""
    try:
        key, generation = bytes.fromhex(name.rpartition("-")[0]), generation_of(name)
    except ValueError:
        return None
    live = files.live_file(db, key)
    if live is not None and live.generation < generation:
        files.retire_file(db, live.id)
    path, role = (earlier.path, earlier.role) if earlier else (str(name), TRANSCRIPT)
    file_id = files.add_file(db, earlier.agent if earlier else _UNKNOWN_AGENT, key, generation, path, role)
    if live is not None and live.generation > generation:
        files.retire_file(db, file_id)
    return file_id
