"""When each note is told to sessions: at their start, a prompt, an activity, after a failure, or never.

The answer comes from the very functions that fill the deck, so that what a list says of a note is what hooks do. A note
that is told at several moments is named with the first of them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from afterwit.config.world import World
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.at_activity import awaiting
from afterwit.recall.at_failure import answers
from afterwit.recall.at_prompt import prompting
from afterwit.recall.deck.compile import lines_of
from afterwit.recall.recall import speaking_items, start_block_for, stories
from afterwit.recall.situation import situations
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
        items, counts = speaking_items(db), stories(db)
    names = {item.id for item in (items if notes is None else notes)}
    asked = [item for item in items if item.id in names]
    moments = _by_trigger(asked)
    for situation in situations(items):
        if any(item.scope in situation.scopes() for item in asked):
            start = {item.id for item in start_block_for(world, situation, items, counts).items}
            moments |= dict.fromkeys(start & names, ToldWhen.START)
    return moments


def _by_trigger(items: Sequence[Item]) -> dict[str, ToldWhen]:
    """What fires at a prompt, an action or a failure, of the lines that hooks have."""
    by_id = {item.id: item for item in items}
    moments: dict[str, ToldWhen] = {}
    for line in lines_of(items):
        item = by_id[line.item]
        is_active = item.status is ItemStatus.ACTIVE
        if is_active and prompting(item):
            moments[item.id] = ToldWhen.PROMPT
        elif is_active and awaiting(item):
            moments[item.id] = ToldWhen.ACTIVITY
        elif line.about:
            moments[item.id] = ToldWhen.PROMPT
        elif any(answers(item, trigger) for trigger in line.triggers):
            moments[item.id] = ToldWhen.FAILURE
    return moments
