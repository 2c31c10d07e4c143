"""While another program holds the store, a page says so at once and does not wait as long as a command may."""

from contextlib import closing

import apsw
import pytest
from tests.web.browser import Browser

from afterwit.config.world import World
from afterwit.store.store import hold_lease
from afterwit.web import serve

_PAGES = ("/", "/knowledge", "/sessions", "/search?q=pytest", "/proof", "/more", "/more/doctor", "/more/settings")


@pytest.fixture(autouse=True)
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "PATIENCE_SECONDS", 0.05)


@pytest.mark.parametrize("name", ["database", "journal"])
def test_a_locked_database_is_503_with_what_to_do_on_every_page(browser: Browser, world: World, name: str) -> None:
    path = getattr(world.layout, name)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        replies = {page: browser.get(page) for page in _PAGES}
        replies["/undo"] = browser.post("/undo")
    assert {reply.status for reply in replies.values()} <= {200, 503}
    said = [reply for reply in replies.values() if reply.status == 503]
    assert said
    assert all("Try again in a moment" in reply.words for reply in said)
    assert all(reply.headers["retry-after"] == "5" for reply in said)


def test_a_decision_while_something_is_learned_is_503_and_says_what_is_at_work(browser: Browser, world: World) -> None:
    note = next(link for link in browser.get("/knowledge").links if link.startswith("/knowledge/"))
    with hold_lease(world.layout.lease):
        reply = browser.post(f"{note.partition('?')[0]}/decide", {"decision": "retire"})
    assert reply.status == 503
    assert "at work on this store" in reply.words
