"""Saved views of the session list: saved, opened, renamed and deleted, each with its undo."""

from html import unescape

import pytest
from tests.web.browser import Browser, Reply

from afterwit.config.world import World
from afterwit.sessions.filters import saved_views


def _names(world: World) -> list[str]:
    return [view.name for view in saved_views(world.layout)]


def _save(browser: Browser, name: str, fields: str) -> Reply:
    return browser.post("/views/save", {"name": name, "fields": fields})


def _undo(browser: Browser, done: Reply) -> Reply:
    """As the bar does it to which a change leads."""
    assert done.status == 303, done.words
    bar = browser.get(done.headers["location"]).text.partition('class="notice-bar"')[2].partition("</div>")[0]
    action = bar.partition('action="')[2].partition('"')[0]
    fields = [part.partition('"')[0] for part in bar.split('name="')[1:]]
    form = {name: unescape(bar.partition(f'name="{name}" value="')[2].partition('"')[0]) for name in fields}
    return browser.post(action, form)


def test_a_view_is_saved_opened_and_the_save_undone(browser: Browser, world: World) -> None:
    done = _save(browser, "failed in the orchard", "outcome=failure&repo=github.com/acme/orchard&since=52w&sort=cost")
    page = browser.get("/sessions")
    link = next(link for link in page.links if "sort=cost" in link)
    opened = browser.get(link)
    assert 'aria-current="true">failed in the orchard' in opened.text
    assert "Save this view" not in opened.words
    _undo(browser, done)
    assert _names(world) == []


def test_a_view_is_renamed_and_called_as_before(browser: Browser, world: World) -> None:
    _save(browser, "cheap", "sort=cost&reverse=1")
    done = browser.post("/views/rename", {"name": "cheap", "to": "the cheapest"})
    assert _names(world) == ["the cheapest"]
    _undo(browser, done)
    assert _names(world) == ["cheap"]


def test_a_view_is_deleted_and_comes_back_with_its_filters(browser: Browser, world: World) -> None:
    _save(browser, "codex", "agent=codex&agent=hermes&since=3d")
    before = saved_views(world.layout)
    done = browser.post("/views/delete", {"name": "codex"})
    assert _names(world) == []
    _undo(browser, done)
    assert saved_views(world.layout) == before


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("", "agent=codex"),
        ("x" * 61, "agent=codex"),
        ("bad", "outcome=glorious"),
        ("bad", "since=whenever"),
        ("bad", ""),
    ],
)
def test_what_means_nothing_is_not_saved(browser: Browser, world: World, name: str, fields: str) -> None:
    assert _save(browser, name, fields).status == 400
    assert _names(world) == []


def test_a_name_is_given_once(browser: Browser, world: World) -> None:
    _save(browser, "mine", "agent=codex")
    assert _save(browser, "Mine", "agent=hermes").status == 400
    assert [view.fields for view in saved_views(world.layout)] == [{"agent": ("codex",)}]


def test_a_hostile_name_only_shows(browser: Browser) -> None:
    _save(browser, "<script>alert(1)</script>", "agent=codex")
    assert "<script>alert" not in browser.get("/sessions").text
