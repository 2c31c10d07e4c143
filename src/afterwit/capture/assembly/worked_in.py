"""Where a session worked of which its log says nothing: counted while the file is read.

What is counted grows with the file, so that any split into appends gives the counts of the whole; the place that
follows from them is never part of what the next append goes on with. Folders are kept redacted.
"""

from collections.abc import Callable

import msgspec

from afterwit.actions import tools
from afterwit.capture.assembly.texts import AssemblyContext
from afterwit.model.captured import PartFacts
from afterwit.model.readings import Event
from afterwit.repos.work_places import (
    MOST_PLACES,
    folder_named,
    leading_place,
    place_of_file,
    places_of_command,
    remotes_in,
)

_MOST_FILES = 8  # of one call


def note_call(part: PartFacts, event: Event, context: AssemblyContext, safe: Callable[[str], str]) -> dict[str, str]:
    """Counts the places of a call. Returns the folders that commands named, as they are kept and as the log has
    them."""
    arguments = event.arguments or {}
    tool = context.tool_names.get(event.tool, event.tool)
    raw = places_of_command(tools.command_of(arguments), folder_named(arguments))
    named = {safe(place): place for place in sorted(raw)}
    files = (safe(path) for path in tools.paths_of(tool, arguments)[:_MOST_FILES])
    touched = {place_of_file(path, part.worked) for path in files} - {""}
    _count(part, {*named, *touched})
    return {kept: place for kept, place in named.items() if place.startswith(("/", "~"))}


def note_remotes(part: PartFacts, output: str) -> None:
    """Counts the remotes that a redacted output shows."""
    if part.is_placeless:
        _count(part, remotes_in(output))


def placed(part: PartFacts) -> PartFacts:
    """The part with the place in which most was done, where nothing else gives it one."""
    if not part.is_placeless or not part.worked:
        return part
    root, remote = leading_place(part.worked)
    return msgspec.structs.replace(part, root=root or part.root, remote=remote)


def _count(part: PartFacts, places: set[str]) -> None:
    for place in sorted(places):
        if place in part.worked or len(part.worked) < MOST_PLACES:
            part.worked[place] = part.worked.get(place, 0) + 1
