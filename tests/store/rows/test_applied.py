import apsw

from afterwit.store import journal
from afterwit.store.journal import ChainHead
from afterwit.store.layout import Layout


def test_what_was_applied_moves_on_by_machine(db: apsw.Connection) -> None:
    journal.note_applied(db, "m1", ChainHead(3, "c", 30))
    journal.note_applied(db, "m2", ChainHead(1, "a", 10))
    journal.note_applied(db, "m1", ChainHead(4, "d", 40))
    assert journal.heads_applied(db) == {"m1": ChainHead(4, "d", 40), "m2": ChainHead(1, "a", 10)}


def test_the_file_beside_the_journal_counts_where_the_database_knows_less(db: apsw.Connection, layout: Layout) -> None:
    journal.keep_heads(layout, {"m1": ChainHead(4, "d", 40), "m2": ChainHead(1, "a", 10)})
    journal.note_applied(db, "m1", ChainHead(3, "c", 30))
    journal.note_applied(db, "m2", ChainHead(2, "b", 20))
    assert journal.last_heads(layout, journal.heads_applied(db)) == {
        "m1": ChainHead(4, "d", 40),
        "m2": ChainHead(2, "b", 20),
    }
    layout.journal_heads.write_bytes(b"\xff no heads")
    assert journal.last_heads(layout, journal.heads_applied(db)) == journal.heads_applied(db)
