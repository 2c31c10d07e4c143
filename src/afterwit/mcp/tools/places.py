"""`places`: in which files the work of a task is likely to be."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from afterwit.agents.moments import RECALL
from afterwit.mcp.given import PLACE, ItemLine, folder_of, given, repo_of
from afterwit.mcp.tool import Caller, Tool, text
from afterwit.recall.find_places import find_places
from afterwit.recall.places import MOST, LikelyPlace
from afterwit.recall.prompt_block import PLACES
from afterwit.recall.spooled import audience_of
from afterwit.redaction.shown import Shown, figure, joined, ours, path
from afterwit.store.store import readonly_database

_NOTHING = "No file stands out for this task. Look for it as you would."
_HEADING = "Files where such work is likely to be, each with its chance; a guess, not an instruction:"


def places(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    with readonly_database(caller.world.layout) as db:
        repo = repo_of(db, caller, arguments)
        to = audience_of(db, caller.world, caller.agent, caller.session, repo)
        folder = folder_of(caller, arguments)
    if folder is None and not repo:
        return ours(_NOTHING)
    answer = find_places(caller.world, folder or Path(), repo or None, arguments["task"], MOST)
    lines = [ItemLine(PLACES, _line(likely.place)) for likely in answer.places if path(likely.place.path)]
    return given(caller.world, to, RECALL, [(ours(_HEADING), lines)], ()) or ours(_NOTHING)


def _line(place: LikelyPlace) -> Shown:
    test = path(place.test) if place.test else ours("")
    tests = (ours(" (tests: "), test, ours(")")) if test else ()
    return joined((ours("- "), path(place.path), *tests, ours(" "), figure(place.chance, 2)))


PLACES_TOOL = Tool(
    name="places",
    title="Find the files of a task",
    description=(
        "The files of this repository where the work of a task is likely to be, with their tests: from earlier"
        " sessions, commits and the files' own words. Call it before you search."
    ),
    properties={
        "task": text("What you are about to do."),
        **PLACE,
    },
    needed=("task",),
    run=places,
)

TOOLS = (PLACES_TOOL,)
