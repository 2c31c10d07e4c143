"""`explain_item`: what stands behind a note."""

from collections.abc import Mapping
from typing import Any

from afterwit.guard.shown import Shown
from afterwit.knowledge.list import find_item
from afterwit.mcp.given import given_by_id
from afterwit.mcp.tool import Caller, Tool, text
from afterwit.store.store import readonly_database


def explain_item(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    with readonly_database(caller.world.layout) as db:
        return given_by_id(db, caller, find_item(db, arguments["item"], names_only=True))


ITEM = text("The note's id, or the beginning of it.", 64)
TOOL = Tool(
    name="explain_item",
    title="Explain a note",
    description=(
        "Why a note is believed: its confidence, who said it or what was seen, in which sessions and when. Use it when"
        " a note surprises you or contradicts what you see."
    ),
    properties={"item": ITEM},
    needed=("item",),
    run=explain_item,
)
