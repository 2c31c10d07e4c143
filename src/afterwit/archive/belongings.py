"""Whether what lies beside the database is what it was made with: the redaction key, the machine's id, the deck.

Each finding says what follows from it and what to do.
"""

from collections.abc import Iterator
from typing import NamedTuple

from afterwit.store.marks import DECK, KEY, MACHINE, fingerprint, key_mark, mark
from afterwit.store.store import Store


class Foreign(NamedTuple):
    """Something that is not what it was, or not there. Sentences without the last full stop."""

    code: str
    what: str


def foreign(store: Store) -> Iterator[Foreign]:
    if mark(store.db, KEY) not in ("", key_mark(store.key)):
        yield Foreign(
            "redaction-key",
            f"{store.layout.key.name} is not the key that this store was redacted with, so that the same secret looks"
            " like another one and sessions are held out anew. Restore it from a backup; else `afterwit store rebuild`"
            " redacts all that is archived with the new one",
        )
    if mark(store.db, MACHINE) not in ("", store.journal.machine):
        yield Foreign(
            "machine",
            f"journal.db says that this machine is {store.journal.machine}, and the database that it is"
            f" {mark(store.db, MACHINE)}, so that what was decided here counts as another machine's. Restore journal.db"
            " from a backup; else `afterwit store rebuild` goes on with the new name",
        )
    if not is_deck_sound(store):
        yield Foreign(
            "deck",
            f"{store.layout.deck.name}, which hooks read, is gone or not as it was written, so that sessions may be"
            " told nothing. `afterwit learn` writes it anew",
        )


def is_deck_sound(store: Store) -> bool:
    """Whether the deck is byte for byte the one that was written; also where none was written yet."""
    known = mark(store.db, DECK)
    return not known or fingerprint(store.layout.deck) in known.split()
