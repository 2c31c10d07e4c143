"""Ten people share through one repository, at random and with interruptions, and end up with the same knowledge."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from tests.extras.team.members import Member, git, member, remote

from afterwit.engine.curation.undo import undo
from afterwit.extras.team import folder, git_commands
from afterwit.extras.team.folder import ShareFolder
from afterwit.extras.team.git_commands import GitError
from afterwit.extras.team.place import shares_of
from afterwit.extras.team.records import SharedNote
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.knowledge import PERSON, Authority, ItemStatus
from afterwit.store.decisions import DecisionKind

pytestmark = pytest.mark.slow

_STEPS = 40


class CrashError(Exception):
    """The machine stopped between two steps."""


def test_ten_clones_converge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    people = [member(tmp_path, f"person-{number}") for number in range(10)]
    bare = remote(tmp_path, people[0].world.user_home)
    for person in people:
        person.begins(str(bare))
        person.pulls()
    crashes = _crashing(monkeypatch, rng)
    for minute in range(_STEPS):
        person = rng.choice(people).later(minute + 1)
        is_cut_off = rng.random() < 0.2
        hidden = bare.rename(tmp_path / "cut-off") if is_cut_off else None
        try:
            _acts(person, rng)
        except GitError:
            assert is_cut_off  # what was decided is in the journal, and goes with the next push
        except CrashError:
            crashes.append(minute)
        finally:
            if hidden is not None:
                hidden.rename(bare)
    assert crashes
    monkeypatch.undo()
    for person in people:
        person.later(_STEPS + 1).pulls()
        person.later(_STEPS + 2).pushes()
    for person in people:
        person.later(_STEPS + 3).pulls()
    first, *others = [_shared(person.later(_STEPS + 3)) for person in people]
    assert any(note.approved_by for note in first.values())
    assert all(other == first for other in others)
    for person in people:
        for note in person.notes.values():
            is_theirs = note.harvester == PERSON or note.is_decided
            assert is_theirs or (note.authority, note.status == ItemStatus.ACTIVE) == (Authority.OBSERVATION, False)


def _crashing(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> list[int]:
    def step(name: str) -> None:
        if rng.random() < 0.1:
            raise CrashError(name)

    for module in (folder, git_commands):
        monkeypatch.setattr(module, "step", step)
    return []


def _acts(person: Member, rng: random.Random) -> None:
    match rng.randrange(5):
        case 0:
            person.adds(f"Run `make step-{rng.randrange(6)}` before `make press`, or the press stops.")
        case 1 if person.notes:
            decision = rng.choice([DecisionKind.APPROVE, DecisionKind.REJECT])
            person.decides(decision, rng.choice(sorted(person.notes)))
        case 2 if person.notes:
            with suppress(UsageError):  # there may be nothing to undo
                undo(person.world)
        case 3:
            person.pulls()
        case _:
            person.pushes()


def _shared(person: Member) -> dict[str, SharedNote]:
    (share,) = shares_of(person.world, person.place)
    return ShareFolder(share.folder).notes(person.world.now_ms)


def test_two_who_change_the_same_note_at_once_both_count(tmp_path: Path) -> None:
    ada, grace = member(tmp_path, "ada"), member(tmp_path, "grace")
    bare = remote(tmp_path, ada.world.user_home)
    ada.begins(str(bare))
    fact = "Run `make build` before `make check`, or counts are old."
    ada.adds(fact)
    ada.pushes()
    grace.begins(str(bare))
    grace.pulls()
    joan = member(tmp_path, "joan")
    joan.begins(str(bare))
    joan.pulls()
    for person in (grace, joan):
        person.decides(DecisionKind.APPROVE, fact)
    joan.later(1).pushes()
    grace.later(1).pushes()
    (note,) = _shared(grace).values()
    assert note.approved_by == ("ada", "grace", "joan")


def test_a_remote_that_is_gone_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    ada = member(tmp_path, "ada")
    bare = remote(tmp_path, ada.world.user_home)
    ada.begins(str(bare))
    ada.adds("Run `make build` before `make check`, or counts are old.")
    bare.rename(tmp_path / "away")
    with pytest.raises(AfterwitError, match="git fetch failed"):
        ada.pushes()
    (tmp_path / "away").rename(bare)
    assert ada.pushes().is_sent
    assert "share.jsonl" in git(bare, ada.world.user_home, "ls-tree", "-r", "--name-only", "main")
