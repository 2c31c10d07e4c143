"""Which of the names that exist somebody may have meant by one that does not, and the one sentence that asks.

Commands, agents, repositories, sessions, notes, settings and arguments of tools are all asked about in these words.
Pure.
"""

from collections.abc import Callable, Iterable, Sequence

_NEAR = 0.65  # of difflib's ratio: sesions and sessions, but not clyde and codex
_NEAR_ID = 0.75  # ids are of few letters, so that strangers are alike
_SHORTEST_BEGINNING = 4


def did_you_mean(name: str, names: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """The question, with the nearest name as `shown` writes it; "" where no name is near."""
    return asked([shown(near) for near in nearest(name, names, 1)])


def asked(names: Sequence[str]) -> str:
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
    return [candidate for head in nearest(name, by_beginning, most, _NEAR_ID) for candidate in by_beginning[head]][
        :most
    ]
