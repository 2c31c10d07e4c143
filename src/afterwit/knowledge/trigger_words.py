"""When something is shown, as people write it: `command:make count`, `path:src/*.py`, `topic:release`. Pure."""

from collections.abc import Callable

from afterwit.actions.shell.parse import parse
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Trigger
from afterwit.model.text import words_of


def trigger_from(text: str) -> Trigger:
    """What fires under such a condition. Raises where it is none."""
    kind, _, value = (part.strip() for part in text.partition(":"))
    make = _MAKERS.get(kind)
    if make is None or not value:
        raise UsageError(f"{text!r} is none of {', '.join(f'{name}:…' for name in _MAKERS)} and none.")
    return make(value)


def _on_command(line: str) -> Trigger:
    commands = parse(line).commands
    if len(commands) != 1 or not commands[0].program:
        raise UsageError(f"{line!r} is not one simple command.")
    return Trigger(program=commands[0].program, words=tuple(commands[0].arguments))


def _on_topic(text: str) -> Trigger:
    words = tuple(words_of(text))
    if not words:
        raise UsageError(f"{text!r} has no word that tells a task from others.")
    return Trigger(topic=words)


_MAKERS: dict[str, Callable[[str], Trigger]] = {
    "command": _on_command,
    "path": lambda value: Trigger(path=value),
    "rule": lambda value: Trigger(rule=value),
    "topic": _on_topic,
    "tool": lambda value: Trigger(tool=value),
}
