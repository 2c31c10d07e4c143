"""Transcripts that are one document each: rewritten whole, found half written, searched and given back."""

import json
from pathlib import Path

import pytest
from tests.homes import Silent, hash_of, learned, rows, world_of

from afterwit.engine.archive.rebuild import rebuild
from afterwit.sessions.filters import Filter, find_session
from afterwit.sessions.originals import source_of
from afterwit.sessions.search import best_hits
from afterwit.sessions.show import SessionMoment, WantedMoments, moments

EXPORT = Path(__file__).parents[1] / "agents/opencode/fixtures/export.json"
COUNTS = "SELECT replies, actions, tokens_input FROM sessions"
GENERATIONS = "SELECT generation, is_live FROM files WHERE path LIKE '%.json' ORDER BY generation"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place(tmp_path / "home").parent.mkdir(parents=True)
    place(tmp_path / "home").write_bytes(EXPORT.read_bytes())
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def place(home: Path) -> Path:
    return home / ".local/share/opencode/exports/export.json"


def grow(home: Path) -> bytes:
    document = json.loads(EXPORT.read_bytes())
    message = json.loads(json.dumps(document["messages"][1]).replace("_f", "_g").replace("msg_e2", "msg_e3"))
    document["messages"].append(message)
    return json.dumps(document, indent=1).encode()


def test_a_document_is_learned_and_rebuilt(home: Path, store: Path) -> None:
    assert learned(home, store).agents[0].read == 1
    assert rows(store, COUNTS) == [(1, 1, 50)]
    assert learned(home, store).agents[0].unchanged == 1
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


def test_a_document_written_anew_replaces_the_earlier_one(home: Path, store: Path) -> None:
    learned(home, store)
    place(home).write_bytes(grow(home))
    learned(home, store)
    assert rows(store, COUNTS) == [(2, 2, 100)]
    assert rows(store, GENERATIONS) == [(1, 1)]
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_half_written_document_leaves_what_was_read_before(home: Path, store: Path, share: float) -> None:
    learned(home, store)
    before = hash_of(store)
    whole = grow(home)
    place(home).write_bytes(whole[: int(len(whole) * share)])
    assert learned(home, store).agents[0].failed == 0
    assert hash_of(store) == before
    place(home).write_bytes(whole)
    learned(home, store)
    assert rows(store, COUNTS) == [(2, 2, 100)]
    assert rows(store, GENERATIONS) == [(1, 1)]
    assert rebuild(world_of(home, store), Silent()).after == hash_of(store)


def test_a_half_written_document_is_no_session_and_read_when_it_is_whole(home: Path, store: Path) -> None:
    place(home).write_bytes(EXPORT.read_bytes()[:500])
    assert learned(home, store).agents[0].empty == 1
    assert rows(store, "SELECT count(*) FROM sessions") == [(0,)]
    place(home).write_bytes(EXPORT.read_bytes())
    assert learned(home, store).agents[0].read == 1


def test_a_damaged_document_is_a_problem_and_keeps_its_bytes(home: Path, store: Path) -> None:
    place(home).write_bytes(EXPORT.read_bytes().rstrip() + b"}")
    assert learned(home, store).agents[0].problems == 1
    assert rows(store, "SELECT count(*) FROM sessions") == [(0,)]


def test_what_a_document_says_is_found_and_shown(home: Path, store: Path) -> None:
    learned(home, store)
    world = world_of(home, store)
    found = best_hits(world, "boat", Filter(), "", 10, 60).hits
    assert "One boat, on line 3." in [hit.snippet for hit in found]
    with source_of(world) as source:
        session = find_session(source.store.db, "ses_e1")
        said = [one.text for one in moments(source, session, WantedMoments()) if isinstance(one, SessionMoment)]
    assert "Find all boats on the lake." in said


def test_a_document_in_a_folder_given_by_hand_goes_to_the_reader_that_knows_it(tmp_path: Path, store: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "whatever.json").write_bytes(EXPORT.read_bytes())
    (folder / "other.json").write_text('{"nothing": "known"}')
    report = learned(tmp_path / "home", store, folder=folder)
    assert {one.agent: (one.read, one.no_reader) for one in report.agents} == {
        "opencode": (1, 0),
        "unrecognised": (0, 1),
    }
