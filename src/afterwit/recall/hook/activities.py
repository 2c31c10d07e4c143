"""The exact question of what waits for an action: what does it do, and on which files?

A note waits for an activity if a trigger of its own says so, with a path if it is about certain files. One that waits
for nothing but a path is said at whatever touches the path first; one that names an activity is not said because a file
was merely read.

Asked only of lines whose words all occur, because it loads the tables of tools and the parser of command lines.
"""

from afterwit.actions.activities import activities_of
from afterwit.actions.quick_look import fits_path
from afterwit.actions.tools import paths_of
from afterwit.agents.hook_payloads import Moment
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import DeckLine, DeckTrigger
from afterwit.recall.hook.triggers import called, fires_at_command, is_of_tool


def awaited(pairs: list[tuple[DeckTrigger, DeckLine]], agent: str, moment: Moment, place: Location) -> list[DeckLine]:
    """Of these lines those that wait for this action, each once, in the order in which they are said."""
    activities = activities_of(*called(agent, moment))
    named = (moment.path, *paths_of(moment.tool, moment.arguments))
    paths = [below for path in named if path and (below := place.below(path, moment.cwd))]
    waiting: dict[str, DeckLine] = {}
    for trigger, line in pairs:
        is_done = not trigger.activity or trigger.activity in activities
        is_there = not trigger.path or any(fits_path(trigger.path, path) for path in paths)
        is_meant = is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command)
        if is_done and is_there and is_meant and (not trigger.lines or _is_edited(trigger.lines, moment)):
            waiting.setdefault(line.item, line)
    return sorted(waiting.values(), key=lambda line: (line.breadth, line.number))


def _is_edited(lines: list[str], moment: Moment) -> bool:
    """Whether an edit is about one of these lines. An agent that does not tell what it edits is taken to be."""
    texts = [text for text in _texts(moment.arguments) if text not in (moment.path, moment.cwd)]
    told = [text for text in texts if "\n" in text or " " in text]
    return not told or any(line in text for text in told for line in lines)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]
