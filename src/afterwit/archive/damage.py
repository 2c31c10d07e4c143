"""Rows for archived objects that cannot be read, or lost their end, so that a rebuild does not turn loss into peace.

A rebuilt database knows only what could be read. So what could not gets a row too, in state damaged, with the remedy:
`problems`, `verify` and `doctor` say it until the file is read again, or its object is restored or removed.
"""

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from afterwit.capture.origin import TRANSCRIPT
from afterwit.store.archive import ArchiveName, archive_name, generation_of
from afterwit.store.checksums import seal
from afterwit.store.rows import files
from afterwit.store.rows.files import FileRow

_UNKNOWN_AGENT = "unknown"


class Damage(NamedTuple):
    """What is wrong with an object."""

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


def keep_damage(
    db: apsw.Connection, damage: Mapping[ArchiveName, Damage], before: Mapping[ArchiveName, FileRow]
) -> None:
    """Notes it in the rows that there are by now, and makes those that are not. `before` has the rows of the database
    that is replaced, as far as it could be read."""
    rows = {archive_name(row.key, row.generation): row for row in files.all_files(db)}
    for name, found in damage.items():
        earlier = before.get(name)
        row = rows.get(name)
        if row is not None and found.is_used:
            # With another checksum than that of the bytes, so that the next rebuild sees that something was lost.
            files.note_held(db, row.id, found.held_bytes, earlier.sha256 if earlier else "")
            if row.role == TRANSCRIPT:
                seal(db, [row.id])
        file_id = row.id if row is not None else _added(db, name, earlier)
        if file_id is not None:
            remedy = f"{files.REMEDY} To go on without it, delete {name}.zst in the archive."
            files.note_state(db, file_id, files.DAMAGED, f"{found.what}. {remedy}")


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
