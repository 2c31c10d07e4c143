"""What pages are made from: the world as the command line sees it, looked at anew for every request."""

from collections.abc import Callable
from typing import NamedTuple

from afterwit.config.show import Configured
from afterwit.config.world import World
from afterwit.connect.plan import Machine


class WebPlace(NamedTuple):
    """The settings in force, the world they describe, and the machine that agents are connected on."""

    configured: Configured
    world: World
    machine: Machine


OpenPlace = Callable[[], WebPlace]
