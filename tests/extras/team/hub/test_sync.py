"""Notes leave for the hub when a person approved them, wait where they arrive, and nothing is sent twice."""

from pathlib import Path

import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import REPO
from tests.homes import CLAUDE, Silent, claude_records, learned, put, world_of

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.undo import undo
from afterwit.extras.team.hub import sync as hub_sync
from afterwit.extras.team.hub import sync as syncing
from afterwit.extras.team.hub.owner import init, remove_member
from afterwit.extras.team.hub.sync import SyncRequest, sync
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.errors import BusyError, UsageError
from afterwit.model.knowledge import EVERYWHERE, Channel, ItemStatus
from afterwit.store.decisions import DecisionKind
from afterwit.store.store import hold_lease

COUNT = "Run `make build` before `make check`, or counts are old."
PRESS = "Run `make dist` before `make bundle`, or the press stops."
_LINES = "SELECT note, author, machine, jsonb_array_length(lines), tick FROM afterwit_hub.note_lines ORDER BY tick"


@pytest.fixture
def ada(server: HubServer, tmp_path: Path) -> HubMate:
    server.begins("growers")
    return mate(server, tmp_path, "ada")


@pytest.fixture
def grace(server: HubServer, tmp_path: Path, ada: HubMate) -> HubMate:
    return mate(server, tmp_path, "grace")


def test_what_a_person_approved_leaves_and_waits_where_it_arrives(ada: HubMate, grace: HubMate) -> None:
    own = ada.local.adds(COUNT).id
    sent = ada.syncs()
    assert [(change.id, change.change) for change in sent.outgoing] == [(own, "shared"), (own, "approved")]
    came = grace.syncs(1)
    assert [(change.change, change.by, change.fact) for change in came.incoming] == [("new", "ada", COUNT)]
    note = grace.local.note(COUNT)
    assert (note.status, note.reason) == (ItemStatus.QUARANTINED, "shared by ada: waits for your approval")
    assert not may_be_told(note)


def test_syncing_again_sends_and_brings_nothing(ada: HubMate, grace: HubMate, server: HubServer) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    before = server.asked("ada", _LINES)
    for person in (ada, grace, ada, grace):
        person.syncs(1)
    for person in (ada, grace):
        again = person.syncs(2)
        assert (again.incoming, again.outgoing, again.notes_sent) == ([], [], 0)
    assert server.asked("ada", _LINES) == before


def test_an_approval_and_a_rejection_travel(ada: HubMate, grace: HubMate, server: HubServer, tmp_path: Path) -> None:
    joan = mate(server, tmp_path, "joan")
    ada.local.adds(COUNT)
    ada.syncs()
    grace.syncs(1)
    joan.syncs(1)
    grace.local.decides(DecisionKind.APPROVE, COUNT)
    assert [change.change for change in grace.syncs(2).outgoing] == ["approved"]
    joan.local.decides(DecisionKind.REJECT, COUNT)
    assert [change.change for change in joan.syncs(3).outgoing] == ["rejected"]
    assert [change.change for change in ada.syncs(4).incoming] == ["rejected"]
    assert ada.local.note(COUNT).status is ItemStatus.ACTIVE  # her own word holds here
    kate = mate(server, tmp_path, "kate")
    kate.syncs(5)
    assert kate.local.note(COUNT).reason == "rejected by joan for all who share it"


def test_a_rejection_before_others_shared_the_note_leaves_when_they_do(ada: HubMate, grace: HubMate) -> None:
    grace.local.adds(COUNT)
    grace.local.later(1).decides(DecisionKind.REJECT, COUNT)
    assert grace.syncs(2).outgoing == []
    ada.local.adds(COUNT)
    ada.syncs(3)
    assert [change.change for change in grace.syncs(4).outgoing] == ["rejected"]


def test_what_is_taken_back_is_gone_for_a_machine_that_was_away(ada: HubMate, grace: HubMate) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    grace.syncs(1)
    undo(ada.local.later(2).world)
    assert [change.change for change in ada.syncs(3).outgoing] == ["taken back"]
    assert [change.change for change in grace.syncs(9_000).incoming] == ["gone"]
    assert COUNT not in grace.local.notes


def test_what_holds_everywhere_and_other_repositories_stay(ada: HubMate, grace: HubMate) -> None:
    ada.local.adds(COUNT, EVERYWHERE)
    assert ada.syncs().outgoing == []
    ada.local.adds(PRESS)
    assert ada.syncs(1, repos=("vineyard",)).outgoing == []
    assert grace.syncs(2).incoming == []


