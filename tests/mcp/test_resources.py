"""Items as resources: listed where they hold, read by their address."""

import pytest
from tests.mcp.conftest import ORCHARD, put_items

from afterwit.config.world import World
from afterwit.mcp import backend
from afterwit.mcp.backend import StoreBackend
from afterwit.mcp.server import NoResourceError, RpcError
from afterwit.redaction.markers import without_own
from afterwit.store import spool


def test_items_that_hold_here_are_listed_and_can_be_read(desk: StoreBackend) -> None:
    found = desk.resources("", "claude-code")["resources"]
    assert found
    for one in found:
        assert one["uri"] == f"afterwit://item/{one['name']}"
        (content,) = desk.read(one["uri"], "claude-code")
        assert (content["uri"], content["mimeType"]) == (one["uri"], "text/plain")
        assert without_own(content["text"]) == ""


def test_the_list_names_items_and_does_not_tell_them(desk: StoreBackend, world: World) -> None:
    sentence = "Prune in March."
    put_items(world, [sentence])
    listed = desk.resources("", "claude-code")["resources"]
    assert {"uri", "name", "title", "mimeType"} == set().union(*listed)
    assert "fact 000000000000" in [one["title"] for one in listed]
    assert sentence not in str(listed)
    assert [*spool.drain(world.layout.spool)] == []


def test_an_address_that_means_several_items_tells_none(desk: StoreBackend, world: World) -> None:
    put_items(world, ["Prune in March.", "Never prune in June."])
    with pytest.raises(NoResourceError, match="000000000001") as error:
        desk.read("afterwit://item/00000", "claude-code")
    assert "prune" not in str(error.value).lower()


def test_nothing_of_another_repository_is_listed(world: World) -> None:
    desk = StoreBackend(lambda: world, None, "mcp-1")
    assert desk.resources("", "claude-code") == {"resources": []}


def test_a_list_comes_in_pages(desk: StoreBackend, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    put_items(world, ["Prune in March.", "Never prune in June."])
    whole = desk.resources("", "")["resources"]
    assert len(whole) > 1
    monkeypatch.setattr(backend, "PAGE", 1)
    pages, cursor = [], ""
    for _ in whole:
        page = desk.resources(cursor, "")
        pages += page["resources"]
        cursor = page.get("nextCursor", "")
    assert (pages, cursor) == (whole, "")


@pytest.mark.parametrize("cursor", ["-1", "x", "9" * 40, "²"])
def test_a_cursor_of_somebody_else_is_refused(desk: StoreBackend, cursor: str) -> None:
    with pytest.raises(RpcError, match="cursor"):
        desk.resources(cursor, "")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "afterwit://item/",
        "afterwit://item/ffff",
        "afterwit://item/../x",
        f"file://{ORCHARD}",
        "AFTERWIT://item/a b",
    ],
)
def test_an_address_of_nothing_is_not_found(desk: StoreBackend, uri: str) -> None:
    with pytest.raises(NoResourceError):
        desk.read(uri, "")
