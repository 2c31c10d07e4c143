"""A merge that is refused, and what lets it through: sessions of Hermes whose logs name no folder, told to the next."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.engine.hermes_sessions import Message, Ran, Said, messages, put_database, put_lines
from tests.homes import learned, rows, world_of

from afterwit.agents.hook_payloads import AFTER, Moment
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.recall.hook.call import Permissions, proposed
from afterwit.recall.prompt_block import text_of
from afterwit.recall.recall import recalled

NEXUS = "~/the-nexus"
TOKEN = "~/.config/forge/merge-token"
REFUSED = "failed to merge: HTTP 405: you are not allowed to merge (https://forge.example/api/v1/repos/grove/the-nexus)"
API = "https://forge.example/api/v1/repos/grove/the-nexus/pulls"


def by_gh(number: int) -> list[Ran | Said]:
    return [
        Ran(f"cd {NEXUS} && gh pr view {number}", f"title: row {number}\nstate: OPEN"),
        Ran(f"cd {NEXUS} && gh pr merge {number} --squash", REFUSED, 1),
        Said("The main branch has branch protection, so my own account may not merge."),
        Ran(f"cd {NEXUS} && GH_TOKEN=$(cat {TOKEN}) gh pr merge {number} --squash", "Merged."),
        Said("Merged."),
    ]


def by_curl(number: int) -> list[Ran | Said]:
    address, body = f"{API}/{number}/merge", '-d \'{"Do": "merge"}\''
    refusal = '{"message":"not allowed to merge [reason: not enough approvals]","url":"/api/swagger"}\nHTTP 405'
    return [
        Ran(f"git -C {NEXUS} fetch", ""),
        Ran(f'curl -s -w "HTTP %{{http_code}}" -X POST {address} -H "Authorization: token $FORGE" {body}', refusal),
        Ran(f'curl -s -X POST {address} -H "Authorization: token $(cat {TOKEN})" {body}', ""),
        Said("The branch is protected: only the token in the file may merge."),
    ]


def without_a_fix(number: int) -> list[Ran | Said]:
    return [
        Ran(f"cd {NEXUS} && gh pr merge {number}", REFUSED, 1),
        Said("I am not allowed to merge. Please have a look."),
    ]


ASKED = ("Merge pull request {}", "Bring PR {} in, it is green", "land {} please", "merge {} when the checks are done")


def histories(count: int) -> list[list[Message]]:
    """Sessions that word it differently, have other numbers, and of which some find no way."""
    ways: Sequence[Callable[[int], list[Ran | Said]]] = (by_gh, by_curl, without_a_fix)
    return [
        messages(ASKED[day % len(ASKED)].format(12 + 7 * day), ways[day % len(ways)](12 + 7 * day), day)
        for day in range(count)
    ]


@pytest.fixture(params=[(put_lines, 9), (put_lines, 6), (put_database, 6)], ids=["nine logs", "six logs", "database"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    write, count = request.param
    write(tmp_path / "home", histories(count))
    learned(tmp_path / "home", tmp_path / "store")
    return tmp_path / "store"


def test_the_sessions_belong_to_the_repository_in_which_they_worked(store: Path) -> None:
    assert {repo.rpartition("/")[2] for (repo,) in rows(store, "SELECT repo FROM sessions")} == {"the-nexus"}


def test_the_next_session_is_told_at_its_start(store: Path) -> None:
    world = world_of(store.parent / "home", store)
    told = recalled(world, store, "the-nexus", "hermes", "", None).start.text
    assert "HTTP 405" in told
    assert "branch protection" in told
    assert TOKEN in told


def test_a_prompt_that_names_a_merge_is_told(store: Path) -> None:
    world = world_of(store.parent / "home", store)
    told = recalled(world, store, "the-nexus", "hermes", "merge PR 88 of the nexus", None)
    assert TOKEN in f"{told.start.text} {text_of(told.prompt)}"


def test_the_failure_is_answered(store: Path) -> None:
    (repo,) = {repo for (repo,) in rows(store, "SELECT repo FROM sessions")}
    failed = Moment(
        AFTER,
        "s1",
        tool="terminal",
        arguments={"command": "gh pr merge 88 --squash"},
        output=REFUSED,
        is_error=True,
        exit_code=1,
    )
    may = Permissions(refuse=False, rewrite=False)
    proposal = proposed(Deck(str(store / "deck.db")), "hermes", failed, Location(repo, "/w"), may)
    assert proposal is not None
    assert TOKEN in proposal.lines[0].text