def test_a_plan_that_is_turned_down_and_a_dry_run_send_nothing(ada: HubMate, server: HubServer) -> None:
    ada.local.adds(COUNT)
    assert sync(ada.local.world, ada.address, SyncRequest(repos=(REPO,)), lambda _: False) is None
    assert len(ada.syncs(is_dry_run=True).outgoing) == 2
    assert server.asked("ada", _LINES) == []
    assert ada.syncs().notes_sent == 1


def test_a_secret_stops_the_sync_before_anything_leaves(ada: HubMate, server: HubServer) -> None:
    own = ada.local.adds(COUNT).id
    world = ada.local.world
    (world.layout.root / "config.toml").write_text('[redaction]\nstrings = ["make check"]\n', encoding="utf-8")
    wary = world_of(world.user_home, world.layout.root, world.environ)
    with pytest.raises(UsageError, match=f"Note {own} holds what looks like a secret"):
        sync(wary, ada.address, SyncRequest(repos=(REPO,)), lambda _: True)
    assert server.asked("ada", _LINES) == []


def test_a_store_that_was_made_anew_fetches_all_and_sends_nothing_again(
    ada: HubMate, grace: HubMate, server: HubServer
) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    grace.local.adds(PRESS)
    grace.syncs(1)
    ada.syncs(2)
    before = server.asked("ada", _LINES)
    rebuild(ada.local.world, Silent())
    again = ada.syncs(3)
    assert (again.incoming, again.outgoing) == ([], [])
    assert server.asked("ada", _LINES) == before
    assert {COUNT, PRESS} <= ada.local.notes.keys()


@pytest.mark.parametrize("is_told", [True, False])
def test_a_hub_that_was_put_back_to_an_earlier_state_gets_everything_again(
    ada: HubMate, grace: HubMate, server: HubServer, is_told: bool
) -> None:
    ada.local.adds(COUNT)
    ada.local.later(1).adds(PRESS)
    ada.syncs(2)
    grace.syncs(3)
    server.asked("keeper", "DELETE FROM afterwit_hub.note_lines")
    if is_told:
        init(server.keeper, "growers", is_restored=True)
    ada.syncs(4)
    assert len(server.asked("ada", _LINES)) == 2
    assert grace.syncs(5).incoming == []
    assert {COUNT, PRESS} <= grace.local.notes.keys()


def test_pages_and_batches_of_any_size_give_the_same(
    ada: HubMate, grace: HubMate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_sync, "BATCH", 3)
    facts = [f"Run `make step-{number}` before `make press`, or the press stops." for number in range(7)]
    for minute, fact in enumerate(facts):
        ada.local.later(minute).adds(fact)
    assert ada.syncs(10).notes_sent == 7
    grace.syncs(11)
    assert set(facts) <= grace.local.notes.keys()


def test_removing_a_member_takes_back_what_they_said_for_everybody(
    ada: HubMate, grace: HubMate, server: HubServer
) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    grace.syncs(1)
    assert remove_member(server.keeper, server.role("ada")).notes_taken_back == 1
    assert [change.change for change in grace.syncs(2).incoming] == ["gone"]
    assert COUNT not in grace.local.notes


def test_a_change_of_settings_looks_at_everything_again(ada: HubMate, server: HubServer, tmp_path: Path) -> None:
    ada.local.adds(COUNT)
    ada.syncs()
    wary = mate(server, tmp_path, "wary")
    wary.syncs(1)
    assert wary.local.note(COUNT).status is ItemStatus.QUARANTINED
    world = wary.local.world
    (world.layout.root / "config.toml").write_text('[share]\ntrusted = ["ada"]\n', encoding="utf-8")
    trusting = world_of(world.user_home, world.layout.root, world.environ)._replace(now_ms=world.now_ms + 120_000)
    sync(trusting, wary.address, SyncRequest(repos=(REPO,)), lambda _: True)
    assert wary.local.note(COUNT).status is ItemStatus.ACTIVE


def test_of_two_syncs_of_one_store_the_second_waits_or_says_so(ada: HubMate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "_WAIT_SECONDS", 0)
    ada.local.adds(COUNT)
    with hold_lease(ada.local.world.layout.hub_lease), pytest.raises(BusyError, match="Another run"):
        ada.syncs()
    assert ada.syncs().notes_sent == 1


def test_personal_words_leave_only_as_a_named_rule(ada: HubMate) -> None:
    home, store = ada.local.world.user_home, ada.local.world.layout.root
    records = claude_records("s1")
    records[0]["message"]["content"] = "From now on, always run `make build` before `make check` in this repository."
    put(home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", records)
    learned(home, store)
    (note,) = (item for item in ada.local.notes.values() if item.channel is Channel.USER)
    ada.local.decides(DecisionKind.APPROVE, note.sentence)
    assert ada.syncs(1).outgoing == []
    assert {change.id for change in ada.syncs(2, rules=(note.id,)).outgoing} == {note.id}
    assert ada.syncs(3).outgoing == []
