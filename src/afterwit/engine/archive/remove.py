"""Takes originals out of the archive and leaves their remains, so that nothing but the original bytes is missed.

In this order: what is about to leave is noted durably; the remains take the place of each original in one rename; the
rows follow in one transaction, and the companions are removed after it. Killed anywhere, either the original is there
or its remains are, and `settle_dropped`, at the start of the next run, brings the rows in line with the archive.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import apsw

from afterwit.capture.commit import remove_dropped_objects
from afterwit.capture.derived import Origin, keys_of, origin_in
from afterwit.model.captured import LeftCompanion, Remains, pack_keys, pack_remains, unpack_remains, without_places
from afterwit.model.errors import DamagedError
from afterwit.store import archive_mark
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.atomic import step
from afterwit.store.database import UNREADABLE, transaction, translate_error
from afterwit.store.marks import forget_last_run
from afterwit.store.rows import files, parts
from afterwit.store.rows.files import Drop, FileRow
from afterwit.store.store import Store

PACKED_BYTES = "packed_bytes"  # in the header of remains: what the original took, companions included
_BATCH = 64


class FileToDrop(NamedTuple):
    """A transcript whose original goes, with the companions that go with it."""

    file: FileRow
    state: str
    companions: Sequence[FileRow] = ()


def drop_originals(store: Store, files_to_drop: Sequence[FileToDrop], now_ms: int) -> dict[int, str]:
    """Replaces the originals by their remains. Returns what the archive does not hold as it should, by file; that is
    left alone. Raises StoreFullError where there is no room for the remains."""
    faults: dict[int, str] = {}
    try:
        for start in range(0, len(files_to_drop), _BATCH):
            batch = files_to_drop[start : start + _BATCH]
            _announce(store, batch)
            for to_drop in batch:
                try:
                    header, remains = _remains(store, to_drop, now_ms)
                except DamagedError as error:
                    faults[to_drop.file.id] = str(error)
                else:
                    store.archive.replace(to_drop.file.object_name, header, pack_remains(remains))
            store.archive.flush()
            settle_dropped(store)
    except OSError as error:
        raise translate_error(error, store.layout.root) from error
    return faults


def settle_dropped(store: Store) -> None:
    """Brings the rows of what is leaving in line with what the archive holds of it by now."""
    file_ids = files.files_leaving(store.db)
    if not file_ids:
        return
    with transaction(store.db):
        for file in files.files_by_id(store.db, file_ids).values():
            if _has_left(store.archive, file.object_name):
                _try_to_settle(store, file)
            store.archive.clear_beside(file.object_name)
        files.clear_leaving(store.db)
        archive_mark.note_held(store.db)
        step("the rows of what left are settled, not committed")
    archive_mark.confirm(store)
    remove_dropped_objects(store)


def drop_in(header: dict[str, Any]) -> Drop:
    """How an original went, as the header of its remains says it."""
    return Drop(str(header["state"]), int(header["dropped_bytes"]), int(header["dropped_ms"]), str(header["sha256"]))


def put_remains(db: apsw.Connection, file_id: int, drop: Drop, remains: Remains, part_ids: Mapping[int, int]) -> None:
    """The rows of a transcript as its remains have them. Its claims, and what can be searched, stay as they are."""
    parts.put_rows(db, remains.captured, dict(part_ids))
    parts.note_copies(db, file_id, set())
    files.note_dropped(db, file_id, drop, pack_keys(remains.keys))


def is_leaving(store: Store, file: FileRow) -> bool:
    """Whether a run was stopped after the original had gone and before its rows followed."""
    return file.id in files.files_leaving(store.db) and _has_left(store.archive, file.object_name)


def _announce(store: Store, batch: Sequence[FileToDrop]) -> None:
    """Durable before any rename, whatever the power does: only so is it known afterwards what to look at."""
    store.db.pragma("synchronous", "FULL")
    try:
        with transaction(store.db):
            files.note_leaving(store.db, [to_drop.file.id for to_drop in batch])
            forget_last_run(store.db)
            archive_mark.announce(store)
    finally:
        store.db.pragma("synchronous", "NORMAL")
    step("what is about to leave is noted")


def _remains(store: Store, to_drop: FileToDrop, now_ms: int) -> tuple[dict[str, Any], Remains]:
    """The header and the content of what takes the original's place."""
    file = to_drop.file
    if file.state == files.DAMAGED:
        raise DamagedError(file.error)
    keys = keys_of(file)
    captured = without_places(files.rows_of_file(store.db, file.id))
    captured.claims = list(_owner_of(store, file, keys))
    header = store.archive.header(file.object_name) | {
        "state": to_drop.state,
        "dropped_bytes": file.held_bytes,
        "dropped_ms": now_ms,
        "sha256": file.sha256,
    }
    remains = Remains(
        captured=captured,
        keys=keys,
        known=files.counts_in(file.known),
        unknown=files.counts_in(file.unknown),
        cursor=file.cursor,
        companions=[_what_is_left(store, companion) for companion in to_drop.companions],
    )
    taken = sum(store.archive.packed_bytes(dropped_file.object_name) for dropped_file in (file, *to_drop.companions))
    return header | {PACKED_BYTES: taken}, remains


def _owner_of(store: Store, file: FileRow, keys: dict[str, list[int]]) -> Iterator[list[int]]:
    """Per part the keys that are its own and no other part's."""
    for part in parts.parts_of_file(store.db, file.id):
        own_keys = keys.get(part.facts.native_id, [])
        others = {key for rival in parts.rivals(store.db, part.id, own_keys) for key in rival.keys}
        yield [key for key in own_keys if key not in others]


def _what_is_left(store: Store, companion: FileRow) -> LeftCompanion:
    origin = origin_in(store.archive.header(companion.object_name))
    return LeftCompanion(
        path=os.fsencode(str(origin.path)),
        generation=companion.generation,
        dropped_bytes=companion.held_bytes,
        sha256=companion.sha256,
    )


def _has_left(archive: Archive, name: ArchiveName) -> bool:
    try:
        return archive.is_remains(name)
    except DamagedError:
        return False


def _try_to_settle(store: Store, file: FileRow) -> None:
    """Remains that cannot be read leave the rows as they are: these hold all that the remains should."""
    try:
        with transaction(store.db):
            _settle(store, file)
    except (DamagedError, *UNREADABLE) as error:
        files.note_state(store.db, file.id, files.DAMAGED, f"{error} {files.REMEDY}")


def _settle(store: Store, file: FileRow) -> None:
    header = store.archive.header(file.object_name)
    drop, remains = drop_in(header), unpack_remains(store.archive.remains(file.object_name))
    part_ids_before = {part.facts.native_id: part.id for part in parts.parts_of_file(store.db, file.id)}
    part_ids = {number: part_ids_before[facts.native_id] for number, facts in enumerate(remains.captured.parts)}
    put_remains(store.db, file.id, drop, remains, part_ids)
    for companion in remains.companions:
        _settle_companion(store, origin_in(header), companion, drop)


def _settle_companion(store: Store, owner: Origin, companion: LeftCompanion, drop: Drop) -> None:
    origin = owner._replace(path=PurePosixPath(os.fsdecode(companion.path)))
    row = files.file_generation(store.db, origin.key, companion.generation)
    if row is None or row.is_dropped:
        return
    dropped = drop._replace(dropped_bytes=row.held_bytes, sha256=row.sha256)
    files.note_removable(store.db, row.object_name)
    if row.is_live:
        files.note_dropped(store.db, row.id, dropped, None)
    else:
        files.delete_file(store.db, row.id)
