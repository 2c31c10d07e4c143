"""The list of sessions and their transcripts: filters, pages, windows, and what may be taken away."""

import json
import re

import pytest
from tests.web.browser import Browser, Reply

from afterwit.web.pages import transcript


def _longest(browser: Browser) -> str:
    reply = browser.get("/sessions?sort=actions")
    return next(link for link in reply.links if re.match(r"/sessions/[^?]+/", link))


def test_the_list_takes_the_filters_of_the_command(browser: Browser) -> None:
    assert "21 sessions" in browser.get("/sessions").words
    found = browser.get("/sessions?repo=github.com/acme/orchard&agent=codex&top=1")
    assert "Weekly harvest report" in found.words
    assert "Tides for berths" not in found.words


def test_a_filter_that_means_nothing_is_said(browser: Browser) -> None:
    for field in ("since=whenever", "outcome=glorious", "sort=colour", "repo=nowhere"):
        reply = browser.get(f"/sessions?{field}")
        assert reply.status == 400
        assert "did not work" in reply.words


def test_an_empty_list_says_what_to_do(browser: Browser) -> None:
    assert "Fewer filters find more" in browser.get("/sessions?text=zeppelin").words


def test_a_transcript_shows_prompts_calls_failures_changes_and_subagents(browser: Browser) -> None:
    reply = browser.get(_longest(browser))
    assert "Warn me when the forecast says frost" in reply.words
    assert 'class="moment call failed"' in reply.text
    assert 'class="added"' in reply.text
    assert "Subagent Explore" in reply.words


def test_a_window_begins_where_it_is_asked_for(browser: Browser) -> None:
    path = _longest(browser)
    assert 'id="m-0"' not in browser.get(f"{path}?from=6").text
    marked = browser.get(f"{path}?at=3")
    assert re.search(r'class="moment [^"]*wanted[^"]*" id="m-3"', marked.text)
    output = browser.get(f"{path}?at=4")
    assert 'id="m-4"' in output.text
    assert re.search(r'class="moment call[^"]*wanted[^"]*" id="m-3" open', output.text)
    assert browser.get(f"{path}?at=99999").status == 200  # where its file ends
    assert browser.get(f"{path}?at=x").status == 400


def test_the_next_prompt_may_begin_right_behind_the_window(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "WINDOW", 3)  # as many moments as are shown before the one that is asked for
    path = _longest(browser)
    prompts = browser.get(path.replace("/sessions/", "/prompts/", 1)).links
    second = [link.partition("#m-")[2] for link in prompts if link.startswith(f"{path}?at=")][1]
    reply = browser.get(f"{path}?at={second}")
    assert f'id="m-{second}"' not in reply.text
    assert f'data-next-prompt="{second}"' in reply.text


def test_htmx_gets_the_window_alone(browser: Browser) -> None:
    part = browser.part(f"{_longest(browser)}?from=2")
    assert "<html" not in part.text
    assert "moment" in part.text


def test_prompts_are_listed_with_links_to_them(browser: Browser) -> None:
    path = _longest(browser)
    reply = browser.get(path.replace("/sessions/", "/prompts/", 1))
    assert "Now the flag, please: --frost." in reply.words
    assert any(link.startswith(f"{path}?at=") for link in reply.links)


def test_an_export_is_a_file_and_redacted_json(browser: Browser) -> None:
    reply = browser.get(_longest(browser).replace("/sessions/", "/export/", 1))
    assert reply.headers["content-disposition"].startswith("attachment")
    assert json.loads(reply.body)


def test_a_session_is_found_by_the_beginning_of_its_id(browser: Browser) -> None:
    assert browser.get("/session?id=4646abb1").headers["location"] == _longest(browser)
    unknown = browser.get("/session?id=nobody")
    assert unknown.status == 400


def test_search_takes_every_kind_that_it_offers(browser: Browser) -> None:
    offered = re.search(r'name="kind".*?</select>', browser.get("/search").text, re.DOTALL)
    assert offered is not None
    kinds = re.findall(r'value="(\w+)"', offered[0])
    assert len(kinds) == 6
    for kind in kinds:
        assert browser.get(f"/search?q=pytest&kind={kind}").status == 200
    assert browser.get("/search?q=pytest&kind=hum").status == 400


def test_search_finds_notes_and_moments_and_marks_them(browser: Browser) -> None:
    reply: Reply = browser.get("/search?q=pytest")
    assert "<mark>pytest</mark>" in reply.text
    assert any(re.search(r"\?at=[\d.]+#m-", link) for link in reply.links)
    assert "No matches" in browser.get("/search?q=zeppelin").words
    assert "Nothing to search for" in browser.get("/search?q=-frost").words
    assert "<html" not in browser.part("/search?q=pytest").text
