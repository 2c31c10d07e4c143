"""When each note is told to sessions: at their start, a prompt, an activity, after a failure, or never.

What is told at a start is read from the deck, and the rest comes from the very functions that fill it, so that what a
list says of a note is what hooks do. A note that is told at several moments is named with the first of them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import apsw

from afterwit.config.world import World
from afterwit.knowledge.brief import ENTRIES, pages_of
from afterwit.knowledge.door.listeners import listener_here
from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.model.brief import Line
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.deck.firing_lines import answers, is_called, is_touched, lines_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.recall import speaking_items
from afterwit.store.decisions import in_force
from afterwit.store.rows.items import recorded_about
from afterwit.store.store import readonly_database


class ToldWhen(StrEnum):
    """The first moment at which a session hears of a note."""

    START = "at start"
    PROMPT = "at prompt"
    ACTIVITY = "at first edit, test, commit"
    FAILURE = "after a failure"
    NEVER = "never"


def told_when(world: World, notes: Iterable[Item] | None = None) -> dict[str, ToldWhen]:
    """By the ids of these notes, or of all; what is not among them is told never."""
    with readonly_database(world.layout) as db:
        return told_in(db, world, notes)


def told_in(db: apsw.Connection, world: World, notes: Iterable[Item] | None = None) -> dict[str, ToldWhen]:
    """The same, for whoever has the store open."""
    to = listener_here(db, world)
    told = speaking_items(db, to) if notes is None else [item for item in notes if may_be_told_to(item, to)]
    moments = _by_trigger(told)
    heads = {name: item.id for item in told for name in (item.id, *item.merged)}
    start = _at_start(world)
    for page in pages_of(in_force(recorded_about(db, (), ENTRIES))).values():
        for line in page.lines:
            when = ToldWhen.START if line.heading and line.id in start else _first_moment(line)
            for name in filter(None, map(heads.get, line.notes if when is not ToldWhen.NEVER else ())):
                moments[name] = min(when, moments.get(name, when), key=list(ToldWhen).index)
    return moments | {item.id: ToldWhen.START for item in told if item.id in start}


def _at_start(world: World) -> frozenset[str]:
    """The lines of all briefs that hooks have. Without a deck they have none."""
    try:
        return Deck(str(world.layout.deck)).told_at_start()
    except (ValueError, apsw.Error):
        return frozenset()


def _first_moment(line: Line) -> ToldWhen:
    """When a line on demand is told."""
    if any(trigger.topic for trigger in line.triggers):
        return ToldWhen.PROMPT
    if any(trigger.activity or trigger.program for trigger in line.triggers):
        return ToldWhen.ACTIVITY
    return ToldWhen.FAILURE if line.triggers else ToldWhen.NEVER


def _by_trigger(items: Sequence[Item]) -> dict[str, ToldWhen]:
    """What fires at a prompt, an action or a failure by itself, of the lines that hooks have."""
    by_id = {item.id: item for item in items}
    moments: dict[str, ToldWhen] = {}
    for line in lines_of(items):
        item = by_id[line.item]
        is_active = item.status is ItemStatus.ACTIVE
        if is_active and any(trigger.topic for trigger in item.triggers):
            moments[item.id] = ToldWhen.PROMPT
        elif is_active and any(
            trigger.activity is not None or is_called(item, trigger) or is_touched(item, trigger)
            for trigger in item.triggers
        ):
            moments[item.id] = ToldWhen.ACTIVITY
        elif any(answers(item, trigger) for trigger in line.triggers):
            moments[item.id] = ToldWhen.FAILURE
    return moments
