"""When each note is told to sessions: at their start, a prompt, an activity, after a failure, or never.

What is told at a start is read from the deck, and the rest comes from the very functions that fill it, so that what a
list says of a note is what hooks do. A note that is told at several moments is named with the first of them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import apsw

from afterwit.config.world import World
from afterwit.knowledge.door.listeners import listener_here
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.deck.firing_lines import answers, is_called, is_touched, lines_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.recall import speaking_among, speaking_items
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
    told = speaking_items(db, to) if notes is None else speaking_among(db, to, notes)
    start = _at_start(world)
    return _by_trigger(told) | {item.id: ToldWhen.START for item in told if item.id in start}


def _at_start(world: World) -> frozenset[str]:
    """The notes of all start blocks that hooks have. Without a deck they have none."""
    try:
        return Deck(str(world.layout.deck)).told_at_start()
    except (ValueError, apsw.Error):
        return frozenset()


def _by_trigger(items: Sequence[Item]) -> dict[str, ToldWhen]:
    """What fires at a prompt, an action or a failure, of the lines that hooks have."""
    by_id = {item.id: item for item in items}
    moments: dict[str, ToldWhen] = {}
    for line in lines_of(items):
        item = by_id[line.item]
        is_active = item.status is ItemStatus.ACTIVE
        is_waiting = any(trigger.activity is not None or is_called(item, trigger) for trigger in item.triggers)
        is_placed = any(is_touched(item, trigger) for trigger in item.triggers)
        if is_active and (any(trigger.topic for trigger in item.triggers) or (is_placed and not is_waiting)):
            moments[item.id] = ToldWhen.PROMPT
        elif is_active and is_waiting:
            moments[item.id] = ToldWhen.ACTIVITY
        elif line.about:
            moments[item.id] = ToldWhen.PROMPT
        elif any(answers(item, trigger) for trigger in line.triggers):
            moments[item.id] = ToldWhen.FAILURE
    return moments
