"""Copies of the databases of a store while others use them, through SQLite's own backup interface.

Pages stay where they are, so that two copies differ only where the databases do; `VACUUM INTO`, which a migration uses,
would move them all. A copy is one file, without a log beside it, and nobody has it open afterwards.
"""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.model.errors import DamagedError
from afterwit.store.atomic import PRIVATE
from afterwit.store.checksums import content_hash
from afterwit.store.database import connect_readonly, translated
from afterwit.store.rows.sessions import count_sessions

_PAGES_AT_ONCE = 10_000


class CopiedFacts(NamedTuple):
    """What a copied database says of itself."""

    sessions: int
    content_hash: str


def copy_database(source: Path, copy: Path) -> None:
    """A consistent copy, in a new file."""
    try:
        copy.touch(mode=PRIVATE, exist_ok=False)
        with closing(connect_readonly(source)) as db, closing(apsw.Connection(str(copy))) as into:
            into.pragma("synchronous", "off")
            with into.backup("main", db, "main") as backup:
                while not backup.done:
                    backup.step(_PAGES_AT_ONCE)
            into.pragma("journal_mode", "delete")
    except (apsw.Error, OSError) as error:
        raise translated(error, copy) from error


def facts_of_copy(copy: Path) -> CopiedFacts:
    """Raises where the copy, and so the database, is damaged."""
    with closing(connect_readonly(copy)) as db:
        try:
            fault = db.execute("PRAGMA quick_check(1)").get
            if fault == "ok":
                return CopiedFacts(count_sessions(db), content_hash(db))
        except apsw.Error as error:
            raise translated(error, copy) from error
    raise DamagedError(
        f"The database is damaged ({fault}), and is not backed up so. `afterwit store rebuild` makes it again."
    )


def machine_of_copy(copy: Path) -> str:
    """Whose journal it is."""
    with closing(connect_readonly(copy)) as db:
        row = db.execute("SELECT id FROM machine").fetchone()
        return str(row[0]) if row else ""
