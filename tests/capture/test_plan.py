"""A plan asks readers about what is new, and about nothing else."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from tests.homes import CLAUDE, claude_records, learned, put, world_of

from afterwit.agents.registry import reader_for
from afterwit.capture.plan import homes, plan
from afterwit.model.settings import AgentSettings
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

SESSIONS = ("a", "b", "c", "d")
Asked = Callable[[], tuple[list[str], list[str], int]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in SESSIONS:
        put(tmp_path / "home" / CLAUDE / f"{name}.jsonl", claude_records(name, 1))
    put(tmp_path / "home" / CLAUDE / "c/tool-results/1.txt", b"long")
    return tmp_path / "home"


@pytest.fixture
def asked(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What a plan asks the reader about, which files it wants to read, and how many are as they were."""
    reader = reader_for("claude-code", ())  # as a plan asks, because it is remembered by that
    assert reader is not None
    primary, paths = reader.primary, list[str]()

    def watched(path: PurePosixPath) -> PurePosixPath | None:
        paths.append(path.name)
        return primary(path)

    learned(home, tmp_path / "store")
    monkeypatch.setattr(reader, "primary", watched)

    def ask() -> tuple[list[str], list[str], int]:
        paths.clear()
        with open_store(Layout(tmp_path / "store")) as store:
            plans = plan(store.db, homes(world_of(home, tmp_path / "store").settings, home))
        (planned,) = [agent for agent in plans if agent.discovered]
        return sorted(paths), [file.unit.transcript.path.name for file in planned.pending], planned.unchanged

    return ask


def test_no_reader_is_asked_about_a_transcript_that_is_as_it_was(asked: Asked) -> None:
    assert asked() == (["1.txt"], [], len(SESSIONS))


def test_it_is_asked_about_one_that_changed_or_came(home: Path, asked: Asked) -> None:
    with (home / CLAUDE / "b.jsonl").open("ab") as file:
        file.write(b"{}\n")
    put(home / CLAUDE / "e.jsonl", claude_records("e", 1))
    assert asked() == (["1.txt", "b.jsonl", "e.jsonl"], ["b.jsonl", "e.jsonl"], len(SESSIONS) - 1)


def test_a_transcript_is_read_again_where_something_new_lies_beside_it(home: Path, asked: Asked) -> None:
    put(home / CLAUDE / "d/tool-results/2.txt", b"long")
    assert asked() == (["1.txt", "2.txt"], ["d.jsonl"], len(SESSIONS) - 1)
    os.utime(home / CLAUDE / "c/tool-results/1.txt", ns=(1, 1))
    assert asked() == (["1.txt", "2.txt"], ["c.jsonl", "d.jsonl"], len(SESSIONS) - 2)


def test_it_is_asked_about_all_after_an_upgrade(tmp_path: Path, asked: Asked) -> None:
    with open_store(Layout(tmp_path / "store")) as store:
        store.db.execute("UPDATE files SET capture_version = 1")
    assert asked() == (["1.txt", *(f"{name}.jsonl" for name in SESSIONS)], [], len(SESSIONS))


def test_a_copy_in_another_home_is_another_file(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "store")
    world = world_of(home, tmp_path / "store")
    other = tmp_path / "other"
    (other / "projects/-srv-orchard").mkdir(parents=True)
    (other / "projects/-srv-orchard/a.jsonl").hardlink_to(home / CLAUDE / "a.jsonl")
    world.settings.agents["claude-code"] = AgentSettings(homes=(home / ".claude", other))
    with open_store(Layout(tmp_path / "store")) as store:
        pending = [file for agent in plan(store.db, homes(world.settings, home)) for file in agent.pending]
    assert [file.unit.home for file in pending] == [other]
