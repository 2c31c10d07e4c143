"""The rules of linters and compilers that a repository keeps enforcing: at most eight of them reach a session.

Those that are believed enough stand in the start block; the rest of the eight, seen in fewer sessions, comes with the
first prompt. What bites most goes first: in many stories, and of late.
"""

from collections.abc import Iterable

from afterwit.harvest.rules import most_failed
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.situation import Situation

MOST_RULES = 8
_SPEAKING = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


def biting_rules(items: Iterable[Item], situation: Situation) -> list[Item]:
    """The rules that matter most here, the most biting first."""
    here = [
        item
        for item in items
        if situation.concerns(item)
        and item.status in _SPEAKING
        and not item.is_known_to_host
        and any(trigger.rule for trigger in item.triggers)
    ]
    return most_failed(here, MOST_RULES)
