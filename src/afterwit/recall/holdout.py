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


def holdout_key(redaction_key: bytes) -> bytes:
    """The key of the draws: as secret and as lasting as the redaction key, which it is made from."""
    return blake2b(_PURPOSE, key=redaction_key, digest_size=32).digest()
