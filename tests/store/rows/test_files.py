import apsw
import pytest
from tests.store.planted_rows import AGENT, plant

from afterwit.store.rows import files
from afterwit.store.rows.files import FileStamp, file_key

KEY = file_key(AGENT, "a.jsonl")


def test_a_file_is_known_by_agent_and_path() -> None:
    assert len(KEY) == 16
    assert len({KEY, file_key("codex", "a.jsonl"), file_key(AGENT, "b.jsonl"), file_key(AGENT, "\udcff")}) == 4


def test_a_new_file_is_empty_and_live(db: apsw.Connection) -> None:
    file_id = files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    row = files.file_by_id(db, file_id)
    assert (row.agent, row.key, row.path, row.role) == (AGENT, KEY, "a.jsonl", "transcript")
    assert (row.state, row.is_live, row.held_bytes, row.cursor, row.resume) == ("empty", 1, 0, 0, None)
    assert files.live_file(db, KEY) == row
    assert files.live_file(db, b"another") is None


def test_what_was_read_of_a_file_comes_back(db: apsw.Connection) -> None:
    file_id = files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    files.note_stat(db, file_id, 10, 20, 30, "mark")
    files.note_state(db, file_id, "failed", "Permission denied")
    files.note_held(db, file_id, 9, "ab")
    files.note_reading(db, file_id, 8, b"\x00resume", {"b": 1, "a": 2}, {})
    row = files.file_by_id(db, file_id)
    assert (row.size_bytes, row.mtime_ns, row.inode, row.companions) == (10, 20, 30, "mark")
    assert (row.state, row.error, row.held_bytes, row.sha256) == ("failed", "Permission denied", 9, "ab")
    assert (row.cursor, row.resume, row.known, row.unknown) == (8, b"\x00resume", '{"a":2,"b":1}', "{}")
    assert files.file_stamp(db, KEY) == FileStamp(10, 20, 30, "mark", "failed")
    assert files.file_stamp(db, b"another") is None


def test_several_files_come_at_once(db: apsw.Connection) -> None:
    ids = [files.add_file(db, AGENT, file_key(AGENT, name), 0, name, "transcript") for name in ("a", "b", "c")]
    assert files.files_by_id(db, ids[1:]) == {file_id: files.file_by_id(db, file_id) for file_id in ids[1:]}
    assert files.files_by_id(db, [10_000]) == {}


def test_large_inodes_and_times_fit(db: apsw.Connection) -> None:
    file_id = files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    files.note_stat(db, file_id, 2**63 - 1, 2**63 - 1, 2**63 - 1, "")
    assert files.file_by_id(db, file_id).inode == 2**63 - 1


def test_a_rewritten_file_lives_on_as_its_next_generation(db: apsw.Connection) -> None:
    first = files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    files.retire_file(db, first)
    second = files.add_file(db, AGENT, KEY, 1, "a.jsonl", "transcript")
    live = files.live_file(db, KEY)
    assert live is not None
    assert (live.id, live.generation) == (second, 1)
    assert [row.id for row in files.all_files(db)] == [first, second]
    assert list(files.transcript_stamps(db, AGENT)) == [KEY]


def test_transcripts_are_settled_unless_they_are_to_be_tried_again(db: apsw.Connection) -> None:
    places = [("empty", "transcript"), ("failed", "transcript"), (files.DAMAGED, "transcript"), ("read", "companion")]
    for state, role in [("read", "transcript"), *places]:
        file_id = files.add_file(db, AGENT, file_key(AGENT, f"{state}-{role}"), 0, "", role)
        files.note_stat(db, file_id, 10, 20, 30, "")
        files.note_state(db, file_id, state)
    settled = {file_key(AGENT, f"{state}-transcript"): (10, 20, 30) for state in ("read", "empty")}
    assert files.transcript_stamps(db, AGENT) == settled
    assert files.transcript_stamps(db, "codex") == {}


def test_one_generation_is_stored_once(db: apsw.Connection) -> None:
    files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    with pytest.raises(apsw.ConstraintError):
        files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")


def test_a_file_with_parts_cannot_be_deleted_from_under_them(db: apsw.Connection) -> None:
    planted = plant(db)
    with pytest.raises(apsw.ConstraintError):
        files.delete_file(db, planted.file_id)


def test_a_deleted_file_takes_its_problems_and_copies_along(db: apsw.Connection) -> None:
    file_id = files.add_file(db, AGENT, KEY, 0, "a.jsonl", "transcript")
    db.execute("INSERT INTO problems VALUES (?, 0, 1, 'odd')", (file_id,))
    db.execute("INSERT INTO copies VALUES (?, 77), (77, ?)", (file_id, file_id))
    files.delete_file(db, file_id)
    for table in ("files", "problems", "copies"):
        assert db.execute(f"SELECT count(*) FROM {table}").get == 0


def test_an_object_is_doomed_once_until_it_is_gone(db: apsw.Connection) -> None:
    for name in ("b-0", "a-0", "b-0"):
        files.note_removable(db, name)
    assert files.removable_objects(db) == ["a-0", "b-0"]
    files.forget_removable(db, "a-0")
    assert files.removable_objects(db) == ["b-0"]
