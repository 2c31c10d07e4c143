"""The text for agents that read a file: what was learned for a place, as the deck has it.

The same block that hooks give at the start of a session, without a draw: a file is read by every session, so nothing in
it can be held out from some of them. Between the fixed markers, so that it is recognised when it comes back.
"""

from collections.abc import Callable
from pathlib import Path

import apsw

from afterwit.recall.deck.location import location_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.hook.call import DECK
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import NOTHING, Shown, between_markers, joined
from afterwit.store.layout import Layout


def notes_of(layout: Layout, user_home: Path) -> Callable[[str, Path | None], Shown]:
    """What gives the text for an agent in a project, or for what is true everywhere; "" where nothing is known."""

    def notes(agent: str, project: Path | None) -> Shown:
        deck = _deck(layout, user_home)
        repo = location_of(deck, str(project)).repo if deck and project else ""
        sections = deck.block(repo, agent) if deck else []
        rows = [row for heading, lines in sections if lines for row in (heading, *(text for _, text in lines))]
        return between_markers(joined(rows, "\n"), OPENING, CLOSING) if rows else NOTHING

    return notes


def _deck(layout: Layout, user_home: Path) -> Deck | None:
    """The deck; none where there is none that can be read."""
    try:
        deck = Deck(str(layout.root / DECK))
        deck.listen(str(user_home))
        return deck
    except (apsw.Error, ValueError):
        return None
