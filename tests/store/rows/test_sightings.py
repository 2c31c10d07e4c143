"""Rows of the harvest."""

import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows import sightings
from afterwit.store.rows.sightings import DigestRow, DraftRow, MatterKey, SightingRow, put_digest

PRUNING = MatterKey("rules", "orchard\nR1")
PICKING = MatterKey("rules", "orchard\nR2")


def seen(session: int, matter: MatterKey, body: bytes = b"x") -> SightingRow:
    return SightingRow(matter.harvester, matter.name, session, 0, body)


def digested(db: apsw.Connection) -> None:
    """The session 1, of the repository orchard, with its digest."""
    assert plant(db).session_id == 1
    db.execute("UPDATE sessions SET repo = 'orchard'")
    put_digest(db, DigestRow(1, 1, b""), "success", "code")


def test_a_session_waits_until_these_harvesters_have_seen_it(db: apsw.Connection) -> None:
    digested(db)
    assert sightings.unharvested(db, "a:1") == [1]
    sightings.put_seen(db, 1, "a:1", "orchard", [])
    assert sightings.unharvested(db, "a:1") == []
    assert sightings.unharvested(db, "a:2") == [1]


def test_a_session_that_moved_to_another_repository_is_looked_at_again(db: apsw.Connection) -> None:
    digested(db)
    sightings.put_seen(db, 1, "a:1", "elsewhere", [])
    assert sightings.unharvested(db, "a:1") == [1]


def test_a_new_digest_is_looked_at_again(db: apsw.Connection) -> None:
    digested(db)
    sightings.put_seen(db, 1, "a:1", "orchard", [])
    put_digest(db, DigestRow(1, 1, b"new"), "success", "code")
    assert sightings.unharvested(db, "a:1") == [1]


def test_matters_before_and_after_are_touched_until_they_are_concluded(db: apsw.Connection) -> None:
    digested(db)
    sightings.put_seen(db, 1, "a:1", "orchard", [seen(1, PRUNING)])
    sightings.put_drafts(db, PRUNING, [DraftRow("i1", *PRUNING, b"draft")])
    assert sightings.touched(db) == []
    sightings.put_seen(db, 1, "a:1", "orchard", [seen(1, PICKING)])
    assert sightings.touched(db) == [PRUNING, PICKING]
    assert sightings.sightings_of(db, PRUNING) == []
    sightings.put_drafts(db, PRUNING, [])
    assert list(sightings.all_drafts(db)) == []
    assert sightings.touched(db) == [PICKING]


def test_what_was_seen_in_a_session_that_is_gone_goes_too(db: apsw.Connection) -> None:
    digested(db)
    sightings.put_seen(db, 1, "a:1", "orchard", [seen(1, PRUNING)])
    sightings.put_seen(db, 7, "a:1", "orchard", [seen(7, PRUNING)])
    sightings.forget_deleted_sessions(db)
    assert [row.session_id for row in sightings.sightings_of(db, PRUNING)] == [1]
    assert db.execute("SELECT count(*) FROM sightings").get == 1


def test_everything_can_be_concluded_again(db: apsw.Connection) -> None:
    digested(db)
    sightings.put_seen(db, 1, "a:1", "orchard", [seen(1, PRUNING)])
    sightings.put_drafts(db, PRUNING, [])
    sightings.touch_all(db)
    sightings.forget_harvest(db)
    assert sightings.touched(db) == [PRUNING]
    assert sightings.unharvested(db, "a:1") == [1]
