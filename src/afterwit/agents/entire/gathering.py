"""Where the sessions of Entire are: in git repositories, as checkpoints."""

from afterwit.agents.entire.natives import native_of
from afterwit.sources.checkpoints import CheckpointGatherer
from afterwit.sources.gathering import Gatherer


def gatherers() -> tuple[Gatherer, ...]:
    return (CheckpointGatherer(native_of),)
