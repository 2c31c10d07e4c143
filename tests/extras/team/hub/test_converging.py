"""Ten machines sync through one hub, at random, cut off and killed between, and end up with the same knowledge."""

import random
import threading
from pathlib import Path

import psycopg
import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import REPO

from afterwit.extras.team.hub import sync as hub_sync
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.connection import OfflineError, join_hub
from afterwit.extras.team.hub.sync import lines_of, notes_of_hub
from afterwit.extras.team.records import SharedNote
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import PERSON, Authority, ItemStatus
from afterwit.store.decisions import DecisionKind
from afterwit.store.store import open_store

_STEPS = 50
_ADD = """INSERT INTO afterwit_hub.note_lines (team, repo, note, member, machine, author, lines)
          VALUES ('growers', %s, %s, current_user, 'm', %s, '[]')"""


class CrashError(Exception):
    """The machine stopped between two batches."""


def test_ten_machines_converge(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(11)
    server.begins("growers")
    people = [mate(server, tmp_path, f"person{number}") for number in range(10)]
    monkeypatch.setattr(hub_sync, "BATCH", 2)
    crashes, refusals = 0, 0

    def step(name: str) -> None:
        if rng.random() < 0.15:
            raise CrashError(name)

    with monkeypatch.context() as crashing:
        crashing.setattr(hub_sync, "step", step)
        crashing.setattr(hub_sync, "step", step)
        for minute in range(_STEPS):
            person = rng.choice(people)
            if rng.random() < 0.2:
                person = person._replace(address=_cut_off(person))
            try:
                _acts(person, rng, minute + 1)
            except OfflineError:
                refusals += 1
            except CrashError:
                crashes += 1
    assert crashes
    assert refusals
    for round_ in range(2):
        for person in people:
            person.syncs(_STEPS + 1 + round_)
    first, *others = [_shared(person, _STEPS + 3) for person in people]
    assert any(note.approved_by for note in first.values())
    assert all(other == first for other in others)
    for person in people:
        for note in person.local.notes.values():
            is_theirs = note.harvester == PERSON or note.is_decided
            assert is_theirs or (note.authority, note.status == ItemStatus.ACTIVE) == (Authority.OBSERVATION, False)
        again = person.syncs(_STEPS + 4)
        assert (again.incoming, again.outgoing, again.notes_sent) == ([], [], 0)


def _cut_off(person: HubMate) -> HubAddress:
    """The same hub behind a port at which nobody listens."""
    return person.address._replace(options={**person.address.options, "host": "127.0.0.1", "port": "1"})


def _acts(person: HubMate, rng: random.Random, minute: int) -> None:
    local = person.local.later(minute)
    notes = local.notes if local.world.layout.exists() else {}
    match rng.randrange(5):
        case 0 | 1:
            local.adds(f"Run `make step-{rng.randrange(8)}` before `make press`, or the press stops.")
        case 2 if notes:
            local.decides(rng.choice([DecisionKind.APPROVE, DecisionKind.REJECT]), rng.choice(sorted(notes)))
        case _:
            person.syncs(minute)


def _shared(person: HubMate, minute: int) -> dict[str, SharedNote]:
    world = person.local.later(minute).world
    with open_store(world.layout) as store, join_hub(person.address) as hub:
        return notes_of_hub(lines_of(store.db, hub, REPO, None), world.now_ms)


def test_many_who_write_at_once_lose_nothing(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.begins("growers")
    monkeypatch.setattr(hub_sync, "BATCH", 1)
    people = [mate(server, tmp_path, name) for name in ("ada", "grace", "joan")]
    facts = []
    for place, person in enumerate(people):
        for number in range(4):
            facts.append(f"Run `make step-{place}-{number}` before `make press`, or the press stops.")
            person.local.later(number).adds(facts[-1])
    failures: list[BaseException] = []

    def syncs(person: HubMate) -> None:
        try:
            person.syncs(5)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=syncs, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for person in people:
        person.syncs(6)
        assert set(facts) <= person.local.notes.keys()


def test_no_tick_is_seen_while_a_lower_one_is_on_its_way(server: HubServer) -> None:
    server.begins("growers", "vintners")
    server.joins("ada")
    server.joins("grace")
    with (
        server.connection("ada", autocommit=False) as first,
        server.connection("grace", autocommit=False) as second,
    ):
        first.execute(_ADD, (REPO, "a" * 12, "ada"))
        second.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            second.execute(_ADD, (REPO, "b" * 12, "grace"))
        second.rollback()
        first.commit()
        second.execute(_ADD, (REPO, "b" * 12, "grace"))
        second.commit()
    assert server.asked("ada", "SELECT note, tick FROM afterwit_hub.note_lines ORDER BY tick") == [
        ("a" * 12, 1),
        ("b" * 12, 2),
    ]


def test_what_is_told_to_agents_does_not_depend_on_the_hub(server: HubServer, tmp_path: Path) -> None:
    server.begins("growers")
    ada, grace = mate(server, tmp_path, "ada"), mate(server, tmp_path, "grace")
    fact = "Run `make build` before `make check`, or counts are old."
    ada.local.adds(fact)
    ada.syncs()
    grace.syncs(1)
    grace.local.later(2).decides(DecisionKind.APPROVE, fact)
    before = grace.local.notes
    with pytest.raises(OfflineError, match=r"does not answer .* Nothing is lost: what you decided goes with the next"):
        grace._replace(address=_cut_off(grace)).syncs(3)
    assert grace.local.notes == before
    assert may_be_told(grace.local.note(fact))
