import apsw
from tests.store.planted_rows import AGENT, plant

from afterwit.store.rows import files, health


def test_problems_name_the_file_and_the_place(db: apsw.Connection) -> None:
    plant(db, "one", "a.jsonl")
    failed = files.add_file(db, "codex", b"key", 0, "locked.jsonl", "transcript")
    files.note_stat(db, failed, 1, 99, 1, "")
    files.note_state(db, failed, "failed", "Permission denied")
    found = [tuple(row)[:5] for row in health.problem_rows(db, 0)]
    assert ("codex", "locked.jsonl", None, None, "Permission denied") in found
    assert (AGENT, "a.jsonl", 150, 9, "not a JSON object") in found
    assert len(found) == 2
    assert len(list(health.problem_rows(db, 1))) == 1
