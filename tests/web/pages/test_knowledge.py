"""Notes on the page: what stands behind them, every decision and its undo, and what sessions are told."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web.browser import Browser, Reply

from afterwit.config.world import World
from afterwit.engine.curation.review import waiting
from afterwit.knowledge.door.list import ItemFilter, listed, searched
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.web.answering import prose


def _waiting(world: World) -> Item:
    return next(item for item in listed(world, ItemFilter()).items if item.status is ItemStatus.CANDIDATE)


def _used(world: World) -> Item:
    return searched(world, "pytest not found", ItemFilter(statuses=(ItemStatus.ACTIVE,))).items[0]


def _status(world: World, item: Item) -> str:
    return next((found.status for found in listed(world, ItemFilter()).items if found.id == item.id), "")


def _undo(browser: Browser, done: Reply) -> None:
    """As the bar does it to which a decision leads."""
    assert done.status == 303
    number = parse_qs(urlsplit(done.headers["location"]).query)["done"][0]
    assert f'name="number" value="{number}"' in browser.get(done.headers["location"]).text
    assert browser.post("/undo", {"number": number}).status == 303


def test_the_list_takes_every_filter(browser: Browser, world: World) -> None:
    item = _used(world)
    fields = f"repo={item.scope.name}&category={item.category}&origin={item.channel}&found_by={item.harvester}"
    assert prose(item.sentence) in browser.get(f"/knowledge?{fields}&q=pytest").text
    assert item.sentence not in browser.get("/knowledge?repo=almanac&status=all").words
    assert browser.get("/knowledge?status=splendid").status == 400


def test_the_last_page_of_the_list_is_reached_though_it_is_not_full(
    browser: Browser, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = listed(world, ItemFilter()).items
    monkeypatch.setattr("afterwit.web.pages.knowledge.PAGE", len(items) - 1)
    first = browser.get("/knowledge?status=all")
    assert f"/knowledge/{items[-1].id}" not in first.links
    assert "/knowledge?status=all&page=2" in first.links
    assert f"/knowledge/{items[-1].id}" in browser.get("/knowledge?status=all&page=2").links


def test_a_note_shows_its_evidence_in_its_place(browser: Browser, world: World) -> None:
    item = _used(world)
    reply = browser.get(f"/knowledge/{item.id}")
    assert item.sentence in reply.words
    assert "pytest: not found" in reply.words
    place = next(link for link in reply.links if "when_s=" in link)
    assert "pytest" in browser.get(place).words
    assert "Confidence over time" in reply.words


@pytest.mark.parametrize(
    ("decision", "status"), [("approve", ItemStatus.ACTIVE), ("reject", ""), ("retire", ItemStatus.RETIRED)]
)
def test_a_decision_is_made_and_undone(browser: Browser, world: World, decision: str, status: str) -> None:
    item = _waiting(world)
    done = browser.post(f"/knowledge/{item.id}/decide", {"decision": decision, "back": "/knowledge"})
    after = _status(world, item)
    assert after == status if status else after not in (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)
    _undo(browser, done)
    assert _status(world, item) == ItemStatus.CANDIDATE


def test_an_edit_is_made_and_undone(browser: Browser, world: World) -> None:
    item = _waiting(world)
    done = browser.post(f"/knowledge/{item.id}/edit", {"sentence": "Use Valkey for the tides, never Redis."})
    assert "Use Valkey for the tides" in browser.get(f"/knowledge/{item.id}").words
    _undo(browser, done)
    assert item.sentence in browser.get(f"/knowledge/{item.id}").words


def test_an_edit_without_words_changes_nothing(browser: Browser, world: World) -> None:
    item = _waiting(world)
    reply = browser.post(f"/knowledge/{item.id}/edit", {"sentence": " "})
    assert reply.status == 400
    assert _status(world, item) == ItemStatus.CANDIDATE


def test_forgetting_shows_what_is_lost_then_does_it_and_is_undone(browser: Browser, world: World) -> None:
    item = _used(world)
    session = item.evidence[0].session.native_id
    before = len(item.evidence)
    plan = browser.get(f"/knowledge/forget?session={session}")
    assert item.sentence in plan.words
    done = browser.post("/knowledge/forget", {"session": session})
    assert len(_used(world).evidence) < before
    _undo(browser, done)
    assert len(_used(world).evidence) == before
    assert browser.get("/knowledge/forget").status == 400


def test_htmx_gets_the_note_where_it_stood_with_the_way_back(browser: Browser, world: World) -> None:
    item = _waiting(world)
    reply = browser.post(f"/knowledge/{item.id}/decide", {"decision": "approve"}, hx_request="true")
    assert reply.status == 200
    assert "<html" not in reply.text
    assert "in use" in reply.words
    assert 'action="/undo"' in reply.text


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil", "javascript:alert(1)", "/a\nb"])
def test_a_form_leads_to_our_own_pages_alone(browser: Browser, world: World, back: str) -> None:
    item = _waiting(world)
    done = browser.post(f"/knowledge/{item.id}/decide", {"decision": "approve", "back": back})
    assert re.fullmatch(rf"/knowledge/{item.id}\?done=\d+", done.headers["location"])


def test_what_a_session_is_told_is_shown_for_a_repository_and_a_task(browser: Browser) -> None:
    reply = browser.get("/knowledge/told?repo=orchard&task=frost+warnings")
    assert "uv run pytest" in reply.words
    assert "With this prompt" in reply.words


def test_today_says_one_next_step_and_what_waits(browser: Browser, world: World) -> None:
    reply = browser.get("/")
    assert reply.text.count('class="card next"') == 1
    assert waiting(world).notes[0].sentence in reply.words
    assert "Does it pay?" in reply.words


def test_today_begins_with_what_is_told_and_nobody_looked_at(browser: Browser, world: World) -> None:
    unseen = waiting(world).unseen
    words = browser.get("/").words
    assert words.index("In use, not looked at") < words.index("In the last 7 days") < words.index("Waits for you")
    done = browser.post(f"/knowledge/{unseen[0].id}/decide", {"decision": "reject", "back": "/"})
    assert unseen[0].id not in {item.id for item in waiting(world).unseen}
    _undo(browser, done)
    assert [item.id for item in waiting(world).unseen] == [item.id for item in unseen]


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_all_of_one_kind_are_decided_at_once_and_undone_at_once(browser: Browser, world: World, decision: str) -> None:
    before = waiting(world).unseen
    kind = before[0].harvester
    done = browser.post("/knowledge/unseen", {"found_by": kind, "decision": decision, "back": "/"})
    assert [item.id for item in waiting(world).unseen] == [item.id for item in before if item.harvester != kind]
    assert browser.post("/knowledge/unseen", {"found_by": kind, "decision": decision}).status == 400
    _undo(browser, done)
    assert [item.id for item in waiting(world).unseen] == [item.id for item in before]


def test_today_names_the_notes_that_the_last_run_brought_into_use(browser: Browser, world: World) -> None:
    in_use = listed(world, ItemFilter(statuses=(ItemStatus.ACTIVE,))).items
    words = browser.get("/").words
    assert f"{len(in_use)} new notes in use." in words
    assert "No new note" not in words


@pytest.mark.parametrize(
    "path",
    [
        *("/proof", "/proof?compare=now", "/more", "/more/patterns", "/more/skills", "/more/templates"),
        *("/more/places?repo=orchard&task=frost", "/more/settings", "/more/doctor", "/more/guards"),
    ],
)
def test_the_rest_is_one_click_behind(browser: Browser, path: str) -> None:
    reply = browser.get(path)
    assert reply.status == 200
    assert "<h1>" in reply.text
