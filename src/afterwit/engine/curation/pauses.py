"""Pausing: what people stop for a while is written where hooks look, and nowhere else."""

from pathlib import Path

from afterwit.config.world import World
from afterwit.engine.curation.brief import find_place
from afterwit.store.atomic import replace_file
from afterwit.store.pauses import PAUSED, pauses_in_force
from afterwit.store.store import readonly_database, require


def pause_until(world: World, folder: Path, repo: str | None, what: str, until_ms: int) -> dict[str, int]:
    """Pauses something, or the repository of a folder; gives all that is paused. 0: until it is resumed."""
    require(world.layout)
    if not what:
        with readonly_database(world.layout) as db:
            what = f"repo:{find_place(db, world, folder, repo)}"
    paused = {**pauses_in_force(str(world.layout.root), world.now_ms), what: until_ms}
    text = "".join(f"{end} {entry}\n" for entry, end in paused.items())
    replace_file(world.layout.root / PAUSED, text.encode())
    return paused


def resume_all(world: World) -> dict[str, int]:
    """Ends all pauses, and says which there were."""
    paused = pauses_in_force(str(world.layout.root), world.now_ms)
    (world.layout.root / PAUSED).unlink(missing_ok=True)
    return paused
