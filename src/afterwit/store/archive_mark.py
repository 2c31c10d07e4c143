"""Whether the database and the archive speak of the same thing.

Both keep a mark: a number that grows with every change of the archive, and what the archive holds. The archive's own
mark is written, durably, before the transaction that changes the database's, and once more after it. Until then it says
over which of the database's numbers it was announced: runs that were killed or failed, however many in a row, leave
the database at that number. Anything else means that one of the two was emptied, replaced or taken from a backup: a
database that knows less than the archive holds must not be written on. Where the archive's mark is gone or cannot be
read, the names in the archive are compared instead, and the next run writes the mark again.
"""

import secrets

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive
from afterwit.store.database import only_row
from afterwit.store.rows.files import DAMAGED, all_files, removable_objects
from afterwit.store.store import Store


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A state of the archive."""

    archive: str
    number: int
    files: int
    original_bytes: int
    is_confirmed: bool = True
    after: int = 0  # of one that is not confirmed: the number that the database had


def begin(store: Store) -> None:
    """Before anything is written to the archive: from here to `confirm`, a run that is killed may leave objects that
    the database does not know."""
    in_archive, in_database = _in_archive(store.archive), _in_database(store.db)
    if in_archive is not None and in_archive.is_confirmed:
        _write(
            store.archive,
            msgspec.structs.replace(in_archive, is_confirmed=False, after=in_database.number if in_database else 0),
        )


def is_unfinished(archive: Archive) -> bool:
    """Whether the last run that wrote to the archive did not come to its end."""
    in_archive = _in_archive(archive)
    return in_archive is not None and not in_archive.is_confirmed


def announce(store: Store) -> None:
    """Before the commit of a transaction that goes with a change of the archive."""
    in_database = _in_database(store.db)
    before = [mark for mark in (_in_archive(store.archive), in_database) if mark is not None]
    number = max((mark.number for mark in before), default=0) + 1
    mark = _current_mark(store.db, before[0].archive if before else secrets.token_hex(8), number)
    _put(store.db, mark)
    _write(
        store.archive, msgspec.structs.replace(mark, is_confirmed=False, after=in_database.number if in_database else 0)
    )


def confirm(store: Store) -> None:
    """After that commit."""
    mark = _in_database(store.db)
    if mark is not None:
        _write(store.archive, mark)


def note_held(db: apsw.Connection) -> None:
    """For whoever drops rows of archived files, in the same transaction: what is held is less now."""
    mark = _in_database(db)
    if mark is not None:
        _put(db, _current_mark(db, mark.archive, mark.number))


def adopt(store: Store) -> None:
    """The database is taken as it is: it is made from the archive, or somebody said so."""
    mark = _in_archive(store.archive)
    if mark is None:
        announce(store)
    else:
        _put(store.db, _current_mark(store.db, mark.archive, mark.number))


def describe_missing(store: Store) -> str:
    """What the archive holds and the database does not know, in words; "" if all is well. Costs the reading of two
    marks; where the archive has none, a look at the names in it."""
    in_archive, in_database = _in_archive(store.archive), _in_database(store.db)
    if in_archive is None:
        unknown = len(set(store.archive.names()) - _names_expected(store.db))
        return f"the archive holds {unknown:,} files that the database does not know" if unknown else ""
    if in_database and in_database.archive == in_archive.archive and in_database.number >= in_archive.number:
        return ""
    is_killed = not in_archive.is_confirmed and in_archive.after == (in_database.number if in_database else 0)
    if is_killed and (in_database is None or in_database.archive == in_archive.archive):
        return ""
    files, known_bytes = (in_database.files, in_database.original_bytes) if in_database else (0, 0)
    return (
        f"the archive holds {in_archive.files:,} files with {in_archive.original_bytes:,} bytes, and the database was"
        f" last in step with it at {files:,} files with {known_bytes:,} bytes"
    )


def refuse_older(store: Store) -> None:
    """Stops whoever would write on with a database that knows less than the archive holds."""
    missing = describe_missing(store)
    if missing:
        raise DamagedError(
            f"{store.layout.database} was emptied, or is an older one: {missing}. Nothing was changed. `afterwit store"
            " rebuild` makes it again. To go on with it as it is, run `afterwit learn --accept-database`: what is"
            " archived stays, and new bytes go beside it."
        )


def faults(store: Store) -> list[str]:
    """What does not fit, for those who look."""
    texts = []
    missing = describe_missing(store)
    if missing:
        texts.append(
            f"it was emptied, or is an older one: {missing}; `afterwit store rebuild` makes it again from the archive"
        )
    in_archive, in_database = _in_archive(store.archive), _in_database(store.db)
    if in_database is None:
        return texts
    if in_archive is None:
        what = "cannot be read" if store.archive.read_mark() is not None else "is gone"
        texts.append(f"the mark of the archive (archive.mark) {what}; the next `afterwit learn` writes it again")
    elif in_archive.number < in_database.number:
        texts.append("the archive is an older one than the database: restore what is missing in it from a backup")
    return texts


def describe_lack(db: apsw.Connection, mark: Mark | None, damaged: int) -> str:
    """What a database made from the archive lacks of what the archive should hold, in words; "" if nothing, or if so
    many damaged objects explain it. A mark that is not confirmed may promise more than there was ever to be, but not
    that there is nothing."""
    if mark is None:
        return ""
    counted = _current_mark(db, mark.archive, mark.number)
    is_enough = counted.files + damaged >= mark.files and (damaged or counted.original_bytes >= mark.original_bytes)
    if is_enough or (counted.files and not mark.is_confirmed):
        return ""
    return (
        f"{mark.files:,} files with {mark.original_bytes:,} bytes should be here, and {counted.files:,} with"
        f" {counted.original_bytes:,} are: some are gone, or lost their last bytes. Restore them from a backup"
    )


def mark_of(archive: Archive) -> Mark | None:
    return _in_archive(archive)


def _names_expected(db: apsw.Connection) -> set[str]:
    names = {row.object_name for row in all_files(db) if row.has_object or row.state == DAMAGED}
    return {*names, *removable_objects(db)}


def _current_mark(db: apsw.Connection, archive: str, number: int) -> Mark:
    """What the archive holds by now, as it is counted while rows change."""
    files, original_bytes = only_row(db, "SELECT files, original_bytes FROM held_files")
    return Mark(archive=archive, number=number, files=files, original_bytes=original_bytes)


def _in_database(db: apsw.Connection) -> Mark | None:
    row = db.execute("SELECT archive, number, files, original_bytes FROM archive_mark").fetchone()
    return Mark(archive=row[0], number=row[1], files=row[2], original_bytes=row[3]) if row else None


def _put(db: apsw.Connection, mark: Mark) -> None:
    query = "INSERT OR REPLACE INTO archive_mark VALUES (1, ?, ?, ?, ?)"
    db.execute(query, (mark.archive, mark.number, mark.files, mark.original_bytes))


def _in_archive(archive: Archive) -> Mark | None:
    content = archive.read_mark()
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Mark)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _write(archive: Archive, mark: Mark) -> None:
    archive.write_mark(msgspec.json.encode(mark))
