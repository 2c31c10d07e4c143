"""Tells damage of the store from faults of the program, at the door through which the store is opened.

A flipped byte can make SQLite fail, a text that is none, a body that does not unpack, or a value that nobody expects.
SQLite's own errors say what they are. The others could as well be a mistake of ours: so the databases are looked at
before anyone is told that they are damaged, and where they are sound the error goes on as it is.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw

from afterwit.model.errors import AfterwitError, DamagedError
from afterwit.store.database import connect_readonly, translated
from afterwit.store.journal import Journal
from afterwit.store.layout import Layout
from afterwit.store.unreadable import UNREADABLE


@contextmanager
def telling_damage(layout: Layout) -> Iterator[None]:
    """Errors of SQLite, and what damage does to those who read, become errors of ours that say what to do."""
    try:
        yield
    except apsw.Error as error:
        raise translated(error, layout.database) from error
    except UNREADABLE as error:
        fault = _first_fault(layout)
        if not fault:
            raise
        raise DamagedError(f"A row cannot be read ({error}), because the store is damaged. {fault}") from error


def _first_fault(layout: Layout) -> str:
    """What is wrong with the databases, and what to do; "" if they are sound."""
    from afterwit.store.checks import database_faults  # brings in much that a glance does not need

    try:
        with closing(connect_readonly(layout.database)) as db:
            for fault in database_faults(db, is_quick=True):
                return f"{layout.database}: {fault}. `afterwit store rebuild` derives it again from the archive."
        with closing(Journal(layout.journal, layout.backups)) as journal:
            for fault in journal.verify():
                return f"{layout.journal}: {fault}. Nothing else holds it: restore it from a backup."
    except AfterwitError as error:
        return str(error)
    except apsw.Error as error:
        return str(translated(error, layout.database))
    return ""
