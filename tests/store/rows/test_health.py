"""What `doctor` asks the store."""

from pathlib import Path

import pytest
from tests.homes import learned, mixed_home

from afterwit.store.layout import Layout
from afterwit.store.rows.health import (
    agent_totals,
    archive_state,
    home_label,
    newest_problem,
    parts_by_file,
    transcript_rows,
)
from afterwit.store.store import hold_lease, holder, is_held, open_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    learned(mixed_home(tmp_path / "home"), tmp_path / "store")
    return tmp_path / "store"


def test_every_live_transcript_is_there_with_its_records(store: Path) -> None:
    with open_store(Layout(store)) as one:
        found = [(row.agent, row.state, row.known, row.unknown) for row in transcript_rows(one.db)]
    assert found == [
        ("claude-code", "read", 15, {}),
        ("claude-code", "read", 10, {}),
        ("codex", "read", 15, {}),
        ("hermes", "read", 6, {}),
    ]


def test_parts_are_found_by_their_file(store: Path) -> None:
    with open_store(Layout(store)) as one:
        parts = parts_by_file(one.db)
        calls = [sum(part.calls for part in parts[row.id]) for row in transcript_rows(one.db)]
    assert calls == [3, 2, 2, 2]


def test_sessions_are_summed_by_agent(store: Path) -> None:
    with open_store(Layout(store)) as one:
        found = agent_totals(one.db)["claude-code"]
    assert (found.sessions, found.partial, found.actions) == (2, 0, 5)


def test_a_sound_store_has_no_faults_and_misses_nothing(store: Path) -> None:
    with open_store(Layout(store)) as one:
        state = archive_state(one.db, one.archive)
        assert (state.missing, state.unknown, newest_problem(one.db, "codex")) == ([], [], "")
        assert state.packed_bytes == sum(file.stat().st_size for file in (store / "archive").glob("*/*"))


def test_an_archived_file_that_is_empty_is_missed(store: Path) -> None:
    min((store / "archive").glob("*/*")).write_bytes(b"")
    with open_store(Layout(store)) as one:
        assert len(archive_state(one.db, one.archive).missing) == 1


def test_the_archive_says_from_which_home_a_file_came(store: Path) -> None:
    with open_store(Layout(store)) as one:
        rows = list(transcript_rows(one.db))
        assert {home_label(one.archive, row) for row in rows} == {""}
        assert home_label(one.archive, rows[0]._replace(generation=7)) is None


def test_a_lease_is_held_only_while_its_holder_lives(tmp_path: Path) -> None:
    path = tmp_path / "learn.lock"
    assert not is_held(path)
    with hold_lease(path):
        assert is_held(path)
    assert not is_held(path)
    path.write_text("999999999\n")
    assert not is_held(path)
    assert holder(path) == 999999999
