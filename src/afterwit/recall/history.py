"""What a session was told so far, from its own file in the spool.

Each subagent has a context of its own: what the session was told, it was not, and what happens to it, such as a
compaction, leaves the session as it was. The odds of the first draw hold for all of them, and for as long as the
session lasts. What was held out counts as told, so that one draw is one record. What stood
in the start block may be said once more when the failure that it speaks of happens: there it is acted on.
"""

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, BEFORE, PROMPT, START
from afterwit.recall.holdout import Odds, odds_in

DRAW = "draw"
STARTED = "started"  # a start that gave no block: a resume, or nothing to say
PROMPTED = "prompted"
COMPACTED = "compacted"
CLEARED = "cleared"
ENDED = "ended"
FAULT = "fault"
LATER = "later"  # in a draw at a prompt that is not the first


class History:
    """The records of a session, read once."""

    def __init__(self, records: list[dict[str, object]], context: str) -> None:
        self.odds: Odds | None = None  # under which the session was drawn
        self._forget()
        for record in records:
            if self.odds is None and record.get("kind") == DRAW:
                self.odds = odds_in(record)
            if record.get("context", "") == context:
                self._take(record)

    def _forget(self) -> None:
        self.told: set[str] = set()  # ids of items
        self.answered: set[str] = set()  # those told at an action, and not only in a block
        self.refused: set[str] = set()  # marks of commands
        self.has_started = False
        self.has_prompted = False
        self.later_chars = 0  # of what was said with prompts after the first
        self.activity_chars = 0  # of what was said because of what an action did
        self.awaits_block = False  # since a compaction
        self.has_block_at_prompt = False  # where every agent keeps it

    def _take(self, record: dict[str, object]) -> None:
        kind = record.get("kind")
        if kind == DRAW:
            items = record.get("items")
            self.told.update(items if isinstance(items, dict) else ())
            if record.get("moment") in (BEFORE, AFTER):
                self.answered.update(items if isinstance(items, dict) else ())
            self.refused.add(str(record.get("command", "")))
            said = len(str(record.get("text") or record.get("would", "")))
            self.later_chars += said if record.get(LATER) else 0
            self.activity_chars += said if record.get("act") == ACTIVITY else 0
        if kind == STARTED or (kind == DRAW and record.get("moment") == START):
            self.has_started, self.awaits_block = True, False
            self.has_block_at_prompt = record.get("with") == PROMPT
        elif kind == PROMPTED:
            self.has_prompted = True
        elif kind == COMPACTED:
            self.awaits_block = True
            self.told.clear()
            self.answered.clear()
        elif kind == CLEARED:
            self._forget()
