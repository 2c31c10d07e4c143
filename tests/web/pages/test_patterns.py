"""Patterns on the page: every decision and its undo, and what is handed to agents and taken back, plan first."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web.browser import Browser, Reply

from afterwit.config.world import World
from afterwit.extras.lab.patterns.catalog import CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.curate import catalog_of, list_undecided
from afterwit.extras.lab.patterns.detect import Pattern
from afterwit.extras.lab.patterns.publish import find_published
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.web.answering import prose


def _waiting(world: World) -> Pattern:
    return list_undecided(world)[0]


def _entry(world: World, own: str) -> CatalogEntry | None:
    return catalog_of(world).entries.get(own)


def _approved(browser: Browser, world: World) -> str:
    own = _waiting(world).id
    assert browser.post(f"/more/patterns/{own}/decide", {"decision": "approve"}).status == 303
    return own


def _undo(browser: Browser, done: Reply) -> None:
    """As the bar does it to which a decision leads."""
    assert done.status == 303, done.words
    number = parse_qs(urlsplit(done.headers["location"]).query)["decided"][0]
    assert f'name="number" value="{number}"' in browser.get(done.headers["location"]).text
    undone = browser.post("/more/patterns/undo", {"number": number})
    assert "Undone." in browser.get(undone.headers["location"]).words


def _plan(browser: Browser, path: str) -> dict[str, str]:
    """What the form of a plan holds."""
    reply = browser.get(path)
    assert reply.status == 200, reply.words
    return {name: re.search(f'name="{name}" value="([^"]*)"', reply.text)[1] for name in ("plan", "as", "file")}  # type: ignore[index]


def test_what_recurs_waits_with_its_evidence_and_a_link_into_the_session(browser: Browser, world: World) -> None:
    pattern = _waiting(world)
    assert prose(pattern.title) in browser.get("/more/patterns").text
    reply = browser.get(f"/more/patterns/{pattern.id}")
    assert "found, not decided" in reply.words
    assert "across agents" in reply.words
    place = next(link for link in reply.links if "when_s=" in link)
    assert "pytest" in browser.get(place).words


@pytest.mark.parametrize(("decision", "status"), [("approve", EntryStatus.APPROVED), ("reject", EntryStatus.REJECTED)])
def test_a_decision_is_made_and_undone(browser: Browser, world: World, decision: str, status: EntryStatus) -> None:
    own = _waiting(world).id
    done = browser.post(f"/more/patterns/{own}/decide", {"decision": decision, "back": "/more/patterns"})
    entry = _entry(world, own)
    assert entry is not None
    assert entry.status is status
    assert own not in {pattern.id for pattern in list_undecided(world)}
    _undo(browser, done)
    assert _waiting(world).id == own


def test_an_edit_gives_it_other_words_and_the_old_ones_come_back(browser: Browser, world: World) -> None:
    own = _approved(browser, world)
    before = _entry(world, own)
    form = {"title": "pytest is not on the path.", "text": "Call it with uv run.", "scope": "everywhere"}
    done = browser.post(f"/more/patterns/{own}/edit", {**form, "triggers": "command:pytest\ncommand:py.test"})
    entry = _entry(world, own)
    assert entry is not None
    assert (entry.text, entry.scope, entry.version) == ("Call it with uv run.", "global", "1.1.0")
    assert entry.triggers == ("command:pytest", "command:py.test")
    _undo(browser, done)
    assert _entry(world, own) == before


def test_an_edit_that_means_nothing_changes_nothing(browser: Browser, world: World) -> None:
    own = _approved(browser, world)
    before = _entry(world, own)
    assert browser.post(f"/more/patterns/{own}/edit", {"scope": "the moon"}).status == 400
    assert browser.post(f"/more/patterns/{own}/edit", {"text": " "}).status == 400
    assert _entry(world, own) == before


def test_it_is_split_by_agent_and_put_together_again(browser: Browser, world: World) -> None:
    own = _approved(browser, world)
    done = browser.post(f"/more/patterns/{own}/split", {"by": "agent"})
    parts = [entry for entry in catalog_of(world).entries.values() if own in entry.made_from]
    assert {entry.scope for entry in parts} == {"agent:claude-code", "agent:codex", "agent:hermes"}
    assert "It was split into" in browser.get(f"/more/patterns/{own}").words
    merged = browser.post(f"/more/patterns/{parts[0].id}/merge", {"other": parts[1].id})
    gone = _entry(world, parts[1].id)
    assert gone is not None
    assert gone.status is EntryStatus.MERGED
    _undo(browser, merged)
    _undo(browser, done)
    entry = _entry(world, own)
    assert entry is not None
    assert entry.status is EntryStatus.APPROVED


def test_an_undo_takes_back_only_what_its_page_showed(browser: Browser, world: World) -> None:
    own = _waiting(world).id
    first = browser.post(f"/more/patterns/{own}/decide", {"decision": "approve"})
    browser.post(f"/more/patterns/{own}/decide", {"decision": "reject"})
    number = parse_qs(urlsplit(first.headers["location"]).query)["decided"][0]
    reply = browser.post("/more/patterns/undo", {"number": number})
    assert reply.status == 400
    assert "Something else was decided since then" in reply.words
    entry = _entry(world, own)
    assert entry is not None
    assert entry.status is EntryStatus.REJECTED


def test_it_is_published_as_a_note_and_taken_back(browser: Browser, world: World) -> None:
    own = _approved(browser, world)
    before = len(listed(world, ItemFilter()).items)
    form = _plan(browser, f"/more/patterns/{own}/publish?as=note")
    assert len(listed(world, ItemFilter()).items) == before, "a plan changes nothing"
    assert browser.post(f"/more/patterns/{own}/publish", form).status == 303
    assert len(listed(world, ItemFilter()).items) == before + 1
    assert "As a note" in browser.get(f"/more/patterns/{own}").words
    back = _plan(browser, f"/more/patterns/{own}/unpublish?as=note")
    assert browser.post(f"/more/patterns/{own}/unpublish", back).status == 303
    assert len(listed(world, ItemFilter()).items) == before


def test_a_block_is_shown_line_by_line_written_and_taken_out_byte_for_byte(
    browser: Browser, world: World, tmp_path: Path
) -> None:
    own = _approved(browser, world)
    file = tmp_path / "AGENTS.md"
    file.write_text("# House rules\n\nBe kind.\n", encoding="utf-8")
    before = file.read_bytes()
    path = f"/more/patterns/{own}/publish?as=block&file={file}"
    assert 'class="added"' in browser.get(path).text
    assert file.read_bytes() == before
    browser.post(f"/more/patterns/{own}/publish", _plan(browser, path))
    assert b"call `uv run pytest" in file.read_bytes()
    browser.post(f"/more/patterns/{own}/unpublish", _plan(browser, f"/more/patterns/{own}/unpublish"))
    assert file.read_bytes() == before


def test_a_plan_that_is_not_the_one_that_was_shown_is_shown_again(
    browser: Browser, world: World, tmp_path: Path
) -> None:
    own = _approved(browser, world)
    file = tmp_path / "AGENTS.md"
    file.write_text("Be kind.\n", encoding="utf-8")
    form = _plan(browser, f"/more/patterns/{own}/publish?as=block&file={file}")
    file.write_text("Be kinder.\n", encoding="utf-8")
    reply = browser.post(f"/more/patterns/{own}/publish", form)
    assert "Something has changed since this plan was shown" in reply.words
    assert file.read_text(encoding="utf-8") == "Be kinder.\n"
    assert browser.post(f"/more/patterns/{own}/publish", {**form, "plan": ""}).status == 200
    assert file.read_text(encoding="utf-8") == "Be kinder.\n"
    assert find_published(world, catalog_of(world)) == {}


@pytest.mark.parametrize("asked", ["as=block&file=AGENTS.md", "as=poster", "as=block"])
def test_a_way_to_publish_that_is_not_known_is_refused(browser: Browser, world: World, asked: str) -> None:
    assert browser.get(f"/more/patterns/{_approved(browser, world)}/publish?{asked}").status == 400


def test_a_pattern_that_nobody_knows_is_said(browser: Browser) -> None:
    assert browser.get("/more/patterns/ffffffffffff").status == 400
    assert browser.post("/more/patterns/ffffffffffff/decide", {"decision": "admire"}).status == 400
