"""Digests leave only when their owner says so, without what was said, and can be taken back; sums are counts."""

import json
from pathlib import Path

import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import member
from tests.homes import CLAUDE, claude_records, learned, put

from afterwit.extras.team.hub.owner import search, status
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import open_store

SECRET = "AKIA" + "Q3EGZRVDN5WKXTYP"
_BODIES = "SELECT body::text FROM afterwit_hub.digests ORDER BY session"
COUNT = "Run `make build` before `make check`, or counts are old."


@pytest.fixture
def ada(server: HubServer, tmp_path: Path) -> HubMate:
    server.begins("growers")
    ada = mate(server, tmp_path, "ada")
    log(ada, "s1", f"Prune the old trees with the key {SECRET}")
    return ada


def log(person: HubMate, session: str, task: str) -> None:
    records = claude_records(session)
    records[0]["message"]["content"] = task
    home, store = person.local.world.user_home, person.local.world.layout.root
    put(home / CLAUDE / f"11111111-aaaa-4aaa-8aaa-00000000000{session[1]}.jsonl", records)
    learned(home, store)


def test_nothing_of_a_session_leaves_unasked_but_sums(ada: HubMate, server: HubServer) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    assert server.asked("ada", _BODIES) == []
    (row,) = status(ada.address).members
    assert (row.name, row.notes, row.sessions, row.actions, row.failures, row.digests) == ("ada", 1, 1, 3, 2, 0)


def test_a_digest_leaves_without_secrets_keyed_marks_and_what_was_said(ada: HubMate, server: HubServer) -> None:
    assert ada.syncs(has_digests=True).digests_sent == 1
    ((text,),) = server.asked("ada", _BODIES)
    body = json.loads(text)
    assert body["task"].startswith("Prune the old trees with the key ‹")
    assert SECRET not in text
    assert ":" not in body["task"].partition("‹")[2].partition("›")[0]
    assert "I will look" not in text
    assert "make prune-0" not in text
    assert set(body) == {
        *("agent", "models", "task", "task_type", "outcome", "started_ms", "duration_ms", "kinds", "failures"),
        *("rules", "files", "tokens"),
    }


def test_only_digests_that_changed_are_sent_again(ada: HubMate, server: HubServer) -> None:
    assert ada.syncs(has_digests=True).digests_sent == 1
    assert ada.syncs(1, has_digests=True).digests_sent == 0
    log(ada, "s2", "Water the young trees")
    assert ada.syncs(2, has_digests=True).digests_sent == 1
    assert ada.syncs(3).digests_sent == 0
    assert len(server.asked("ada", _BODIES)) == 2
    assert ada.syncs(4, has_digests=False).digests_taken_back == 2
    assert server.asked("ada", _BODIES) == []
    assert ada.syncs(5, has_digests=True).digests_sent == 2


def test_notes_and_tasks_are_found_by_their_words(ada: HubMate, server: HubServer, tmp_path: Path) -> None:
    own = ada.local.adds(COUNT).id
    ada.syncs(has_digests=True)
    server.begins("vintners")
    grace, eve = mate(server, tmp_path, "grace"), mate(server, tmp_path, "eve", "vintners")
    assert [(hit.kind, hit.id, hit.by, hit.text) for hit in search(grace.address, "build check", 5)] == [
        ("note", own, "ada", COUNT)
    ]
    assert [hit.kind for hit in search(grace.address, "prune trees", 5)] == ["session"]
    assert search(grace.address, "build -check", 5) == []
    assert search(eve.address, "build check", 5) == []
    assert search(eve.address, "prune trees", 5) == []
    assert status(eve.address).members == []


def test_digests_stay_on_the_hub_and_change_nothing_that_is_read_here(
    ada: HubMate, server: HubServer, tmp_path: Path
) -> None:
    ada.syncs(has_digests=True)
    grace = mate(server, tmp_path, "grace")
    done = grace.syncs(1, has_digests=True)
    assert (done.incoming, done.digests_sent) == ([], 0)
    with open_store(grace.local.world.layout) as store:
        assert count_sessions(store.db) == 0
    assert [hit.by for hit in search(grace.address, "prune trees", 5)] == ["ada"]


def test_a_lead_sees_the_sums_of_all_machines_and_no_contents(ada: HubMate, server: HubServer, tmp_path: Path) -> None:
    laptop = HubMate(member(tmp_path / "laptop", "ada"), ada.address)
    for session in ("s2", "s3"):
        log(laptop, session, "Water the young trees")
    grace = mate(server, tmp_path, "grace")
    log(grace, "s4", "Graft a branch")
    for minute, machine in enumerate((ada, laptop, grace, laptop, ada)):  # twice counts once
        machine.syncs(minute, has_digests=machine is grace)
    lead = mate(server, tmp_path, "lead", is_read_only=True)
    sums = {row.name: row for row in status(lead.address).members}
    assert sums.keys() == {"ada", "grace"}
    assert (sums["ada"].machines, sums["ada"].sessions, sums["ada"].digests) == (2, 3, 0)
    assert (sums["ada"].actions, sums["ada"].failures) == (9, 6)
    assert (sums["grace"].machines, sums["grace"].sessions, sums["grace"].digests) == (1, 1, 1)
    assert search(lead.address, "water OR trees", 5) == []
    seen = [
        row
        for table in ("sums", "machines", "note_lines")
        for row in server.asked("lead", f"TABLE afterwit_hub.{table}")
    ]
    assert not any(word in str(seen).lower() for word in ("prune", "water", "graft"))
