"""`afterwit store sync` and `afterwit store hub`, by commands alone, and killed at every step."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import REPO
from tests.homes import CLAUDE, claude_records, put

from afterwit.model.knowledge import Channel
from afterwit.store.decisions import DecisionKind

COUNT = "Run `make build` before `make check`, or counts are old."
PRESS = "Run `make dist` before `make bundle`, or the press stops."
_SIGKILL = -9
_MOST_STEPS = 40


def dsn(server: HubServer, name: str) -> str:
    return " ".join(f"{option}={value}" for option, value in server.address(name).options.items())


def run(person: HubMate, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    world = person.local.world
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.user_home),
        "AFTERWIT_HOME": str(world.layout.root),
        "TZ": "UTC",
        **more,
    }
    command = (sys.executable, "-c", "from afterwit.cli.main import main; main()", *arguments)
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def ada(server: HubServer, tmp_path: Path) -> HubMate:
    server.begins("growers")
    return mate(server, tmp_path, "ada")


def test_a_hub_is_made_filled_looked_at_and_left(ada: HubMate, server: HubServer) -> None:
    keeper, own = ("--hub", dsn(server, "keeper")), ("--hub", dsn(server, "ada"))
    made = json.loads(run(ada, "store", "hub", "init", "--team", "vintners", "--json", *keeper).stdout)
    assert (made["team"], made["is_new_team"]) == ("vintners", True)
    server.login("grace")
    added = run(
        ada, "store", "hub", "members", "add", server.role("grace"), "--name", "grace", "--team", "growers", *keeper
    )
    assert f"grace ({server.role('grace')}) belongs to growers, and may read and write." in added.stderr
    ada.local.adds(COUNT)
    assert "Which repositories?" in run(ada, "store", "sync", dsn(server, "ada")).stderr
    unasked = run(ada, "store", "sync", dsn(server, "ada"), "--repo", REPO)
    assert (unasked.returncode, "Nothing was shared." in unasked.stderr) == (1, True)
    (dry,) = json.loads(run(ada, "store", "sync", dsn(server, "ada"), "--repo", REPO, "--dry-run", "--json").stdout)
    assert [change["change"] for change in dry["outgoing"]] == ["shared", "approved"]
    synced = run(ada, "store", "sync", dsn(server, "ada"), "--repo", REPO, "--yes")
    assert (synced.returncode, "orchard: 0 changes in, 2 changes out." in synced.stderr) == (0, True)
    assert f"{REPO}: 1 note" in run(ada, "store", "hub", "status", *own).stdout
    (found,) = json.loads(run(ada, "store", "hub", "search", "build", "--json", *own).stdout)
    assert (found["by"], found["text"]) == ("ada", COUNT)
    assert "revoked" not in run(ada, "store", "hub", "members", "list", *keeper).stdout
    revoked = run(ada, "store", "hub", "members", "revoke", server.role("ada"), *keeper)
    assert "ada can no longer read or write" in revoked.stderr
    shut = run(ada, "store", "sync", dsn(server, "ada"), "--repo", REPO, "--yes")
    assert (shut.returncode, "ask its owner" in shut.stderr) == (1, True)
    removed = run(ada, "store", "hub", "members", "remove", server.role("ada"), "--yes", *keeper)
    assert "What they said about 1 note is taken back." in removed.stderr


def test_the_address_and_the_repositories_come_from_the_settings(ada: HubMate, server: HubServer) -> None:
    ada.local.adds(COUNT)
    config = f'[hub]\nurl = "{dsn(server, "ada")}"\nrepos = ["{REPO}"]\n'
    (ada.local.world.layout.root / "config.toml").write_text(config, encoding="utf-8")
    assert run(ada, "store", "sync", "--yes").returncode == 0
    assert len(server.asked("ada", "SELECT * FROM afterwit_hub.note_lines")) == 1


def test_a_password_on_the_command_line_is_refused(ada: HubMate) -> None:
    refused = run(ada, "store", "sync", "postgresql://ada:sesame@localhost/hub", "--repo", REPO)
    assert (refused.returncode, "sesame" in refused.stderr) == (2, False)


def test_without_a_connection_it_says_that_nothing_is_lost(ada: HubMate) -> None:
    ada.local.adds(COUNT)
    gone = run(ada, "store", "sync", "postgresql://ada@127.0.0.1:1/hub", "--repo", REPO, "--yes")
    assert (gone.returncode, "Nothing is lost" in gone.stderr) == (1, True)
    assert COUNT in ada.local.notes


def test_what_is_erased_here_is_taken_back_from_the_hub(ada: HubMate, server: HubServer) -> None:
    home = ada.local.world.user_home
    sessions = [f"11111111-aaaa-4aaa-8aaa-00000000000{number}" for number in (1, 2)]
    for session, task in zip(sessions, ("Count the trees.", "Mend the fence of the meadow."), strict=True):
        records = claude_records(session)
        records[0]["message"]["content"] = task
        records[5]["message"]["content"] = "From now on, weigh the baskets before supper."
        put(home / CLAUDE / f"{session}.jsonl", records)
    assert run(ada, "learn").returncode == 0
    (note,) = (item for item in ada.local.notes.values() if item.channel is Channel.USER)
    arguments = ("store", "sync", dsn(server, "ada"), "--repo", REPO, "--yes", "--digests")
    assert run(ada, *arguments, "--rule", note.id).returncode == 0
    count = (
        "SELECT (SELECT count(*) FROM afterwit_hub.note_lines WHERE lines <> '[]'), count(*) FROM afterwit_hub.digests"
    )
    assert server.asked("ada", count) == [(1, 2)]
    for session in sessions:
        (home / CLAUDE / f"{session}.jsonl").unlink()
        erased = run(ada, "sessions", "delete", session, "--yes")
        assert erased.returncode == 0, erased.stderr
    database = ada.local.world.layout.database.read_bytes()
    assert b"weigh the baskets" not in database
    assert run(ada, *arguments).returncode == 0
    assert server.asked("ada", count) == [(0, 0)]


def test_killed_at_every_step_it_goes_on_and_ends_as_if_it_never_was(
    ada: HubMate, server: HubServer, tmp_path: Path
) -> None:
    grace = mate(server, tmp_path, "grace")
    ada.local.adds(COUNT)
    ada.syncs()
    grace.local.adds(PRESS)
    arguments = ("store", "sync", dsn(server, "grace"), "--repo", REPO, "--yes")
    kills = 0
    for step in range(1, _MOST_STEPS):
        done = run(grace, *arguments, AFTERWIT_KILL_AT_STEP=str(step))
        if done.returncode != _SIGKILL:
            break
        kills += 1
    assert (kills > 0, done.returncode) == (True, 0), done.stderr
    assert {COUNT, PRESS} <= grace.local.notes.keys()
    grace.local.decides(DecisionKind.APPROVE, COUNT)
    assert run(grace, *arguments).returncode == 0
    rows = server.asked("ada", "SELECT author, note, lines <> '[]' FROM afterwit_hub.note_lines ORDER BY author, note")
    assert [(author, is_there) for author, _, is_there in rows] == [("ada", True), ("grace", True), ("grace", True)]
    assert [change.fact for change in ada.syncs(400_000).incoming if change.change == "new"] == [PRESS]


def test_digests_killed_at_every_step_are_there_once_and_can_be_taken_back(ada: HubMate, server: HubServer) -> None:
    put(ada.local.world.user_home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", claude_records("s1"))
    assert run(ada, "learn").returncode == 0
    arguments = ("store", "sync", dsn(server, "ada"), "--repo", REPO, "--yes")
    said = []
    for step in range(1, _MOST_STEPS):
        done = run(ada, *arguments, "--digests", AFTERWIT_KILL_AT_STEP=str(step))
        if done.returncode != _SIGKILL:
            break
        said.append(done.stderr.strip().rpartition(": ")[2])
    assert ("digests are on the hub, not marked" in said, done.returncode) == (True, 0), done.stderr
    counts = "SELECT (SELECT count(*) FROM afterwit_hub.digests), (SELECT sum(sessions) FROM afterwit_hub.sums)"
    assert server.asked("ada", counts) == [(1, 1)]
    assert run(ada, *arguments, "--no-digests").returncode == 0
    assert server.asked("ada", counts) == [(0, 1)]
