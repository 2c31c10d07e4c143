import apsw

from afterwit.store import applied


def test_what_was_applied_moves_on_by_machine(db: apsw.Connection) -> None:
    applied.note_applied(db, "m1", 3)
    applied.note_applied(db, "m2", 1)
    applied.note_applied(db, "m1", 4)
    assert applied.applied(db) == {"m1": 4, "m2": 1}
