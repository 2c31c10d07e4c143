"""A push or a pull that is killed at any point is ended by the next one: nothing is lost, and nothing is told twice."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.team.members import Member, git, member, remote
from tests.processes import COMMAND, run_text

from afterwit.engine.curation.undo import undo
from afterwit.extras.team import place
from afterwit.extras.team.look import log
from afterwit.extras.team.place import shares_of
from afterwit.model.errors import BusyError
from afterwit.store.decisions import DecisionKind, KnowledgeEntry
from afterwit.store.rows.items import recorded_about
from afterwit.store.store import open_store

MOST_STEPS = 60
COUNT = "Run `make build` before `make check`, or counts are old."
GIT_STEPS = {"git fetch is done", "git add is done", "git commit is done", "git merge is done"}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    home = tmp_path / "keeper"
    home.mkdir()
    return remote(tmp_path, home)


def joined(folder: Path, name: str, bare: Path) -> Member:
    """Somebody who shares through a repository of its own, at the time that commands have."""
    person = member(folder, name)
    person = person._replace(world=person.world._replace(now_ms=time.time_ns() // 1_000_000))
    person.begins(str(bare))
    return person


def run(person: Member, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    environ = environment(person.world.user_home, person.world.layout.root, TZ="UTC", **more)
    command = ("share", *arguments, "--checkout", str(person.place.root))
    return run_text(COMMAND, command, environ)


def sentence(number: int, what: str = "press") -> str:
    return f"The {what} {number} in `src/{what}.py` stands before the crates, or crates are late."


def said(person: Member) -> Counter[tuple[str, str]]:
    """How often a share says what of a note."""
    return Counter((row.what, row.fact) for row in log(person.world, person.place))


def brought(person: Member) -> Counter[str]:
    """How often the journal tells of each note that it came from others."""
    with open_store(person.world.layout) as store:
        entries = recorded_about(store.db, (), (KnowledgeEntry.SHARED,))
        return Counter(note["id"] for entry in entries for note in entry.body["notes"])


@pytest.mark.slow
def test_a_push_killed_at_any_step_is_ended_by_the_next_and_says_all_once(tmp_path: Path, bare: Path) -> None:
    ada, grace = (joined(tmp_path, name, bare) for name in ("ada", "grace"))
    reached = set()
    for number in range(1, MOST_STEPS):
        grace.adds(sentence(number, "sort"))
        assert grace.pushes().is_sent  # so that there is something to unite
        ada.adds(sentence(number))
        killed = run(ada, "push", "--yes", AFTERWIT_KILL_AT_STEP=str(number))
        reached.add(killed.stderr.strip().rpartition(": ")[2])
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        done = run(ada, "push", "--yes")
        assert done.returncode == 0, done.stderr
        pulled = [(change.change, change.fact) for change in grace.pulls().changes]
        assert pulled == [("new", sentence(number))]
        assert grace.pulls().changes == []
    assert {*GIT_STEPS, "a file of a share is written", "git push is done"} <= reached
    assert said(grace)[("shared", sentence(1))] == 1
    assert set(said(grace).values()) == {1}


@pytest.mark.slow
def test_a_pull_killed_at_any_step_is_ended_by_the_next_and_tells_all_once(tmp_path: Path, bare: Path) -> None:
    ada, grace = (joined(tmp_path, name, bare) for name in ("ada", "grace"))
    reached = set()
    for number in range(1, MOST_STEPS):
        grace.adds(sentence(number))
        grace.pushes()
        killed = run(ada, "pull", AFTERWIT_KILL_AT_STEP=str(number))
        reached.add(killed.stderr.strip().rpartition(": ")[2])
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        done = run(ada, "pull")
        assert done.returncode == 0, done.stderr
        assert ada.note(sentence(number)).reason == "shared by grace: waits for your approval"
    assert reached >= {"git fetch is done", "git merge is done"}
    assert len(brought(ada)) >= len(reached) - 1
    assert set(brought(ada).values()) == {1}
    assert "nothing new" in run(ada, "pull").stderr


@pytest.mark.slow
def test_a_push_into_a_checkout_killed_at_any_step_is_ended_by_the_next(tmp_path: Path) -> None:
    ada = member(tmp_path, "ada")
    ada = ada._replace(world=ada.world._replace(now_ms=time.time_ns() // 1_000_000))
    root, home = ada.place.root, ada.world.user_home
    (root / "press.py").write_text("press = 1\n", encoding="utf-8")
    git(root, home, "add", "press.py")
    ada.begins()
    for number in range(1, MOST_STEPS):
        ada.adds(sentence(number))
        killed = run(ada, "push", "--commit", "--yes", AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert run(ada, "push", "--commit", "--yes").returncode == 0
        assert git(root, home, "status", "--porcelain", ".afterwit") == ""
    assert number > 3
    assert set(said(ada).values()) == {1}
    assert git(root, home, "diff", "--cached", "--name-only").split() == ["press.py"]


@pytest.mark.slow
def test_joining_killed_at_any_step_can_be_done_again(tmp_path: Path, bare: Path) -> None:
    grace = joined(tmp_path, "grace", bare)
    grace.adds(COUNT)
    grace.pushes()
    for number in range(1, MOST_STEPS):
        ada = member(tmp_path / str(number), "ada")
        killed = run(ada, "init", "--through", str(bare), AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert run(ada, "init", "--through", str(bare)).returncode == 0
        assert COUNT in run(ada, "pull").stdout
    assert number > 1


def test_locks_of_a_git_that_was_killed_are_removed_from_our_clone(tmp_path: Path, bare: Path) -> None:
    ada = joined(tmp_path, "ada", bare)
    ada.adds(COUNT)
    ada.pushes()
    (share,) = shares_of(ada.world, ada.place)
    for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock"):
        (share.root / ".git" / name).touch()
    ada.adds(sentence(1))
    assert ada.pushes().is_sent


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes and inherited locks are POSIX")
def test_a_git_that_outlives_the_run_is_waited_for(tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = joined(tmp_path, "ada", bare)
    (share,) = shares_of(ada.world, ada.place)
    sending, go_on = tmp_path / "sending", tmp_path / "go-on"
    for pipe in (sending, go_on):
        os.mkfifo(pipe)
    hook = share.root / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho sending > '{sending}'\ncat '{go_on}'\n", encoding="utf-8")
    hook.chmod(0o755)
    ada.adds(COUNT)
    command = [sys.executable, "-m", "afterwit", "share", "push", "--yes", "--checkout", str(ada.place.root)]
    environ = environment(ada.world.user_home, ada.world.layout.root)
    pushing = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert sending.read_text() == "sending\n"
    pushing.kill()
    pushing.wait()
    with monkeypatch.context() as impatient:
        impatient.setattr(place, "GIT_WAIT_SECONDS", 0)
        with pytest.raises(BusyError):
            ada.pulls()
    hook.unlink()
    go_on.write_text("")
    assert ada.pushes().is_sent
    assert set(said(ada).values()) == {1}


def test_who_takes_back_and_who_approves_at_once_unite(tmp_path: Path, bare: Path) -> None:
    """For git a file that one side changes and the other removes is a conflict."""
    ada, grace = (joined(tmp_path, name, bare) for name in ("ada", "grace"))
    ada.adds(COUNT)
    ada.pushes()
    grace.pulls()
    grace.decides(DecisionKind.APPROVE, COUNT)
    undo(ada.world)
    assert [change.change for change in ada.pushes().changes] == ["taken back"]
    assert grace.pushes().is_sent
    for _ in range(2):
        for person in (ada, grace):
            person.pulls()
            assert person.pushes().is_sent
    assert said(ada) == said(grace)


def test_without_union_both_sides_are_kept(tmp_path: Path, bare: Path) -> None:
    """What lies in the share does not say how our clones merge."""
    ada, grace = (joined(tmp_path, name, bare) for name in ("ada", "grace"))
    ada.adds(COUNT)
    ada.pushes()
    grace.pulls()
    (share,) = shares_of(ada.world, ada.place)
    (share.folder / ".gitattributes").write_text("* binary\n", encoding="utf-8")
    git(share.root, ada.world.user_home, "commit", "--quiet", "--all", "-m", "Merge nothing")
    git(share.root, ada.world.user_home, "push", "--quiet", "origin", "HEAD:main")
    joan = joined(tmp_path, "joan", bare)
    joan.pulls()
    for person in (grace, joan):
        person.decides(DecisionKind.APPROVE, COUNT)
    for person in (grace, joan):
        assert person.pushes().is_sent
    ada.pulls()
    assert {(row.by, row.what) for row in log(ada.world, ada.place)} == {
        ("ada", "shared"),
        *((name, "approved") for name in ("ada", "grace", "joan")),
    }
