"""Items as resources: `afterwit://item/<id>`. Those that hold here are listed; every one can be read.

Clients ask for the list unasked and may show it to a model. So it names items and does not tell them: what an item says
is given when it is read, and noted then.
"""

from typing import Any

import apsw

from afterwit.knowledge.door.list import find_item
from afterwit.knowledge.door.listeners import listener_here
from afterwit.mcp.given import given_by_id, repo_of
from afterwit.mcp.messages import Code, NoResourceError, RpcError
from afterwit.mcp.server import PREFIX
from afterwit.mcp.tool import Caller
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Item
from afterwit.recall.recall import speaking_items
from afterwit.recall.situation import Situation, holding

PAGE = 50


def listed(db: apsw.Connection, caller: Caller, cursor: str) -> dict[str, Any]:
    """A page of the items that hold here."""
    start = _start(cursor)
    situation = Situation(repo_of(db, caller, {}), caller.agent)
    here = holding(speaking_items(db, listener_here(db, caller.world), situation.scopes()), situation)
    page: dict[str, Any] = {"resources": [_resource(item) for item in here[start : start + PAGE]]}
    return page | ({"nextCursor": str(start + PAGE)} if start + PAGE < len(here) else {})


def read(db: apsw.Connection, caller: Caller, uri: str) -> list[dict[str, Any]]:
    """The contents of a resource. Raises NoResourceError where there is none."""
    name = uri.removeprefix(PREFIX)
    if not uri.startswith(PREFIX) or not name.isalnum():
        raise NoResourceError(f"There is no resource {uri[:200]!r}. Notes are {PREFIX}<id>.")
    try:
        item = find_item(db, name, names_only=True)
    except UsageError as error:
        raise NoResourceError(str(error)) from error
    return [{"uri": f"{PREFIX}{item.id}", "mimeType": "text/plain", "text": given_by_id(db, caller, item)}]


def _start(cursor: str) -> int:
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise RpcError(Code.INVALID_PARAMS, "`cursor` is none that this server gave.")
    return int(cursor or 0)


def _resource(item: Item) -> dict[str, Any]:
    return {
        "uri": f"{PREFIX}{item.id}",
        "name": item.id,
        "title": f"{item.category} {item.id}",
        "mimeType": "text/plain",
    }
