import apsw

from afterwit.store.rows.files import delete_pin, is_pinned, pins, put_pin


def test_a_pin_holds_until_it_is_taken_back(db: apsw.Connection) -> None:
    put_pin(db, "codex", "t1")
    put_pin(db, "codex", "t1")
    put_pin(db, "claude-code", "t1")
    assert is_pinned(db, "codex", "t1")
    assert pins(db) == {("codex", "t1"), ("claude-code", "t1")}
    delete_pin(db, "codex", "t1")
    assert not is_pinned(db, "codex", "t1")
    assert pins(db) == {("claude-code", "t1")}
