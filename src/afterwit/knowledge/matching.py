"""Whether a trigger fires at a moment: before an action, after one, or at a prompt.

All fields that are set must match; a trigger without any never fires. A command matches when any simple command of
its line does, with its wrappers or without them. Pure, and cheap enough to be asked for each action.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.path_patterns import fits_path
from afterwit.actions.shell.tree import Command, CommandLine
from afterwit.model.knowledge import Activity, Trigger

_NEVER = Trigger()


class TriggerMoment(NamedTuple):
    """What is known when an item may be said."""

    command: CommandLine | None = None
    tool: str = ""
    signature: str = ""  # of the failure that has just happened
    error: frozenset[str] = frozenset()  # words of the call and the output that have just failed
    rules: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()  # below the repository, that the action is about
    words: frozenset[str] = frozenset()  # of the prompt, by `model.text.words`
    activity: Activity | None = None  # of which this is the first action in the session
    edited: str = ""  # the text of an edit, old and new, where it is known


def fires(trigger: Trigger, moment: TriggerMoment) -> bool:
    """Whether everything that the trigger asks for is there."""
    return (
        trigger != _NEVER
        and (not trigger.signature or trigger.signature == moment.signature)
        and moment.error.issuperset(trigger.error)
        and (not trigger.tool or trigger.tool == moment.tool)
        and (not trigger.rule or trigger.rule in moment.rules)
        and (trigger.activity is None or trigger.activity is moment.activity)
        and moment.words.issuperset(trigger.topic)
        and (not trigger.path or any(fits_path(trigger.path, path) for path in moment.paths))
        and (not (trigger.lines and moment.edited) or any(line in moment.edited for line in trigger.lines))
        and (not (trigger.program or trigger.words) or _calls(trigger, moment.command))
    )


def _calls(trigger: Trigger, line: CommandLine | None) -> bool:
    return line is not None and any(_is_command(trigger, command) for command in line.commands)


def _is_command(trigger: Trigger, command: Command) -> bool:
    """The program may be the one that runs in the end, or one that wraps it."""
    words = [word.text for word in command.words]
    last = len(words) - len(command.arguments)
    if not trigger.program:
        return _follow(trigger.words, words)
    starts = (at for at in range(last) if words[at].rpartition("/")[2] == trigger.program)
    return any(_follow(trigger.words, words[at + 1 :]) for at in starts)


def _follow(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the wanted words come in this order, perhaps with others between. A flag may carry a value."""
    rest = iter(words)
    return all(any(_is_word(want, word) for word in rest) for want in wanted)


def _is_word(want: str, word: str) -> bool:
    return want == word or (want.startswith("-") and word.startswith(f"{want}="))
