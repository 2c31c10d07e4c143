"""Originals come back byte for byte, into places that are safe, over nothing that is not asked for."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec
import pytest
from tests.homes import CLAUDE, PARENT, claude_records, family_home, hash_of, learned, put, world_of

from afterwit.config.world import World
from afterwit.model.errors import AfterwitError, DamagedError, UsageError
from afterwit.sessions import restore
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import TranscriptSource, origin_of, source_of
from afterwit.sessions.restore import AtTarget, RestoreChoice, RestorePlan, plan_restore, restore_file

BELOW = CLAUDE.removeprefix(".claude/")
WHOLE = RestoreChoice(with_subagents=True)


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = family_home(tmp_path / "home")
    learned(home, tmp_path / "store")
    return world_of(home, tmp_path / "store")


@pytest.fixture
def source(world: World) -> Iterator[TranscriptSource]:
    with source_of(world) as found:
        yield found


def planned(source: TranscriptSource, world: World, folder: Path | None, choice: RestoreChoice = WHOLE) -> RestorePlan:
    return plan_restore(source, world, [find_session(source.store.db, PARENT)], folder, choice)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_family_comes_back_byte_for_byte_with_its_companions(
    source: TranscriptSource, world: World, tmp_path: Path
) -> None:
    plan = planned(source, world, tmp_path / "back")
    for step in plan.steps:
        assert restore_file(source, step) is None
    assert contents(tmp_path / "back") == contents(world.user_home / ".claude")
    assert plan.faults == []
    original = world.user_home / CLAUDE / f"{PARENT}.jsonl"
    assert (tmp_path / "back" / BELOW / original.name).stat().st_mtime_ns == original.stat().st_mtime_ns


def test_without_subagents_only_what_belongs_to_the_session(
    source: TranscriptSource, world: World, tmp_path: Path
) -> None:
    plan = planned(source, world, tmp_path / "back", RestoreChoice())
    assert {step.target.name for step in plan.steps} == {f"{PARENT}.jsonl", "toolu_large.txt"}


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_restored_files_are_private(source: TranscriptSource, world: World, tmp_path: Path) -> None:
    step = planned(source, world, tmp_path / "back").steps[0]
    restore_file(source, step)
    assert step.target.stat().st_mode & 0o777 == 0o600


def test_in_place_goes_where_the_agent_looks(source: TranscriptSource, world: World) -> None:
    gone = world.user_home / CLAUDE / f"{PARENT}.jsonl"
    before = gone.read_bytes()
    gone.unlink()
    plan = planned(source, world, None)
    assert {step.found for step in plan.steps} == {AtTarget.NOTHING, AtTarget.SAME}
    for step in plan.steps:
        restore_file(source, step)
    assert gone.read_bytes() == before


def test_learning_after_a_restore_changes_nothing(world: World) -> None:
    before = hash_of(world.layout.root)
    (world.user_home / CLAUDE / f"{PARENT}.jsonl").unlink()
    with source_of(world) as source:
        for step in planned(source, world, None).steps:
            restore_file(source, step)
    learned(world.user_home, world.layout.root)
    assert hash_of(world.layout.root) == before


def test_a_different_file_is_not_replaced_unless_forced_and_then_kept(source: TranscriptSource, world: World) -> None:
    file = world.user_home / CLAUDE / f"{PARENT}.jsonl"
    original = file.read_bytes()
    file.write_bytes(b"mine\n")
    plan = planned(source, world, None)
    (conflict,) = plan.conflicts
    with pytest.raises(UsageError):
        restore_file(source, conflict)
    assert file.read_bytes() == b"mine\n"
    backup = restore_file(source, conflict, is_forced=True)
    assert backup is not None
    assert (file.read_bytes(), backup.read_bytes()) == (original, b"mine\n")


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_nothing_is_written_through_a_link(source: TranscriptSource, world: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "back").mkdir()
    (tmp_path / "back" / "projects").symlink_to(tmp_path / "elsewhere")
    plan = planned(source, world, tmp_path / "back")
    with pytest.raises(UsageError, match="symbolic link"):
        restore_file(source, plan.steps[0])
    assert contents(tmp_path / "elsewhere") == {}


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_link_in_place_of_the_file_is_refused(source: TranscriptSource, world: World, tmp_path: Path) -> None:
    (tmp_path / "back" / BELOW).mkdir(parents=True)
    (tmp_path / "back" / BELOW / f"{PARENT}.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(UsageError, match="no plain file"):
        planned(source, world, tmp_path / "back")


@pytest.mark.parametrize("path", ["../x", "a/../../x", "a\0b", "/etc/x"])
def test_paths_that_lead_out_are_refused(
    source: TranscriptSource, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(restore, "origin_of", lambda *it: origin_of(*it)._replace(path=PurePosixPath(path)))
    with pytest.raises(AfterwitError, match="no path to restore to"):
        planned(source, world, tmp_path / "back")


def test_what_the_archive_lacks_is_a_fault_and_the_rest_comes(
    source: TranscriptSource, world: World, tmp_path: Path
) -> None:
    steps = planned(source, world, tmp_path / "back").steps
    step = next(step for step in steps if step.target.name == f"{PARENT}.jsonl")
    next(source.store.layout.archive.rglob(f"{step.file.key.hex()}-0.zst")).unlink()
    plan = planned(source, world, tmp_path / "back")
    assert [fault for fault in plan.faults if "missing" in fault] == plan.faults != []
    assert [other.target.name for other in plan.steps] == ["agent-f00d.jsonl", "agent-f00d.meta.json"]


def test_damaged_bytes_are_never_put_in_place(source: TranscriptSource, world: World, tmp_path: Path) -> None:
    step = planned(source, world, tmp_path / "back").steps[0]
    wrong = step._replace(file=msgspec.structs.replace(step.file, sha256="0" * 64))
    with pytest.raises(DamagedError):
        restore_file(source, wrong)
    assert contents(tmp_path / "back") == {}


def test_an_earlier_generation_can_be_asked_for(tmp_path: Path) -> None:
    file = put(tmp_path / "home" / CLAUDE / f"{PARENT}.jsonl", claude_records(PARENT, 2))
    first = file.read_bytes()
    learned(tmp_path / "home", tmp_path / "store")
    put(file, claude_records(PARENT, 3)[5:])
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with source_of(world) as source:
        for generation, content in ((0, first), (None, file.read_bytes())):
            folder = tmp_path / f"back-{generation}"
            (step,) = planned(source, world, folder, RestoreChoice(generation=generation)).steps
            restore_file(source, step)
            assert step.target.read_bytes() == content
        assert planned(source, world, tmp_path / "none", RestoreChoice(generation=7)).faults


def test_logs_from_a_folder_given_by_hand_have_no_place(tmp_path: Path) -> None:
    put(tmp_path / "logs" / f"{PARENT}.jsonl", claude_records(PARENT, 1))
    learned(tmp_path / "home", tmp_path / "store", folder=tmp_path / "logs")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with source_of(world) as source, pytest.raises(UsageError, match="--to FOLDER"):
        planned(source, world, None)


def test_a_file_put_back_where_the_agent_looks_gets_the_present_time(source: TranscriptSource, world: World) -> None:
    original = world.user_home / CLAUDE / f"{PARENT}.jsonl"
    original.unlink()
    for step in planned(source, world, None, RestoreChoice()).steps:
        restore_file(source, step)
    known = next(step.file for step in planned(source, world, None).steps if step.target == original)
    assert original.stat().st_mtime_ns > known.mtime_ns


def test_a_session_known_from_a_shared_history_alone_is_not_restored(tmp_path: Path) -> None:
    line = {
        "display": "Prune the plums",
        "timestamp": 1_777_000_000_000,
        "project": "/srv/orchard",
        "sessionId": "gone-1",
    }
    put(tmp_path / "home" / ".claude" / "history.jsonl", [line])
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with source_of(world) as source, pytest.raises(UsageError, match="only the prompts are known"):
        plan_restore(source, world, [find_session(source.store.db, "gone-1")], None, WHOLE)
