"""The error tree, and what all messages say in the same words: which of the names that exist was meant by one that does
not, and how a missing extra is installed. A message says what happened, where, and what to do next.

Bad input that belongs to the data is never raised: it becomes a `Problem` and a row. What is raised here stops the
caller, and the outermost frame prints it without a traceback.
"""

import sys
from collections.abc import Callable, Iterable, Sequence


class AfterwitError(Exception):
    """Stops the command; its text is shown to the user as it is."""


class ConfigError(AfterwitError):
    """The configuration cannot be used as written."""


class UsageError(AfterwitError):
    """The command was called wrongly: exit code 2."""


class PartlyDoneError(AfterwitError):
    """What was asked is recorded and will happen, but not all of it could be done now: exit code 3."""


class StoreError(AfterwitError):
    """The store cannot be opened, read or written."""


class StoreFullError(StoreError):
    """The disk or a quota is full. What was committed stays; the rest is read at the next run."""


class DamagedError(StoreError):
    """The store contradicts itself: a checksum, a chain or an integrity check failed."""


class BusyError(StoreError):
    """Another run holds the lease."""


class BackupError(AfterwitError):
    """A backup cannot be made, read or restored."""


class BackupDamagedError(BackupError):
    """What a backup holds is not what was put there, or is gone."""


_NEAR = 0.65  # of difflib's ratio: sesions and sessions, but not clyde and codex
_NEAR_ID = 0.75  # ids are of few letters, so that strangers are alike
_SHORTEST_BEGINNING = 4


def did_you_mean(name: str, names: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """The question, with the nearest name as `shown` writes it; "" where no name is near."""
    return ask_which([shown(near) for near in nearest(name, names, 1)])


def ask_which(names: Sequence[str]) -> str:
    """The question about names that are near; "" without any."""
    *others, last = names or ("",)
    return f"Did you mean {', '.join(others)}{' or ' if others else ''}{last}?" if last else ""


def nearest(name: str, names: Iterable[str], most: int, near: float = _NEAR) -> list[str]:
    """The names that are much like this one, upper and lower case aside, the most alike first."""
    from difflib import get_close_matches  # needed only where something went wrong

    by_folded: dict[str, list[str]] = {}
    for candidate in names:
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    close = get_close_matches(name.casefold(), by_folded, n=most, cutoff=near)
    return [candidate for folded in close for candidate in by_folded[folded]][:most]


def nearest_ids(name: str, ids: Iterable[str], most: int) -> list[str]:
    """The ids that begin almost like this one."""
    if len(name) < _SHORTEST_BEGINNING:
        return []
    by_beginning: dict[str, list[str]] = {}
    for candidate in ids:
        by_beginning.setdefault(candidate[: len(name)], []).append(candidate)
    near = nearest(name, by_beginning, most, _NEAR_ID)
    return [candidate for head in near for candidate in by_beginning[head]][:most]


def install_command(extra: str) -> str:
    """For a terminal: what installs an extra beside this very program, wherever that came from. Environments that uv
    made have no pip of their own."""
    from importlib.util import find_spec

    pip = f"{sys.executable} -m pip install" if find_spec("pip") else f"uv pip install --python {sys.executable}"
    return f"{pip} 'afterwit[{extra}]'"
