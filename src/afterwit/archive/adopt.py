"""Gives rows to what the archive holds and the database does not know: the writer of a rebuild.

Transcripts, companions and remains come one by one, in any order but this: remains before all transcripts, because what
their parts own cannot go to others. Afterwards the rows are those that `learn` would have left. The archive stays as it
is, except that generations of which `learn` would have kept nothing are doomed.
"""

import os
from collections.abc import Mapping
from pathlib import PurePosixPath

import apsw
from msgspec.structs import replace

from afterwit.capture.assembly.remains import LeftCompanion, Remains, packed_keys, searchable
from afterwit.capture.derived import Derived
from afterwit.capture.file_resume import keys_of
from afterwit.capture.origin import COMPANION, TRANSCRIPT, Origin
from afterwit.capture.part_rows import PartRows
from afterwit.config.run_rules import RunRules
from afterwit.store.archive import archive_name
from afterwit.store.rows import claims, files, parts
from afterwit.store.rows import originals as raw
from afterwit.store.rows.originals import Drop
from afterwit.store.store import Store


class Adopter:
    """Puts archived files into an open transaction; `settle` makes them consistent before it is committed."""

    def __init__(self, store: Store, rules: RunRules) -> None:
        self._db = store.db
        self._rows = PartRows(store, rules)

    def adopt(self, origin: Origin, generation: int, derived: Derived, *, is_live: bool) -> None:
        """Writes the rows of a transcript that the archive holds and the database does not know."""
        file_id = self._add(origin, TRANSCRIPT, generation, is_live=is_live)
        self._rows.put_reading(file_id, origin.agent, derived, 0)

    def adopt_companion(self, origin: Origin, held_bytes: int, sha256: str, generation: int, *, is_live: bool) -> None:
        """The same for a companion."""
        file_id = self._add(origin, COMPANION, generation, is_live=is_live)
        files.note_held(self._db, file_id, held_bytes, sha256)
        files.note_state(self._db, file_id, "read")

    def adopt_remains(self, origin: Origin, generation: int, drop: Drop, remains: Remains, *, is_live: bool) -> None:
        """The same for a transcript of which the archive holds the remains. Before all transcripts: what its parts
        own cannot go to others."""
        file_id = self._add(origin, TRANSCRIPT, generation, is_live=is_live)
        captured = remains.captured
        part_ids = self._rows.put_owners(file_id, origin.agent, captured)
        parts.put_problems(self._db, file_id, 0, captured.problems)
        files.note_reading(self._db, file_id, remains.cursor, b"", remains.known, remains.unknown)
        put_remains(self._db, file_id, drop, remains, part_ids)
        self._rows.index_later(file_id, replace(captured, texts=searchable(captured)), part_ids)
        for companion in {one.path: one for one in sorted(remains.companions, key=_generation)}.values():
            self._adopt_left(origin._replace(path=PurePosixPath(os.fsdecode(companion.path))), companion, drop)

    def settle(self) -> None:
        """Derives again what lost records to others, and merges the parts of all sessions that changed."""
        self._rows.settle()

    def drop_contained_generations(self) -> None:
        """Forgets earlier generations of which `learn` would have kept nothing."""
        rows = files.all_files(self._db)
        live = {row.key: row for row in rows if row.is_live and row.role == TRANSCRIPT}
        for row in rows:
            now = live.get(row.key)
            if not row.is_live and row.role == TRANSCRIPT and now is not None and now.resume:
                self._rows.drop_if_contained(row, keys_of(now))
                self._rows.derive_again([now.id])

    def _add(self, origin: Origin, role: str, generation: int, *, is_live: bool) -> int:
        file_id = self._rows.add_file(origin, role, generation)
        if not is_live:
            files.retire_file(self._db, file_id)
        return file_id

    def _adopt_left(self, origin: Origin, companion: LeftCompanion, drop: Drop) -> None:
        """A companion that went with its transcript, or should have, had the run not been killed."""
        row = files.live_file(self._db, origin.key)
        if row is not None and row.generation != companion.generation:
            return
        if row is not None:
            files.doom(self._db, archive_name(row.key, row.generation))
        file_id = row.id if row else self._add(origin, COMPANION, companion.generation, is_live=True)
        gone = drop._replace(dropped_bytes=companion.dropped_bytes, sha256=companion.sha256)
        raw.note_dropped(self._db, file_id, gone, None)


def put_remains(db: apsw.Connection, file_id: int, drop: Drop, remains: Remains, part_ids: Mapping[int, int]) -> None:
    """The rows of a transcript as its remains have them. Its claims, and what can be searched, stay as they are."""
    parts.put_rows(db, remains.captured, dict(part_ids))
    claims.note_copies(db, file_id, set())
    raw.note_dropped(db, file_id, drop, packed_keys(remains.keys))


def _generation(companion: LeftCompanion) -> int:
    return companion.generation
