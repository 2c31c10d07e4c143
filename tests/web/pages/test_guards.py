"""Guards on the page: the fixes of a checkout, one of them with its lines and notes, and nothing that runs."""

import re
import sys
from pathlib import Path

import pytest
from tests.sources.repositories import commit_on_top
from tests.web.browser import Browser
from tests.web.stores import REPO, checked, with_checkout

from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import GUARDED_FIXES, Item, ItemStatus


@pytest.fixture
def checkout(world: World, tmp_path: Path) -> Path:
    with_checkout(world, tmp_path / "src" / "orchard")
    return tmp_path / "src" / "orchard"


def _fix(browser: Browser, subject: str) -> str:
    page = browser.get(f"/more/guards?repo={REPO}")
    found = re.search(rf'href="(/more/guards/[^"]+)">{re.escape(subject)}', page.text)
    assert found is not None, page.words
    return found[1].replace("&amp;", "&")


def _guard_note(world: World) -> Item:
    (item,) = listed(world, ItemFilter(harvesters=(GUARDED_FIXES,))).items
    return item


def test_the_fixes_of_a_checkout_are_listed_with_their_guards(browser: Browser, checkout: Path) -> None:
    reply = browser.get(f"/more/guards?repo={REPO}")
    assert "2 fixes: 1 unguarded, 1 not checked." in reply.words
    assert "fix: warn two degrees earlier unguarded" in reply.words
    narrowed = browser.get(f"/more/guards?repo={REPO}&state=open").words
    assert "count every tree" not in narrowed
    assert "1 fix of these: 1 unguarded, 1 not checked." in narrowed


@pytest.mark.parametrize("field", ["state=splendid", "since=whenever"])
def test_a_filter_that_means_nothing_is_said(browser: Browser, checkout: Path, field: str) -> None:
    reply = browser.get(f"/more/guards?repo={REPO}&{field}")
    assert field.partition("=")[2] in reply.words
    assert "fix: warn two" not in reply.words


def test_a_repository_that_is_not_known_is_said_in_place(browser: Browser, checkout: Path) -> None:
    reply = browser.get("/more/guards?repo=nowhere")
    assert reply.status == 200
    assert 'class="complaint"' in reply.text


def test_histories_that_may_not_be_read_are_not_looked_at(browser: Browser, world: World) -> None:
    (world.layout.root / "config.toml").write_text("[repositories]\nread = false\n", encoding="utf-8")
    assert "No checkout of a learned repository was found" in browser.get("/more/guards").words
    assert browser.get(f"/more/guards/abcdef12?repo={REPO}").status == 400


def test_a_fix_shows_its_lines_and_what_a_check_would_run_but_runs_nothing(
    browser: Browser, world: World, checkout: Path
) -> None:
    before = sorted(path.name for path in checkout.iterdir())
    reply = browser.get(_fix(browser, "fix: count every tree once"))
    assert "return len(trees) + 1" in reply.words
    assert "pytest" in reply.words
    assert f"afterwit guards check {reply.text.split('<code>')[1][:10]} --repo {REPO}" in reply.words
    assert sorted(path.name for path in checkout.iterdir()) == before
    assert "not checked" in browser.get(f"/more/guards?repo={REPO}").words


@pytest.mark.slow
def test_what_agents_are_told_of_a_guarded_fix_is_rejected_and_taken_back(
    browser: Browser, world: World, checkout: Path
) -> None:
    checked(world._replace(settings=load(world.environ, sys.platform).settings))
    path = _fix(browser, "fix: count every tree once")
    reply = browser.get(path)
    item = _guard_note(world)
    assert item.sentence in reply.words
    assert "test_orchard.py::test_count" in reply.words
    done = browser.post(f"/knowledge/{item.id}/decide", {"decision": "reject", "back": path})
    assert done.headers["location"].startswith(path.partition("?")[0])
    assert f"repo={REPO.replace('/', '%2F')}" in done.headers["location"]
    assert not [left for left in listed(world, ItemFilter(harvesters=(GUARDED_FIXES,))).items if _is_told(left)]
    number = re.search(r"done=(\d+)", done.headers["location"])
    assert number is not None
    assert f'name="number" value="{number[1]}"' in browser.get(done.headers["location"]).text
    browser.post("/undo", {"number": number[1]})
    assert _guard_note(world).status is item.status


def _is_told(item: Item) -> bool:
    return item.status in (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


def test_a_fix_that_is_not_there_and_a_missing_repository_are_said(browser: Browser, checkout: Path) -> None:
    assert browser.get(f"/more/guards/abcdef12?repo={REPO}").status == 400
    assert "Say in which repository" in browser.get("/more/guards/abcdef12").words


def test_a_hostile_commit_does_nothing_but_show(browser: Browser, checkout: Path) -> None:
    changed = {"frost.py": "LIMIT = '<script>alert(1)</script>\u202e'\n".encode()}
    commit_on_top(checkout / ".git", changed, "fix: <img src=x onerror=alert(1)>")
    listed_page = browser.get(f"/more/guards?repo={REPO}")
    assert "<img" not in listed_page.text
    link = next(link for link in listed_page.links if link.startswith("/more/guards/"))
    reply = browser.get(link)
    assert reply.status == 200
    assert "<img" not in reply.text
    assert "<script>alert" not in reply.text
    assert "\u202e" not in reply.text
