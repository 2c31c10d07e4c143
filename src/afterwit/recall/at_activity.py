"""What is said with the first action of a kind: an edit of certain files, a run of tests, a commit, a push and others.

The note arrives with the result of that action, before the next one. A note waits for an activity if a trigger of its
own says so, with a path if it is about certain files. One that waits for nothing but a path is said at whatever touches
the path first; one that names an activity is not said because a file was merely read. Each note once in a session. A
hook does the same from the lines of a deck (`recall.hook.activities`).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import CommandLine
from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.kinds import ActionKind, Activity
from afterwit.model.knowledge import READ, Item, Trigger
from afterwit.recall.prompt_block import ACTION_TOKENS, BlockLine, at_action
from afterwit.recall.situation import Situation, holding, order
from afterwit.recall.start_block import said_of

_LONGEST = 65_536  # characters of a command line


class FirstAction(NamedTuple):
    """What an action does, as far as something may have waited for it."""

    activities: Sequence[Activity] = ()
    paths: tuple[str, ...] = ()  # below the repository
    command: CommandLine | None = None

    @property
    def is_any(self) -> bool:
        return bool(self.activities or self.paths or (self.command and self.command.commands))


def command_of(kind: ActionKind, target: str) -> CommandLine | None:
    """The command line of an action that has one."""
    return parsed(target[:_LONGEST]) if kind is ActionKind.SHELL else None


def at_activity(
    items: Iterable[Item],
    situation: Situation,
    action: FirstAction,
    told: Collection[str],
    room_tokens: int = ACTION_TOKENS,
) -> list[BlockLine]:
    """What to say with an action, in a session that was told these notes and has so much room left
    (`ACTION_TOKENS_OF_SESSION` for all of them). The narrowest scope first, then what spares most."""
    activities = (None, *action.activities)
    moments = [TriggerMoment(paths=action.paths, command=action.command, activity=at) for at in activities]
    scopes = {scope: place for place, scope in enumerate(situation.scopes())}
    fitting = [
        item
        for item in items
        if item.id not in told and any(fires(trigger, at) for trigger in awaiting(item) for at in moments)
    ]
    ranked = sorted(holding(fitting, situation), key=lambda item: (scopes[item.scope], order(item)))
    return at_action((BlockLine(item.id, said_of(item)) for item in ranked), room_tokens)


def awaiting(item: Item) -> tuple[Trigger, ...]:
    """The triggers of an item that wait for an action: an activity, the first call of a command, or else a file. A path
    with an advice is a wrong one, and a command with one is to be changed: these wait for a failure."""
    active = tuple(trigger for trigger in item.triggers if trigger.activity is not None or is_called(item, trigger))
    return active or tuple(trigger for trigger in item.triggers if is_touched(item, trigger))


def is_called(item: Item, trigger: Trigger) -> bool:
    """Whether a trigger waits for the first call of a command: only of what was put into words about it."""
    is_more = trigger.signature or trigger.rule or trigger.topic or trigger.tool
    return item.harvester == READ and bool(trigger.program) and not is_more and not item.advice


def is_touched(item: Item, trigger: Trigger) -> bool:
    """Whether a trigger waits for a file, however it is touched."""
    is_more = trigger.program or trigger.words or trigger.signature or trigger.rule or trigger.topic or trigger.activity
    return bool(trigger.path) and not is_more and not item.advice
