"""Who is told what, to compare: drawn by a keyed hash, before anything is shown.

A session is drawn into an arm, which says at which moments it is told anything; an item is left out of single sessions
besides. The same session and item give the same draw on every call, nobody without the key can foretell it, and no
state is kept but the odds: they are recorded with every draw, and a session keeps those of its first one, whatever
people choose meanwhile. The key stays with the store: with another one every session would be drawn anew.
"""

from afterwit.agents.hook_payloads import AFTER, BEFORE, PROMPT, START

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TOLD = "told"  # the arm that is told everything
TEMPLATE = "template"  # the same, and the worked example of a template besides
HELD = "held"  # the one that is held out
COLD = "cold"  # the same, in an experiment that somebody started
BLOCK = "block"
ACTIONS = "actions"
CHOICES = (COLD, BLOCK, ACTIONS, TOLD, TEMPLATE)  # the arms that an experiment may have
_MOMENTS = {HELD: (), COLD: (), BLOCK: (START, PROMPT), ACTIONS: (BEFORE, AFTER)}
_BYTES = 8
_PURPOSE = b"afterwit hold-out"


class Odds:
    """The chance of each arm, and that of an item to be told in a session that is."""

    __slots__ = ("arms", "item")

    def __init__(self, arms: dict[str, float], item: float) -> None:
        self.arms = arms
        self.item = item

    def arm(self, key: bytes, agent: str, session: str) -> str:
        """The arm that a session is in."""
        left = draw(key, agent, session)
        for name, chance in self.arms.items():
            if left < chance:
                return name
            left -= chance
        return next(reversed(self.arms))

    def leaves_out(self, key: bytes, agent: str, session: str, item: str) -> bool:
        """Whether an item is held out of a session."""
        return draw(key, agent, session, item) < 1 - self.item


def odds_for(session_share: float, item_share: float, arms: "list[str] | tuple[str, ...]" = ()) -> Odds:
    """The odds under these shares that are held out, or those of an experiment whose arms have equal chances."""
    if arms:
        return Odds(dict.fromkeys(arms, 1 / len(arms)), 1 - item_share)
    held = {HELD: session_share} if session_share else {}
    return Odds({**held, TOLD: 1 - session_share}, 1 - item_share)


def odds_in(record: dict[str, object]) -> Odds | None:
    """The odds that the record of a draw holds."""
    arms, item = record.get("odds"), record.get("item_odds")
    if not isinstance(arms, dict) or not arms or not isinstance(item, int | float):
        return None
    if not all(isinstance(chance, int | float) for chance in arms.values()):
        return None
    return Odds({str(name): float(chance) for name, chance in arms.items()}, float(item))


def is_told(arm: str, moment: str) -> bool:
    """Whether this arm is told what there is to say at this moment. An arm that nobody knows is told nothing."""
    return arm in (TOLD, TEMPLATE) or moment in _MOMENTS.get(arm, ())


def draw(key: bytes, agent: str, session: str, item: str = "") -> float:
    """A number from 0 up to 1 for an item in a session, or for the session itself."""
    content = f"{agent}\0{session}\0{item}".encode("utf-8", "surrogatepass")
    digest = blake2b(content, key=key[:64], digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big") / (1 << (8 * _BYTES))


def mark_of(call: str) -> str:
    """What stands for a call in the spool, so that the same one is known again."""
    return blake2b(call.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()


def holdout_key(redaction_key: bytes) -> bytes:
    """The key of the draws: as secret and as lasting as the redaction key, which it is made from."""
    return blake2b(_PURPOSE, key=redaction_key, digest_size=32).digest()


DRAW = "draw"
STARTED = "started"  # a start that gave no block: a resume, or nothing to say
PROMPTED = "prompted"
COMPACTED = "compacted"
CLEARED = "cleared"
ENDED = "ended"
FAULT = "fault"
CHECKED = "check"  # what happened that checks ask for: states by the ids of checks, and nothing else
CHECK, REPEATED = "check", "repeated"  # acts of a draw: a call was stopped; it was made again, and passed
ON_DEMAND = "lines"  # of a draw: how many lines on demand it is about


class History:
    """The records of a session, read once."""

    def __init__(self, records: list[dict[str, object]], context: str) -> None:
        self.odds: Odds | None = None  # under which the session was drawn
        self.checks: dict[str, str] = {}  # the last state of each check, whoever of the session brought it about
        self.hears_user = False  # whether prompts of the session came by
        self._forget()
        for record in records:
            if self.odds is None and record.get("kind") == DRAW:
                self.odds = odds_in(record)
            states = record.get("is") if record.get("kind") == CHECKED else None
            self.checks.update(states if isinstance(states, dict) else {})
            is_prompt = record.get("kind") == PROMPTED and not record.get("context")
            self.hears_user = self.hears_user or is_prompt
            if record.get("context", "") == context:
                self._take(record)

    def _forget(self) -> None:
        self.told: set[str] = set()  # ids of items
        self.answered: set[str] = set()  # those told at an action, and not only in a block
        self.refused: set[str] = set()  # marks of commands
        self.has_started = False
        self.has_prompted = False
        self.on_demand = 0  # lines that were told when their moment came
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
            count = record.get(ON_DEMAND)
            self.on_demand += count if isinstance(count, int) else 0
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
