"""The archive behind the rows: what it holds of a companion, what can be derived from it again, what may leave it.

Reads only what the rows say is held, so that bytes of a run that was killed are never taken for content. Objects are
removed after their rows: killed in between, the next run removes them.
"""

from pathlib import PurePosixPath

import apsw

from afterwit.capture.companions import kept_at
from afterwit.capture.derive import derive_archived
from afterwit.capture.derived import Derived
from afterwit.capture.origin import Origin, origin_in
from afterwit.config.run_rules import RunRules
from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive, ArchiveName, archive_name
from afterwit.store.database import transaction
from afterwit.store.rows import files
from afterwit.store.rows.files import FileRow
from afterwit.store.steps import step
from afterwit.store.store import Store


def companion_bytes(db: apsw.Connection, archive: Archive, transcript: Origin, path: PurePosixPath) -> bytes | None:
    """The archived bytes of a transcript's companion, if there is one."""
    for place in (kept_at(transcript.path, path), path):
        row = files.live_file(db, transcript._replace(path=place).key)
        if row is not None and row.held_bytes:
            try:
                return b"".join(archive.read(archive_name(row.key, row.generation), row.held_bytes))
            except DamagedError:  # as good as gone; `verify` says what is wrong with it
                return None
    return None


def derived_from_archive(store: Store, rules: RunRules, row: FileRow, copied: frozenset[int] = frozenset()) -> Derived:
    """A transcript's rows, made anew from its archived bytes, without the records that are `copied`."""
    name = archive_name(row.key, row.generation)
    origin = origin_in(store.archive.header(name))
    pieces = store.archive.read(name, row.held_bytes)

    def companion(path: PurePosixPath) -> bytes | None:
        return companion_bytes(store.db, store.archive, origin, path)

    return derive_archived(origin.agent, origin.path, pieces, companion, rules, copied)


def remove_doomed(store: Store) -> None:
    """Removes archive objects whose rows a committed transaction has dropped."""
    for name in files.doomed(store.db):
        store.archive.remove(ArchiveName(name))
        step("a doomed archive object is removed")
        with transaction(store.db):
            files.undoom(store.db, name)
