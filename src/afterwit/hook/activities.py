"""The exact question of what waits for an action: what does it do, and on which files? As `recall.at_activity` asks.

Asked only of lines whose words all occur, because it loads the tables of tools and the parser of command lines.
"""

from afterwit.actions.activities import activities_of
from afterwit.actions.path_patterns import closeness, fits_path
from afterwit.actions.tools import paths_of
from afterwit.agents.moments import Moment
from afterwit.hook.triggers import called, fires_at_command, is_of_tool
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import DeckLine, DeckTrigger


def awaited(pairs: list[tuple[DeckTrigger, DeckLine]], agent: str, moment: Moment, place: Location) -> list[DeckLine]:
    """Of these lines those that wait for this action, each once: what names its files most closely comes first."""
    activities = activities_of(*called(agent, moment))
    named = (moment.path, *paths_of(moment.tool, moment.arguments))
    paths = [below for path in named if path and (below := place.below(path, moment.cwd))]
    best: dict[str, tuple[tuple[int, int, int], DeckLine]] = {}
    for trigger, line in pairs:
        is_done = not trigger.activity or trigger.activity in activities
        is_there = not trigger.path or any(fits_path(trigger.path, path) for path in paths)
        if is_done and is_there and is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command):
            rank = (-closeness(trigger.path), line.breadth, line.number)
            if line.item not in best or rank < best[line.item][0]:
                best[line.item] = rank, line
    return [line for _, line in sorted(best.values(), key=lambda ranked: ranked[0])]
