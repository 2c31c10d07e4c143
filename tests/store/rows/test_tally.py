import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows import files
from afterwit.store.rows.health import RowCounts, count_rows


def test_rows_are_tallied(db: apsw.Connection) -> None:
    assert count_rows(db) == RowCounts(files=0, sessions=0, events=0, actions=0, failures=0, problems=0)
    plant(db, "one", "a.jsonl")
    plant(db, "two", "b.jsonl")
    files.add_file(db, "codex", b"key", 0, "empty.jsonl", "transcript")
    assert count_rows(db) == RowCounts(files=2, sessions=2, events=6, actions=2, failures=2, problems=2)
