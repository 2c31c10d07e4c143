"""An item as it stood at a moment: weighed again from the evidence and the decisions of before.

The store keeps what an item is, not what it was. Its evidence and what people decided about it have dates, so the same
weighing that made it says what it would have been at any of them. What has no date is left out: a file that is gone, a
question that was answered, the look that a person has to take first.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.knowledge.weighing import WeighingContext, weigh
from afterwit.model.knowledge import Draft, Evidence, Item
from afterwit.store.decisions import Decision

_SHARED = frozenset(Draft.__struct_fields__) & frozenset(Item.__struct_fields__)


class NoteHistory(NamedTuple):
    """What weighing needs to know besides the items. Mappings are by the item's id, or by harvester."""

    decisions: Mapping[str, Sequence[Decision]] = {}
    echoes: Mapping[str, frozenset[str]] = {}
    minimum_stories: Mapping[str, int] = {}
    stated: Mapping[str, float] = {}  # how sure a model was of what it read

    def decided_about(self, item: Item) -> list[Decision]:
        """In order of time."""
        about = (decision for name in names_of(item) for decision in self.decisions.get(name, ()))
        return sorted(about, key=lambda decision: decision.at_ms)


def names_of(item: Item) -> tuple[str, ...]:
    """The ids under which it was told and decided about: its own, and those of what was merged into it."""
    return item.id, *item.merged


def item_at(item: Item, at_ms: int, history: NoteHistory) -> Item | None:
    """The item as all that had happened by then makes it; None where nothing had."""
    return _weighed(item, [piece for piece in item.evidence if time_of(piece) <= at_ms], at_ms, history)


def item_before(item: Item, piece: Evidence, history: NoteHistory) -> Item | None:
    """The item as it stood before the session of a piece of evidence."""
    at_ms, session = time_of(piece), piece.session
    earlier = [
        other
        for other in item.evidence
        if time_of(other) < at_ms
        and (other.session.agent, other.session.native_id) != (session.agent, session.native_id)
    ]
    return _weighed(item, earlier, at_ms, history)


def time_of(piece: Evidence) -> int:
    """When it happened; 0 where that is not known."""
    return piece.at_ms or piece.session.at_ms


def _weighed(item: Item, evidence: Sequence[Evidence], at_ms: int, history: NoteHistory) -> Item | None:
    decisions = {
        name: [decision for decision in history.decisions.get(name, ()) if decision.at_ms <= at_ms]
        for name in names_of(item)
    }
    if not evidence and not any(decisions.values()):
        return None
    stated = max((history.stated.get(name, 0.0) for name in names_of(item)), default=0.0)
    kept = {name: getattr(item, name) for name in _SHARED}
    draft = Draft(**kept | {"evidence": tuple(evidence)}, key=(item.id,), stated_confidence=stated)
    context = WeighingContext(
        now_ms=at_ms, echoes=history.echoes, decisions=decisions, minimum_stories=history.minimum_stories
    )
    return msgspec.structs.replace(weigh(draft, context, names_of(item)), id=item.id)
