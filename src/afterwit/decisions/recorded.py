"""A decision that is in the journal will happen, and one that is not will not: what a command says agrees with that.

The journal is durable before anything follows from an entry. So on a full disk the entry may be there while the
database cannot take it in: the next command that opens the store does. Said as an error alone, people would decide a
second time, or believe that nothing was decided.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from afterwit.model.errors import PartlyDoneError, StoreError, StoreFullError
from afterwit.store.store import Store


@contextmanager
def told_if_recorded(store: Store) -> Iterator[None]:
    """Whatever goes wrong with the store inside, after something was journalled, says so."""
    before = store.journal.heads()
    try:
        yield
    except (StoreError, apsw.Error, OSError) as error:
        if _heads(store, before) == before:
            raise
        raise PartlyDoneError(
            f"This is recorded, and the next `afterwit learn` applies it; it could not be applied now. {_said(error)}"
        ) from error


def _heads(store: Store, otherwise: object) -> object:
    try:
        return store.journal.heads()
    except (StoreError, apsw.Error):
        return otherwise


def _said(error: Exception) -> str:
    if isinstance(error, StoreFullError):
        return "No space is left: free some."
    if isinstance(error, OSError):
        return f"{error.strerror or type(error).__name__}: {error.filename or 'no file named'}."
    return str(error)
