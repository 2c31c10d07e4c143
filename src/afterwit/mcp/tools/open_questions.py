"""`open_questions`: what earlier sessions left open."""

from collections.abc import Mapping
from typing import Any

from afterwit.agents.moments import RECALL
from afterwit.guard.shown import Shown, figure, joined, label, ours, stamp
from afterwit.knowledge.shown_items import sentence
from afterwit.mcp.given import Said, given
from afterwit.mcp.places import PLACE, repo_of
from afterwit.mcp.quoting import day
from afterwit.mcp.tool import Caller, Tool, number
from afterwit.model.knowledge import Category, Item, ItemStatus
from afterwit.recall.exposures import audience_of
from afterwit.recall.recall import speaking_items
from afterwit.recall.situation import Situation
from afterwit.store.store import readonly_database

_NONE = "No question is open here."
_QUESTIONS = 10
_MOST = 50


def open_questions(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    with readonly_database(caller.world.layout) as db:
        repo = repo_of(db, caller, arguments)
        here = speaking_items(db, Situation(repo, caller.agent).scopes())
        to = audience_of(db, caller.world, caller.agent, caller.session, repo)
    found = [item for item in here if item.category is Category.QUESTION]
    newest = sorted(found, key=lambda item: (item.status is not ItemStatus.ACTIVE, -item.last_ms, item.id))
    limit = arguments.get("limit", _QUESTIONS)
    more = [joined((ours("("), figure(len(found) - limit), ours(" more)")))] if len(found) > limit else []
    said = [_said(item) for item in newest[:limit]]
    return given(caller.world, to, RECALL, [(ours("Left open by earlier sessions:"), said)], more) or ours(_NONE)


def _said(item: Item) -> Said:
    seen = (label(item.status), ours(", last seen "), day(item.last_ms))
    return Said(
        item.id, joined((ours("- "), sentence(item), ours(" ("), *seen, ours(") ["), stamp(item.id), ours("]")))
    )


TOOL = Tool(
    name="open_questions",
    title="List open questions",
    description=(
        "Questions and failures that earlier sessions in this repository left open. If your work answers one, say so"
        " with `record_lesson`."
    ),
    properties={"limit": number(f"At most so many. Default: {_QUESTIONS}.", _MOST), **PLACE},
    run=open_questions,
)
