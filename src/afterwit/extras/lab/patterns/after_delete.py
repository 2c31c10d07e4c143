"""After sessions were erased: the catalog's files and what patterns publish lose the words that came from them."""

from afterwit.config.world import World
from afterwit.extras.lab.patterns.curate import refresh_files
from afterwit.extras.lab.patterns.publish import withdraw_erased


def renew(world: World) -> list[str]:
    """What was done, in sentences."""
    said = [f"{path}, of the catalog of patterns, was written anew without them." for path in refresh_files(world)]
    taken_back, left = withdraw_erased(world)
    said += [f"Of what patterns publish, {what}: its words came from them." for what in taken_back]
    said += [f"A published pattern has words that came from them and could not be taken back. {why}" for why in left]
    return said
