"""Gives items to an agent: draws who gets which, notes it, and makes the text.

Everything that tells items goes through here, so that none is told unnoted. What an agent asks for by its id it gets;
what it asks for in general is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw

from afterwit.agents.moments import ASKED
from afterwit.config.world import World
from afterwit.guard.shown import NOTHING, Shown, lines
from afterwit.mcp.explaining import explained
from afterwit.mcp.places import repo_of
from afterwit.mcp.quoting import fitting, notes
from afterwit.mcp.tool import Caller
from afterwit.model.knowledge import Item
from afterwit.recall.exposures import Audience, audience_of, note


class Said(NamedTuple):
    """A line, and the item that it tells; "" where it tells none."""

    item: str
    text: Shown


Sections = Sequence[tuple[Shown, Sequence[Said]]]  # a heading, and lines; without lines it frames the others


def given(world: World, to: Audience, moment: str, sections: Sections, ending: Sequence[Shown] = ()) -> Shown:
    """The text for an agent without what is held out, noted; "" where nothing is left."""
    heard = list(_heard(to, sections))
    told = _text(heard, ending)
    shown = _shown(heard)
    items: Mapping[str, bool] = {one.item: one.item in shown for _, said in sections for one in said if one.item}
    if items:
        note(world, to, moment, items, told, _text(sections, ending))
    return told


def given_by_id(db: apsw.Connection, caller: Caller, item: Item) -> Shown:
    """An item with what stands behind it."""
    text = notes(explained(item))
    to = audience_of(db, caller.world, caller.agent, caller.session, repo_of(db, caller, {}))
    note(caller.world, to, ASKED, {item.id: True}, text, text)
    return text


def _heard(to: Audience, sections: Sections) -> Iterator[tuple[Shown, Sequence[Said]]]:
    """The sections without what is held out. A heading goes with the last of its lines."""
    for heading, said in sections:
        heard = [one for one in said if to.hears(one.item)]
        if heard or not said:
            yield heading, heard


def _text(sections: Sections, ending: Sequence[Shown]) -> Shown:
    """Between the markers; "" where there are no lines."""
    rows = [row.text for row in _rows(sections)]
    return notes([*rows, *ending]) if any(said for _, said in sections) else NOTHING


def _shown(sections: Sections) -> frozenset[str]:
    """The items of those lines that there is room for."""
    rows = _rows(sections)
    return frozenset(row.item for row in rows[: fitting(row.text for row in rows)])


def _rows(sections: Sections) -> list[Said]:
    """All lines, with those of the headings."""
    return [row for heading, said in sections for row in (*(Said("", line) for line in lines(heading)), *said)]
