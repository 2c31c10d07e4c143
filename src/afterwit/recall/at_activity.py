"""What is said with the first action of a kind: an edit of certain files, a run of tests, a commit, a push and others.

The note arrives with the result of that action, before the next one. A note waits for an activity if a trigger of its
own says so, with a path if it is about certain files. One that waits for nothing but a path is said at whatever touches
the path first; one that names an activity is not said because a file was merely read. Each note once in a session. A
hook does the same from the lines of a deck (`hook.activities`).
"""

from collections.abc import Collection, Iterable, Sequence

from afterwit.actions.path_patterns import closeness
from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.kinds import Activity
from afterwit.model.knowledge import Item, Trigger
from afterwit.recall.prompt_block import ACTION_TOKENS, BlockLine, at_action
from afterwit.recall.situation import Situation, holding, order
from afterwit.recall.start_block import said_of


def at_activity(
    items: Iterable[Item],
    situation: Situation,
    activities: Sequence[Activity],
    paths: Sequence[str],
    told: Collection[str],
    room_tokens: int = ACTION_TOKENS,
) -> list[BlockLine]:
    """What to say with an action that does this (`actions.activities`), on these paths below the repository, in a
    session that was told these notes and has so much room left (`ACTION_TOKENS_OF_SESSION` for all of them). Best
    first: what names the files most closely, the narrowest scope."""
    moments = [TriggerMoment(paths=tuple(paths), activity=activity) for activity in (None, *activities)]
    scopes = {scope: place for place, scope in enumerate(situation.scopes())}
    fitting: list[Item] = []
    near: dict[str, int] = {}
    for item in items:
        named = [closeness(trigger.path) for trigger in awaiting(item) if any(fires(trigger, at) for at in moments)]
        if named and item.id not in told:
            fitting.append(item)
            near[item.id] = max(named)
    ranked = sorted(holding(fitting, situation), key=lambda item: (-near[item.id], scopes[item.scope], order(item)))
    return at_action((BlockLine(item.id, said_of(item)) for item in ranked), room_tokens)


def awaiting(item: Item) -> tuple[Trigger, ...]:
    """The triggers of an item that wait for an action. A path with an advice is a wrong one: it waits for a failure."""
    active = tuple(trigger for trigger in item.triggers if trigger.activity is not None)
    return active or tuple(trigger for trigger in item.triggers if is_touched(item, trigger))


def is_touched(item: Item, trigger: Trigger) -> bool:
    """Whether a trigger waits for a file, however it is touched."""
    is_more = trigger.program or trigger.words or trigger.signature or trigger.rule or trigger.topic or trigger.activity
    return bool(trigger.path) and not is_more and not item.advice
