"""Which instructions every session gets already: files of instructions, and the agents' own memories.

Of those that are gone or lie on another machine, what transcripts showed of them last counts.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from afterwit.agents.registry import instruction_files
from afterwit.capture.checkouts import Checkout, StoreRows, first_checkouts, redacted_home
from afterwit.config.world import World
from afterwit.sources.checkout import checkout_instructions, home_instructions, project_memory


def instructions(store: StoreRows, world: World, places: list[Checkout]) -> dict[str, dict[str, str]]:
    """Texts by path, by repository; under "" those that every session gets. Files on this machine stand before what
    transcripts showed of them."""
    texts = _instructions_shown(store, world)
    for repo, named in present(world, places):
        texts.setdefault(repo, {}).update(named)
    return {repo: named for repo, named in texts.items() if named}


def present(world: World, places: list[Checkout]) -> Iterator[tuple[str, dict[str, str]]]:
    """Those of them that are files on this machine, by repository."""
    files = instruction_files()
    yield "", home_instructions(world.user_home, files)
    for repo, root in first_checkouts(places):
        yield repo, checkout_instructions(root, files) | project_memory(world.user_home, root, files)


def _instructions_shown(store: StoreRows, world: World) -> dict[str, dict[str, str]]:
    """What transcripts showed last: of each file its latest state, with the pieces that were seen later."""
    from afterwit.store.rows import parts

    homes = (f"{redacted_home(store, world)}/", f"{world.user_home}/")
    texts: dict[str, dict[str, str]] = {}
    for repo, _, (path, text, is_whole) in parts.instructions_shown(store.db):
        own = next((home for home in homes if path.startswith(home)), "")
        if not own and (PurePosixPath(path).is_absolute() or not repo):
            continue
        named, below = texts.setdefault("" if own else repo, {}), path.removeprefix(own)
        named[below] = text if is_whole else f"{named.get(below, '')}\n\n{text}".strip()
    return texts
