"""Rows of digests: which sessions wait for theirs, and what lists learn from one."""

import apsw
import pytest
from tests.store.planted_rows import plant

from afterwit.store.rows.sessions import refresh_session
from afterwit.store.rows.sightings import DigestRow, all_digests, digest_of, put_digest, sessions_to_digest


@pytest.fixture
def two(db: apsw.Connection) -> list[int]:
    found = [plant(db, name, f"{name}.jsonl").session_id for name in ("late", "early")]
    db.execute("UPDATE sessions SET started_ms = 500 WHERE native_id = 'early'")
    return found


def test_sessions_without_a_digest_wait_in_the_order_in_which_they_began(db: apsw.Connection, two: list[int]) -> None:
    late, early = two
    assert sessions_to_digest(db, 1) == [early, late]


def test_a_digested_session_waits_no_longer(db: apsw.Connection, two: list[int]) -> None:
    late, early = two
    put_digest(db, DigestRow(early, 1, b"body"), "success", "code")
    assert sessions_to_digest(db, 1) == [late]
    assert digest_of(db, early) == DigestRow(early, 1, b"body")
    assert digest_of(db, late) is None


def test_another_version_of_the_digester_makes_all_wait_again(db: apsw.Connection, two: list[int]) -> None:
    for session in two:
        put_digest(db, DigestRow(session, 1, b""), "unknown", "mixed")
    assert sessions_to_digest(db, 1) == []
    assert sorted(sessions_to_digest(db, 2)) == sorted(two)


def test_a_session_that_changed_waits_again(db: apsw.Connection, two: list[int]) -> None:
    for session in two:
        put_digest(db, DigestRow(session, 1, b""), "unknown", "mixed")
    refresh_session(db, two[0])
    assert sessions_to_digest(db, 1) == [two[0]]


def test_lists_show_outcome_and_task_type(db: apsw.Connection, two: list[int]) -> None:
    put_digest(db, DigestRow(two[0], 1, b""), "partial", "file")
    row = db.execute("SELECT outcome, task_type FROM sessions WHERE id = ?", (two[0],)).fetchone()
    assert row == ("partial", "file")


def test_all_digests_come_in_order(db: apsw.Connection, two: list[int]) -> None:
    late, early = two
    put_digest(db, DigestRow(late, 1, b"1234"), "success", "code")
    put_digest(db, DigestRow(early, 1, b"12"), "success", "code")
    assert [row.session_id for row in all_digests(db)] == [early, late]
    assert [row.body for row in all_digests(db)] == [b"12", b"1234"]


def test_a_store_without_digests_gives_none(db: apsw.Connection) -> None:
    assert list(all_digests(db)) == []
