"""Originals as a matter of space."""

import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows import files
from afterwit.store.rows.files import Drop, RawFile, put_pin
from afterwit.store.rows.sightings import DigestRow, put_digest


def only(db: apsw.Connection) -> RawFile:
    (found,) = files.raw_files(db)
    return found


def test_a_file_is_analysed_when_all_its_sessions_have_digests(db: apsw.Connection) -> None:
    planted = plant(db)
    assert (only(db).sessions, only(db).undigested) == (1, 1)
    put_digest(db, DigestRow(planted.session_id, 1, b""), "success", "code")
    assert only(db).undigested == 0
    db.execute("UPDATE sessions SET is_digested = 0")
    assert only(db).undigested == 1


def test_a_session_marked_without_a_digest_is_not_analysed(db: apsw.Connection) -> None:
    plant(db)
    db.execute("UPDATE sessions SET is_digested = 1")
    assert only(db).undigested == 1


def test_a_file_with_a_pinned_session_is_pinned(db: apsw.Connection) -> None:
    plant(db)
    put_pin(db, "codex", "one")
    assert only(db).pinned == 0
    put_pin(db, "claude-code", "one")
    assert only(db).pinned == 1


def test_what_is_leaving_is_remembered(db: apsw.Connection) -> None:
    files.note_leaving(db, [3, 1])
    files.note_leaving(db, [1])
    assert files.files_leaving(db) == [1, 3]
    files.clear_leaving(db)
    assert files.files_leaving(db) == []


def test_a_dropped_file_is_no_original_any_more_and_is_listed(db: apsw.Connection) -> None:
    planted = plant(db)
    files.note_dropped(db, planted.file_id, Drop(files.EVICTED, 159, 7_000, "5f" * 32), b"keys")
    assert files.raw_files(db) == []
    assert files.original_bytes_held(db) == 0
    (found,) = files.files_dropped(db)
    assert (found.state, found.dropped_bytes, found.dropped_ms, found.sha256) == ("evicted", 159, 7_000, "5f" * 32)
    row = files.file_by_id(db, planted.file_id)
    assert (row.is_dropped, row.has_object, row.resume, row.cursor) == (True, True, b"keys", 150)
    assert files.sessions_in(db, [planted.file_id])[planted.file_id][0].native_id == "one"


def test_all_rows_of_a_file_come_out_as_capture_made_them(db: apsw.Connection) -> None:
    planted = plant(db)
    found = files.rows_of_file(db, planted.file_id)
    assert (len(found.parts), len(found.events), len(found.actions), len(found.spends)) == (1, 3, 1, 1)
    assert found.actions[0].target == "make test"
    assert found.problems[0].reason == "not a JSON object"
    assert found.events[1].offset == 50


def test_unused_pages_are_counted(db: apsw.Connection) -> None:
    db.execute("CREATE TABLE filler (content BLOB)")
    db.executemany("INSERT INTO filler VALUES (randomblob(?))", [(4_000,)] * 100)
    before = files.page_bytes(db)
    db.execute("DROP TABLE filler")
    unused, total = files.page_bytes(db)
    assert unused >= before[0] + 400_000
    assert total == before[1]
