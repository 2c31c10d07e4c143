"""The database notes what changed since the deck was dealt, whoever changes it."""

import apsw
import pytest
from tests.store.planted_rows import plant

from afterwit.store.marks import (
    count_stories,
    deck_changes,
    forget_deck_changes,
    newest_in,
)
from afterwit.store.rows.items import ItemRow, delete_item, put_item
from afterwit.store.rows.sightings import DigestRow, put_digest


@pytest.fixture
def dealt(db: apsw.Connection) -> apsw.Connection:
    """The session 1, of the repository orchard, with its digest, and a note; all of it is in the deck."""
    assert plant(db).session_id == 1
    db.execute("UPDATE sessions SET repo = 'orchard'")
    put_digest(db, DigestRow(1, 1, b""), "success", "code")
    put_item(db, note("n1", "repo:orchard"), "")
    forget_deck_changes(db)
    return db


def note(name: str, scope: str) -> ItemRow:
    return ItemRow(name, scope, "fact", "rules", "active", 0.9, 1, b"")


def test_a_session_with_a_new_digest_is_noted(dealt: apsw.Connection) -> None:
    put_digest(dealt, DigestRow(1, 1, b"new"), "success", "code")
    assert deck_changes(dealt) == [("repo:orchard", 1)]


def test_a_session_that_moved_is_noted_for_both_repositories(dealt: apsw.Connection) -> None:
    dealt.execute("UPDATE sessions SET repo = 'harbour'")
    assert deck_changes(dealt) == [("repo:harbour", 1), ("repo:orchard", 1)]


def test_a_session_that_began_at_another_time_is_noted_and_no_other_change(dealt: apsw.Connection) -> None:
    dealt.execute("UPDATE sessions SET title = 'Prune', repo = repo, started_ms = started_ms")
    assert deck_changes(dealt) == []
    dealt.execute("UPDATE sessions SET started_ms = started_ms + 1")
    assert deck_changes(dealt) == [("repo:orchard", 1)]


def test_a_session_that_is_gone_is_noted(dealt: apsw.Connection) -> None:
    dealt.execute("DELETE FROM digests")
    assert deck_changes(dealt) == [("repo:orchard", 1)]
    forget_deck_changes(dealt)
    dealt.execute("DELETE FROM parts; DELETE FROM sessions")
    assert deck_changes(dealt) == [("repo:orchard", 1)]


def test_scopes_whose_notes_changed_are_noted(dealt: apsw.Connection) -> None:
    put_item(dealt, note("n1", "agent:codex"), "")
    put_item(dealt, note("n2", "global"), "")
    assert deck_changes(dealt) == [("agent:codex", 0), ("global", 0), ("repo:orchard", 0)]
    forget_deck_changes(dealt)
    delete_item(dealt, "n2")
    assert deck_changes(dealt) == [("global", 0)]


def test_places_and_scopes_are_told_once_each(dealt: apsw.Connection) -> None:
    put_item(dealt, note("n2", "global"), "")
    put_item(dealt, note("n3", "global"), "")
    assert newest_in(dealt, "orchard", 5) == [1]
    assert [count_stories(dealt, *place) for place in (("orchard", ""), ("harbour", ""), ("", ""))] == [1, 0, 1]


def test_an_empty_store_has_none(db: apsw.Connection) -> None:
    assert deck_changes(db) == []
