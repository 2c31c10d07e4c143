import apsw

from afterwit.store.journal import ChainHead
from afterwit.store.layout import Layout
from afterwit.store.rows import applied


def test_what_was_applied_moves_on_by_machine(db: apsw.Connection) -> None:
    applied.note_applied(db, "m1", ChainHead(3, "c", 30))
    applied.note_applied(db, "m2", ChainHead(1, "a", 10))
    applied.note_applied(db, "m1", ChainHead(4, "d", 40))
    assert applied.applied(db) == {"m1": ChainHead(4, "d", 40), "m2": ChainHead(1, "a", 10)}


def test_the_file_beside_the_journal_counts_where_the_database_knows_less(db: apsw.Connection, layout: Layout) -> None:
    applied.keep_heads(layout, {"m1": ChainHead(4, "d", 40), "m2": ChainHead(1, "a", 10)})
    applied.note_applied(db, "m1", ChainHead(3, "c", 30))
    applied.note_applied(db, "m2", ChainHead(2, "b", 20))
    assert applied.seen_heads(layout, applied.applied(db)) == {"m1": ChainHead(4, "d", 40), "m2": ChainHead(2, "b", 20)}
    layout.journal_heads.write_bytes(b"\xff no heads")
    assert applied.seen_heads(layout, applied.applied(db)) == applied.applied(db)
