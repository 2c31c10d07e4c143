"""Which symbolic links below a folder of logs are followed: those that stay inside, and few that lead out.

A home that is a link itself was put there by its user. So was a link directly in it, in the place of a folder or file
in which the agent keeps its logs (`follows` tells those): many people keep such a folder on another disk. What lies
there counts as inside. Any other link that leads out is not followed, and one to a folder that the home itself lies in
never is: it would lead through everything that a user can read.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def anything(name: str) -> bool:  # noqa: ARG001
    """For a folder that somebody names by hand: all that lies directly in it was put there for that."""
    return True


class Bounds:
    """The inside of one folder. Learns, link by link, what else belongs to it."""

    def __init__(self, home: str, follows: Callable[[str], bool] = anything, also: Iterable[Path] = ()) -> None:
        self._home = os.path.realpath(home)
        self._follows = follows
        self._inside = [self._home, *map(os.path.realpath, also)]
        self.outside: list[Path] = []  # links that were not followed

    def allows(self, place: str, below: str) -> bool:
        """Whether a link may be followed: its place, and its path below the home."""
        real = os.path.realpath(place)
        if any(_is_in(real, folder) for folder in self._inside):
            return True
        if "/" not in below and self._follows(below) and not _is_in(self._home, real):
            self._inside.append(real)
            return True
        self.outside.append(Path(place))
        return False


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)
