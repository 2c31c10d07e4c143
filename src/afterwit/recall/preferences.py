"""What a user prefers, as lines for the start of a session.

Off unless `recall.preferences = true`. A preference is an entry whose key begins with `preference`, and that a person
stored at the command line, so it may be said as guidance; it is cleaned and cut like all text that is given to an
agent, one line each. A failing backend means no lines, never a failing start.
"""

from afterwit.config.world import World
from afterwit.guard.hygiene import clean
from afterwit.guard.shown import Shown
from afterwit.knowledge.shown_items import preference
from afterwit.memory.api import memory
from afterwit.model.errors import AfterwitError
from afterwit.model.memory_entry import Entry, is_persons

PREFIX = "preference"
_MOST_LINES = 12
_LONGEST_LINE = 200


def preference_lines(world: World, user: str | None = None) -> list[Shown]:
    """The lines, by key; none where the setting is off."""
    if not world.settings.recall.preferences:
        return []
    try:
        with memory(world, user) as mine:
            entries = [mine.retrieve(key).entry for key in mine.keys(PREFIX).keys[:_MOST_LINES]]
    except AfterwitError:
        return []
    return [line for entry in entries if entry and is_persons(entry.metadata) and (line := _line(entry))]


def _line(entry: Entry) -> Shown:
    text = " ".join(clean(entry.value).split())
    return preference(text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1].rstrip() + "…")
