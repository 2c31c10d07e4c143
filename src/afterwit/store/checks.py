"""Checks of the database against itself, and of who may read the store."""

import os
from collections.abc import Iterator

import apsw

from afterwit.store.checksums import broken_digests, broken_files, broken_knowledge
from afterwit.store.layout import Layout
from afterwit.store.rows.sessions import broken_sessions
from afterwit.store.unreadable import UNREADABLE


def database_faults(db: apsw.Connection, *, is_quick: bool = False) -> Iterator[str]:
    """What is wrong, one by one: who needs only the first stops there. A quick look leaves out what compares every
    index with its table."""
    try:
        for row in db.execute("PRAGMA quick_check(1)" if is_quick else "PRAGMA integrity_check"):
            if row[0] != "ok":
                yield str(row[0])
        for table, rowid, parent, _ in db.execute("PRAGMA foreign_key_check"):
            yield f"row {rowid} of {table} refers to a row of {parent} that does not exist"
        for what, query in _ORPHANS.items():
            count = db.execute(query).get
            if count:
                yield f"{count} {what}"
        yield from broken_files(db)
        yield from broken_digests(db)
        yield from broken_sessions(db)
        yield from broken_knowledge(db)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        yield f"{error}; `afterwit store rebuild` derives it again"
    except UNREADABLE as error:
        yield f"a row cannot be read ({error}); `afterwit store rebuild` derives it again"


def foreign_permissions(layout: Layout) -> Iterator[str]:
    """Files and folders of the store that others may read."""
    if os.name != "posix":
        return
    for path in (
        layout.root,
        layout.database,
        layout.journal,
        layout.key,
        layout.archive,
        layout.spool,
        layout.backups,
    ):
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"{path} can be read by others; `chmod go-rwx` it"


_ORPHANS = {
    "events belong to no part": "SELECT count(*) FROM events WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "actions belong to no part": "SELECT count(*) FROM actions WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "spends belong to no part": "SELECT count(*) FROM spends WHERE part_id NOT IN (SELECT id FROM parts)",
    "claims belong to no part": "SELECT count(*) FROM claims WHERE part_id NOT IN (SELECT id FROM parts)",
    "sessions have no part": "SELECT count(*) FROM sessions WHERE id NOT IN (SELECT session_id FROM parts)",
    "sessions count their actions wrongly": """SELECT count(*) FROM (
        SELECT sessions.id FROM sessions JOIN parts ON parts.session_id = sessions.id
        LEFT JOIN actions ON actions.id >= parts.id << 24 AND actions.id < (parts.id + 1) << 24
        GROUP BY sessions.id HAVING count(actions.id) <> sessions.actions)""",
}
